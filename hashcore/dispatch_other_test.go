//go:build purego || !amd64

package hashcore

// otherPlans: this build has no choice to make.
func otherPlans() map[string]plan { return nil }
