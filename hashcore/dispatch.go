package hashcore

// maxLanes is the most messages that any kernel takes side by side.
const maxLanes = 8

// maxBlocks bounds the blocks of one kernel call, to some 40 microseconds. A goroutine
// cannot be stopped inside assembly, and a collector would wait for it.
const maxBlocks = 1024

// engine is a kernel that works on lanes, as a plan names it.
type engine uint8

// plan says how a batch is spread over lanes.
type plan struct {
	lanes int                  // messages side by side; 0 is crypto/sha256, one after the other
	few   int                  // so many messages or fewer go to crypto/sha256 too
	by    [maxLanes + 1]engine // by[n] takes n lanes on together, 1 <= n <= lanes

	watch func(lanes, blocks int) // for tests: told of every call of advance, unless nil
}

// kernel is a Kernel and the plan that uses it alone.
type kernel struct {
	Kernel
	alone plan
}

// alone is the plan that uses one kernel for everything.
func alone(e engine) plan {
	p := plan{lanes: width[e]}
	for i := range p.lanes {
		p.by[i+1] = e
	}
	return p
}

// common are the kernels of every build, and their use where no other kernel runs.
var common = []kernel{
	{Kernel{Name: "stdlib", Use: "every batch: this build has nothing faster than crypto/sha256"}, plan{}},
	{Kernel{Name: "generic", Use: "no batch: plain Go, the truth that other kernels are held against"}, alone(generic)},
}
