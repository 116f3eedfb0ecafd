package emit

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// avx2 has eight lanes and no rotation: two shifts make one, and all parts of a sigma are
// exclusive-ored, so that the halves of a rotation need no joining of their own.
type avx2 struct{}

func (avx2) name() string { return "AVX2" }
func (avx2) lanes() int   { return 8 }
func (avx2) registers() []VecPhysical {
	return []VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15}
}

func (avx2) sigma(dst, x, tmp VecPhysical, a, b, c int, shift bool) {
	VPSRLD(Imm(uint64(a)), x, dst)
	part := func(f func(...Op), by int) { f(Imm(uint64(by)), x, tmp); VPXOR(tmp, dst, dst) }
	part(VPSLLD, 32-a)
	part(VPSRLD, b)
	part(VPSLLD, 32-b)
	part(VPSRLD, c)
	if !shift {
		part(VPSLLD, 32-c)
	}
}

func (avx2) ch(dst, e, f, g VecPhysical) {
	VPXOR(f, g, dst)
	VPAND(e, dst, dst)
	VPXOR(g, dst, dst)
}

func (avx2) maj(dst, a, b, ab, bc VecPhysical) {
	VPXOR(a, b, ab)
	VPAND(ab, bc, bc)
	VPXOR(b, bc, dst)
}

// gather loads lane l beside lane l+4, and transposes both halves of the registers at once.
func (avx2) gather(dst, tmp [4]VecPhysical, row func(lane int) Mem, mask Op) {
	for l, r := range dst {
		VMOVDQU(row(l), r.(Vec).AsX())
		VINSERTI128(Imm(1), row(l+4), r, r)
		if mask != nil {
			VPSHUFB(mask, r, r)
		}
	}
	transpose(dst, tmp)
}

func (avx2) scatter(row func(lane int) Mem, src, tmp [4]VecPhysical, mask Op) {
	transpose(src, tmp)
	for l, r := range src {
		if mask != nil {
			VPSHUFB(mask, r, r)
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
