package emit

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// avx512 has sixteen lanes, rotations, and any function of three operands in an
// instruction. With low it has the low registers too, all 32, and fetches a block ahead;
// without, only those that are not the SHA unit's, and then it does not.
type avx512 struct{ low bool }

// fetchers is how many registers fetch takes.
const fetchers = 6

func (avx512) name() string     { return "AVX512" }
func (avx512) lanes() int       { return 16 }
func (avx512) repeat() int      { return 1 }
func (i avx512) foresees() bool { return i.low }
func (i avx512) registers() []VecPhysical {
	all := []VecPhysical{
		Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23, Z24, Z25, Z26, Z27, Z28, Z29, Z30, Z31,
		Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15,
	}
	if i.low {
		return all
	}
	return all[:16]
}

func (avx512) plusConstant(q *code, k Mem, x VecPhysical) { q.add(func() { VPADDD_BCST(k, x, x) }) }
func (avx512) move(q *code, from, to Op)                  { q.add(func() { VMOVDQA32(from, to) }) }

// Functions of three operands: bit i is the result where they are the bits of i.
const (
	ternaryXor = 0x96
	ternaryCh  = 0xca
	ternaryMaj = 0xe8
)

func (avx512) sigma(q *code, free *pool, dst VecPhysical, x Op, spend bool, a, b, c int, shift bool) {
	u := free.take()
	var v VecPhysical
	if spend {
		v = x.(VecPhysical)
	} else {
		v = free.take()
		defer free.give(v)
	}
	defer free.give(u)
	third := VPRORD
	if shift {
		third = VPSRLD
	}
	q.add(
		func() { VPRORD(Imm(uint64(a)), x, dst) },
		func() { VPRORD(Imm(uint64(b)), x, u) },
		func() { third(Imm(uint64(c)), x, v) },
		func() { VPTERNLOGD(Imm(ternaryXor), u, v, dst) })
}

func (avx512) ch(q *code, dst, e, f, g VecPhysical) {
	q.add(
		func() { VMOVDQA32(e, dst) },
		func() { VPTERNLOGD(Imm(ternaryCh), g, f, dst) })
}

func (avx512) maj(q *code, _ *wave, dst, a, b, c VecPhysical) {
	q.add(
		func() { VMOVDQA32(a, dst) },
		func() { VPTERNLOGD(Imm(ternaryMaj), c, b, dst) })
}

// fetch transposes sixteen rows of sixteen words: first four rows by four words within
// each 128 bits, then these 128 bits as four by four. Between the two they lie where the
// words will be.
func (avx512) fetch(q *code, free *pool, row rows, word func(t int) Mem, reverse Mem) {
	for g := 0; g < 16; g += 4 {
		r, t := free.take4(), free.take()
		for i, x := range r {
			q.add(
				func() { VMOVDQU32(row(g+i), x) },
				func() { VPSHUFB(reverse, x, x) })
			if i%2 == 0 {
				continue
			}
			// The pair becomes its low and its high half.
			lo, hi, low := r[i-1], r[i], t
			q.add(
				func() { VPUNPCKLDQ(hi, lo, low) },
				func() { VPUNPCKHDQ(hi, lo, hi) })
			r[i-1], t = low, lo
		}
		out := func(f func(...Op), i int, lo, hi VecPhysical, to VecPhysical) {
			q.add(
				func() { f(hi, lo, to) },
				func() { VMOVDQA32(to, word(g+i)) })
		}
		out(VPUNPCKLQDQ, 0, r[0], r[2], t)
		out(VPUNPCKHQDQ, 1, r[0], r[2], r[0])
		out(VPUNPCKLQDQ, 2, r[1], r[3], r[2])
		out(VPUNPCKHQDQ, 3, r[1], r[3], r[1])
		free.give(t)
		free.give(r[:]...)
	}
	// Word w+i, for w of 0, 4, 8, 12, is 128 bits of what the four groups left at i.
	const (
		firstTwo, lastTwo = 0x44, 0xee
		even, odd         = 0x88, 0xdd
	)
	for i := range 4 {
		a, b, lo, hi, t := free.take(), free.take(), free.take(), free.take(), free.take()
		shuffle := func(imm uint64, y Op, x, to VecPhysical) { q.add(func() { VSHUFI32X4(Imm(imm), y, x, to) }) }
		store := func(x VecPhysical, w int) { q.add(func() { VMOVDQA32(x, word(w+i)) }) }
		q.add(func() { VMOVDQA32(word(i), a) }, func() { VMOVDQA32(word(8+i), b) })
		shuffle(firstTwo, word(4+i), a, lo)
		shuffle(lastTwo, word(4+i), a, a)
		shuffle(firstTwo, word(12+i), b, hi)
		shuffle(lastTwo, word(12+i), b, b)
		shuffle(even, hi, lo, t)
		store(t, 0)
		shuffle(odd, hi, lo, lo)
		store(lo, 4)
		shuffle(even, b, a, t)
		store(t, 8)
		shuffle(odd, b, a, a)
		store(a, 12)
		free.give(a, b, lo, hi, t)
	}
}

// gather loads lanes l, l+4, l+8 and l+12 side by side, and transposes all four parts of the
// registers at once.
func (avx512) gather(dst, tmp [4]VecPhysical, row rows) {
	for l, r := range dst {
		VMOVDQU32(row(l), r.(Vec).AsX())
		for i := 1; i < 4; i++ {
			VINSERTI32X4(Imm(uint64(i)), row(l+4*i), r, r)
		}
	}
	transpose(dst, tmp)
}

func (avx512) scatter(row rows, src, tmp [4]VecPhysical, reverse Op) {
	transpose(src, tmp)
	for l, r := range src {
		if reverse != nil {
			VPSHUFB(reverse, r, r)
		}
		VMOVDQU32(r.(Vec).AsX(), row(l))
		for i := 1; i < 4; i++ {
			VEXTRACTI32X4(Imm(uint64(i)), r, row(l+4*i))
		}
	}
}
