package hashcore_test

import (
	"fmt"

	"github.com/tapecommit/tapecommit/hashcore"
)

// The root over four leaves: the leaves in one batch, then each level in place.
func Example() {
	leaves := [][]byte{[]byte("zero"), []byte("one"), []byte("two"), []byte("three")}
	nodes := make([]hashcore.Digest, len(leaves))
	hashcore.Sum(nodes, "LEAF", leaves)

	tape := hashcore.Labels{Left: "LEFT", Right: "RIGHT", Width: 32}
	for ; len(nodes) > 1; nodes = nodes[:len(nodes)/2] {
		hashcore.SumPairs(nodes[:len(nodes)/2], tape, nodes)
	}
	fmt.Printf("%x\n", nodes[0])
	// Output: 8ae3e9f77e8bd2020a5acb6e82f23f2a54354fd89983d3829926c69a27914034
}
