package hashcore

// sumPairsLanes is SumPairs with pairs side by side.
func sumPairsLanes(p *plan, dst []Digest, f *Labels, nodes []Digest) {
	sumFramed(p, dst, &framed{labels: f, nodes: nodes})
}

// pairs goes through a batch in waves of as many pairs as a kernel has lanes. The nodes of
// a wave are copied before its digests are written, and digests never reach the nodes of
// a later wave: so dst may begin where nodes begins.
func (f *Labels) pairs(p *plan, dst, nodes []Digest, frames []block2, h []state, in []source) {
	used := min(p.lanes, len(dst))
	if len(dst) > p.lanes {
		used *= 2 // kernels want two sets
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
	repeatFirst(frames)
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
	}
	sumFrames(p, dst, &iv, frames, blocks, h, in)
}
