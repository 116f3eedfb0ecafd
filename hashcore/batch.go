package hashcore

// sumLanes is Sum with messages side by side. Where their lengths differ, messages of as
// many blocks go together: then lanes end at the same time.
func sumLanes(p *plan, dst []Digest, pre *prefix, msgs [][]byte) {
	if sameLengths(msgs) || len(msgs) <= p.lanes {
		sumBatch(batch{p: p, pre: pre, dst: dst, msgs: msgs})
		return
	}
	for len(msgs) > 0 {
		n := min(len(msgs), maxOrder)
		var order [maxOrder]uint8
		pre.sortByBlocks(order[:n], msgs[:n])
		sumBatch(batch{p: p, pre: pre, dst: dst[:n], msgs: msgs[:n], order: order[:n]})
		dst, msgs = dst[n:], msgs[n:]
	}
}

// batch is messages that are hashed in lanes, of which there are as many as any kernel of p
// has.
type batch struct {
	p     *plan
	pre   *prefix
	dst   []Digest
	msgs  [][]byte
	order []uint8 // in which they are taken; nil is as they come

	lanes   []lane
	h       []state
	ends    []ends // scratch for each lane, and once more if there are more messages
	changes []change
}

// message is the one that is taken as the i-th.
func (b *batch) message(i int) int {
	if b.order != nil {
		return int(b.order[i])
	}
	return i
}

// expect has the ends of the message fetched that comes a wave behind one. Its first lines
// are copied and its last too, before the CPU can see that it is read from end to end: a
// group out of memory was hashed 10% faster for it. Short messages come too soon.
func (b *batch) expect(behind int) {
	if later := behind + b.p.lanes; later < len(b.msgs) {
		if msg := b.msgs[b.message(later)]; len(msg) >= 8*blockSize {
			prefetch(&msg[0], &msg[len(msg)-1])
		}
	}
}

// sumBatch hashes a batch. What lanes need would cost a small one more to clear than to
// hash with, and its goroutine a larger stack: so there is room in sizes, each in a
// function of its own.
func sumBatch(b batch) {
	switch n := b.p.room(len(b.msgs)); {
	case n <= 1:
		b.sum1()
	case n <= 4:
		b.sum4()
	case n <= 8:
		b.sum8()
	case len(b.msgs) <= b.p.lanes:
		b.sum32()
	default:
		b.sumMany()
	}
}

//go:noinline
func (b batch) sum1() {
	var r [1]lane
	var h [1]state
	var e [2]ends
	var c [maxChanges]change
	b.lanes, b.h, b.ends, b.changes = r[:], h[:], e[:], c[:]
	b.sum()
}

//go:noinline
func (b batch) sum4() {
	var r [4]lane
	var h [4]state
	var e [2 * 4]ends
	var c [maxChanges * 4]change
	b.lanes, b.h, b.ends, b.changes = r[:], h[:], e[:], c[:]
	b.sum()
}

//go:noinline
func (b batch) sum8() {
	var r [8]lane
	var h [8]state
	var e [2 * 8]ends
	var c [maxChanges * 8]change
	b.lanes, b.h, b.ends, b.changes = r[:], h[:], e[:], c[:]
	b.sum()
}

// sum32 is for a message in each lane, with none to follow.
//
//go:noinline
func (b batch) sum32() {
	var r [maxLanes]lane
	var h [maxLanes]state
	var e [maxLanes]ends
	var c [maxChanges * maxLanes]change
	b.lanes, b.h, b.ends, b.changes = r[:], h[:], e[:], c[:]
	b.sum()
}

//go:noinline
func (b batch) sumMany() {
	var r [maxLanes]lane
	var h [maxLanes]state
	var e [2 * maxLanes]ends
	var c [maxChanges * maxLanes]change
	b.lanes, b.h, b.ends, b.changes = r[:], h[:], e[:], c[:]
	b.sum()
}

func (b *batch) sum() {
	if len(b.msgs) == 0 {
		return
	}
	if sameLengths(b.msgs) {
		if e := newEven(b); e.fits() {
			e.sum()
			return
		}
	}
	m := mixed{batch: *b}
	m.sum()
}
