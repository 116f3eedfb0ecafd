package hostile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/tapecommit/tapecommit/internal/reference"
)

// blobs are what the vectors are made from, small enough to be stored in them.
type blobs struct {
	plain  *reference.Blob // 3 groups; the last has slices of 64 bytes, which its plaintext fills
	wide   *reference.Blob // 5 groups of 20
	single *reference.Blob // one group, padding at its end
	half   *reference.Blob // 4 groups of 16: no group and no half of one is padding
	odd    *reference.Blob // 2 groups of 19
	runs   *reference.Blob // 3 runs of groups; the last slice of data is nothing but padding
	pair   *reference.Blob // 2 windows of groups
	empty  *reference.Blob
	liar   *lie
	huge   reference.Header // as many groups as there can be; nobody has its slices
}

func newBlobs() *blobs {
	return &blobs{
		plain:  makeBlob(3, 5, 128, 1, 960),
		wide:   makeBlob(10, 20, 64, 2, 3000),
		single: makeBlob(2, 3, 64, 3, 100),
		half:   makeBlob(8, 16, 64, 4, 2048),
		odd:    makeBlob(10, 19, 64, 5, 1280),
		runs:   makeBlob(2, 3, 64, 6, 129*128+58),
		pair:   makeBlob(1, 2, 64, 7, 1027*64),
		empty:  makeBlob(3, 5, 128, 8, 0),
		liar:   makeLie(),
		huge: reference.Header{
			Params: reference.Params{K: 10, N: 20, SliceSize: 64},
			Length: 1 << 27 * 640,
		},
	}
}

func makeBlob(k, n, sliceSize int, seed uint64, length int) *reference.Blob {
	return reference.Make(reference.Params{K: k, N: n, SliceSize: sliceSize}, reference.Stream(seed, length))
}

// lie is one group of five slices of 128 bytes by a writer who committed to leaf hashes of other bodies: slice 1 has a
// byte less, slice 3 a byte more, and slice 4 none, as padding has.
type lie struct {
	header reference.Header
	bodies [][]byte
}

func makeLie() *lie {
	l := &lie{header: reference.Header{Params: reference.Params{K: 2, N: 5, SliceSize: 128}, Length: 200}}
	for i, size := range []int{128, 127, 128, 129, 0} {
		l.bodies = append(l.bodies, append([]byte{}, reference.Stream(uint64(9000+i), size)...))
	}
	l.header = rooted(l.header, from(0, 5), leaves(l.bodies), nil)
	return l
}

// nodes are the nodes that prove a set.
func (l *lie) nodes(set []int64) []reference.Hash {
	all := leaves(l.bodies)
	var nodes []reference.Hash
	for _, at := range l.header.NodesOf(set) {
		first := at.Index << at.Height
		nodes = append(nodes, reference.TapeRoot(at.Height, all[first:min(first+1<<at.Height, 5)]))
	}
	return nodes
}

// hashes are n made-up hashes.
func hashes(seed uint64, n int) []reference.Hash {
	b := reference.Stream(seed, 32*n)
	all := make([]reference.Hash, n)
	for i := range all {
		all[i] = reference.Hash(b[32*i:])
	}
	return all
}

// fold is the root of a tree of a height in which some nodes are known, and all that is not below or above one
// of them is empty.
func fold(height int, known map[reference.Node]reference.Hash) reference.Hash {
	level := map[int64]reference.Hash{}
	for h := 0; ; h++ {
		for at, hash := range known {
			if at.Height == h {
				level[at.Index] = hash
			}
		}
		if h == height {
			return level[0]
		}
		node := func(i int64) reference.Hash {
			if hash, ok := level[i]; ok {
				return hash
			}
			return reference.Empty(h)
		}
		above := map[int64]reference.Hash{}
		for i := range level {
			above[i/2] = reference.Join(node(i/2*2), node(i/2*2+1))
		}
		level = above
	}
}

// rooted is h with the root that makes a set of slices with these leaf hashes, and these nodes, provable.
func rooted(h reference.Header, set []int64, leaves, nodes []reference.Hash) reference.Header {
	known := map[reference.Node]reference.Hash{}
	for i, at := range set {
		known[reference.Node{Index: at/int64(h.N)*32 + at%int64(h.N)}] = leaves[i]
	}
	for i, at := range h.NodesOf(set) {
		known[at] = nodes[i]
	}
	h.Root = fold(h.Height(), known)
	return h
}

func leaves(bodies [][]byte) []reference.Hash {
	all := make([]reference.Hash, len(bodies))
	for i, b := range bodies {
		all[i] = reference.Leaf(b)
	}
	return all
}

// bodies are the slices of a set.
func bodies(b *reference.Blob, set []int64) [][]byte {
	all := make([][]byte, len(set))
	for i, at := range set {
		all[i] = b.Slices[at]
	}
	return all
}

// from returns [first, end).
func from(first, end int64) []int64 {
	var all []int64
	for ; first < end; first++ {
		all = append(all, first)
	}
	return all
}

// raw turns hashes into nodes that can be bent in any way.
func raw(hashes []reference.Hash) [][]byte {
	all := make([][]byte, len(hashes))
	for i := range hashes {
		all[i] = slices.Clone(hashes[i][:])
	}
	return all
}

func asHex(all [][]byte) []Hex {
	out := make([]Hex, len(all))
	for i, b := range all {
		out[i] = b
	}
	return out
}

// Ways to bend bytes. Each returns a copy.

func flip(b []byte, i int) []byte {
	b = bytes.Clone(b)
	b[(i+len(b))%len(b)] ^= 1
	return b
}

func more(b []byte, tail ...byte) []byte { return slices.Concat(b, tail) }

// without is b less n bytes from i on.
func without(b []byte, i, n int) []byte { return slices.Concat(b[:i], b[i+n:]) }

func swapped[E any](s []E, i, j int) []E {
	s = slices.Clone(s)
	s[i], s[j] = s[j], s[i]
	return s
}

func replaced[E any](s []E, i int, x E) []E {
	s = slices.Clone(s)
	s[i] = x
	return s
}

func reversed[E any](s []E) []E {
	s = slices.Clone(s)
	slices.Reverse(s)
	return s
}

func le32(b []byte, x uint32) []byte { return binary.LittleEndian.AppendUint32(b, x) }
func le64(b []byte, x uint64) []byte { return binary.LittleEndian.AppendUint64(b, x) }

func sum(parts ...[]byte) []byte {
	d := sha256.Sum256(slices.Concat(parts...))
	return d[:]
}
