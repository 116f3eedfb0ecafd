package tree_test

import (
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit/tree"
	"github.com/tapecommit/tapecommit/hashcore"
)

// FuzzModel builds a tree, changes the claim that its leaf i is in it, and wants the same root, the same path
// and the same verdict of package and model.
func FuzzModel(f *testing.F) {
	f.Add(uint8(0), uint8(19), uint8(7), int64(7), int64(19), uint16(0), uint8(0), int8(0))     // as it is
	f.Add(uint8(3), uint8(20), uint8(7), int64(39), int64(20), uint16(0), uint8(0), int8(0))    // another index
	f.Add(uint8(7), uint8(3), uint8(2), int64(2), int64(4), uint16(0), uint8(0), int8(0))       // another count
	f.Add(uint8(7), uint8(11), uint8(10), int64(10), int64(11), uint16(90), uint8(1), int8(0))  // a byte behind the width
	f.Add(uint8(9), uint8(33), uint8(32), int64(32), int64(33), uint16(0), uint8(128), int8(0)) // another root
	f.Add(uint8(9), uint8(32), uint8(0), int64(0), int64(32), uint16(0), uint8(0), int8(-1))    // a sibling less
	f.Add(uint8(8), uint8(1), uint8(0), int64(0), int64(1), uint16(0), uint8(0), int8(1))       // a sibling more
	all := models()
	f.Fuzz(func(t *testing.T, scheme, n, i uint8, index, count int64, at uint16, flip uint8, more int8) {
		m := all[int(scheme)%len(all)]
		size := 1 + int(n)%min(m.places, 70)
		leaves, want := m.leaves(size)
		leaf := int(i) % size

		root, err := m.scheme.Root(leaves)
		if err != nil || root != m.root(want) {
			t.Fatalf("%s: root over %d leaves = %x, %v, want %x", m.name, size, root, err, m.root(want))
		}
		path, err := m.scheme.Path(leaves, leaf)
		if err != nil || !slices.Equal(hashes(path), m.path(want, leaf)) {
			t.Fatalf("%s: path of leaf %d of %d = %x, %v, want %x", m.name, leaf, size, path, err, m.path(want, leaf))
		}

		claim := append([]hashcore.Digest{root, leaves[leaf]}, path...)
		claim[int(at)/32%len(claim)][at%32] ^= flip
		in := tree.Inclusion{Root: claim[0], Leaf: claim[1], Index: index, Count: count, Path: claim[2:]}
		for ; more > 0; more-- {
			in.Path = append(in.Path, hashcore.Digest{})
		}
		in.Path = in.Path[:max(0, len(in.Path)+int(more))]

		ok := index >= 0 && count >= 0 &&
			m.check(in.Root, in.Leaf, uint64(index), uint64(count), hashes(in.Path))
		if err := m.scheme.Check(in); (err == nil) != ok {
			t.Errorf("%s: %+v: %v, the model says %t", m.name, in, err, ok)
		}
	})
}
