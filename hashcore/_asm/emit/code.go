package emit

import (
	"sort"

	. "github.com/mmcloughlin/avo/reg"
)

// code is instructions in their order, still to be written. What does not depend on each
// other is described one after the other, and woven.
type code []func()

func (c *code) add(f ...func()) { *c = append(*c, f...) }

func (c code) write() {
	for _, f := range c {
		f()
	}
}

// weave spreads all parts evenly over the whole and keeps the order within each.
func weave(parts ...code) code {
	type step struct {
		at float64
		f  func()
	}
	var steps []step
	for _, p := range parts {
		for i, f := range p {
			steps = append(steps, step{(float64(i) + 0.5) / float64(len(p)), f})
		}
	}
	sort.SliceStable(steps, func(i, j int) bool { return steps[i].at < steps[j].at })
	woven := make(code, len(steps))
	for i, s := range steps {
		woven[i] = s.f
	}
	return woven
}

// pool hands out registers, the one longest free first.
type pool []VecPhysical

func (p *pool) take() VecPhysical     { r := (*p)[0]; *p = (*p)[1:]; return r }
func (p *pool) give(r ...VecPhysical) { *p = append(*p, r...) }
func (p *pool) take4() (r [4]VecPhysical) {
	for i := range r {
		r[i] = p.take()
	}
	return r
}
