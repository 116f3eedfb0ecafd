package hashcore

// engine is a kernel that works on lanes, as a plan names it.
type engine uint8

// capacity is what an engine takes in one call: messages side by side, and blocks of each.
// A goroutine cannot be stopped inside assembly, and a collector would wait for it, so a
// call is to end after some 40 microseconds.
type capacity struct {
	lanes, blocks int

	// refills says that within a call a lane may go on to another message.
	refills bool
}

// plan says how a batch is spread over lanes.
type plan struct {
	lanes int // messages side by side; 0 is crypto/sha256, one after the other
	few   int // so many messages or fewer go to crypto/sha256 too

	// by[n] takes n lanes on together, 1 <= n <= lanes; or as many as it has, and for the
	// others the plan is asked again.
	by [maxLanes + 1]engine

	watch func(lanes int, steps []step) // for tests: told of every call of advance, unless nil
}

// most is how many blocks so many lanes may advance between two calls.
func (p *plan) most(lanes int) int {
	most := engines[p.by[lanes]].blocks
	for lanes > 0 {
		c := engines[p.by[lanes]]
		most = min(most, c.blocks)
		lanes -= c.lanes
	}
	return most
}

// refills tells whether a call that began with so many lanes should go on when there is
// work for so many left: the kernel can, and p would have no other for them.
func (p *plan) refills(lanes, left int) bool {
	e := p.by[lanes]
	return engines[e].refills && engines[e].lanes >= lanes && left > 0 && p.by[left] == e
}

// room is how many lanes a batch of so many messages needs, with those that its kernels
// have beyond it. Fewer messages never need more.
func (p *plan) room(messages int) int {
	room := 0
	for n := min(p.lanes, messages); n > 0; {
		lanes := engines[p.by[n]].lanes
		room += lanes
		n -= lanes
	}
	return room
}

// kernel is a Kernel and the plan that uses it alone.
type kernel struct {
	Kernel
	alone plan
}

// alone is the plan that uses one kernel for everything.
func alone(e engine) plan {
	p := plan{lanes: engines[e].lanes}
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
