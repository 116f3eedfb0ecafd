package emit

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// rows addresses what a core reads or writes of each lane; it may write code, which is for
// the next instruction.
type rows func(lane int) Mem

// core is one way to take the states of several messages over a block of each.
type core interface {
	name() string
	lanes() int
	// repeat is how many copies of a round constant lie side by side.
	repeat() int
	// place gives the core its part of the frame and the constants, and returns how many
	// bytes of the frame it takes.
	place(at int, k constants) (size int)
	// initial sets every state to the one before the first block.
	initial()
	// load sets the states from rows of eight words.
	load(rows)
	// ahead is how many blocks of each message, one or two, a step reads before it takes the
	// states over those that the step before has read; the rows of second blocks are those
	// beyond lanes. A core without such foresight says 0, takes a block a step, and has no
	// use for prime.
	ahead() int
	// prime reads the first blocks.
	prime(rows)
	// block takes the states on by a block, or two.
	block(rows)
	// store is the inverse of load; for digests it reverses the bytes of every word. The
	// states are lost.
	store(row rows, digest bool)
	// end writes what a function ends with.
	end()
}

// The general registers that entries keep for themselves, beside those of frame and
// constants. A core may use R13 and R15.
var (
	at, count             = RBX, RCX
	rowPtr                = R8
	blocksNow, blocksNext = R11, R12 // of each message in a step, with two blocks ahead
)

// maxSteps is hashcore's constant of that name.
const maxSteps = 4

func entries(c core) {
	k := declareConstants(c.repeat())
	blocks(c, k)
	pairs(c, k)
}

// begin reserves the frame, with room for a pointer to each of eight blocks behind the
// core's part if it takes two blocks a step.
func begin(c core, k constants) (pointers int) {
	k.base()
	size := c.place(0, k)
	pointers = size
	if c.ahead() == 2 {
		size += 8 * 2 * c.lanes()
	}
	allocFrame(size)
	return pointers
}

// blocks writes the entry for messages of any length.
func blocks(c core, k constants) {
	name := fmt.Sprintf("blocks%sx%d", c.name(), c.lanes())
	TEXT(name, 0, fmt.Sprintf("func(h *[%d][8]uint32, in **byte, stride int, n *[%d]int, steps int)", c.lanes(), maxSteps))
	Doc(name+" takes each state over steps, not none, of n[i] blocks, not 0. They begin where",
		"a row of pointers says, one for each lane, in at first, and stride bytes on for each step.")
	Pragma("noescape")
	h, in, stride, n, steps := RDI, RSI, R14, R9, R10
	Load(Param("h"), h)
	Load(Param("in"), in)
	Load(Param("stride"), stride)
	Load(Param("n"), n)
	Load(Param("steps"), steps)
	pointers := begin(c, k)
	states := func(l int) Mem { return Mem{Base: h, Disp: stateSize * l} }
	c.load(states)
	switch c.ahead() {
	case 0:
		blocksInTurn(c, in, stride, n, steps)
	case 1:
		blocksAhead(c, in, stride, n, steps)
	case 2:
		blocksTwoAhead(c, in, stride, n, steps, pointers)
	}
	c.store(states, false)
	c.end()
	RET()
}

func blocksInTurn(c core, in, stride, n, steps GPPhysical) {
	// Up to four pointers stay in registers, more are loaded when they are used.
	ptrs := [4]GPPhysical{rowPtr, R11, R12, R13} // a core of so few lanes has no use for R13
	load := func(l int, to GPPhysical) { MOVQ(Mem{Base: in, Disp: 8 * l}, to) }
	Label("step")
	row := func(l int) Mem {
		load(l, rowPtr)
		return Mem{Base: rowPtr, Index: at, Scale: 1}
	}
	if c.lanes() <= len(ptrs) {
		for l := range c.lanes() {
			load(l, ptrs[l])
		}
		row = func(l int) Mem { return Mem{Base: ptrs[l], Index: at, Scale: 1} }
	}
	MOVQ(Mem{Base: n}, count)
	XORQ(at, at)
	Label("block")
	c.block(row)
	ADDQ(Imm(blockSize), at)
	DECQ(count)
	JNZ(LabelRef("block"))
	nextStep(in, stride, n)
	DECQ(steps)
	JNZ(LabelRef("step"))
}

func nextStep(in, stride, n GPPhysical) {
	ADDQ(stride, in)
	ADDQ(Imm(8), n)
}

// blocksAhead moves on to the next block before the states are taken over the one before.
// At the end there is none, and the last is read once more, for nothing.
func blocksAhead(c core, in, stride, n, steps GPPhysical) {
	row := func(l int) Mem {
		MOVQ(Mem{Base: in, Disp: 8 * l}, rowPtr)
		return Mem{Base: rowPtr, Index: at, Scale: 1}
	}
	MOVQ(Mem{Base: n}, count)
	XORQ(at, at)
	c.prime(row)
	Label("block")
	DECQ(count)
	JZ(LabelRef("step"))
	ADDQ(Imm(blockSize), at)
	Label("found")
	c.block(row)
	TESTQ(steps, steps)
	JNZ(LabelRef("block"))
	JMP(LabelRef("done"))
	Label("step")
	DECQ(steps)
	JZ(LabelRef("found"))
	nextStep(in, stride, n)
	MOVQ(Mem{Base: n}, count)
	XORQ(at, at)
	JMP(LabelRef("found"))
	Label("done")
}

// blocksTwoAhead is blocksAhead by two blocks of each message; lanes behind the first of
// rows are for the second. An odd number of blocks leaves one in the last step, and the core
// goes on at odd when it has done that.
func blocksTwoAhead(c core, in, stride, n, steps GPPhysical, pointers int) {
	pointer := func(l int) Mem { return frame(pointers + 8*l) }
	find := func(name string) {
		XORQ(blocksNext, blocksNext)
		for half := range 2 {
			TESTQ(steps, steps)
			JZ(LabelRef(name))
			for l := range c.lanes() {
				MOVQ(Mem{Base: in, Disp: 8 * l}, rowPtr)
				ADDQ(at, rowPtr)
				for i := half; i < 2; i++ { // the first stands in for the second
					MOVQ(rowPtr, pointer(c.lanes()*i+l))
				}
			}
			INCQ(blocksNext)
			within := fmt.Sprint(name, half)
			ADDQ(Imm(blockSize), at)
			DECQ(count)
			JNZ(LabelRef(within))
			DECQ(steps)
			JZ(LabelRef(within))
			nextStep(in, stride, n)
			MOVQ(Mem{Base: n}, count)
			XORQ(at, at)
			Label(within)
		}
		Label(name)
	}
	row := func(l int) Mem {
		MOVQ(pointer(l), rowPtr)
		return Mem{Base: rowPtr}
	}
	MOVQ(Mem{Base: n}, count)
	XORQ(at, at)
	find("first")
	c.prime(row)
	Label("block")
	MOVQ(blocksNext, blocksNow)
	find("next")
	c.block(row)
	TESTQ(blocksNext, blocksNext)
	JNZ(LabelRef("block"))
	Label("odd")
}

// pairs writes the entry for framed pairs of nodes. The pair of a lane is put together in
// its frame, which already holds labels and padding. There are two sets of frames, in
// turn: the nodes of a wave are copied while the wave before is hashed, long before they
// are read, since a load that spans two recent stores has to wait for them.
func pairs(c core, k constants) {
	const (
		node   = 32
		framed = 2 * blockSize
	)
	name := fmt.Sprintf("pairs%sx%d", c.name(), c.lanes())
	TEXT(name, 0, fmt.Sprintf("func(dst, nodes *[32]byte, waves int, frames *[%d][128]byte, left, right, width, blocks int)", 2*c.lanes()))
	Doc(name+" hashes waves, not none, of pairs of nodes, cut to width, 16 to 32. The left one",
		"goes to offset left of a frame, the right one to offset right, and the frame has so",
		fmt.Sprintf("many blocks, at least %d.", max(1, c.ahead())))
	Pragma("noescape")
	dst, nodes, waves, next, now, left, right, rest := RDI, RSI, R9, R10, R14, R12, R8, R11
	Load(Param("dst"), dst)
	Load(Param("nodes"), nodes)
	Load(Param("waves"), waves)
	Load(Param("frames"), next)
	Load(Param("left"), left)
	Load(Param("right"), right)
	begin(c, k)

	fill := func() {
		// Two moves of sixteen bytes overlap where a node is cut shorter.
		to := count
		Load(Param("width"), rest) // a core with two blocks ahead has used it
		SUBQ(Imm(16), rest)
		for i, offset := range []GPPhysical{left, right} {
			LEAQ(Mem{Base: next, Index: offset, Scale: 1}, to)
			for l := range c.lanes() {
				from := Mem{Base: nodes, Disp: node * (2*l + i)}
				VMOVDQU(from, X0)
				VMOVDQU(X0, Mem{Base: to, Disp: framed * l})
				from.Index, from.Scale = rest, 1
				VMOVDQU(from, X0)
				VMOVDQU(X0, Mem{Base: to, Index: rest, Scale: 1, Disp: framed * l})
			}
		}
		ADDQ(I32(2*node*c.lanes()), nodes)
	}
	row := func(l int) Mem {
		return Mem{Base: at, Disp: framed*(l%c.lanes()) + blockSize*(l/c.lanes())}
	}
	fill()
	MOVQ(next, now)
	ADDQ(I32(framed*c.lanes()), next)
	if c.ahead() > 0 {
		MOVQ(now, at)
		c.prime(row)
	}

	Label("wave")
	CMPQ(waves, Imm(1))
	JEQ(LabelRef("filled"))
	fill()
	Label("filled")
	c.initial()
	Load(Param("blocks"), count)
	// Behind the last wave, a core that reads ahead reads the other frames, whatever they
	// hold.
	switch c.ahead() {
	case 0:
		MOVQ(now, at)
		Label("block")
		c.block(row)
		ADDQ(Imm(blockSize), at)
		DECQ(count)
		JNZ(LabelRef("block"))
	case 1:
		Label("block")
		ADDQ(Imm(blockSize), at)
		DECQ(count)
		JNZ(LabelRef("within"))
		MOVQ(next, at)
		Label("within")
		c.block(row)
		TESTQ(count, count)
		JNZ(LabelRef("block"))
	case 2:
		MOVQ(U32(2), blocksNow)
		MOVQ(next, at)
		c.block(row)
		Label("odd")
	}
	c.store(func(l int) Mem { return Mem{Base: dst, Disp: node * l} }, true)
	ADDQ(I32(node*c.lanes()), dst)
	XCHGQ(next, now)
	DECQ(waves)
	JNZ(LabelRef("wave"))
	c.end()
	RET()
}
