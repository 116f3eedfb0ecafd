package emit

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// shani is a core on the SHA unit, which does two rounds for one message in an
// instruction. It starts one a cycle (Zen 3) and has its result after four, so that one
// stream leaves it idle for three cycles of four. Beside the rounds, four streams keep
// the unit and the vector pipes busy, and they fit into registers once all but the last
// four words of each schedule are in memory.
type shani struct {
	streams int
	s       []stream
	k       constants
	free    pool
}

// stream is one message. The unit wants the state as (a, b, e, f) and (c, d, g, h), from
// the highest word down; two rounds swap their roles.
type stream struct {
	abef, cdgh VecPhysical
	last       VecPhysical // the last four words of the schedule
}

var (
	shaFrame = RDX
	shaWK    = X0 // words and constants of two rounds, in the register that the unit reads
)

func (c *shani) name() string { return "SHANI" }
func (c *shani) lanes() int   { return c.streams }

// schedule addresses words 4g to 4g+3 of lane l, saved the halves of its state. The unit's
// instructions want memory operands aligned.
func (c *shani) schedule(l, g int) Mem { return Mem{Base: shaFrame, Disp: 64*l + 16*(g%4)} }
func (c *shani) saved(l, i int) Mem {
	return Mem{Base: shaFrame, Disp: 64*c.streams + 32*l + 16*i}
}

func (c *shani) begin() {
	i := initial
	c.k.begin(1, 4, [8]uint32{i[5], i[4], i[1], i[0], i[7], i[6], i[3], i[2]})
	alignedFrame(shaFrame, c.streams*(64+32), 16)
	c.free = pool{X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13, X14, X15}
	c.s = make([]stream, c.streams)
	for l := range c.s {
		c.s[l] = stream{c.free.take(), c.free.take(), c.free.take()}
	}
}

func (c *shani) initial() {
	for _, s := range c.s {
		VMOVDQU(c.k.initial(0), s.abef)
		VMOVDQU(c.k.initial(4), s.cdgh)
	}
}

func (c *shani) load(row func(int) Mem) {
	for l, s := range c.s {
		VMOVDQU(row(l), s.last)                     // d c b a
		VMOVDQU(row(l).Offset(16), s.cdgh)          // h g f e
		VPSHUFD(Imm(0xb1), s.last, s.last)          // c d a b
		VPSHUFD(Imm(0x1b), s.cdgh, s.cdgh)          // e f g h
		VPALIGNR(Imm(8), s.cdgh, s.last, s.abef)    // a b e f
		VPBLENDW(Imm(0xf0), s.last, s.cdgh, s.cdgh) // c d g h
	}
}

func (c *shani) store(row func(int) Mem, digest bool) {
	for l, s := range c.s {
		VPSHUFD(Imm(0x1b), s.abef, s.abef)          // f e b a
		VPSHUFD(Imm(0xb1), s.cdgh, s.cdgh)          // d c h g
		VPBLENDW(Imm(0xf0), s.cdgh, s.abef, s.last) // d c b a
		VPALIGNR(Imm(8), s.abef, s.cdgh, s.cdgh)    // h g f e
		if digest {
			VPSHUFB(c.k.mask(), s.last, s.last)
			VPSHUFB(c.k.mask(), s.cdgh, s.cdgh)
		}
		VMOVDQU(s.last, row(l))
		VMOVDQU(s.cdgh, row(l).Offset(16))
	}
}

func (c *shani) block(row func(int) Mem) {
	for l, s := range c.s {
		VMOVDQA(s.abef, c.saved(l, 0))
		VMOVDQA(s.cdgh, c.saved(l, 1))
		c.words(l, 0, row)
	}
	for g := range 16 {
		for l := range c.s {
			VPADDD(c.k.round(4*g), c.s[l].last, shaWK)
			SHA256RNDS2(shaWK, c.s[l].abef, c.s[l].cdgh)
			// The next words before this group's second instruction, which has to wait
			// for the first: measured 5% faster than behind it.
			if g < 15 {
				c.words(l, g+1, row)
			}
			VPSHUFD(Imm(0x0e), shaWK, shaWK)
			SHA256RNDS2(shaWK, c.s[l].cdgh, c.s[l].abef)
		}
	}
	for l, s := range c.s {
		VPADDD(c.saved(l, 0), s.abef, s.abef)
		VPADDD(c.saved(l, 1), s.cdgh, s.cdgh)
	}
}

// words leaves words 4g to 4g+3 of lane l's schedule in last.
func (c *shani) words(l, g int, row func(int) Mem) {
	s := &c.s[l]
	w, tmp := c.free.take(), c.free.take()
	if g < 4 {
		VMOVDQU(row(l).Offset(16*g), w)
		VPSHUFB(c.k.mask(), w, w)
	} else {
		VMOVDQA(c.schedule(l, g-4), w)
		SHA256MSG1(c.schedule(l, g-3), w)
		VPALIGNR(Imm(4), c.schedule(l, g-2), s.last, tmp)
		VPADDD(tmp, w, w)
		SHA256MSG2(s.last, w)
	}
	if g+2 < 16 { // the last words that are still read from memory
		VMOVDQA(w, c.schedule(l, g))
	}
	c.free.give(tmp, s.last)
	s.last = w
}

func (c *shani) end() {}
