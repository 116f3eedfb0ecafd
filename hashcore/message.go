package hashcore

import "encoding/binary"

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

// blocksBehind is how many blocks end a message of which n bytes stand before the padding.
func blocksBehind(n int) int {
	if n > blockSize-1-lengthSize {
		return 2
	}
	return 1
}

// finish writes the padding behind n bytes of b, and returns how many blocks that ends. The
// whole message has size bytes.
func finish(b *block2, n int, size uint64) (blocks int) {
	clear(b[n:])
	return pad(b, n, size)
}

// pad is finish where zeros stand behind the n bytes.
func pad(b *block2, n int, size uint64) (blocks int) {
	blocks = blocksBehind(n)
	b[n] = 0x80
	binary.BigEndian.PutUint64(b[blocks*blockSize-lengthSize:], size<<3)
	return blocks
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

// ends is scratch for the head and the end of a message, two blocks each, one behind the
// other.
type ends [4 * blockSize]byte

func (s *ends) head() *block2 { return (*block2)(s[:]) }
func (s *ends) end() *block2  { return (*block2)(s[2*blockSize:]) }

// copyHead copies the first bytes of a message behind so many, to the end of the block. It
// copies a whole block where it can, into the second too, which takes a few instructions;
// to copy so many bytes as are counted first takes a call.
func (s *ends) copyHead(n int, msg []byte) {
	if len(msg) >= blockSize {
		*(*[blockSize]byte)(s[n:]) = [blockSize]byte(msg)
	} else {
		copy(s[n:], msg)
	}
}

// copyEnd copies the last n bytes of a message, less than a block, to the end, in the same
// way: before the end is the head's second block.
func (s *ends) copyEnd(n int, msg []byte) {
	if len(msg) >= blockSize {
		*(*[blockSize]byte)(s[blockSize+n:]) = [blockSize]byte(msg[len(msg)-blockSize:])
	} else {
		copy(s[2*blockSize:], msg[len(msg)-n:])
	}
}

// cuts are how many blocks of a message are in each of its parts: the head and the end are
// put together in scratch, the blocks of the body between them are read where they lie.
// Short messages are all head.
type cuts [3]int

const (
	head = iota
	body
	end
)

func (c *cuts) blocks() int { return c[head] + c[body] + c[end] }

// skip is how many bytes of a body with an end are in the head.
func (p *prefix) skip() int { return -p.n & (blockSize - 1) }

// split cuts a message that has the prefix p, and puts its head and its end into s, whose
// head begins with p already.
func (p *prefix) split(s *ends, msg []byte) (c cuts) {
	size := p.size + uint64(len(msg))
	if n := p.n + len(msg); n <= maxPadded {
		copy(s[p.n:], msg)
		c[head] = finish(s.head(), n, size)
		return c
	}
	n := len(msg)
	if p.n > 0 {
		s.copyHead(p.n, msg)
		c[head] = 1
		n -= p.skip()
	}
	c[body], n = n/blockSize, n%blockSize
	*s.end() = block2{}
	s.copyEnd(n, msg)
	c[end] = pad(s.end(), n, size)
	return c
}
