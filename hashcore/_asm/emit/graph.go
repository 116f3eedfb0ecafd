package emit

import (
	"cmp"
	"slices"

	. "github.com/mmcloughlin/avo/reg"
)

// graph is operations on values, each with a place that it would like to have. Registers
// are given out when the order is known.
type graph struct{ ops []*operation }

type operation struct {
	at   float64
	args []*value
	dst  *value
	f    func(dst VecPhysical, args []VecPhysical)
}

// value is what an operation has computed.
type value struct {
	by   *operation
	uses int
	reg  VecPhysical
}

// op adds an operation that computes a value.
func (g *graph) op(at float64, f func(dst VecPhysical, args []VecPhysical), args ...*value) *value {
	o := g.effect(at, f, args...)
	o.dst = &value{by: o}
	return o.dst
}

// effect adds an operation for what it does elsewhere; its dst is nil.
func (g *graph) effect(at float64, f func(dst VecPhysical, args []VecPhysical), args ...*value) *operation {
	o := &operation{at: at, args: args, f: f}
	for _, a := range args {
		a.uses++
		// Nothing stands before what it needs.
		o.at = max(o.at, a.by.at)
	}
	g.ops = append(g.ops, o)
	return o
}

// code puts the operations in order, and values into registers.
func (g *graph) code(free pool) (q code) {
	slices.SortStableFunc(g.ops, func(a, b *operation) int { return cmp.Compare(a.at, b.at) })
	for _, o := range g.ops {
		var args []VecPhysical
		for _, a := range o.args {
			args = append(args, a.reg)
			if a.uses--; a.uses == 0 {
				free.give(a.reg)
			}
		}
		var dst VecPhysical
		if o.dst != nil {
			dst = free.take()
			o.dst.reg = dst
		}
		q.add(func() { o.f(dst, args) })
	}
	return q
}
