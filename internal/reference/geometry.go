package reference

import (
	"fmt"
	"slices"
)

// Node names a node of the blob's tree: slice i of group g is {0, 32g+i}, the root of group g is {5, g}.
type Node struct {
	Height int
	Index  int64
}

func (n Node) left() Node  { return Node{n.Height - 1, 2 * n.Index} }
func (n Node) right() Node { return Node{n.Height - 1, 2*n.Index + 1} }

// below says which positions are below a node, [first, end), and whether nothing else is. At height 5 and
// above whole groups count: the places of a group behind its n slices are not counted as padding.
func (h Header) below(at Node) (first, end int64, whole bool) {
	n := int64(h.N)
	if at.Height >= 5 {
		from, to := at.Index<<(at.Height-5), (at.Index+1)<<(at.Height-5)
		return n * min(from, h.Groups()), n * min(to, h.Groups()), to <= h.Groups()
	}
	from, to := at.Index<<at.Height, (at.Index+1)<<at.Height
	group := from / 32
	if group >= h.Groups() {
		return 0, 0, false
	}
	from, to = from-32*group, to-32*group
	return n*group + min(from, n), n*group + min(to, n), to <= n
}

const (
	maxSet    = 65536 // positions in a set
	runGroups = 64    // groups in a run, which a bundle stays within
)

// checkSet refuses what is no set of positions of the blob.
func (h Header) checkSet(set []int64) error {
	if len(set) < 1 || len(set) > maxSet {
		return fmt.Errorf("a set of %d", len(set))
	}
	for i, position := range set {
		if position < 0 || position >= h.Positions() {
			return fmt.Errorf("position %d of %d", position, h.Positions())
		}
		if i > 0 && position <= set[i-1] {
			return fmt.Errorf("position %d behind %d", position, set[i-1])
		}
	}
	return nil
}

// NodesOf names the nodes that prove a set: those that a walk from the root, left child first, meets where
// it leaves the way to the set and has nothing but slices below it.
func (h Header) NodesOf(set []int64) []Node {
	if err := h.checkSet(set); err != nil {
		panic("reference: " + err.Error())
	}
	var nodes []Node
	var walk func(Node)
	walk = func(at Node) {
		first, end, whole := h.below(at)
		switch {
		case first == end:
			// all padding
		case whole && !anyIn(set, first, end):
			nodes = append(nodes, at)
		case at.Height > 0:
			walk(at.left())
			walk(at.right())
		}
	}
	walk(Node{h.Height(), 0})
	return nodes
}

// anyIn reports whether a position of set lies in [first, end).
func anyIn(set []int64, first, end int64) bool {
	i, _ := slices.BinarySearch(set, first)
	return i < len(set) && set[i] < end
}

// Cover is the data slices that hold the bytes [first, last] of the plaintext.
func (h Header) Cover(first, last int64) []int64 {
	if first < 0 || first > last || last >= h.Length {
		panic("reference: no such range")
	}
	var set []int64
	for group := first / h.groupBytes(); group <= last/h.groupBytes(); group++ {
		for lane := range int64(h.K) {
			position := int64(h.N)*group + lane
			if off, n := h.Span(position); n > 0 && off <= last && off+n > first {
				set = append(set, position)
			}
		}
	}
	return set
}

// Runs cuts a set where a new run of groups begins.
func (h Header) Runs(set []int64) [][]int64 {
	var all [][]int64
	for i, position := range set {
		if i == 0 || h.run(position) != h.run(set[i-1]) {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], position)
	}
	return all
}

func (h Header) run(position int64) int64 {
	return position / int64(h.N) / runGroups
}
