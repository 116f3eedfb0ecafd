package reference

import "bytes"

// ShredKind is a tree in which a node is hashed over the first Width bytes of its two children, an odd last
// node is paired with itself, and one leaf is its own root. [Shred] is the kind that Solana's shreds use.
type ShredKind struct {
	Leaf, Node string // prefixes
	Width      int
}

// Shred is the tree over the shreds of an erasure batch.
var Shred = ShredKind{"\x00SOLANA_MERKLE_SHREDS_LEAF", "\x01SOLANA_MERKLE_SHREDS_NODE", 20}

// HashLeaf is the leaf hash of b, all 32 bytes of it.
func (k ShredKind) HashLeaf(b []byte) Hash {
	return sum([]byte(k.Leaf), b)
}

func (k ShredKind) join(l, r []byte) Hash {
	return sum([]byte(k.Node), l[:k.Width], r[:k.Width])
}

// above is the level over nodes.
func (k ShredKind) above(nodes []Hash) []Hash {
	var up []Hash
	for i := 0; i < len(nodes); i += 2 {
		up = append(up, k.join(nodes[i][:], nodes[min(i+1, len(nodes)-1)][:]))
	}
	return up
}

// Root is the root over one leaf or more.
func (k ShredKind) Root(leaves []Hash) Hash {
	if len(leaves) == 1 {
		return leaves[0]
	}
	return k.Root(k.above(leaves))
}

// Path is the siblings of leaf i, lowest first, Width bytes each.
func (k ShredKind) Path(leaves []Hash, i int) [][]byte {
	if len(leaves) == 1 {
		return nil
	}
	sibling := leaves[min(i^1, len(leaves)-1)]
	return append([][]byte{sibling[:k.Width:k.Width]}, k.Path(k.above(leaves), i/2)...)
}

// Check reports whether path shows that leaf is leaf index of count under root, and that a node without
// a neighbour is its own sibling.
func (k ShredKind) Check(root, leaf Hash, index, count uint64, path [][]byte) bool {
	if index >= count {
		return false
	}
	if count == 1 {
		return len(path) == 0 && leaf == root
	}
	if len(path) == 0 || len(path[0]) != k.Width {
		return false
	}
	own, sibling := leaf[:k.Width], path[0]
	if index == count-1 && index%2 == 0 && !bytes.Equal(own, sibling) {
		return false
	}
	node := k.join(own, sibling)
	if index%2 == 1 {
		node = k.join(sibling, own)
	}
	return k.Check(root, node, index/2, count/2+count%2, path[1:])
}
