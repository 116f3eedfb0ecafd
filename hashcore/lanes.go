package hashcore

const (
	// maxLanes is the most messages that any kernel takes side by side.
	maxLanes = 32

	// maxSteps is the most steps of one kernel call: runs of blocks over which no lane
	// changes from one piece of its message to the next.
	maxSteps = 4
)

// sumLanes is Sum with messages side by side. Where their lengths differ, messages of as
// many blocks go together: then lanes end at the same time.
func sumLanes(p *plan, dst []Digest, pre *prefix, msgs [][]byte) {
	same := sameLengths(msgs)
	if same && len(msgs) > 0 && pre.n+len(msgs[0]) <= maxPadded {
		sumFramed(p, dst, &framed{pre: pre, msgs: msgs})
		return
	}
	if same || len(msgs) <= p.lanes {
		sumOrdered(p, dst, pre, msgs, nil)
		return
	}
	for len(msgs) > 0 {
		n := min(len(msgs), maxOrder)
		var order [maxOrder]uint8
		pre.sortByBlocks(order[:n], msgs[:n])
		sumOrdered(p, dst[:n], pre, msgs[:n], order[:n])
		dst, msgs = dst[n:], msgs[n:]
	}
}

// sumOrdered hashes messages in the order given, or if it is nil as they come. What lanes
// need would cost a small batch more to clear than to hash with, and its goroutine a larger
// stack: so there is room in sizes, each in a function of its own.
func sumOrdered(p *plan, dst []Digest, pre *prefix, msgs [][]byte, order []uint8) {
	switch n := p.room(len(msgs)); {
	case n <= 1:
		sumOrdered1(p, dst, pre, msgs, order)
	case n <= 4:
		sumOrdered4(p, dst, pre, msgs, order)
	case n <= 8:
		sumOrdered8(p, dst, pre, msgs, order)
	default:
		sumOrdered32(p, dst, pre, msgs, order)
	}
}

//go:noinline
func sumOrdered1(p *plan, dst []Digest, pre *prefix, msgs [][]byte, order []uint8) {
	var r [1]lane
	var h [1]state
	var in [1 * maxSteps]source
	sumIn(p, dst, pre, msgs, order, r[:], h[:], in[:])
}

//go:noinline
func sumOrdered4(p *plan, dst []Digest, pre *prefix, msgs [][]byte, order []uint8) {
	var r [4]lane
	var h [4]state
	var in [4 * maxSteps]source
	sumIn(p, dst, pre, msgs, order, r[:], h[:], in[:])
}

//go:noinline
func sumOrdered8(p *plan, dst []Digest, pre *prefix, msgs [][]byte, order []uint8) {
	var r [8]lane
	var h [8]state
	var in [8 * maxSteps]source
	sumIn(p, dst, pre, msgs, order, r[:], h[:], in[:])
}

//go:noinline
func sumOrdered32(p *plan, dst []Digest, pre *prefix, msgs [][]byte, order []uint8) {
	var r [maxLanes]lane
	var h [maxLanes]state
	var in [maxLanes * maxSteps]source
	sumIn(p, dst, pre, msgs, order, r[:], h[:], in[:])
}

// lane is where a message is hashed, but for its state.
type lane struct {
	pieces // what is left of the message
	of     int
	slot   int // the lane whose ends the pieces use
	ends   ends
}

// sumIn hashes a batch in lanes, of which there are as many as any kernel of p has.
//
// Lanes [0, busy) hold a message each. All advance together until one ends. Its lane writes
// the digest and takes the next message. Once there is none, the last lane moves into its
// place, and p has a kernel for those left.
func sumIn(p *plan, dst []Digest, pre *prefix, msgs [][]byte, order []uint8, lanes []lane, h []state, in []source) {
	at := func(i int) int {
		if order != nil {
			return int(order[i])
		}
		return i
	}
	taken := 0
	take := func() int {
		if later := taken + p.lanes; later < len(msgs) {
			expect(msgs[at(later)])
		}
		taken++
		return at(taken - 1)
	}
	busy := min(p.lanes, len(msgs))
	for l := range busy {
		m := &lanes[l]
		m.of, m.slot, h[l] = take(), l, pre.mid
		m.ends.head = pre.head
		pre.cut(&m.pieces, unseen(&m.ends), unseenBytes(msgs[m.of]))
	}
	for busy > 0 {
		var n [maxSteps]int
		steps := 0
		ended := false
		for most := p.most(busy); steps < maxSteps && most > 0 && !ended; steps++ {
			n[steps], ended = step(lanes[:busy], in[steps*len(h):], most)
			most -= n[steps]
		}
		p.advance(h, in, busy, &n, steps)
		if !ended {
			continue
		}
		for l := busy - 1; l >= 0; l-- {
			m := &lanes[l]
			if !m.ended() {
				continue
			}
			put(&dst[m.of], &h[l])
			if taken < len(msgs) {
				m.of, h[l] = take(), pre.mid
				pre.cut(&m.pieces, unseen(&lanes[m.slot].ends), unseenBytes(msgs[m.of]))
			} else {
				busy--
				last := &lanes[busy]
				m.pieces, m.of, m.slot, h[l] = last.pieces, last.of, last.slot, h[busy]
			}
		}
	}
}

// expect has the ends of a message fetched that comes a wave later. Its first lines are
// copied and its last too, before the CPU can see that it is read from end to end: a group
// out of memory was hashed 10% faster for it. Short messages come too soon.
func expect(msg []byte) {
	if len(msg) >= 8*blockSize {
		prefetch(&msg[0], &msg[len(msg)-1])
	}
}

// step takes as many blocks from every lane as all have in their piece, at most so many. It
// tells how many that are, and whether a message ends.
func step(lanes []lane, in []source, most int) (n int, ended bool) {
	n = most
	for l := range lanes {
		n = min(n, lanes[l].next())
	}
	for l := range lanes {
		m := &lanes[l]
		in[l] = m.take(n)
		ended = ended || m.ended()
	}
	return n, ended
}
