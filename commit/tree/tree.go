// Package tree computes roots and paths of plain trees over any list of leaves, and checks paths: the tree
// of tape, of Solana's shreds, of RFC 6962.
//
// The nodes of each height are joined in pairs from the left, until one is left:
//
//	height 3              root
//	                   /        \
//	height 2         .            .
//	               /   \        /   \
//	height 1      .     .      .     ?
//	             / \   / \    / \
//	height 0    a   b c   d  e   ?
//
// Schemes differ in their prefixes, in how much of a node its parent takes in, and in the mate of an odd last
// node, ? above. [Tape] joins it with the root of an empty subtree, and has a height of its own: above all
// leaves, further ? follow on the right. [Shred] joins it with itself. [RFC6962] lifts it as it is, which
// comes to the RFC's own recursion, split at the largest power of two.
//
// # What a root binds
//
// The bytes of the leaves and their places, not how many there are: for tape a missing leaf and an empty one are
// the same, for shreds a last leaf and the same leaf twice. So [Scheme.Check] takes the number of leaves from
// whoever vouches for the root. With it, every path has one length and every ? one value, and nothing else is
// accepted. Of a shred tree's inner nodes and leaves only 20 bytes are bound: Check compares leaf hashes as
// their parent does, so one is to be computed from the leaf, not taken from outside.
package tree

import (
	"errors"
	"fmt"

	"github.com/tapecommit/tapecommit/hashcore"
)

// The outcomes of calls that fail; errors wrap one of them.
var (
	ErrNoLeaves = errors.New("tree: this scheme has no tree without leaves")
	ErrPlaces   = errors.New("tree: more leaves than places")
	ErrIndex    = errors.New("tree: no such leaf")
	ErrLength   = errors.New("tree: path of the wrong length") // for that leaf of that many
	ErrSibling  = errors.New("tree: sibling that cannot stand there")
	ErrRoot     = errors.New("tree: path does not lead to the root")
)

// HashLeaves sets dst[i] to the leaf hash of leaves[i]; len(dst) must be len(leaves).
func (s Scheme) HashLeaves(dst []hashcore.Digest, leaves [][]byte) {
	s.mustBeMade()
	if len(dst) != len(leaves) {
		panic(fmt.Sprintf("tree: HashLeaves: room for %d hashes, but %d leaves", len(dst), len(leaves)))
	}
	hashcore.Sum(dst, s.leaf, leaves)
}

// Root is the root over leaf hashes, of which it keeps nothing. Without leaves it is that of an empty tree for
// tape, SHA-256 of nothing for RFC 6962, and ErrNoLeaves for shreds; with more than a tape tree has places
// it is ErrPlaces.
func (s Scheme) Root(leaves []hashcore.Digest) (hashcore.Digest, error) {
	s.mustBeMade()
	if err := s.checkCount(int64(len(leaves))); err != nil {
		return hashcore.Digest{}, err
	}
	nodes := s.bottom(leaves)
	for h := 0; s.goesOn(h, int64(len(nodes))); h++ {
		nodes = s.joinAll(nodes, h)
	}
	return nodes[0], nil
}

// Path is the siblings of leaf i, lowest first: one for each height of a tape tree, and of the others one for
// each height at which the leaf or a node over it has a mate. A sibling of a shred tree is the first 20 bytes of
// a Digest, the rest of which is zero. The errors are those of Root and ErrIndex.
func (s Scheme) Path(leaves []hashcore.Digest, i int) ([]hashcore.Digest, error) {
	s.mustBeMade()
	length, err := s.pathLength(int64(i), int64(len(leaves)))
	if err != nil {
		return nil, err
	}
	path := make([]hashcore.Digest, 0, length)
	nodes := s.bottom(leaves)
	for h := 0; s.goesOn(h, int64(len(nodes))); h++ {
		if i^1 < len(nodes) {
			path = append(path, s.cut(nodes[i^1]))
		} else if mate, ok := s.mate(h, nodes[i]); ok {
			path = append(path, s.cut(mate))
		}
		nodes, i = s.joinAll(nodes, h), i/2
	}
	return path, nil
}

// Inclusion says that Leaf, a leaf hash, is leaf Index of Count under Root, and that Path shows it: siblings
// as [Scheme.Path] makes them. Root and Count are the caller's to know, Index is for the caller to mean; the
// rest may come from anywhere.
type Inclusion struct {
	Root, Leaf   hashcore.Digest
	Index, Count int64
	Path         []hashcore.Digest
}

// Check returns nil if in is true and its path the one that Path makes. Else the error wraps ErrPlaces,
// ErrIndex, ErrLength, ErrSibling (a mate that follows from Count is another, or bytes behind the width of a
// node are not zero) or ErrRoot.
func (s Scheme) Check(in Inclusion) error {
	s.mustBeMade()
	length, err := s.pathLength(in.Index, in.Count)
	if err != nil {
		return err
	}
	if len(in.Path) != length {
		return fmt.Errorf("%w: %d siblings for leaf %d of %d, want %d", ErrLength, len(in.Path), in.Index, in.Count, length)
	}
	node, path := in.Leaf, in.Path
	pair := make([]hashcore.Digest, 2)
	for h, i, count := 0, in.Index, in.Count; s.goesOn(h, count); h, i, count = h+1, i/2, above(count) {
		var mate hashcore.Digest
		odd := i^1 >= count
		if odd {
			var ok bool
			if mate, ok = s.mate(h, node); !ok {
				continue
			}
		}
		sibling := path[0]
		path = path[1:]
		if sibling != s.cut(sibling) || odd && sibling != s.cut(mate) {
			return fmt.Errorf("%w: at height %d", ErrSibling, h)
		}
		pair[i%2], pair[1-i%2] = node, sibling
		hashcore.SumPairs(pair[:1], s.node, pair)
		node = pair[0]
	}
	if node != in.Root {
		return ErrRoot
	}
	return nil
}

// checkCount refuses a number of leaves that no tree of the scheme has.
func (s Scheme) checkCount(count int64) error {
	if count == 0 && s.none == nil {
		return ErrNoLeaves
	}
	if s.fixed && s.height < maxHeight && count > 1<<s.height {
		return fmt.Errorf("%w: %d leaves, 2^%d places", ErrPlaces, count, s.height)
	}
	return nil
}

// pathLength is the number of siblings of leaf i of count.
func (s Scheme) pathLength(i, count int64) (length int, err error) {
	if err := s.checkCount(count); err != nil {
		return 0, err
	}
	if i < 0 || i >= count {
		return 0, fmt.Errorf("%w: leaf %d of %d", ErrIndex, i, count)
	}
	for h := 0; s.goesOn(h, count); h, i, count = h+1, i/2, above(count) {
		if _, mated := s.mate(h, hashcore.Digest{}); mated || i^1 < count {
			length++
		}
	}
	return length, nil
}
