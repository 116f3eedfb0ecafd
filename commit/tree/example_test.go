package tree_test

import (
	"fmt"

	"github.com/tapecommit/tapecommit/commit/tree"
	"github.com/tapecommit/tapecommit/hashcore"
)

// Two parties: one has all leaves and makes a path, the other knows the root and how many leaves it is over,
// gets a leaf and its path, and trusts neither.
func Example() {
	scheme := tree.Tape(5)
	bodies := [][]byte{[]byte("north"), []byte("east"), []byte("south"), []byte("west")}
	leaves := make([]hashcore.Digest, len(bodies))
	scheme.HashLeaves(leaves, bodies)
	root, err := scheme.Root(leaves)
	if err != nil {
		fmt.Println(err)
		return
	}
	path, err := scheme.Path(leaves, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("root %x..., %d siblings\n", root[:4], len(path))

	for _, body := range []string{"south", "South"} {
		leaf := make([]hashcore.Digest, 1)
		scheme.HashLeaves(leaf, [][]byte{[]byte(body)})
		err := scheme.Check(tree.Inclusion{Root: root, Leaf: leaf[0], Index: 2, Count: 4, Path: path})
		fmt.Println(body, err)
	}
	// Output:
	// root 8b058205..., 5 siblings
	// south <nil>
	// South tree: path does not lead to the root
}
