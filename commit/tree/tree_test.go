package tree_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit/tree"
	"github.com/tapecommit/tapecommit/hashcore"
	"github.com/tapecommit/tapecommit/internal/reference"
)

// TestSmallTrees compares every tree of up to 70 leaves, and every path in it, with the model.
func TestSmallTrees(t *testing.T) {
	for _, m := range models() {
		t.Run(m.name, func(t *testing.T) {
			leaves, want := m.leaves(min(m.places, 70))
			for n := range len(leaves) + 1 {
				if n == 0 && !m.empty {
					continue
				}
				before := slices.Clone(leaves)
				root, err := m.scheme.Root(leaves[:n])
				if err != nil || root != m.root(want[:n]) {
					t.Errorf("root over %d leaves = %x, %v, want %x", n, root, err, m.root(want[:n]))
				}
				for i := range n {
					path, err := m.scheme.Path(leaves[:n], i)
					if err != nil || !slices.Equal(hashes(path), m.path(want[:n], i)) {
						t.Errorf("path of leaf %d of %d = %x, %v, want %x", i, n, path, err, m.path(want[:n], i))
					}
					in := tree.Inclusion{Root: root, Leaf: leaves[i], Index: int64(i), Count: int64(n), Path: path}
					if err := m.scheme.Check(in); err != nil {
						t.Errorf("path of leaf %d of %d: %v", i, n, err)
					}
				}
				if !slices.Equal(leaves, before) {
					t.Fatalf("a tree over %d leaves changed them", n)
				}
			}
		})
	}
}

// TestVerdicts offers every path of every tree of up to 9 leaves for every place in such trees, and to the
// model too. A path is right for its own place, and for no other unless the model says so too: a shred tree
// of 3 leaves is one of 4 where the last two are the same.
func TestVerdicts(t *testing.T) {
	const most = 9
	for _, m := range models() {
		t.Run(m.name, func(t *testing.T) {
			leaves, want := m.leaves(min(m.places, most))
			for n := 1; n <= len(leaves); n++ {
				root := m.root(want[:n])
				for i := range n {
					path := m.path(want[:n], i)
					for count := range uint64(most + 3) {
						for index := range uint64(most + 3) {
							in := tree.Inclusion{Root: root, Leaf: leaves[i], Index: int64(index), Count: int64(count), Path: digests(path)}
							err := m.scheme.Check(in)
							if ok := m.check(root, want[i], index, count, path); ok != (err == nil) {
								t.Errorf("leaf %d of %d as leaf %d of %d: %v, the model says %t", i, n, index, count, err, ok)
							}
						}
					}
				}
			}
		})
	}
}

// eleven is leaf 7 of a tree of eleven, with one of the schemes in which that leaf has 4 siblings.
func eleven(t *testing.T, s tree.Scheme) tree.Inclusion {
	t.Helper()
	bodies := make([][]byte, 11)
	for i := range bodies {
		bodies[i] = reference.Stream(uint64(i), 64)
	}
	leaves := make([]hashcore.Digest, len(bodies))
	s.HashLeaves(leaves, bodies)
	root, err := s.Root(leaves)
	if err != nil {
		t.Fatal(err)
	}
	path, err := s.Path(leaves, 7)
	if err != nil {
		t.Fatal(err)
	}
	return tree.Inclusion{Root: root, Leaf: leaves[7], Index: 7, Count: 11, Path: path}
}

// TestRefusals names the error for each way to be wrong.
func TestRefusals(t *testing.T) {
	for _, s := range []struct {
		name   string
		scheme tree.Scheme
	}{{"tape", tree.Tape(4)}, {"shred", tree.Shred()}, {"rfc6962", tree.RFC6962()}} {
		for _, c := range []struct {
			name string
			make func(in *tree.Inclusion)
			want error
		}{
			{"nothing", func(in *tree.Inclusion) {}, nil},
			{"another root", func(in *tree.Inclusion) { in.Root[31] ^= 1 }, tree.ErrRoot},
			{"another leaf", func(in *tree.Inclusion) { in.Leaf[0] ^= 1 }, tree.ErrRoot},
			{"another sibling", func(in *tree.Inclusion) { in.Path[2][0] ^= 1 }, tree.ErrRoot},
			{"siblings swapped", func(in *tree.Inclusion) { in.Path[0], in.Path[1] = in.Path[1], in.Path[0] }, tree.ErrRoot},
			{"the neighbour", func(in *tree.Inclusion) { in.Index = 6 }, tree.ErrRoot},
			{"index + 2^4", func(in *tree.Inclusion) { in.Index = 7 + 1<<4 }, tree.ErrIndex},
			{"index + 2^32", func(in *tree.Inclusion) { in.Index = 7 + 1<<32 }, tree.ErrIndex},
			{"index 2^63-1", func(in *tree.Inclusion) { in.Index = math.MaxInt64 }, tree.ErrIndex},
			{"index -2^63", func(in *tree.Inclusion) { in.Index = math.MinInt64 }, tree.ErrIndex},
			{"index -1", func(in *tree.Inclusion) { in.Index = -1 }, tree.ErrIndex},
			{"index = count", func(in *tree.Inclusion) { in.Count = 7 }, tree.ErrIndex},
			{"count -1", func(in *tree.Inclusion) { in.Count = -1 }, tree.ErrIndex},
			{"no path", func(in *tree.Inclusion) { in.Path = nil }, tree.ErrLength},
			{"a sibling less", func(in *tree.Inclusion) { in.Path = in.Path[:3] }, tree.ErrLength},
			{"the first less", func(in *tree.Inclusion) { in.Path = in.Path[1:] }, tree.ErrLength},
			{"a sibling more", func(in *tree.Inclusion) { in.Path = append(in.Path, hashcore.Digest{}) }, tree.ErrLength},
			{"two more", func(in *tree.Inclusion) { in.Path = append(in.Path, in.Path[:2]...) }, tree.ErrLength},
			{"root as leaf", func(in *tree.Inclusion) { in.Leaf, in.Path = in.Root, nil }, tree.ErrLength},
		} {
			t.Run(s.name+"/"+c.name, func(t *testing.T) {
				in := eleven(t, s.scheme)
				c.make(&in)
				if err := s.scheme.Check(in); !errors.Is(err, c.want) {
					t.Errorf("%v, want %v", err, c.want)
				}
			})
		}
	}
}

// TestInnerNodes refuses a node over two leaves as a leaf, in the tree it is from and in the one half as wide
// for which its shortened path has the right length.
func TestInnerNodes(t *testing.T) {
	bodies := [][]byte{{0}, {1}, {2}, {3}}
	for name, s := range map[string]tree.Scheme{"tape": tree.Tape(2), "shred": tree.Shred(), "rfc6962": tree.RFC6962()} {
		t.Run(name, func(t *testing.T) {
			leaves := make([]hashcore.Digest, 4)
			s.HashLeaves(leaves, bodies)
			root, err := s.Root(leaves)
			if err != nil {
				t.Fatal(err)
			}
			path, err := s.Path(leaves, 3)
			if err != nil {
				t.Fatal(err)
			}
			pair := s
			if name == "tape" {
				pair = tree.Tape(1)
			}
			node, err := pair.Root(leaves[2:])
			if err != nil {
				t.Fatal(err)
			}
			in := tree.Inclusion{Root: root, Leaf: node, Index: 1, Count: 4, Path: path[1:]}
			if err := s.Check(in); !errors.Is(err, tree.ErrLength) {
				t.Errorf("a node as leaf: %v, want %v", err, tree.ErrLength)
			}

			// No bytes hash to the node as a leaf, so whoever hashes the leaf refuses the half tree too.
			for _, body := range [][]byte{
				slices.Concat(leaves[2][:], leaves[3][:]),
				slices.Concat([]byte("LEFT"), leaves[2][:], []byte("RIGHT"), leaves[3][:]),
				slices.Concat([]byte{1}, leaves[2][:], leaves[3][:]),
			} {
				leaf := make([]hashcore.Digest, 1)
				s.HashLeaves(leaf, [][]byte{body})
				in := tree.Inclusion{Root: root, Leaf: leaf[0], Index: 1, Count: 2, Path: path[1:]}
				if err := pair.Check(in); !errors.Is(err, tree.ErrRoot) {
					t.Errorf("leaf %x: %v, want %v", body, err, tree.ErrRoot)
				}
			}
		})
	}
}

// TestMates refuses mates other than those that follow from the number of leaves, under a root that they
// do lead to.
func TestMates(t *testing.T) {
	t.Run("tape", func(t *testing.T) {
		s := tree.Tape(3)
		leaves := []hashcore.Digest{{1}, {2}, {3}, {4}, {5}, {6}}
		root, err := s.Root(leaves)
		if err != nil {
			t.Fatal(err)
		}
		path, err := s.Path(leaves, 0)
		if err != nil {
			t.Fatal(err)
		}
		in := tree.Inclusion{Root: root, Leaf: leaves[0], Count: 4, Path: path}
		if err := s.Check(in); !errors.Is(err, tree.ErrSibling) {
			t.Errorf("leaves behind the last: %v, want %v", err, tree.ErrSibling)
		}
	})
	t.Run("shred", func(t *testing.T) {
		s := tree.Shred()
		leaves := []hashcore.Digest{{1}, {2}, {3}, {4}}
		root, err := s.Root(leaves)
		if err != nil {
			t.Fatal(err)
		}
		path, err := s.Path(leaves, 2)
		if err != nil {
			t.Fatal(err)
		}
		in := tree.Inclusion{Root: root, Leaf: leaves[2], Index: 2, Count: 3, Path: path}
		if err := s.Check(in); !errors.Is(err, tree.ErrSibling) {
			t.Errorf("a neighbour of the last leaf: %v, want %v", err, tree.ErrSibling)
		}
	})
	t.Run("bytes behind the width", func(t *testing.T) {
		s := tree.Shred()
		for b := 20; b < 32; b++ {
			in := eleven(t, s)
			in.Path[1][b] = 1
			if err := s.Check(in); !errors.Is(err, tree.ErrSibling) {
				t.Errorf("byte %d: %v, want %v", b, err, tree.ErrSibling)
			}
		}
	})
}

// TestPlaces is about trees that are full, fuller, or empty.
func TestPlaces(t *testing.T) {
	for height := range 7 {
		s := tree.Tape(height)
		full := make([]hashcore.Digest, 1<<height)
		if _, err := s.Root(full); err != nil {
			t.Errorf("2^%d leaves: %v", height, err)
		}
		more := append(full, hashcore.Digest{})
		if _, err := s.Root(more); !errors.Is(err, tree.ErrPlaces) {
			t.Errorf("root over 2^%d + 1 leaves: %v, want %v", height, err, tree.ErrPlaces)
		}
		if _, err := s.Path(more, 0); !errors.Is(err, tree.ErrPlaces) {
			t.Errorf("path among 2^%d + 1 leaves: %v, want %v", height, err, tree.ErrPlaces)
		}
		in := tree.Inclusion{Count: 1<<height + 1, Path: make([]hashcore.Digest, height)}
		if err := s.Check(in); !errors.Is(err, tree.ErrPlaces) {
			t.Errorf("check among 2^%d + 1 leaves: %v, want %v", height, err, tree.ErrPlaces)
		}
	}
	for name, s := range map[string]tree.Scheme{"tape": tree.Tape(5), "shred": tree.Shred(), "rfc6962": tree.RFC6962()} {
		want := tree.ErrIndex
		if name == "shred" {
			want = tree.ErrNoLeaves
			if _, err := s.Root(nil); !errors.Is(err, want) {
				t.Errorf("%s: root of no leaves: %v, want %v", name, err, want)
			}
		}
		if _, err := s.Path(nil, 0); !errors.Is(err, want) {
			t.Errorf("%s: path among no leaves: %v, want %v", name, err, want)
		}
		if err := s.Check(tree.Inclusion{}); !errors.Is(err, want) {
			t.Errorf("%s: check among no leaves: %v, want %v", name, err, want)
		}
		for _, i := range []int{-1, 3, math.MaxInt, math.MinInt} {
			if _, err := s.Path(make([]hashcore.Digest, 3), i); !errors.Is(err, tree.ErrIndex) {
				t.Errorf("%s: path of leaf %d of 3: %v, want %v", name, i, err, tree.ErrIndex)
			}
		}
	}
}

// TestHugeCounts checks leaves of trees that no memory holds.
func TestHugeCounts(t *testing.T) {
	leaf := hashcore.Digest{1}
	for _, c := range []struct {
		name         string
		m            model
		index, count int64
		length       int
	}{
		{"tape-32, the last of 2^32", tapeModel(32), 1<<32 - 1, 1 << 32, 32},
		{"tape-63, the last of 2^63-1", tapeModel(63), math.MaxInt64 - 1, math.MaxInt64, 63},
		{"rfc6962, leaf 2^40 of 2^40+1", rfc6962Model(), 1 << 40, 1<<40 + 1, 1},
		{"rfc6962, the last of 2^63-1", rfc6962Model(), math.MaxInt64 - 1, math.MaxInt64, 62},
		{"shred, the last of 2^62+1", solanaModel("shred", tree.Shred(), reference.Shred), 1 << 62, 1<<62 + 1, 63},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := tree.Inclusion{Leaf: leaf, Index: c.index, Count: c.count, Path: make([]hashcore.Digest, c.length)}
			if err := c.m.scheme.Check(in); errors.Is(err, tree.ErrLength) || err == nil {
				t.Errorf("a path of the right length: %v", err)
			}
			in.Path = append(in.Path, hashcore.Digest{})
			if err := c.m.scheme.Check(in); !errors.Is(err, tree.ErrLength) {
				t.Errorf("a path too long: %v", err)
			}
		})
	}
}

// TestRepeats tells trees apart that others took for the same, and holds the package to what it says of
// roots that are.
func TestRepeats(t *testing.T) {
	leaves, _ := tapeModel(5).leaves(19)
	repeated := append(slices.Clone(leaves), leaves[18])
	for name, s := range map[string]tree.Scheme{"tape": tree.Tape(5), "rfc6962": tree.RFC6962()} {
		a, errA := s.Root(leaves)
		b, errB := s.Root(repeated)
		if errA != nil || errB != nil || a == b {
			t.Errorf("%s: 19 leaves and the last one twice: %x and %x, %v, %v", name, a, b, errA, errB)
		}
	}
	same := func(s tree.Scheme, a, b []hashcore.Digest) bool {
		x, errX := s.Root(a)
		y, errY := s.Root(b)
		return errX == nil && errY == nil && x == y
	}
	if !same(tree.Shred(), leaves, repeated) {
		t.Error("shred: the package says that a last leaf and the same leaf twice have one root")
	}
	empty := make([]hashcore.Digest, 1)
	tree.Tape(5).HashLeaves(empty, [][]byte{nil})
	if !same(tree.Tape(5), leaves, append(slices.Clone(leaves), empty...)) {
		t.Error("tape: the package says that a missing leaf and an empty one have one root")
	}

	// The path of a leaf is no path of its equal elsewhere.
	leaves[5] = leaves[0]
	for name, s := range map[string]tree.Scheme{"tape": tree.Tape(5), "shred": tree.Shred(), "rfc6962": tree.RFC6962()} {
		root, err := s.Root(leaves)
		if err != nil {
			t.Fatal(err)
		}
		path, err := s.Path(leaves, 5)
		if err != nil {
			t.Fatal(err)
		}
		for i := range int64(19) {
			err := s.Check(tree.Inclusion{Root: root, Leaf: leaves[5], Index: i, Count: 19, Path: path})
			if (err == nil) != (i == 5) {
				t.Errorf("%s: the path of leaf 5 as that of leaf %d: %v", name, i, err)
			}
		}
	}
}

// TestMisuse panics, with the name of the package.
func TestMisuse(t *testing.T) {
	for name, call := range map[string]func(){
		"height -1":             func() { tree.Tape(-1) },
		"height 64":             func() { tree.Tape(64) },
		"hashes":                func() { tree.RFC6962().HashLeaves(make([]hashcore.Digest, 2), make([][]byte, 3)) },
		"zero Scheme, hash":     func() { tree.Scheme{}.HashLeaves(nil, nil) },
		"zero Scheme, root":     func() { tree.Scheme{}.Root(nil) },
		"zero Scheme, path":     func() { tree.Scheme{}.Path(nil, 0) },
		"zero Scheme, no check": func() { tree.Scheme{}.Check(tree.Inclusion{}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if said := fmt.Sprint(recover()); len(said) < 6 || said[:6] != "tree: " {
					t.Errorf("panic %q", said)
				}
			}()
			call()
		})
	}
}
