package tree_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/merkle/testonly"

	"github.com/tapecommit/tapecommit/commit/tree"
	"github.com/tapecommit/tapecommit/hashcore"
	"github.com/tapecommit/tapecommit/internal/reference"
)

// TestTransparencyDev compares roots and paths with those of the implementation that certificate logs run on:
// all of trees of up to 70 leaves, and some of larger ones.
func TestTransparencyDev(t *testing.T) {
	s := tree.RFC6962()
	const most = 5000
	bodies := make([][]byte, most)
	theirs := testonly.New(rfc6962.DefaultHasher)
	for i := range bodies {
		bodies[i] = reference.Stream(uint64(i), i%131)
		theirs.AppendData(bodies[i])
	}
	leaves := make([]hashcore.Digest, most)
	s.HashLeaves(leaves, bodies)

	compare := func(n int, indices []int) {
		root, err := s.Root(leaves[:n])
		if want := theirs.HashAt(uint64(n)); err != nil || !slices.Equal(root[:], want) {
			t.Fatalf("root over %d leaves = %x, %v, want %x", n, root, err, want)
		}
		for _, i := range indices {
			if !slices.Equal(leaves[i][:], theirs.LeafHash(uint64(i))) {
				t.Fatalf("leaf %d differs", i)
			}
			path, err := s.Path(leaves[:n], i)
			if err != nil {
				t.Fatal(err)
			}
			want, err := theirs.InclusionProof(uint64(i), uint64(n))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(path, want, func(a hashcore.Digest, b []byte) bool { return slices.Equal(a[:], b) }) {
				t.Errorf("path of leaf %d of %d = %x, want %x", i, n, path, want)
			}
			if err := s.Check(tree.Inclusion{Root: root, Leaf: leaves[i], Index: int64(i), Count: int64(n), Path: path}); err != nil {
				t.Errorf("path of leaf %d of %d: %v", i, n, err)
			}
		}
	}
	for n := range 71 {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		compare(n, all)
	}
	random := rand.New(rand.NewPCG(6962, 9162))
	for range 30 {
		n := 71 + random.IntN(most-70)
		compare(n, []int{0, random.IntN(n), n / 2, n - 1})
	}
}

// TestTransparencyDevVerdicts offers each path of small trees for each place of such trees to both verifiers.
func TestTransparencyDevVerdicts(t *testing.T) {
	s := tree.RFC6962()
	leaves, _ := rfc6962Model().leaves(18)
	for n := 1; n <= len(leaves); n++ {
		root, err := s.Root(leaves[:n])
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			path, err := s.Path(leaves[:n], i)
			if err != nil {
				t.Fatal(err)
			}
			var theirs [][]byte
			for _, sibling := range path {
				theirs = append(theirs, slices.Clone(sibling[:]))
			}
			for count := range int64(20) {
				for index := range int64(20) {
					ours := s.Check(tree.Inclusion{Root: root, Leaf: leaves[i], Index: index, Count: count, Path: path})
					want := proof.VerifyInclusion(rfc6962.DefaultHasher, uint64(index), uint64(count), leaves[i][:], theirs, root[:])
					if (ours == nil) != (want == nil) {
						t.Errorf("leaf %d of %d as leaf %d of %d: %v, they say %v", i, n, index, count, ours, want)
					}
				}
			}
		}
	}
}
