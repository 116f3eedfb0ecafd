package hashcore

// maxWaves is the most waves of messages in one kernel call.
const maxWaves = 2

// even is a batch of messages of one length. All lanes begin and end together, so what a
// call reads is laid out once, but for the bytes.
type even struct {
	*batch
	cuts
	rest int // bytes of a message that are at its end
	rows int // steps of a wave, in each of which every lane changes

	lanes, waves int // of a call, that changes are laid out for
	done         int // messages
}

func newEven(b *batch) even {
	e := even{batch: b}
	first := &b.ends[0]
	copy(first[:], b.pre.head[:b.pre.n])
	e.cuts = b.pre.split(first, b.msgs[0])
	e.rest = (len(b.msgs[0]) - b.pre.skip()) % blockSize
	for _, blocks := range e.cuts {
		if blocks > 0 {
			e.rows++
		}
	}
	return e
}

// fits tells whether a message takes no more than a call.
func (e *even) fits() bool {
	n := len(e.msgs)
	most := e.p.most(min(n, e.p.lanes))
	if left := n % e.p.lanes; left > 0 {
		most = min(most, e.p.most(left))
	}
	return e.blocks() <= most
}

func (e *even) sum() {
	first := &e.ends[0]
	for i := 1; i < min(len(e.ends), len(e.msgs)); i++ {
		if e.cuts[end] > 0 {
			e.ends[i] = *first
		} else {
			*e.ends[i].head() = *first.head()
		}
	}
	for left := len(e.msgs); left > 0; left = len(e.msgs) - e.done {
		n, waves := min(e.p.lanes, left), 1
		if e.p.refills(n, n) {
			waves = max(1, min(maxWaves, left/n, len(e.ends)/n, e.p.most(n)/e.blocks()))
		}
		e.call(n, waves)
	}
}

// call hashes waves of the next n messages.
func (e *even) call(n, waves int) {
	if n != e.lanes || waves > e.waves {
		e.layOut(n, waves)
	}
	room := e.p.room(n)
	for w := range waves {
		wave := e.changes[w*e.rows*room:]
		e.fill(e.ends[w*n:][:n], wave[min(1, e.cuts[head])*room:])
		if w > 0 {
			for l := range n {
				wave[l].ended = (*[32]byte)(unseen(&e.dst[e.done-n+l]))
			}
		}
		e.done += n
	}
	var steps [3 * maxWaves]step
	for i := 0; i < waves*e.rows; {
		for _, blocks := range e.cuts {
			if blocks > 0 {
				steps[i] = step{room, blocks}
				i++
			}
		}
	}
	for l := range n {
		e.h[l] = e.pre.mid
	}
	e.p.advance(e.h, &e.pre.mid, n, steps[:waves*e.rows], e.changes[:waves*e.rows*room])
	for l := range n {
		put(&e.dst[e.done-n+l], &e.h[l])
	}
}

// fill has a wave of the next messages in scratch, and places for their bodies.
func (e *even) fill(scratch []ends, bodies []change) {
	at, rest, skip := e.pre.n, e.rest, e.pre.skip()
	msgs := e.msgs[e.done:][:len(scratch)]
	if e.cuts[end] == 0 {
		for l, msg := range msgs {
			copy(scratch[l][at:], msg)
		}
		return
	}
	for l, msg := range msgs {
		e.expect(e.done + l)
		s := &scratch[l]
		if at > 0 {
			s.copyHead(at, msg)
		}
		s.copyEnd(rest, msg)
		if e.cuts[body] > 0 {
			bodies[l].at = unseen(&msg[skip])
		}
	}
}

// layOut sets what calls have in common.
func (e *even) layOut(n, waves int) {
	e.lanes, e.waves = n, waves
	i := 0
	for w := range waves {
		for part, blocks := range e.cuts {
			if blocks == 0 {
				continue
			}
			for l := range e.p.room(n) {
				at := zeros[:] // where there is no message
				if l < n && part == head {
					at = e.ends[w*n+l].head()[:]
				} else if l < n && part == end {
					at = e.ends[w*n+l].end()[:]
				}
				e.changes[i] = change{unseen(sourceOf(at)), nil, l}
				i++
			}
		}
	}
}
