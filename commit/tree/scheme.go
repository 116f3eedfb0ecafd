package tree

import (
	"fmt"
	"sync"

	"github.com/tapecommit/tapecommit/hashcore"
)

// maxHeight is the height at which a tape tree has places for any number of leaves that an int64 counts.
const maxHeight = 63

// Scheme is a rule that makes a tree of leaves: prefixes and width as data, the shape as one function. Only the
// constructors make one; the methods of the zero Scheme panic.
type Scheme struct {
	leaf string          // prefix of a leaf
	node hashcore.Labels // around the children of a node
	mate mate            // the shape

	height int // of every tree, where fixed; else it grows with the leaves
	fixed  bool
	none   *hashcore.Digest // stands at height 0 where there are no leaves; nil where there is no such tree
}

// mate is what the last node of a height is joined with where it has no neighbour; with ok false it is lifted.
type mate func(height int, last hashcore.Digest) (other hashcore.Digest, ok bool)

func empty(height int, _ hashcore.Digest) (hashcore.Digest, bool) { return emptyRoots()[height], true }

func itself(_ int, last hashcore.Digest) (hashcore.Digest, bool) { return last, true }

func nothing(int, hashcore.Digest) (hashcore.Digest, bool) { return hashcore.Digest{}, false }

const tapeLeaf = "LEAF"

var tapeNode = hashcore.Labels{Left: "LEFT", Right: "RIGHT", Width: 32}

// Tape is the tree of 2^height places that is empty where no leaf is. It panics unless height is 0 to 63.
func Tape(height int) Scheme {
	if height < 0 || height > maxHeight {
		panic(fmt.Sprintf("tree: Tape: height %d, want 0 to %d", height, maxHeight))
	}
	return Scheme{leaf: tapeLeaf, node: tapeNode, mate: empty, height: height, fixed: true, none: &emptyRoots()[0]}
}

// Shred is the tree over the shreds of a Solana erasure batch: nodes hash the first 20 bytes of their children,
// an odd node is paired with itself, and one leaf is its own root. Its leaves and its root have 32 bytes.
func Shred() Scheme {
	return solana("\x00SOLANA_MERKLE_SHREDS_LEAF", "\x01SOLANA_MERKLE_SHREDS_NODE", 20)
}

func solana(leaf, node string, width int) Scheme {
	return Scheme{leaf: leaf, node: hashcore.Labels{Left: node, Width: width}, mate: itself}
}

// RFC6962 is the tree of RFC 6962, section 2.1, and RFC 9162, section 2.1.
func RFC6962() Scheme {
	none := make([]hashcore.Digest, 1)
	hashcore.Sum(none, "", [][]byte{nil})
	return Scheme{leaf: "\x00", node: hashcore.Labels{Left: "\x01", Width: 32}, mate: nothing, none: &none[0]}
}

// emptyRoots are the roots of tape trees without leaves, by height.
var emptyRoots = sync.OnceValue(func() *[maxHeight + 1]hashcore.Digest {
	var roots [maxHeight + 1]hashcore.Digest
	hashcore.Sum(roots[:1], tapeLeaf, [][]byte{nil})
	for h := range maxHeight {
		hashcore.SumPairs(roots[h+1:h+2], tapeNode, []hashcore.Digest{roots[h], roots[h]})
	}
	return &roots
})

func (s Scheme) mustBeMade() {
	if s.mate == nil {
		panic("tree: the zero Scheme")
	}
}

// bottom is a copy of the nodes at height 0, with room for a mate.
func (s Scheme) bottom(leaves []hashcore.Digest) []hashcore.Digest {
	nodes := append(make([]hashcore.Digest, 0, len(leaves)+2), leaves...)
	if len(leaves) == 0 {
		nodes = append(nodes, *s.none)
	}
	return nodes
}

// goesOn reports whether there is a height above h, which has count nodes.
func (s Scheme) goesOn(h int, count int64) bool {
	if s.fixed {
		return h < s.height
	}
	return count > 1
}

// above is the number of nodes at the height above one of count.
func above(count int64) int64 {
	return count/2 + count%2
}

// joinAll turns the nodes at height h into those above, in place.
func (s Scheme) joinAll(nodes []hashcore.Digest, h int) []hashcore.Digest {
	var lifted []hashcore.Digest
	if last := len(nodes) - 1; last%2 == 0 {
		if mate, ok := s.mate(h, nodes[last]); ok {
			nodes = append(nodes, mate)
		} else {
			nodes, lifted = nodes[:last], nodes[last:]
		}
	}
	up := nodes[:len(nodes)/2]
	hashcore.SumPairs(up, s.node, nodes)
	return append(up, lifted...)
}

// cut is the part of a child that its parent takes in, the rest zero.
func (s Scheme) cut(child hashcore.Digest) hashcore.Digest {
	clear(child[s.node.Width:])
	return child
}
