package hashcore

// framed is a batch of short messages that are alike: each is put together in a frame of
// one or two blocks, which already holds what they have in common.
type framed struct {
	labels *Labels // of pairs of nodes
	nodes  []Digest

	pre  *prefix // or of messages of one length
	msgs [][]byte
}

// sumFramed hashes the batch side by side, in room of the sizes that sumOrdered has.
func sumFramed(p *plan, dst []Digest, b *framed) {
	switch n := p.room(len(dst)); {
	case n <= 2:
		b.sum2(p, dst)
	case n <= 4:
		b.sum4(p, dst)
	case n <= 8:
		b.sum8(p, dst)
	default:
		b.sum32(p, dst)
	}
}

//go:noinline
func (b *framed) sum2(p *plan, dst []Digest) {
	var frames [2 * 2]block2
	var h [2]state
	var in [2]source
	b.sum(p, dst, frames[:], h[:], in[:])
}

//go:noinline
func (b *framed) sum4(p *plan, dst []Digest) {
	var frames [2 * 4]block2
	var h [4]state
	var in [4]source
	b.sum(p, dst, frames[:], h[:], in[:])
}

//go:noinline
func (b *framed) sum8(p *plan, dst []Digest) {
	var frames [2 * 8]block2
	var h [8]state
	var in [8]source
	b.sum(p, dst, frames[:], h[:], in[:])
}

//go:noinline
func (b *framed) sum32(p *plan, dst []Digest) {
	var frames [2 * maxLanes]block2
	var h [maxLanes]state
	var in [maxLanes]source
	b.sum(p, dst, frames[:], h[:], in[:])
}

func (b *framed) sum(p *plan, dst []Digest, frames []block2, h []state, in []source) {
	if b.labels != nil {
		b.labels.pairs(p, dst, b.nodes, frames, h, in)
	} else {
		b.pre.short(p, dst, b.msgs, frames, h, in)
	}
}

// short hashes messages of one length that are all head.
func (p *prefix) short(pl *plan, dst []Digest, msgs [][]byte, frames []block2, h []state, in []source) {
	first := &frames[0]
	copy(first[:], p.head[:p.n])
	blocks := finish(first, p.n+len(msgs[0]), p.size+uint64(len(msgs[0])))
	repeatFirst(frames[:min(pl.lanes, len(msgs))])
	for len(msgs) > 0 {
		n := min(pl.lanes, len(msgs))
		for l, m := range msgs[:n] {
			copy(frames[l][p.n:], m)
		}
		sumFrames(pl, dst[:n], &p.mid, frames, blocks, h, in)
		dst, msgs = dst[n:], msgs[n:]
	}
}

// sumFrames hashes a frame in each lane.
func sumFrames(p *plan, dst []Digest, from *state, frames []block2, blocks int, h []state, in []source) {
	for l := range dst {
		h[l], in[l] = *from, sourceOf(unseen(&frames[l])[:])
	}
	p.advance(h, in, len(dst), &[maxSteps]int{blocks}, 1)
	for l := range dst {
		put(&dst[l], &h[l])
	}
}

func repeatFirst(frames []block2) {
	for i := range frames[1:] {
		frames[1+i] = frames[0]
	}
}
