package tree_test

import (
	"fmt"
	"slices"

	"github.com/tapecommit/tapecommit/commit/tree"
	"github.com/tapecommit/tapecommit/hashcore"
	"github.com/tapecommit/tapecommit/internal/reference"
)

// model is a scheme and the second model of it.
type model struct {
	name   string
	scheme tree.Scheme
	places int // that tests care to fill
	leaf   func([]byte) reference.Hash
	root   func([]reference.Hash) reference.Hash // nil leaves only where empty
	path   func([]reference.Hash, int) []reference.Hash
	check  func(root, leaf reference.Hash, index, count uint64, path []reference.Hash) bool
	empty  bool // there is a tree without leaves
}

func tapeModel(height int) model {
	return model{
		name:   fmt.Sprintf("tape-%d", height),
		scheme: tree.Tape(height),
		places: 1 << min(height, 30),
		leaf:   reference.Leaf,
		root:   func(leaves []reference.Hash) reference.Hash { return reference.TapeRoot(height, leaves) },
		path:   func(leaves []reference.Hash, i int) []reference.Hash { return reference.TapePath(height, leaves, i) },
		check: func(root, leaf reference.Hash, index, count uint64, path []reference.Hash) bool {
			return reference.TapeCheck(height, root, leaf, index, count, path)
		},
		empty: true,
	}
}

func solanaModel(name string, scheme tree.Scheme, kind reference.ShredKind) model {
	return model{
		name:   name,
		scheme: scheme,
		places: 1 << 30,
		leaf:   kind.HashLeaf,
		root:   kind.Root,
		path: func(leaves []reference.Hash, i int) []reference.Hash {
			var path []reference.Hash
			for _, sibling := range kind.Path(leaves, i) {
				path = append(path, padded(sibling))
			}
			return path
		},
		check: func(root, leaf reference.Hash, index, count uint64, path []reference.Hash) bool {
			var siblings [][]byte
			for _, sibling := range path {
				if sibling != padded(sibling[:kind.Width]) {
					return false
				}
				siblings = append(siblings, sibling[:kind.Width])
			}
			return kind.Check(root, leaf, index, count, siblings)
		},
	}
}

// padded is a sibling as package tree gives it.
func padded(sibling []byte) (hash reference.Hash) {
	copy(hash[:], sibling)
	return hash
}

func rfc6962Model() model {
	return model{
		name:   "rfc6962",
		scheme: tree.RFC6962(),
		places: 1 << 30,
		leaf:   reference.RFC6962Leaf,
		root:   reference.RFC6962Root,
		path:   reference.RFC6962Path,
		check:  reference.RFC6962Check,
		empty:  true,
	}
}

func models() []model {
	long := reference.ShredKind{Leaf: reference.Shred.Leaf, Node: reference.Shred.Node, Width: 32}
	return []model{
		tapeModel(0), tapeModel(1), tapeModel(2), tapeModel(5), tapeModel(7), tapeModel(32), tapeModel(63),
		solanaModel("shred", tree.Shred(), reference.Shred),
		solanaModel("long32", tree.Solana(long.Leaf, long.Node, long.Width), long),
		rfc6962Model(),
	}
}

// leaves makes n leaf hashes in both models, which must agree.
func (m model) leaves(n int) ([]hashcore.Digest, []reference.Hash) {
	bodies := make([][]byte, n)
	var want []reference.Hash
	for i := range bodies {
		bodies[i] = reference.Stream(uint64(i), i%97)
		want = append(want, m.leaf(bodies[i]))
	}
	got := make([]hashcore.Digest, n)
	m.scheme.HashLeaves(got, bodies)
	if !slices.Equal(hashes(got), want) {
		panic(m.name + ": other leaf hashes than the model")
	}
	return got, want
}

func hashes(of []hashcore.Digest) []reference.Hash {
	var out []reference.Hash
	for _, d := range of {
		out = append(out, d)
	}
	return out
}

func digests[H ~[32]byte](of []H) []hashcore.Digest {
	var out []hashcore.Digest
	for _, h := range of {
		out = append(out, hashcore.Digest(h))
	}
	return out
}
