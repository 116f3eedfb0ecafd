package emit

import (
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// isa is a vector instruction set: how it does on 32-bit words what a round needs. Methods
// add code to q, and have given back what they took from a pool.
type isa interface {
	name() string
	lanes() int
	registers() []VecPhysical
	// repeat is how many copies of a round constant plusConstant wants side by side.
	repeat() int
	plusConstant(q *code, k Mem, x VecPhysical)
	move(q *code, from, to Op)

	// sigma sets dst to x>>>a ^ x>>>b ^ x>>>c, or with shift to x>>>a ^ x>>>b ^ x>>c. With
	// spend x is a register and lost.
	sigma(q *code, free *pool, dst VecPhysical, x Op, spend bool, a, b, c int, shift bool)
	// ch sets dst to e&f ^ ^e&g.
	ch(q *code, dst, e, f, g VecPhysical)
	// maj sets dst to a&b ^ a&c ^ b&c. It may keep a^b in the wave, the b^c of the next round.
	maj(q *code, w *wave, dst, a, b, c VecPhysical)

	// foresees tells whether a block is fetched while the one before is hashed.
	foresees() bool
	// fetch reads 64 bytes of each row, and leaves word t of every lane at word(t).
	fetch(q *code, free *pool, row rows, word func(t int) Mem, reverse Mem)
	// gather sets dst[i] to word i of the 16 bytes at every row, for i of four.
	gather(dst, tmp [4]VecPhysical, row rows)
	// scatter is gather's inverse, and uses src up; reverse, where it is not nil, reverses
	// the bytes of words.
	scatter(row rows, src, tmp [4]VecPhysical, reverse Op)
}

// vector is a core with one message in each lane of vector registers: the state in eight of
// them, the last sixteen words of the schedule in memory. A register is a wave; two waves
// hide how long a round takes.
type vector struct {
	isa
	waves int

	k       constants
	frameAt int
	wave    []wave
	fetcher pool
}

type wave struct {
	s    [8]VecPhysical
	free pool
	bc   VecPhysical    // what maj keeps, or nil
	last [2]VecPhysical // words t-2 and t-1 of the schedule, from the sixteenth on
}

var (
	nowWords  = R13 // the schedule of the block at hand
	nextWords = R15 // that of the block which is fetched meanwhile
)

func (c *vector) width() int { return 4 * c.isa.lanes() }
func (c *vector) lanes() int { return c.isa.lanes() * c.waves }
func (c *vector) ahead() int {
	if c.foresees() {
		return 1
	}
	return 0
}

// schedule is where word t of a wave is: one of sixteen, from base on.
func (c *vector) schedule(base GPPhysical, w, t int) Mem {
	disp := (16*w + t%16) * c.width()
	if !c.foresees() {
		return frame(c.frameAt + disp)
	}
	return Mem{Base: base, Disp: disp}
}

func (c *vector) scheduleSize() int { return 16 * c.waves * c.width() }

// saved is where word i of a wave's states is kept: that of all lanes side by side.
func (c *vector) saved(w, i int) Mem {
	return frame(c.frameAt + (1+c.ahead())*c.scheduleSize() + (c.waves*i+w)*c.width())
}

func (c *vector) place(at int, k constants) int {
	c.frameAt, c.k = at, k
	all := c.registers()
	c.wave = make([]wave, c.waves)
	if c.foresees() {
		c.fetcher, all = pool(all[:fetchers]), all[fetchers:]
	}
	share := len(all) / c.waves
	for i := range c.wave {
		w := &c.wave[i]
		w.free = pool(slices.Clone(all[i*share:][:share]))
		for j := range w.s {
			w.s[j] = w.free.take()
		}
	}
	return (1+c.ahead())*c.scheduleSize() + 8*c.waves*c.width()
}

func (c *vector) initial() {
	for _, w := range c.wave {
		for i, r := range w.s {
			VPBROADCASTD(c.k.initial(i), r)
		}
	}
}

// halves calls f for each four words of each wave's states.
func (c *vector) halves(row rows, f func(row rows, words, tmp [4]VecPhysical)) {
	for i := range c.wave {
		for half := range 2 {
			w := &c.wave[i]
			tmp := w.free.take4()
			f(func(l int) Mem { return row(c.isa.lanes()*i + l).Offset(16 * half) }, [4]VecPhysical(w.s[4*half:]), tmp)
			w.free.give(tmp[:]...)
		}
	}
}

func (c *vector) load(row rows) {
	c.halves(row, func(row rows, words, tmp [4]VecPhysical) { c.gather(words, tmp, row) })
}

func (c *vector) store(row rows, digest bool) {
	var reverse Op
	if digest {
		reverse = c.k.reverse()
	}
	c.halves(row, func(row rows, words, tmp [4]VecPhysical) { c.scatter(row, words, tmp, reverse) })
}

func (c *vector) park() {
	var q code
	for i := range c.wave {
		c.save(&q, i)
	}
	q.write()
}

// save keeps the states of a wave.
func (c *vector) save(q *code, i int) {
	for j, r := range c.wave[i].s {
		c.move(q, r, c.saved(i, j))
	}
}

func (c *vector) replace(lane, words, tmp GPPhysical) {
	SHRQ(Imm(3), lane) // times four
	for i := range 8 {
		to := c.saved(0, i)
		to.Index, to.Scale = lane, 1
		MOVL(Mem{Base: words, Disp: 4 * i}, tmp.As32())
		MOVL(tmp.As32(), to)
	}
}

func (c *vector) resume() {
	var q code
	for i, w := range c.wave {
		for j, r := range w.s {
			c.move(&q, c.saved(i, j), r)
		}
	}
	q.write()
}

func (c *vector) end() { VZEROUPPER() }

func (c *vector) prime(row rows) {
	LEAQ(frame(c.frameAt), nowWords)
	LEAQ(frame(c.frameAt+c.scheduleSize()), nextWords)
	var q code
	c.fetchAll(&q, nowWords, row, &c.fetcher)
	q.write()
}

// fetchAll is fetch for all waves.
func (c *vector) fetchAll(q *code, to GPPhysical, row rows, free *pool) {
	for w := range c.waves {
		c.fetch(q, free,
			func(l int) Mem { return row(c.isa.lanes()*w + l) },
			func(t int) Mem { return c.schedule(to, w, t) },
			c.k.reverse())
	}
}

func (c *vector) block(row rows) {
	c.code(row).write()
	if c.foresees() {
		XCHGQ(nowWords, nextWords)
	}
}

func (c *vector) code(row rows) code {
	var fetch code
	var waves []code
	if !c.foresees() {
		c.fetchAll(&fetch, nowWords, row, &c.wave[0].free)
	}
	for w := range c.wave {
		waves = append(waves, c.rounds(w))
	}
	rounds := weave(waves...)
	if !c.foresees() {
		return append(fetch, rounds...)
	}
	c.fetchAll(&fetch, nextWords, row, &c.fetcher)
	return weave(rounds, fetch)
}

func (c *vector) rounds(i int) (q code) {
	w := &c.wave[i]
	c.save(&q, i)
	plus := func(x Op, y VecPhysical) { q.add(func() { VPADDD(x, y, y) }) }
	s := w.s
	for t := range 64 {
		// h + K + W + ch(e, f, g) + S1(e) grows in the register of h, what comes latest
		// last, and becomes the new a.
		a, b, d, e, f, g, h := s[0], s[1], s[3], s[4], s[5], s[6], s[7]
		c.plusConstant(&q, c.k.round(t), h)
		plus(c.word(&q, i, t), h)
		x := w.free.take()
		c.ch(&q, x, e, f, g)
		plus(x, h)
		c.sigma(&q, &w.free, x, e, false, 6, 11, 25, false)
		plus(x, h)
		plus(h, d)
		c.sigma(&q, &w.free, x, a, false, 2, 13, 22, false)
		plus(x, h)
		c.maj(&q, w, x, a, b, s[2])
		plus(x, h)
		w.free.give(x)
		s = [8]VecPhysical{h, a, b, s[2], d, e, f, g}
	}
	w.free.give(w.last[:]...)
	w.last = [2]VecPhysical{}
	if w.bc != nil {
		w.free.give(w.bc)
		w.bc = nil
	}
	// Sixty-four rounds bring every word back to its register.
	for j, r := range w.s {
		plus(c.saved(i, j), r)
	}
	return q
}

// word returns where word t of the schedule is. From the sixteenth on it is computed, out
// of the two before it in registers: through memory each would cost a load's time.
func (c *vector) word(q *code, i, t int) Op {
	w := &c.wave[i]
	at := func(t int) Mem { return c.schedule(nowWords, i, t) }
	if t < 16 {
		return at(t)
	}
	if t == 16 {
		for j := range w.last {
			w.last[j] = w.free.take()
			c.move(q, at(14+j), w.last[j])
		}
	}
	x := w.free.take()
	c.sigma(q, &w.free, x, at(t-15), false, 7, 18, 3, true)
	s1 := w.free.take()
	q.add(
		func() { VPADDD(at(t-16), x, x) },
		func() { VPADDD(at(t-7), x, x) })
	c.sigma(q, &w.free, s1, w.last[0], true, 17, 19, 10, true)
	q.add(func() { VPADDD(s1, x, x) })
	if t+2 < 64 { // the last word that is still read
		c.move(q, x, at(t))
	}
	w.free.give(s1, w.last[0])
	w.last = [2]VecPhysical{w.last[1], x}
	return x
}
