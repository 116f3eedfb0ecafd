package emit

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// shani is a core on the SHA unit, which does two rounds for one message in an
// instruction. It has its result after four cycles, so that one stream leaves the unit
// idle most of the time. Beside the rounds, four streams keep the unit and the vector
// pipes busy, and they fit into registers once all but the last four words of each
// schedule are in memory.
type shani struct {
	streams int
	s       []stream
	k       constants
	frameAt int
	free    pool
}

// stream is one message. The unit wants the state as (a, b, e, f) and (c, d, g, h), from
// the highest word down; two rounds swap their roles.
type stream struct {
	abef, cdgh VecPhysical
	last       VecPhysical // the last four words of the schedule
}

// shaWK holds words and constants of two rounds: the register that the unit reads.
var shaWK = X0

func (c *shani) name() string { return "SHANI" }
func (c *shani) lanes() int   { return c.streams }
func (c *shani) repeat() int  { return 1 }
func (c *shani) ahead() int   { return 0 }
func (c *shani) prime(rows)   {}
func (c *shani) end()         {}

// schedule addresses words 4g to 4g+3 of lane l, saved the halves of its state. The unit's
// instructions want memory operands aligned.
func (c *shani) schedule(l, g int) Mem { return frame(c.frameAt + 64*l + 16*(g%4)) }
func (c *shani) saved(l, i int) Mem    { return frame(c.frameAt + 64*c.streams + stateSize*l + 16*i) }

func (c *shani) place(at int, k constants) int {
	c.frameAt, c.k = at, k
	c.free = pool{X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13, X14, X15}
	c.s = make([]stream, c.streams)
	for l := range c.s {
		c.s[l] = stream{c.free.take(), c.free.take(), c.free.take()}
	}
	return c.streams * (64 + stateSize)
}

func (c *shani) initial() {
	for _, s := range c.s {
		VMOVDQU(c.k.initialSHA(0), s.abef)
		VMOVDQU(c.k.initialSHA(1), s.cdgh)
	}
}

func (c *shani) load(row rows) {
	for l, s := range c.s {
		s.load(row(l))
	}
}

func (c *shani) store(row rows, digest bool) {
	for l, s := range c.s {
		s.store(row(l), digest, c.k)
	}
}

func (c *shani) park() {
	var q code
	for l := range c.s {
		c.save(&q, l)
	}
	q.write()
}

// save keeps a state.
func (c *shani) save(q *code, l int) {
	s := c.s[l]
	q.add(func() { VMOVDQA(s.abef, c.saved(l, 0)) }, func() { VMOVDQA(s.cdgh, c.saved(l, 1)) })
}

func (c *shani) replace(lane, words, _ GPPhysical) { replaceSHA(c.saved(0, 0), lane, words) }

func (c *shani) resume() {
	for l, s := range c.s {
		VMOVDQA(c.saved(l, 0), s.abef)
		VMOVDQA(c.saved(l, 1), s.cdgh)
	}
}

// replaceSHA sets a state, one of some that lie side by side as the unit wants them.
func replaceSHA(to Mem, lane, words GPPhysical) {
	s := stream{X1, X2, X3}
	s.load(Mem{Base: words})
	to.Index, to.Scale = lane, 1
	VMOVDQA(s.abef, to)
	VMOVDQA(s.cdgh, to.Offset(16))
}

func (s stream) load(m Mem) {
	VMOVDQU(m, s.last)                          // d c b a
	VMOVDQU(m.Offset(16), s.cdgh)               // h g f e
	VPSHUFD(Imm(0xb1), s.last, s.last)          // c d a b
	VPSHUFD(Imm(0x1b), s.cdgh, s.cdgh)          // e f g h
	VPALIGNR(Imm(8), s.cdgh, s.last, s.abef)    // a b e f
	VPBLENDW(Imm(0xf0), s.last, s.cdgh, s.cdgh) // c d g h
}

func (s stream) store(m Mem, digest bool, k constants) {
	VPSHUFD(Imm(0x1b), s.abef, s.abef)          // f e b a
	VPSHUFD(Imm(0xb1), s.cdgh, s.cdgh)          // d c h g
	VPBLENDW(Imm(0xf0), s.cdgh, s.abef, s.last) // d c b a
	VPALIGNR(Imm(8), s.abef, s.cdgh, s.cdgh)    // h g f e
	if digest {
		VPSHUFB(k.reverse(), s.last, s.last)
		VPSHUFB(k.reverse(), s.cdgh, s.cdgh)
	}
	VMOVDQU(s.last, m)
	VMOVDQU(s.cdgh, m.Offset(16))
}

func (c *shani) block(row rows) { c.code(row).write() }

func (c *shani) code(row rows) (q code) {
	for l := range c.s {
		c.save(&q, l)
		c.words(&q, l, 0, row)
	}
	for g := range 16 {
		for l := range c.s {
			s := c.s[l]
			q.add(
				func() { VPADDD(c.k.round(4*g), s.last, shaWK) },
				func() { SHA256RNDS2(shaWK, s.abef, s.cdgh) })
			// The next words before this group's second instruction, which has to wait
			// for the first: measured 5% faster than behind it.
			if g < 15 {
				c.words(&q, l, g+1, row)
			}
			q.add(
				func() { VPSHUFD(Imm(0x0e), shaWK, shaWK) },
				func() { SHA256RNDS2(shaWK, s.cdgh, s.abef) })
		}
	}
	for l, s := range c.s {
		q.add(func() { VPADDD(c.saved(l, 0), s.abef, s.abef) }, func() { VPADDD(c.saved(l, 1), s.cdgh, s.cdgh) })
	}
	return q
}

// words leaves words 4g to 4g+3 of lane l's schedule in last.
func (c *shani) words(q *code, l, g int, row rows) {
	s := &c.s[l]
	w, tmp, last := c.free.take(), c.free.take(), s.last
	if g < 4 {
		q.add(
			func() { VMOVDQU(row(l).Offset(16*g), w) },
			func() { VPSHUFB(c.k.reverse(), w, w) })
	} else {
		q.add(
			func() { VMOVDQA(c.schedule(l, g-4), w) },
			func() { SHA256MSG1(c.schedule(l, g-3), w) },
			func() { VPALIGNR(Imm(4), c.schedule(l, g-2), last, tmp) },
			func() { VPADDD(tmp, w, w) },
			func() { SHA256MSG2(last, w) })
	}
	if g+2 < 16 { // the last words that are still read from memory
		q.add(func() { VMOVDQA(w, c.schedule(l, g)) })
	}
	c.free.give(tmp, last)
	s.last = w
}
