package emit

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// core is one way to take the states of several messages over a block of each. It keeps
// RAX and RDX for itself from begin on, and the entries all other general registers.
type core interface {
	name() string
	lanes() int
	// begin emits what a function starts with.
	begin()
	// initial sets every state to the one before the first block.
	initial()
	// load sets the states from rows of eight words.
	load(row func(lane int) Mem)
	// block takes the states on; row has 64 bytes of each message and may emit code.
	block(row func(lane int) Mem)
	// store is the inverse of load; for digests it reverses the bytes of every word. The
	// states are lost.
	store(row func(lane int) Mem, digest bool)
	// end emits what a function ends with.
	end()
}

func entries(c core) {
	blocks(c)
	pairs(c)
}

// blocks emits the entry for messages of any length.
func blocks(c core) {
	name := fmt.Sprintf("blocks%sx%d", c.name(), c.lanes())
	TEXT(name, 0, fmt.Sprintf("func(h *[%[1]d][8]uint32, in *[%[1]d][]byte, n int)", c.lanes()))
	Doc(name + " takes each state over the first n blocks of its input; n is not 0.")
	Pragma("noescape")
	h, in, n, at := RDI, RSI, RCX, RBX
	Load(Param("h"), h)
	Load(Param("in"), in)
	Load(Param("n"), n)
	c.begin()

	// Four pointers stay in registers, more are loaded when they are used.
	const slice = 24
	ptrs := [4]GPPhysical{R8, R9, R10, R11}
	load := func(l int) { MOVQ(Mem{Base: in, Disp: slice * l}, ptrs[l%4]) }
	for l := range min(c.lanes(), 4) {
		load(l)
	}
	row := func(l int) Mem {
		if c.lanes() > 4 {
			load(l)
		}
		return Mem{Base: ptrs[l%4], Index: at, Scale: 1}
	}
	states := func(l int) Mem { return Mem{Base: h, Disp: 32 * l} }

	c.load(states)
	XORQ(at, at)
	Label("block")
	c.block(row)
	ADDQ(Imm(blockSize), at)
	DECQ(n)
	JNZ(LabelRef("block"))
	c.store(states, false)
	c.end()
	RET()
}

// pairs emits the entry for framed pairs of nodes. The pair of a lane is put together in
// its frame, which already holds labels and padding. There are two sets of frames, in
// turn: the nodes of a wave are copied while the wave before is hashed, long before they
// are read, since a load that spans two recent stores has to wait for them.
func pairs(c core) {
	const (
		node  = 32
		frame = 2 * blockSize
	)
	name := fmt.Sprintf("pairs%sx%d", c.name(), c.lanes())
	TEXT(name, 0, fmt.Sprintf("func(dst, nodes *[32]byte, waves int, frames *[%d][128]byte, left, right, blocks int)", 2*c.lanes()))
	Doc(name+" hashes waves of pairs of nodes, waves and blocks not 0. The left node goes to",
		"offset left of a frame, the right one to offset right, and the frame has so many blocks.")
	Pragma("noescape")
	dst, nodes, waves, next, now, left, right, at, n := RDI, RSI, RCX, R8, R9, R10, R11, RBX, R12
	Load(Param("dst"), dst)
	Load(Param("nodes"), nodes)
	Load(Param("waves"), waves)
	Load(Param("frames"), next)
	Load(Param("left"), left)
	Load(Param("right"), right)
	c.begin()

	fill := func() {
		for l := range c.lanes() {
			for half := 0; half < node; half += 16 {
				VMOVDQU(Mem{Base: nodes, Disp: 2*node*l + half}, X0)
				VMOVDQU(X0, Mem{Base: next, Index: left, Scale: 1, Disp: frame*l + half})
				VMOVDQU(Mem{Base: nodes, Disp: 2*node*l + node + half}, X0)
				VMOVDQU(X0, Mem{Base: next, Index: right, Scale: 1, Disp: frame*l + half})
			}
		}
		ADDQ(I32(2*node*c.lanes()), nodes)
	}
	fill()
	MOVQ(next, now)
	ADDQ(I32(frame*c.lanes()), next)

	Label("wave")
	CMPQ(waves, Imm(1))
	JEQ(LabelRef("filled"))
	fill()
	Label("filled")
	c.initial()
	Load(Param("blocks"), n)
	MOVQ(now, at)
	Label("block")
	c.block(func(l int) Mem { return Mem{Base: at, Disp: frame * l} })
	ADDQ(Imm(blockSize), at)
	DECQ(n)
	JNZ(LabelRef("block"))
	c.store(func(l int) Mem { return Mem{Base: dst, Disp: node * l} }, true)
	ADDQ(I32(node*c.lanes()), dst)
	XCHGQ(next, now)
	DECQ(waves)
	JNZ(LabelRef("wave"))
	c.end()
	RET()
}
