package reference

import (
	"crypto/sha256"
	"slices"
)

// Hash is a leaf hash, a node, a root, an ID or a seed.
type Hash = [32]byte

// sum is SHA-256 of all parts in a row.
func sum(parts ...[]byte) Hash {
	return sha256.Sum256(slices.Concat(parts...))
}

// Leaf is the leaf hash of a slice.
func Leaf(slice []byte) Hash {
	return sum([]byte("LEAF"), slice)
}

// Join is the node over two others.
func Join(l, r Hash) Hash {
	return sum([]byte("LEFT"), l[:], []byte("RIGHT"), r[:])
}

// Empty is the root of a subtree of height h, up to 63, without leaves.
func Empty(h int) Hash {
	return empty[h]
}

var empty = func() (roots [64]Hash) {
	roots[0] = Leaf(nil)
	for h := range 63 {
		roots[h+1] = Join(roots[h], roots[h])
	}
	return roots
}()

// TapeRoot is the root of the tree of 2^height places over leaves, empty where no leaf is.
func TapeRoot(height int, leaves []Hash) Hash {
	if len(leaves) == 0 {
		return Empty(height)
	}
	if height == 0 {
		return only(leaves)
	}
	l, r := halves(height, leaves)
	return Join(TapeRoot(height-1, l), TapeRoot(height-1, r))
}

// TapePath is the siblings of leaf i, lowest first.
func TapePath(height int, leaves []Hash, i int) []Hash {
	if i < 0 || i >= len(leaves) {
		panic("reference: no such leaf")
	}
	if height == 0 {
		only(leaves)
		return nil
	}
	l, r := halves(height, leaves)
	if i < len(l) {
		return append(TapePath(height-1, l, i), TapeRoot(height-1, r))
	}
	return append(TapePath(height-1, r, i-len(l)), TapeRoot(height-1, l))
}

func only(leaves []Hash) Hash {
	if len(leaves) > 1 {
		panic("reference: more leaves than places")
	}
	return leaves[0]
}

// halves cuts the leaves of a tree into those of its two subtrees.
func halves(height int, leaves []Hash) (l, r []Hash) {
	places := uint64(1) << (height - 1)
	if uint64(len(leaves)) <= places {
		return leaves, nil
	}
	return leaves[:places], leaves[places:]
}

// TapeCheck reports whether path shows that leaf is leaf index of count under root, and that every
// sibling on it that lies wholly behind the last leaf is empty.
func TapeCheck(height int, root, leaf Hash, index, count uint64, path []Hash) bool {
	if index >= count || count > 1<<height || len(path) != height {
		return false
	}
	node := leaf
	for h, sibling := range path {
		at := index >> h // of node, among the nodes of height h
		if first := (at ^ 1) << h; first >= count && sibling != Empty(h) {
			return false
		}
		if at%2 == 0 {
			node = Join(node, sibling)
		} else {
			node = Join(sibling, node)
		}
	}
	return node == root
}
