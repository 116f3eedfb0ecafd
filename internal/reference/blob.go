package reference

import (
	"fmt"
	"slices"
)

// Blob is a blob, whole. Nothing changes it, so many goroutines may use it.
type Blob struct {
	Header
	Slices [][]byte // by position
	Leaves []Hash   // by position

	nodes map[Node]Hash
}

// Make cuts, pads, codes and commits to plaintext.
func Make(p Params, plaintext []byte) *Blob {
	p.mustCheck()
	h := Header{Params: p, Length: int64(len(plaintext))}
	var all [][]byte
	for g := range h.Groups() {
		size := h.SizeOf(g)
		var data [][]byte
		for range p.K {
			slice := make([]byte, size)
			plaintext = plaintext[copy(slice, plaintext):]
			data = append(data, slice)
		}
		all = append(all, EncodeGroup(p.N, data)...)
	}
	return Commit(p, h.Length, all)
}

// Commit is the blob of any slices of the right sizes, well coded or not, and keeps them.
func Commit(p Params, length int64, all [][]byte) *Blob {
	p.mustCheck()
	b := &Blob{Header: Header{Params: p, Length: length}, Slices: all, nodes: map[Node]Hash{}}
	if int64(len(all)) != b.Positions() {
		panic("reference: wrong number of slices")
	}
	for position, slice := range all {
		if len(slice) != b.SizeOf(int64(position)/int64(p.N)) {
			panic(fmt.Sprintf("reference: slice %d has %d bytes", position, len(slice)))
		}
		b.Leaves = append(b.Leaves, Leaf(slice))
	}
	b.Root = b.fill(Node{b.Height(), 0})
	return b
}

// fill computes a node and all below it.
func (b *Blob) fill(at Node) Hash {
	var hash Hash
	first, end, _ := b.below(at)
	switch {
	case first == end:
		hash = Empty(at.Height)
	case at.Height == 0:
		hash = b.Leaves[first]
	default:
		hash = Join(b.fill(at.left()), b.fill(at.right()))
	}
	b.nodes[at] = hash
	return hash
}

// Node is the node of the blob's tree at a height and an index within it.
func (b *Blob) Node(height int, index int64) Hash {
	if height < 0 || height > b.Height() || index < 0 || index >= 1<<(b.Height()-height) {
		panic("reference: no such node")
	}
	if hash, ok := b.nodes[Node{height, index}]; ok {
		return hash
	}
	return Empty(height) // in a subtree without slices
}

// Objects is what is stored of the blob, by name.
func (b *Blob) Objects() map[string][]byte {
	objects := map[string][]byte{
		"manifest": b.Header.Bytes(),
		"roots":    nil,
		"leaves":   nil,
	}
	if b.Groups() > 1024 {
		for i := range roundUp(b.Groups(), 1024) / 1024 {
			objects["manifest"] = appendHash(objects["manifest"], b.Node(15, i))
		}
	}
	for g := range b.Groups() {
		objects["roots"] = appendHash(objects["roots"], b.Node(5, g))
	}
	for _, leaf := range b.Leaves {
		objects["leaves"] = appendHash(objects["leaves"], leaf)
	}
	for lane := range b.N {
		var object []byte
		for position := lane; position < len(b.Slices); position += b.N {
			object = append(object, b.Slices[position]...)
		}
		objects[fmt.Sprintf("lane-%02d", lane)] = slices.Concat(object, b.Header.Bytes())
	}
	return objects
}

func appendHash(b []byte, h Hash) []byte {
	return append(b, h[:]...)
}
