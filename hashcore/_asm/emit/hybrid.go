package emit

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// hybrid is a core of sixteen vector lanes and four streams on the SHA unit, woven, so that
// each has work while the other waits. It is made for a group of twenty slices. The streams
// have the registers that the unit knows, the lanes the others; those are too few to fetch
// a block ahead, but the streams fill that time too.
type hybrid struct {
	vector
	streams shani
}

func newHybrid() *hybrid {
	return &hybrid{vector{isa: avx512{}, waves: 1}, shani{streams: 4}}
}

func (c *hybrid) name() string { return "HYBRID" }
func (c *hybrid) lanes() int   { return c.vector.lanes() + c.streams.lanes() }

func (c *hybrid) place(at int, k constants) int {
	size := c.vector.place(at, k)
	return size + c.streams.place(at+size, k)
}

func (c *hybrid) initial() {
	c.vector.initial()
	c.streams.initial()
}

// behind are the rows of the streams.
func (c *hybrid) behind(row rows) rows {
	return func(l int) Mem { return row(c.vector.lanes() + l) }
}

func (c *hybrid) load(row rows) {
	c.vector.load(row)
	c.streams.load(c.behind(row))
}

func (c *hybrid) block(row rows) {
	weave(c.vector.code(row), c.streams.code(c.behind(row))).write()
}

func (c *hybrid) store(row rows, digest bool) {
	c.vector.store(row, digest)
	c.streams.store(c.behind(row), digest)
}

func (c *hybrid) park() {
	c.vector.park()
	c.streams.park()
}

func (c *hybrid) replace(lane, words, tmp GPPhysical) {
	first := stateSize * c.vector.lanes()
	CMPQ(lane, I32(int32(first)))
	JAE(LabelRef("stream"))
	c.vector.replace(lane, words, tmp)
	JMP(LabelRef("replaced"))
	Label("stream")
	SUBQ(I32(int32(first)), lane)
	c.streams.replace(lane, words, tmp)
	Label("replaced")
}

func (c *hybrid) resume() {
	c.vector.resume()
	c.streams.resume()
}
