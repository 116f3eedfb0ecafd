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
	blocks = blocksBehind(n)
	clear(b[n:])
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

// ends is scratch for the head and the end of a message.
type ends struct {
	head, end block2
	padded    int // 1 and the length of the body whose padding they have, or 0
}

// pieces are a message in order, each of whole blocks: a head in scratch, the blocks of the
// body where they lie, and the end in scratch. Short messages are all head.
type pieces struct {
	at     [3]source
	blocks [3]int
	i, n   int // the first that is not done, and how many there are
}

func (m *pieces) add(at source, blocks int) {
	m.at[m.n], m.blocks[m.n] = at, blocks
	m.n++
}

func (m *pieces) ended() bool { return m.i == m.n }

// next is how many blocks the piece at hand has left.
func (m *pieces) next() int { return m.blocks[m.i] }

// take returns where the next so many blocks are, no more than there are, and goes on
// behind them.
func (m *pieces) take(blocks int) source {
	at := m.at[m.i]
	if m.blocks[m.i] -= blocks; m.blocks[m.i] > 0 {
		m.at[m.i] = behind(at, blocks)
	} else {
		m.i++
	}
	return at
}

// cut sets m to the pieces of a message. The head of s begins with that of p.
func (p *prefix) cut(m *pieces, s *ends, body []byte) {
	m.i, m.n = 0, 0
	padded := s.padded == 1+len(body)
	s.padded = 1 + len(body)
	size := p.size + uint64(len(body))
	if n := p.n + len(body); n <= maxPadded {
		copy(s.head[p.n:], body)
		if !padded {
			finish(&s.head, n, size)
		}
		m.add(sourceOf(s.head[:]), blocksBehind(n))
		return
	}
	if p.n > 0 {
		took := copy(s.head[p.n:blockSize], body)
		m.add(sourceOf(s.head[:]), 1)
		body = body[took:]
	}
	if whole := len(body) / blockSize; whole > 0 {
		m.add(sourceOf(body), whole)
		body = body[whole*blockSize:]
	}
	copy(s.end[:], body)
	if !padded {
		finish(&s.end, len(body), size)
	}
	m.add(sourceOf(s.end[:]), blocksBehind(len(body)))
}
