package emit

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// isa is a vector instruction set: how it does on 32-bit words what a round needs.
type isa interface {
	name() string
	lanes() int
	registers() []VecPhysical

	// sigma sets dst to x>>>a ^ x>>>b ^ x>>>c, or with shift to x>>>a ^ x>>>b ^ x>>c.
	sigma(dst, x, tmp VecPhysical, a, b, c int, shift bool)
	// ch sets dst to e&f ^ ^e&g.
	ch(dst, e, f, g VecPhysical)
	// maj sets dst to a&b ^ a&c ^ b&c. On entry bc is b^c, and ab is left as a^b: the bc of
	// the next round.
	maj(dst, a, b, ab, bc VecPhysical)
	// gather sets dst[i] to word i of the 16 bytes at every row, for i of four; mask, where
	// it is not nil, reverses the bytes of words.
	gather(dst, tmp [4]VecPhysical, row func(lane int) Mem, mask Op)
	// scatter is gather's inverse, and uses src up.
	scatter(row func(lane int) Mem, src, tmp [4]VecPhysical, mask Op)
}

// vector is a core with one message in each lane of vector registers: the state in eight of
// them, the last sixteen words of the schedule in memory.
type vector struct {
	isa
	k    constants
	s    [8]VecPhysical
	free pool
}

var vectorFrame = RDX

func (c *vector) width() int         { return 4 * c.lanes() }
func (c *vector) schedule(t int) Mem { return Mem{Base: vectorFrame, Disp: t % 16 * c.width()} }
func (c *vector) saved(i int) Mem    { return Mem{Base: vectorFrame, Disp: (16 + i) * c.width()} }

func (c *vector) begin() {
	c.k.begin(c.lanes(), c.lanes(), initial)
	alignedFrame(vectorFrame, (16+8)*c.width(), c.width())
	c.free = pool(c.registers())
	for i := range c.s {
		c.s[i] = c.free.take()
	}
}

func (c *vector) initial() {
	for i, r := range c.s {
		VPBROADCASTD(c.k.initial(i), r)
	}
}

func (c *vector) load(row func(int) Mem) {
	for half := range 2 {
		tmp := c.free.take4()
		c.gather([4]VecPhysical(c.s[4*half:]), tmp, func(l int) Mem { return row(l).Offset(16 * half) }, nil)
		c.free.give(tmp[:]...)
	}
}

func (c *vector) store(row func(int) Mem, digest bool) {
	var mask Op
	if digest {
		mask = c.k.mask()
	}
	for half := range 2 {
		tmp := c.free.take4()
		c.scatter(func(l int) Mem { return row(l).Offset(16 * half) }, [4]VecPhysical(c.s[4*half:]), tmp, mask)
		c.free.give(tmp[:]...)
	}
}

func (c *vector) end() { VZEROUPPER() }

func (c *vector) block(row func(int) Mem) {
	for i, r := range c.s {
		VMOVDQA(r, c.saved(i))
	}
	for t := 0; t < 16; t += 4 {
		w, tmp := c.free.take4(), c.free.take4()
		c.gather(w, tmp, func(l int) Mem { return row(l).Offset(4 * t) }, c.k.mask())
		for i, r := range w {
			VMOVDQA(r, c.schedule(t+i))
		}
		c.free.give(w[:]...)
		c.free.give(tmp[:]...)
	}
	s := c.s
	bc := c.free.take()
	VPXOR(s[1], s[2], bc)
	for t := range 64 {
		w := c.word(t)
		// In w grows t1 = h + S1(e) + ch(e, f, g) + K + W, in the register of h the new a.
		a, b, d, e, f, g, h := s[0], s[1], s[3], s[4], s[5], s[6], s[7]
		x, tmp := c.free.take(), c.free.take()
		VPADDD(c.k.round(t), h, h)
		VPADDD(h, w, w)
		c.ch(x, e, f, g)
		VPADDD(x, w, w)
		c.sigma(x, e, tmp, 6, 11, 25, false)
		VPADDD(x, w, w)
		VPADDD(w, d, d)
		c.sigma(x, a, tmp, 2, 13, 22, false)
		VPADDD(x, w, h)
		c.maj(x, a, b, tmp, bc)
		VPADDD(x, h, h)
		c.free.give(w, x, bc)
		bc = tmp
		s = [8]VecPhysical{h, a, b, s[2], d, e, f, g}
	}
	c.free.give(bc)
	// Sixty-four rounds bring every word back to its register.
	for i, r := range c.s {
		VPADDD(c.saved(i), r, r)
	}
}

// word returns word t of the schedule in a register.
func (c *vector) word(t int) VecPhysical {
	w := c.free.take()
	if t < 16 {
		VMOVDQA(c.schedule(t), w)
		return w
	}
	x, s0, tmp := c.free.take(), c.free.take(), c.free.take()
	VMOVDQA(c.schedule(t-15), x)
	c.sigma(s0, x, tmp, 7, 18, 3, true)
	VPADDD(c.schedule(t-16), s0, s0)
	VPADDD(c.schedule(t-7), s0, s0)
	VMOVDQA(c.schedule(t-2), x)
	c.sigma(w, x, tmp, 17, 19, 10, true)
	VPADDD(s0, w, w)
	if t+2 < 64 { // the last word that is still read
		VMOVDQA(w, c.schedule(t))
	}
	c.free.give(x, s0, tmp)
	return w
}
