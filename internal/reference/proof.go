package reference

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Nodes is the nodes that prove a set.
func (b *Blob) Nodes(set []int64) []Hash {
	var nodes []Hash
	for _, at := range b.NodesOf(set) {
		nodes = append(nodes, b.Node(at.Height, at.Index))
	}
	return nodes
}

// Proof is the proof of a set.
func (b *Blob) Proof(set []int64) []byte {
	out := append([]byte("TPP1"), b.Header.Bytes()...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(set)))
	for _, position := range set {
		out = binary.LittleEndian.AppendUint64(out, uint64(position))
	}
	for _, hash := range b.Nodes(set) {
		out = appendHash(out, hash)
	}
	return out
}

// Bundle is the proof of a set, which must lie within one run of groups, and its slices.
func (b *Blob) Bundle(set []int64) []byte {
	if len(b.Runs(set)) != 1 {
		panic("reference: a bundle of more than one run of groups")
	}
	out := b.Proof(set)
	for _, position := range set {
		out = append(out, b.Slices[position]...)
	}
	return out
}

// Bundles is bundles in a row for any slices in ascending order, one for each run that they touch.
func (b *Blob) Bundles(at []int64) []byte {
	var out []byte
	for _, set := range b.Runs(at) {
		out = append(out, b.Bundle(set)...)
	}
	return out
}

// Range is the bundles of the bytes [first, last] of the plaintext.
func (b *Blob) Range(first, last int64) []byte {
	return b.Bundles(b.Cover(first, last))
}

// CheckProof checks that proof shows pieces to be the slices at positions of the blob.
func CheckProof(id Hash, positions []int64, pieces [][]byte, proof []byte) error {
	if err := checkProof(id, positions, pieces, proof); err != nil {
		return fmt.Errorf("reference: proof: %w", err)
	}
	return nil
}

func checkProof(id Hash, positions []int64, pieces [][]byte, proof []byte) error {
	c := &cursor{rest: proof}
	h, set, nodes, err := c.proof(id)
	switch {
	case err != nil:
		return err
	case len(c.rest) != 0:
		return errors.New("surplus bytes")
	case !slices.Equal(positions, set):
		return errors.New("of another set")
	case len(pieces) != len(set):
		return fmt.Errorf("%d slices for %d positions", len(pieces), len(set))
	}
	return h.lead(set, pieces, nodes)
}

// OpenBundles checks bundles in a row and returns the positions and slices that they prove. With want they
// must be the bundles of those slices; without, one bundle of any, or the several of a range.
func OpenBundles(id Hash, b []byte, want []int64) (positions []int64, pieces [][]byte, err error) {
	var h Header
	var sets [][]int64
	for c := (&cursor{rest: b}); len(c.rest) > 0; {
		var set []int64
		var bodies [][]byte
		if h, set, bodies, err = c.bundle(id); err != nil {
			return nil, nil, fmt.Errorf("reference: bundle %d: %w", len(sets), err)
		}
		sets = append(sets, set)
		positions, pieces = append(positions, set...), append(pieces, bodies...)
	}
	if len(sets) == 0 {
		return nil, nil, errors.New("reference: no bundle")
	}
	if want == nil && len(sets) > 1 {
		first, n := h.Span(positions[0])
		last, m := h.Span(positions[len(positions)-1])
		if n == 0 || m == 0 || first > last {
			return nil, nil, errors.New("reference: several bundles that are no range")
		}
		want = h.Cover(first, last+m-1)
	}
	if want != nil && !slices.EqualFunc(sets, h.Runs(want), slices.Equal[[]int64]) {
		return nil, nil, errors.New("reference: not the bundles of the slices wanted")
	}
	return positions, pieces, nil
}

// lead checks that the slices of a set and its nodes lead to the root.
func (h Header) lead(set []int64, pieces [][]byte, nodes []Hash) error {
	var leaves []Hash
	for i, position := range set {
		if len(pieces[i]) != h.SizeOf(position/int64(h.N)) {
			return fmt.Errorf("slice %d has %d bytes", position, len(pieces[i]))
		}
		leaves = append(leaves, Leaf(pieces[i]))
	}
	return h.leadLeaves(set, leaves, nodes)
}

// leadLeaves checks that the leaf hashes of a set and its nodes, which are as many as the walk takes, lead
// to the root.
func (h Header) leadLeaves(set []int64, leaves, nodes []Hash) error {
	var walk func(Node) Hash
	walk = func(at Node) (hash Hash) {
		first, end, whole := h.below(at)
		switch {
		case first == end:
			return Empty(at.Height)
		case whole && !anyIn(set, first, end):
			hash, nodes = nodes[0], nodes[1:]
			return hash
		case at.Height == 0:
			hash, leaves = leaves[0], leaves[1:]
			return hash
		}
		l := walk(at.left())
		return Join(l, walk(at.right()))
	}
	if walk(Node{h.Height(), 0}) != h.Root {
		return errors.New("does not lead to the root")
	}
	return nil
}
