package hashcore

import (
	"encoding/binary"
)

const (
	blockSize  = 64
	lengthSize = 8 // the message's length in bits, the end of its last block
)

// state is what SHA-256 carries from block to block: the words a to h.
type state = [8]uint32

// iv is the state before the first block (FIPS 180-4, 5.3.3).
var iv = state{
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
}

// put writes the digest that the state is after the last block.
func put(d *Digest, s *state) {
	for i := 0; i < len(s); i += 2 {
		binary.BigEndian.PutUint64(d[4*i:], uint64(s[i])<<32|uint64(s[i+1]))
	}
}

// block2 is scratch for blocks that are put together: the head of a message, which begins
// with the prefix, or its end with the padding. Neither is ever longer.
type block2 = [2 * blockSize]byte

// maxPadded is the most bytes that fit into two blocks beside their padding.
const maxPadded = len(block2{}) - 1 - lengthSize

// finish writes the padding behind n bytes of b, where b is zero, and returns the blocks
// up to its end. The whole message has size bytes.
func finish(b *block2, n int, size uint64) []byte {
	end := blockSize
	if n > blockSize-1-lengthSize {
		end = 2 * blockSize
	}
	b[n] = 0x80
	binary.BigEndian.PutUint64(b[end-lengthSize:], size<<3)
	return b[:end]
}

// prefix is what the messages of a batch have in common: whole blocks are hashed once for
// all of them, the rest goes into the head of each.
type prefix struct {
	mid  state  // after the whole blocks
	head block2 // the rest, then zero
	n    int    // of the rest
	size uint64 // of all of it
}

func newPrefix(s string) (p prefix) {
	p.mid, p.size = iv, uint64(len(s))
	for ; len(s) >= blockSize; s = s[blockSize:] {
		copy(p.head[:], s)
		h := [1]state{p.mid}
		compress(h[:], [][]byte{p.head[:]}, 1)
		p.mid = h[0]
	}
	p.head = block2{}
	p.n = copy(p.head[:], s)
	return p
}

// A message is read in up to three pieces of whole blocks: a head in scratch, the blocks
// of the body where they lie, and the end in scratch. Short ones are all head.

// first returns the first piece, and what the body has behind it: nil after the end.
func (p *prefix) first(scratch *block2, body []byte) (piece, rest []byte) {
	if p.n+len(body) <= maxPadded {
		*scratch = p.head
		copy(scratch[p.n:], body)
		return finish(scratch, p.n+len(body), p.size+uint64(len(body))), nil
	}
	if p.n == 0 {
		return whole(body)
	}
	*scratch = p.head
	took := copy(scratch[p.n:blockSize], body)
	return scratch[:blockSize], body[took:]
}

// next returns the piece behind another, from the rest, not nil, of a body of so many bytes.
func (p *prefix) next(scratch *block2, rest []byte, size int) (piece, after []byte) {
	if len(rest) >= blockSize {
		return whole(rest)
	}
	*scratch = block2{}
	copy(scratch[:], rest)
	return finish(scratch, len(rest), p.size+uint64(size)), nil
}

func whole(b []byte) (blocks, rest []byte) {
	n := len(b) &^ (blockSize - 1)
	return b[:n], b[n:]
}
