package hashcore

// sumPairsLanes is SumPairs with pairs side by side. Kernels want two sets of frames, and
// a small batch would spend its time on clearing large arrays.
func sumPairsLanes(p *plan, dst []Digest, f *Labels, nodes []Digest) {
	switch n := p.room(len(dst)); {
	case n <= 2:
		var frames [2 * 2]block2
		var h [2]state
		var in [2]source
		f.pairs(p, dst, nodes, frames[:], h[:], in[:])
	case n <= 4:
		var frames [2 * 4]block2
		var h [4]state
		var in [4]source
		f.pairs(p, dst, nodes, frames[:], h[:], in[:])
	case n <= 8:
		var frames [2 * 8]block2
		var h [8]state
		var in [8]source
		f.pairs(p, dst, nodes, frames[:], h[:], in[:])
	default:
		var frames [2 * maxLanes]block2
		var h [maxLanes]state
		var in [maxLanes]source
		f.pairs(p, dst, nodes, frames[:], h[:], in[:])
	}
}

// pairs goes through a batch in waves of as many pairs as a kernel has lanes. The nodes of
// a wave are copied before its digests are written, and digests never reach the nodes of
// a later wave: so dst may begin where nodes begins.
func (f *Labels) pairs(p *plan, dst, nodes []Digest, frames []block2, h []state, in []source) {
	used := min(p.lanes, len(dst))
	if len(dst) > p.lanes {
		used *= 2
	}
	blocks := f.template(frames[:max(1, used)])
	for len(dst) > p.few {
		lanes, n := min(p.lanes, len(dst)), 0
		if f.Width >= 16 {
			n = p.by[lanes].pairs(dst, nodes, frames, f.left(), f.right(), f.Width, blocks)
		}
		if n == 0 {
			n = lanes
			f.wave(p, dst[:n], nodes[:2*n], frames, blocks, h, in)
		}
		dst, nodes = dst[n:], nodes[2*n:]
	}
	sumPairsStd(dst, f, nodes)
}

// template fills frames with labels and padding, and returns how many blocks one has.
func (f *Labels) template(frames []block2) (blocks int) {
	first := &frames[0]
	copy(first[:], f.Left)
	copy(first[f.right()-len(f.Right):], f.Right)
	blocks = finish(first, f.size(), uint64(f.size()))
	for i := range frames[1:] {
		frames[1+i] = *first
	}
	return blocks
}

// left and right are where in a frame the nodes go.
func (f *Labels) left() int  { return len(f.Left) }
func (f *Labels) right() int { return len(f.Left) + f.Width + len(f.Right) }

// wave hashes a pair in each lane, of nodes that may be shortened.
func (f *Labels) wave(p *plan, dst, nodes []Digest, frames []block2, blocks int, h []state, in []source) {
	for l := range dst {
		copy(frames[l][f.left():], nodes[2*l][:f.Width])
		copy(frames[l][f.right():], nodes[2*l+1][:f.Width])
		h[l], in[l] = iv, sourceOf(unseen(&frames[l])[:blocks*blockSize])
	}
	p.advance(h, in, len(dst), &[maxSteps]int{blocks}, 1)
	for l := range dst {
		put(&dst[l], &h[l])
	}
}
