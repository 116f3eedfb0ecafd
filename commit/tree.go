package commit

import (
	"fmt"
	"sync"

	"github.com/tapecommit/tapecommit/hashcore"
)

// Hash is a leaf hash, a node or a root.
type Hash = hashcore.Digest

const (
	// GroupHeight is the height of a group's tree: 32 places for its slices.
	GroupHeight = 5
	// WindowHeight is the height of the tree over a window's slices.
	WindowHeight = 15
	// MaxHeight is the height of the largest blob's tree.
	MaxHeight = 32
)

const leafPrefix = "LEAF"

var joinLabels = hashcore.Labels{Left: "LEFT", Right: "RIGHT", Width: len(Hash{})}

var empties = func() (e [MaxHeight + 1]Hash) {
	HashLeaves(e[:1], [][]byte{nil})
	for h := range MaxHeight {
		HashPairs(e[h+1:h+2], []Hash{e[h], e[h]})
	}
	return e
}()

// Empty returns the root of a subtree of a height, 0 to MaxHeight, that holds no
// slice.
func Empty(height int) Hash { return empties[height] }

// HashLeaves sets dst[i] to the leaf hash of slices[i]. dst is as long as slices.
func HashLeaves(dst []Hash, slices [][]byte) { hashcore.Sum(dst, leafPrefix, slices) }

// HashPairs sets dst[i] to the join of nodes[2i] and nodes[2i+1]. nodes is twice
// as long as dst; dst may be nodes[:len(dst)] and overlaps nodes in no other way.
func HashPairs(dst, nodes []Hash) { hashcore.SumPairs(dst, joinLabels, nodes) }

// hashParents sets dst[i] to the parent of nodes[2i] and nodes[2i+1], which are of
// the given height; behind the last of nodes, nothing but padding follows. dst is
// ceil(len(nodes)/2) long and may be nodes[:len(dst)].
func hashParents(dst, nodes []Hash, height int) {
	pairs := len(nodes) / 2
	odd := nodes[2*pairs:] // read before dst overwrites it
	var last [2]Hash
	if len(odd) == 1 {
		last = [2]Hash{odd[0], Empty(height)}
	}
	HashPairs(dst[:pairs], nodes[:2*pairs])
	if len(odd) == 1 {
		HashPairs(dst[pairs:pairs+1], last[:])
	}
}

// groupNodes is scratch for one run: a level of all its groups.
type groupNodes [RunGroups * MaxSlices]Hash

var groupNodesPool = sync.Pool{New: func() any { return new(groupNodes) }}

// GroupRoots sets dst[g] to the root over the n leaf hashes leaves[g n : (g+1) n].
// It works level by level across all groups, so that joins fill the lanes of
// hashcore, and allocates nothing.
func GroupRoots(dst []Hash, leaves []Hash, n int) {
	if n < 1 || n > MaxSlices || len(leaves) != n*len(dst) {
		panic(fmt.Sprintf("commit: %d leaf hashes for %d groups of %d", len(leaves), len(dst), n))
	}
	nodes := groupNodesPool.Get().(*groupNodes)
	defer groupNodesPool.Put(nodes)
	for len(dst) > 0 {
		groups := min(len(dst), RunGroups)
		runRoots(dst[:groups], nodes[:], leaves[:groups*n], n)
		dst, leaves = dst[groups:], leaves[groups*n:]
	}
}

// runRoots is GroupRoots for up to a run of groups.
func runRoots(dst, nodes, leaves []Hash, n int) {
	groups := len(dst)
	level, width := leaves, n // width nodes of each group
	for h := range GroupHeight {
		if width%2 != 0 {
			evenOut(nodes, level, groups, width, h)
			width++
			level = nodes[:groups*width]
		}
		width /= 2
		out := nodes[:groups*width]
		if h == GroupHeight-1 {
			out = dst
		}
		HashPairs(out, level)
		level = out
	}
}

// evenOut copies the width nodes of each group to dst with an empty one behind
// them. dst may be the memory of level: the last group moves first.
func evenOut(dst, level []Hash, groups, width, height int) {
	for g := groups - 1; g >= 0; g-- {
		copy(dst[g*(width+1):], level[g*width:(g+1)*width])
		dst[g*(width+1)+width] = Empty(height)
	}
}
