package emit

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// split is a core that divides SHA-256: eight vector lanes compute the schedule of the next
// blocks while the SHA unit does the rounds of those before, two at an instruction, from
// words that lie ready in memory with their constants added. Of the unit's instructions
// only the rounds are fast on a Zen 4, one a cycle; the two for the schedule are not used.
//
// The eight lanes are a block of each of eight messages, or two blocks of each of four.
type split struct {
	messages int
	k        constants
	frameAt  int
	chains   [4]stream
}

var (
	nowWK  = R13 // words with constants of the blocks at hand
	nextWK = R15 // those which are scheduled meanwhile
)

const (
	splitLanes = 8
	// The first sixteen words of each lane stand together. Behind them the lanes stand
	// side by side, in the order in which two words are unpacked.
	wkFirst = splitLanes * blockSize
	wkSize  = wkFirst + 48*4*splitLanes
)

// wk is where words 2n and 2n+1 of a lane are.
func wk(base GPPhysical, lane, n int) Mem {
	if n < 8 {
		return Mem{Base: base, Disp: blockSize*lane + 8*n}
	}
	within := []int{0, 8, 32, 40, 16, 24, 48, 56}
	return Mem{Base: base, Disp: wkFirst + 64*(n-8) + within[lane]}
}

func (c *split) name() string { return "SPLIT" }
func (c *split) lanes() int   { return c.messages }
func (c *split) repeat() int  { return 1 }
func (c *split) ahead() int   { return splitLanes / c.messages }
func (c *split) end()         { VZEROUPPER() }

// state is where half i of a message's state is.
func (c *split) state(m, i int) Mem { return frame(c.frameAt + stateSize*m + 16*i) }
func (c *split) wkAt(i int) Mem     { return frame(c.frameAt + stateSize*splitLanes + wkSize*i) }

func (c *split) place(at int, k constants) int {
	c.frameAt, c.k = at, k
	c.chains = [4]stream{{abef: X1, cdgh: X2}, {abef: X3, cdgh: X4}, {abef: X5, cdgh: X6}, {abef: X7, cdgh: X8}}
	return stateSize*splitLanes + 2*wkSize
}

func (c *split) initial() {
	VMOVDQU(c.k.initialSHA(0), X1)
	VMOVDQU(c.k.initialSHA(1), X2)
	for m := range c.messages {
		VMOVDQA(X1, c.state(m, 0))
		VMOVDQA(X2, c.state(m, 1))
	}
}

func (c *split) load(row rows) {
	s := stream{X1, X2, X3}
	for m := range c.messages {
		s.load(row(m))
		VMOVDQA(X1, c.state(m, 0))
		VMOVDQA(X2, c.state(m, 1))
	}
}

func (c *split) store(row rows, digest bool) {
	s := stream{X1, X2, X3}
	for m := range c.messages {
		VMOVDQA(c.state(m, 0), X1)
		VMOVDQA(c.state(m, 1), X2)
		s.store(row(m), digest, c.k)
	}
}

// States are in the frame between steps.
func (c *split) park()                             {}
func (c *split) replace(lane, words, _ GPPhysical) { replaceSHA(c.state(0, 0), lane, words) }
func (c *split) resume()                           {}

func (c *split) prime(row rows) {
	LEAQ(c.wkAt(0), nowWK)
	LEAQ(c.wkAt(1), nextWK)
	fetch, schedule := c.schedule(nowWK, row)
	fetch.write()
	schedule.write()
}

// block weaves so many rounds into the fetch that the words which follow have 4.5 each.
func (c *split) block(row rows) {
	fetch, schedule := c.schedule(nextWK, row)
	rounds := c.rounds()
	const beside = 48 * 9 / 2
	weave(fetch, rounds[:len(rounds)-beside]).write()
	weave(schedule, rounds[len(rounds)-beside:]).write()
	XCHGQ(nowWK, nextWK)
}

// rounds is code of two rounds a step: four chains at a time, which the unit, with a result
// after four cycles, takes turns with.
func (c *split) rounds() (q code) {
	for lane := 0; lane < splitLanes; lane += len(c.chains) {
		for n := range 32 {
			for i, s := range c.chains {
				m := (lane + i) % c.messages
				q.add(func() {
					if n == 0 && lane < c.messages {
						VMOVDQA(c.state(m, 0), s.abef)
						VMOVDQA(c.state(m, 1), s.cdgh)
					}
					VMOVQ(wk(nowWK, lane+i, n), shaWK)
					if n%2 == 0 {
						SHA256RNDS2(shaWK, s.abef, s.cdgh)
					} else {
						SHA256RNDS2(shaWK, s.cdgh, s.abef)
					}
					if n == 31 {
						VPADDD(c.state(m, 0), s.abef, s.abef)
						VPADDD(c.state(m, 1), s.cdgh, s.cdgh)
						VMOVDQA(s.abef, c.state(m, 0))
						VMOVDQA(s.cdgh, c.state(m, 1))
						if i == len(c.chains)-1 && lane+len(c.chains) == c.messages && c.ahead() > 1 {
							c.halfway()
						}
					}
				})
			}
		}
	}
	return q
}

// halfway leaves a step whose messages have no second block.
func (c *split) halfway() {
	CMPQ(blocksNow, Imm(1))
	JEQ(LabelRef("odd"))
}

// schedule is the code that reads a block of each lane, and that which computes the rest of
// its schedule.
//
// The places of operations were found by search on a Zen 4, in operations, of which a word
// has fourteen: the words' chain of s1 one word behind the other, everything else well
// before it is needed. A Zen 4 starts four vector operations of 256 bits a cycle, the rounds
// among them, but the SHA unit and instructions of three operands are in each other's way:
// hence two exclusive ors.
func (c *split) schedule(to GPPhysical, row rows) (fetch, schedule code) {
	var g graph
	words := c.fetch(&g, to, row)
	const perWord = 14
	type arg = []VecPhysical
	var even *value
	for t := 16; t < 64; t++ {
		place := func(at float64) float64 { return at + float64(perWord*(t-16)) }
		op := func(at float64, f func(...Op), x, y *value) *value {
			return g.op(place(at), func(d VecPhysical, a arg) { f(a[1], a[0], d) }, x, y)
		}
		shift := func(at float64, f func(...Op), x *value, by uint64) *value {
			return g.op(place(at), func(d VecPhysical, a arg) { f(Imm(by), a[0], d) }, x)
		}
		x := words[(t-15)%16]
		r18 := shift(19.4, VPRORD, x, 18)
		r7 := shift(20.8, VPRORD, x, 7)
		sum := op(21.1, VPADDD, words[t%16], words[(t-7)%16])
		s0 := op(23.7, VPXORD, r7, r18)
		s0 = op(27.1, VPXORD, s0, shift(27.1, VPSRLD, x, 3))
		sum = op(32.5, VPADDD, sum, s0)
		x = words[(t-2)%16]
		r19 := shift(51.6, VPRORD, x, 19)
		r17 := shift(51.7, VPRORD, x, 17)
		s1 := op(51.7, VPXORD, r17, r19)
		s1 = op(55.2, VPXORD, s1, shift(55.2, VPSRLD, x, 10))
		sum = op(55.2, VPADDD, sum, s1)
		words[t%16] = sum
		wk := g.op(place(55.2), func(d VecPhysical, a arg) { VPADDD_BCST(c.k.round(t), a[0], d) }, sum)
		if t%2 == 0 {
			even = wk
			continue
		}
		at := wkFirst + 4*splitLanes*(t-17)
		store := func(place float64, half *value, at int) {
			g.effect(place, func(_ VecPhysical, a arg) { VMOVDQA32(a[0], Mem{Base: to, Disp: at}) }, half)
		}
		store(place(70.2), op(67.2, VPUNPCKHDQ, even, wk), at+32)
		store(place(71.1), op(68.1, VPUNPCKLDQ, even, wk), at)
	}
	all := g.code(pool{
		Y16, Y17, Y18, Y19, Y20, Y21, Y22, Y23, Y24, Y25, Y26, Y27, Y28, Y29, Y30, Y31,
		Y9, Y10, Y11, Y12, Y13, Y14, Y15,
	})
	return all[:fetchOps], all[fetchOps:]
}

// fetchOps is how many operations fetch adds.
const fetchOps = 2 * (8*4 + 8*3)

// fetch reads the sixteen words of each lane, stores them with their constants, and returns
// them as vectors.
func (c *split) fetch(g *graph, to GPPhysical, row rows) (words [16]*value) {
	type arg = []VecPhysical
	at := float64(-fetchOps)
	place := func() float64 { at++; return at }
	op := func(f func(...Op), x, y *value) *value {
		return g.op(place(), func(d VecPhysical, a arg) { f(a[1], a[0], d) }, x, y)
	}
	for half := range 2 {
		var r [splitLanes]*value
		for l := range r {
			r[l] = g.op(place(), func(d VecPhysical, _ arg) { VMOVDQU32(row(l).Offset(32*half), d) })
		}
		for l := range r {
			r[l] = g.op(place(), func(d VecPhysical, a arg) { VPSHUFB(c.k.reverse(), a[0], d) }, r[l])
		}
		for l := range r {
			wk := g.op(place(), func(d VecPhysical, a arg) { VPADDD(c.k.round(8*half), a[0], d) }, r[l])
			g.effect(place(), func(_ VecPhysical, a arg) {
				VMOVDQA32(a[0], Mem{Base: to, Disp: blockSize*l + 32*half})
			}, wk)
		}
		both := func(i, j int, low, high func(...Op)) {
			r[i], r[j] = op(low, r[i], r[j]), op(high, r[i], r[j])
		}
		for _, l := range []int{0, 2, 4, 6} {
			both(l, l+1, VPUNPCKLDQ, VPUNPCKHDQ)
		}
		for _, l := range []int{0, 1, 4, 5} {
			both(l, l+2, VPUNPCKLQDQ, VPUNPCKHQDQ)
		}
		// Each has two words now, of four lanes.
		part := func(imm uint64) func(...Op) {
			return func(ops ...Op) { VSHUFI32X4(append([]Op{Imm(imm)}, ops...)...) }
		}
		for i, l := range []int{0, 2, 1, 3} {
			both(l, l+4, part(0), part(3))
			words[8*half+i], words[8*half+4+i] = r[l], r[l+4]
		}
	}
	return words
}
