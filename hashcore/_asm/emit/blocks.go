package emit

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// What hashcore's step and change look like in memory.
const (
	stepType    = "struct{ changes, blocks int }"
	changeType  = "struct { at *byte; ended *[32]byte; lane int }"
	stepChanges = 0
	stepBlocks  = 8
	stepSize    = 16
	changeAt    = 0
	changeEnded = 8
	changeLane  = 16
	changeSize  = 24
)

// walk is the entry for messages of any length. It goes through steps with a block of every
// lane at a time. The frame has a table of where lanes are: added to at, which grows from
// the first block to the last, it is the block at hand.
type walk struct {
	core
	table  int // 8 bytes a lane
	behind int // it: the digests of all lanes, or with two blocks ahead where those begin
	labels int
}

// While a core is at work, changed is the first change of the step at hand, changes the one
// behind its last, and fresh is not 0 if one of them begins a message.
var steps, left, changes, changed, fresh = R9, R10, RSI, R11, R14

// blocks writes the entry for messages of any length.
func blocks(c core, k constants) {
	name := fmt.Sprintf("blocks%sx%d", c.name(), c.lanes())
	TEXT(name, 0, fmt.Sprintf("func(h *[%d][8]uint32, mid *[8]uint32, steps *%s, n int, changes *%s)", c.lanes(), stepType, changeType))
	doc := []string{
		name + " takes each state over n steps, not none, of blocks, not 0. Before each step",
		"come its changes, not none, and those before the first place every lane.",
	}
	if c.ahead() < 2 {
		doc = append(doc, "A change that ends a message has its digest written, and mid is the new state.")
	} else {
		doc = append(doc, "No change ends a message.")
	}
	Doc(doc...)
	Pragma("noescape")
	w := &walk{core: c}
	w.table = begin(c, k, c.lanes()*(8+stateSize))
	w.behind = w.table + 8*c.lanes()
	Load(Param("h"), RDI)
	Load(Param("steps"), steps)
	Load(Param("n"), left)
	Load(Param("changes"), changes)
	states := func(l int) Mem { return Mem{Base: RDI, Disp: stateSize * l} }
	c.load(states)
	XORQ(at, at)
	w.step()
	switch c.ahead() {
	case 0:
		w.inTurn()
	case 1:
		w.oneAhead()
	case 2:
		w.twoAhead()
	}
	Load(Param("h"), RDI)
	c.store(states, false)
	c.end()
	RET()
}

// row is the block at hand, by the table.
func (w *walk) row(l int) Mem {
	MOVQ(frame(w.table+8*l), rowPtr)
	return Mem{Base: rowPtr, Index: at, Scale: 1}
}

// step begins a step.
func (w *walk) step() {
	w.labels++
	change := fmt.Sprint("change", w.labels)
	MOVQ(Mem{Base: steps, Disp: stepChanges}, count)
	if w.ahead() < 2 {
		MOVQ(changes, changed)
		XORQ(fresh, fresh)
	}
	Label(change)
	MOVQ(Mem{Base: changes, Disp: changeAt}, RDI)
	SUBQ(at, RDI)
	MOVQ(Mem{Base: changes, Disp: changeLane}, R8)
	MOVQ(RDI, Mem{Base: frameBase, Index: R8, Scale: 8, Disp: w.table})
	if w.ahead() < 2 {
		ORQ(Mem{Base: changes, Disp: changeEnded}, fresh)
	}
	ADDQ(Imm(changeSize), changes)
	DECQ(count)
	JNZ(LabelRef(change))
	MOVQ(Mem{Base: steps, Disp: stepBlocks}, count)
	ADDQ(Imm(stepSize), steps)
}

// refill gives lanes whose message has ended the next one.
func (w *walk) refill() {
	w.park()
	w.store(func(l int) Mem { return frame(w.behind + stateSize*l) }, true)
	lane, digest, mid := R8, RDI, R12
	Label("refill")
	MOVQ(Mem{Base: changed, Disp: changeEnded}, digest)
	TESTQ(digest, digest)
	JZ(LabelRef("goes_on"))
	MOVQ(Mem{Base: changed, Disp: changeLane}, lane)
	SHLQ(Imm(5), lane) // times stateSize
	for i := 0; i < stateSize; i += 16 {
		VMOVDQU(Mem{Base: frameBase, Index: lane, Scale: 1, Disp: w.behind + i}, X0)
		VMOVDQU(X0, Mem{Base: digest, Disp: i})
	}
	Load(Param("mid"), mid)
	w.replace(lane, mid, digest)
	Label("goes_on")
	ADDQ(Imm(changeSize), changed)
	CMPQ(changed, changes)
	JNE(LabelRef("refill"))
	w.resume()
}

func (w *walk) inTurn() {
	// Up to four places stay in registers, more are loaded when they are used.
	ptrs := [4]GPPhysical{rowPtr, R11, R12, R13} // a core of so few lanes has no use for R13
	row := w.row
	JMP(LabelRef("placed"))
	Label("step")
	w.step()
	TESTQ(fresh, fresh)
	JZ(LabelRef("placed"))
	w.refill()
	Label("placed")
	if w.lanes() <= len(ptrs) {
		for l := range w.lanes() {
			MOVQ(frame(w.table+8*l), ptrs[l])
		}
		row = func(l int) Mem { return Mem{Base: ptrs[l], Index: at, Scale: 1} }
	}
	Label("block")
	w.block(row)
	ADDQ(Imm(blockSize), at)
	DECQ(count)
	JNZ(LabelRef("block"))
	DECQ(left)
	JNZ(LabelRef("step"))
}

// oneAhead moves on to the next block before the states are taken over the one before. At
// the end there is none, and the last is read once more, for nothing.
func (w *walk) oneAhead() {
	w.prime(w.row)
	Label("block")
	DECQ(count)
	JZ(LabelRef("step"))
	ADDQ(Imm(blockSize), at)
	Label("found")
	w.block(w.row)
	TESTQ(fresh, fresh)
	JNZ(LabelRef("ended"))
	Label("begun")
	TESTQ(left, left)
	JNZ(LabelRef("block"))
	JMP(LabelRef("done"))
	Label("step")
	DECQ(left)
	JZ(LabelRef("found"))
	ADDQ(Imm(blockSize), at)
	w.step()
	JMP(LabelRef("found"))
	Label("ended")
	w.refill()
	XORQ(fresh, fresh)
	JMP(LabelRef("begun"))
	Label("done")
}

// twoAhead is oneAhead by two blocks of each message; lanes behind the first of rows are
// for the second. An odd number of blocks leaves one in the last step, and the core goes
// on at odd when it has done that.
func (w *walk) twoAhead() {
	place := func(l int) Mem { return frame(w.behind + 8*l) }
	find := func(name string) {
		XORQ(blocksNext, blocksNext)
		for half := range 2 {
			TESTQ(left, left)
			JZ(LabelRef(name))
			for l := range w.lanes() {
				MOVQ(frame(w.table+8*l), rowPtr)
				ADDQ(at, rowPtr)
				for i := half; i < 2; i++ { // the first stands in for the second
					MOVQ(rowPtr, place(w.lanes()*i+l))
				}
			}
			INCQ(blocksNext)
			within := fmt.Sprint(name, half)
			ADDQ(Imm(blockSize), at)
			DECQ(count)
			JNZ(LabelRef(within))
			DECQ(left)
			JZ(LabelRef(within))
			w.step()
			Label(within)
		}
		Label(name)
	}
	row := func(l int) Mem {
		MOVQ(place(l), rowPtr)
		return Mem{Base: rowPtr}
	}
	find("first")
	w.prime(row)
	Label("block")
	MOVQ(blocksNext, blocksNow)
	find("next")
	w.block(row)
	TESTQ(blocksNext, blocksNext)
	JNZ(LabelRef("block"))
	Label("odd")
}
