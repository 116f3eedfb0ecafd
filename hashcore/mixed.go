package hashcore

import (
	"math"
	"math/bits"
)

// mixed is a batch of messages of any lengths.
//
// Lanes [0, busy) hold a message each. All advance together, and a lane whose message ends
// takes the next. Once there is none it idles; between two calls the last lane moves into
// its place, and p has a kernel for those left.
type mixed struct {
	batch
	taken int // messages
	busy  int
	idle  int           // of these, which is not 0 only within a call
	now   int           // how many blocks every lane has taken
	until [maxLanes]int // then a lane's part ends; never for one that idles

	calls int // of kernels
	n     int // changes of the call at hand
}

// lane is where a message is hashed, but for its state.
type lane struct {
	message int
	parts   [3]part // that have blocks
	i, n    int     // the part at hand, and how many there are

	scratch [2]uint8 // in ends; the first is the message's
	renewed int      // the call within which the lane went on to this message, or 0
}

// part is some of a message's blocks.
type part struct {
	at     source
	blocks int
}

func (b *mixed) sum() {
	b.busy = min(b.p.lanes, len(b.msgs))
	for i := range b.ends[:min(2*b.busy, len(b.ends))] {
		copy(b.ends[i][:], b.pre.head[:b.pre.n])
	}
	for l := range b.busy {
		b.lanes[l].scratch = [2]uint8{uint8(b.busy + l), uint8(l)}
		b.begin(l)
		b.h[l] = b.pre.mid
	}
	for b.busy > 0 {
		b.call()
		b.settle()
	}
}

// never is a time that does not come.
const never = math.MaxInt

// call takes all lanes on until a message ends for which another kernel may be better, or
// as far as one call of a kernel goes.
func (b *mixed) call() {
	b.n = 0
	b.calls++
	for l := range b.busy {
		m := &b.lanes[l]
		p := &m.parts[m.i]
		b.place(l, behind(p.at, p.blocks-(b.until[l]-b.now)), nil)
	}
	for l := b.busy; l < b.p.room(b.busy); l++ {
		b.place(l, sourceOf(zeros[:]), nil)
	}
	end := b.now + b.p.most(b.busy)
	var steps [maxSteps]step
	n, before := 0, 0
	for {
		next := end
		for _, t := range b.until[:b.busy] {
			next = min(next, t)
		}
		steps[n] = step{b.n - before, next - b.now}
		n++
		b.now, before = next, b.n
		if next == end || n == maxSteps || !b.change() {
			break
		}
	}
	b.p.advance(b.h, &b.pre.mid, b.busy, steps[:n], b.changes[:before])
}

// change adds what changes now. Where the call at hand cannot have that it does nothing.
func (b *mixed) change() bool {
	var changed uint32
	ended := 0
	for l, t := range b.until[:b.busy] {
		if t == b.now {
			changed |= 1 << (l % maxLanes)
			if m := &b.lanes[l]; m.last() {
				ended++
				if m.renewed == b.calls {
					return false // its scratch is not free yet
				}
			}
		}
	}
	if b.n+b.busy > len(b.changes) {
		return false
	}
	if ended > 0 {
		idle := b.idle + max(0, ended-(len(b.msgs)-b.taken))
		if !b.p.refills(b.busy, b.busy-idle) {
			return false
		}
	}
	for ; changed != 0; changed &= changed - 1 {
		l := bits.TrailingZeros32(changed)
		m := &b.lanes[l]
		if !m.last() {
			b.next(l)
			b.place(l, m.parts[m.i].at, nil)
			continue
		}
		digest := &b.dst[m.message]
		if b.taken < len(b.msgs) {
			b.begin(l)
			m.renewed = b.calls
			b.place(l, m.parts[0].at, digest)
		} else {
			b.until[l] = never
			b.idle++
			b.place(l, sourceOf(zeros[:]), digest)
		}
	}
	return true
}

// zeros are what lanes without a message read, in the longest call of more than one lane.
var zeros [maxIdle * blockSize]byte

const maxIdle = 512

func (b *mixed) place(lane int, at source, ended *Digest) {
	b.changes[b.n] = change{unseen(at), (*[32]byte)(unseen(ended)), lane}
	b.n++
}

// last tells whether the part at hand ends the message.
func (m *lane) last() bool { return m.i+1 == m.n }

// next has a lane go on to the next part.
func (b *mixed) next(l int) {
	m := &b.lanes[l]
	m.i++
	b.until[l] += m.parts[m.i].blocks
}

// settle sees to the lanes that idle, and those whose parts have ended with a call.
func (b *mixed) settle() {
	b.idle = 0
	for l := b.busy - 1; l >= 0; l-- {
		m := &b.lanes[l]
		switch {
		case b.until[l] == never:
			b.drop(l)
		case b.until[l] > b.now:
		case !m.last():
			b.next(l)
		default:
			put(&b.dst[m.message], &b.h[l])
			if b.taken == len(b.msgs) {
				b.drop(l)
				continue
			}
			b.begin(l)
			b.h[l] = b.pre.mid
		}
	}
}

// drop fills a lane with the last one.
func (b *mixed) drop(l int) {
	b.busy--
	b.lanes[l], b.until[l], b.h[l] = *unseen(&b.lanes[b.busy]), b.until[b.busy], b.h[b.busy]
}

// begin has a lane take the next message.
func (b *mixed) begin(l int) {
	b.expect(b.taken)
	m := &b.lanes[l]
	m.message = b.message(b.taken)
	b.taken++
	m.scratch[0], m.scratch[1] = m.scratch[1], m.scratch[0]
	s := &b.ends[m.scratch[0]]
	msg := b.msgs[m.message]
	c := b.pre.split(s, msg)
	m.i, m.n = 0, 0
	m.add(s.head()[:], c[head])
	if c[end] > 0 {
		m.add(msg[b.pre.skip():], c[body])
		m.add(s.end()[:], c[end])
	}
	b.until[l] = b.now + m.parts[0].blocks
}

func (m *lane) add(at []byte, blocks int) {
	if blocks > 0 {
		m.parts[m.n] = part{unseen(sourceOf(at)), blocks}
		m.n++
	}
}
