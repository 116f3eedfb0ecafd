package commit_test

import (
	"fmt"

	"github.com/tapecommit/tapecommit/commit"
)

// A blob's ID binds its length and its code, not only its slices.
func Example() {
	p := commit.Params{K: 2, N: 3, SliceSize: 64}
	slices := [][]byte{make([]byte, 64), make([]byte, 64), make([]byte, 64)} // one group, as package slicer makes it

	leaves := make([]commit.Hash, len(slices))
	commit.HashLeaves(leaves, slices)
	roots := make([]commit.Hash, 1)
	commit.GroupRoots(roots, leaves, p.N)

	var b commit.Builder
	b.Add(roots)
	for _, length := range []int64{127, 128} {
		m, err := b.Manifest(p, length)
		if err != nil {
			panic(err)
		}
		h := m.Header()
		fmt.Printf("root %x..., ID %.8v...\n", h.Root[:4], h.ID())
	}
	// Output:
	// root ba2b4dc7..., ID f922cd4e...
	// root ba2b4dc7..., ID 2c3fd134...
}
