// Package plan says, from geometry alone, which nodes of a blob's tree a set of
// slices needs from outside and which joins lead from there to the root, and then
// makes the joins of many sets together, height by height.
package plan

import (
	"sort"

	"github.com/tapecommit/tapecommit/commit"
)

// kind is what the places below a node are.
type kind uint8

const (
	real    kind = iota // slices
	padding             // empty places
	mixed               // some of each
)

// kindOf returns the kind of a node. At commit.GroupHeight and above whole groups
// count, below it the lanes of a group that the blob has.
func kindOf(h *commit.Header, groups int64, at commit.Node) kind {
	lo, hi, end := at.Index, at.Index+1, int64(0)
	if up := at.Height - commit.GroupHeight; up >= 0 {
		lo, hi, end = lo<<up, hi<<up, groups
	} else {
		inGroup := at.Index & (1<<-up - 1)
		lo, hi, end = inGroup<<at.Height, (inGroup+1)<<at.Height, int64(h.N)
	}
	switch {
	case lo >= end:
		return padding
	case hi <= end:
		return real
	}
	return mixed
}

func leafIndex(p commit.Pos) int64 { return int64(p.Group)<<commit.GroupHeight | int64(p.Lane) }

// split returns how many of the slices at, all below the node, are below its left
// child.
func split(at []commit.Pos, below commit.Node) int {
	mid := (2*below.Index + 1) << (below.Height - 1)
	return sort.Search(len(at), func(i int) bool { return leafIndex(at[i]) >= mid })
}

func children(n commit.Node) (left, right commit.Node) {
	return commit.Node{Height: n.Height - 1, Index: 2 * n.Index}, commit.Node{Height: n.Height - 1, Index: 2*n.Index + 1}
}

// Outside calls f with each node that a set needs from outside, in the order of
// the wire form: from the root on, left before right. at is strictly ascending and
// all of it in the blob.
func Outside(h commit.Header, at []commit.Pos, f func(commit.Node)) {
	o := outside{h: &h, groups: int64(h.Groups()), f: f}
	o.walk(commit.Node{Height: h.Height()}, at)
}

// Count returns how many nodes Outside finds. It allocates nothing.
func Count(h *commit.Header, at []commit.Pos) int {
	o := outside{h: h, groups: int64(h.Groups())}
	o.walk(commit.Node{Height: h.Height()}, at)
	return o.n
}

type outside struct {
	h      *commit.Header
	groups int64
	n      int
	f      func(commit.Node)
}

func (o *outside) walk(n commit.Node, at []commit.Pos) {
	if len(at) == 0 {
		switch kindOf(o.h, o.groups, n) {
		case padding:
			return
		case real:
			o.n++
			if o.f != nil {
				o.f(n)
			}
			return
		}
	}
	if n.Height == 0 {
		return // a slice of the set
	}
	left, right := children(n)
	i := split(at, n)
	o.walk(left, at[:i])
	o.walk(right, at[i:])
}

// Plan is the joins of any number of sets over one array of nodes. The zero Plan
// is empty.
type Plan struct {
	nodes []commit.Hash
	joins [commit.MaxHeight + 1][]join // by height of the parent
	pairs []commit.Hash                // scratch of Hash

	h      *commit.Header // of the set that Add is at
	groups int64
	leaf   int32
	out    int32
}

// join makes node parent of nodes left and right; a child below zero is the empty
// subtree of its height.
type join struct{ parent, left, right int32 }

const empty = -1

// Part is where one set lies in a Plan.
type Part struct {
	leaves, outside, joins int32 // each begins where the one before ends
	root                   int32
}

// Reset empties p and keeps its memory.
func (p *Plan) Reset() {
	p.nodes = p.nodes[:0]
	for h := range p.joins {
		p.joins[h] = p.joins[h][:0]
	}
}

// Len returns the number of nodes in p.
func (p *Plan) Len() int { return len(p.nodes) }

// Add adds a set with the given number of nodes from outside, as Count has it. at
// is strictly ascending, all of it in the blob, and not empty.
func (p *Plan) Add(h *commit.Header, at []commit.Pos, outside int) Part {
	p.h, p.groups = h, int64(h.Groups())
	part := Part{leaves: int32(len(p.nodes))}
	part.outside = part.leaves + int32(len(at))
	part.joins = part.outside + int32(outside)
	p.leaf, p.out = part.leaves, part.outside
	p.grow(len(at) + outside)
	part.root = p.walk(commit.Node{Height: h.Height()}, at)
	p.h = nil
	return part
}

func (p *Plan) grow(n int) int32 {
	at := len(p.nodes)
	for range n {
		p.nodes = append(p.nodes, commit.Hash{})
	}
	return int32(at)
}

func (p *Plan) walk(n commit.Node, at []commit.Pos) int32 {
	if len(at) == 0 {
		switch kindOf(p.h, p.groups, n) {
		case padding:
			return empty
		case real:
			p.out++
			return p.out - 1
		}
	}
	if n.Height == 0 {
		p.leaf++
		return p.leaf - 1
	}
	left, right := children(n)
	i := split(at, n)
	j := join{left: p.walk(left, at[:i]), right: p.walk(right, at[i:])}
	j.parent = p.grow(1)
	p.joins[n.Height] = append(p.joins[n.Height], j)
	return j.parent
}

// Leaves are the leaf hashes of a set, in order, for the caller to fill. They are
// valid until the next Add.
func (p *Plan) Leaves(part Part) []commit.Hash { return p.nodes[part.leaves:part.outside] }

// Outside are the nodes of a set from outside, in order, for the caller to fill.
// They are valid until the next Add.
func (p *Plan) Outside(part Part) []commit.Hash { return p.nodes[part.outside:part.joins] }

// Root is the root that a set leads to, after Hash.
func (p *Plan) Root(part Part) commit.Hash { return p.nodes[part.root] }

// batch is how many joins are gathered for one call, so that they stay in cache.
const batch = 512

// Hash makes all joins.
func (p *Plan) Hash() {
	if p.pairs == nil {
		p.pairs = make([]commit.Hash, 2*batch)
	}
	for h := 1; h < len(p.joins); h++ {
		for joins := p.joins[h]; len(joins) > 0; {
			n := min(len(joins), batch)
			pairs := p.pairs[:2*n]
			for i, j := range joins[:n] {
				pairs[2*i] = p.child(j.left, h-1)
				pairs[2*i+1] = p.child(j.right, h-1)
			}
			commit.HashPairs(pairs[:n], pairs)
			for i, j := range joins[:n] {
				p.nodes[j.parent] = pairs[i]
			}
			joins = joins[n:]
		}
	}
}

func (p *Plan) child(i int32, height int) commit.Hash {
	if i == empty {
		return commit.Empty(height)
	}
	return p.nodes[i]
}
