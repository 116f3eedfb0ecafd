package emit

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// avx2 has eight lanes and no rotation: two shifts make one, and all parts of a sigma are
// exclusive-ored, so that the halves of a rotation need no joining of their own. Sixteen
// registers leave none to fetch a block ahead.
type avx2 struct{}

func (avx2) name() string   { return "AVX2" }
func (avx2) lanes() int     { return 8 }
func (avx2) repeat() int    { return 8 }
func (avx2) foresees() bool { return false }
func (avx2) registers() []VecPhysical {
	return []VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15}
}

func (avx2) plusConstant(q *code, k Mem, x VecPhysical) { q.add(func() { VPADDD(k, x, x) }) }
func (avx2) move(q *code, from, to Op)                  { q.add(func() { VMOVDQA(from, to) }) }

func (avx2) sigma(q *code, free *pool, dst VecPhysical, x Op, spend bool, a, b, c int, shift bool) {
	part := free.take()
	if m, ok := x.(Mem); ok {
		r := free.take()
		defer free.give(r)
		q.add(func() { VMOVDQA(m, r) })
		x = r
	}
	defer free.give(part)
	q.add(func() { VPSRLD(Imm(uint64(a)), x, dst) })
	and := func(f func(...Op), by int) {
		q.add(func() { f(Imm(uint64(by)), x, part) }, func() { VPXOR(part, dst, dst) })
	}
	and(VPSLLD, 32-a)
	and(VPSRLD, b)
	and(VPSLLD, 32-b)
	and(VPSRLD, c)
	if !shift {
		and(VPSLLD, 32-c)
	}
}

func (avx2) ch(q *code, dst, e, f, g VecPhysical) {
	q.add(
		func() { VPXOR(f, g, dst) },
		func() { VPAND(e, dst, dst) },
		func() { VPXOR(g, dst, dst) })
}

func (avx2) maj(q *code, w *wave, dst, a, b, c VecPhysical) {
	bc := w.bc
	if bc == nil {
		bc = w.free.take()
		q.add(func() { VPXOR(b, c, bc) })
	}
	ab := w.free.take()
	q.add(
		func() { VPXOR(a, b, ab) },
		func() { VPAND(ab, bc, bc) },
		func() { VPXOR(b, bc, dst) })
	w.free.give(bc)
	w.bc = ab
}

func (avx2) fetch(q *code, free *pool, row rows, word func(t int) Mem, reverse Mem) {
	for t := 0; t < 16; t += 4 {
		w, tmp := free.take4(), free.take4()
		q.add(func() {
			avx2{}.gather(w, tmp, func(l int) Mem { return row(l).Offset(4 * t) })
			for i, r := range w {
				VPSHUFB(reverse, r, r)
				VMOVDQA(r, word(t+i))
			}
		})
		free.give(w[:]...)
		free.give(tmp[:]...)
	}
}

// gather loads lane l beside lane l+4, and transposes both halves of the registers at once.
func (avx2) gather(dst, tmp [4]VecPhysical, row rows) {
	for l, r := range dst {
		VMOVDQU(row(l), r.(Vec).AsX())
		VINSERTI128(Imm(1), row(l+4), r, r)
	}
	transpose(dst, tmp)
}

func (avx2) scatter(row rows, src, tmp [4]VecPhysical, reverse Op) {
	transpose(src, tmp)
	for l, r := range src {
		if reverse != nil {
			VPSHUFB(reverse, r, r)
		}
		VMOVDQU(r.(Vec).AsX(), row(l))
		VEXTRACTI128(Imm(1), r, row(l+4))
	}
}

// transpose turns four rows of four words into columns, in each 128 bits.
func transpose(r, tmp [4]VecPhysical) {
	VPUNPCKLDQ(r[1], r[0], tmp[0])
	VPUNPCKHDQ(r[1], r[0], tmp[1])
	VPUNPCKLDQ(r[3], r[2], tmp[2])
	VPUNPCKHDQ(r[3], r[2], tmp[3])
	VPUNPCKLQDQ(tmp[2], tmp[0], r[0])
	VPUNPCKHQDQ(tmp[2], tmp[0], r[1])
	VPUNPCKLQDQ(tmp[3], tmp[1], r[2])
	VPUNPCKHQDQ(tmp[3], tmp[1], r[3])
}
