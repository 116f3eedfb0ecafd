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
	// park keeps the states in the frame, for resume to take them back. In between all
	// registers of the core are free, and replace sets the state of the lane which is in a
	// register, times stateSize, to words in memory; both registers and tmp are lost.
	park()
	replace(lane, words, tmp GPPhysical)
	resume()
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

func entries(c core) {
	k := declareConstants(c.repeat())
	blocks(c, k)
	pairs(c, k)
}

// begin reserves the frame: the core's part, and behind it so many bytes.
func begin(c core, k constants, more int) (behind int) {
	k.base()
	size := c.place(0, k)
	allocFrame(size + more)
	return size
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
	begin(c, k, 0)

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
