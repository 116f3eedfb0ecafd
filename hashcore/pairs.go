package hashcore

// joins is a batch of pairs of nodes. Each is put together in a frame of one or two blocks,
// which already holds labels and padding.
type joins struct {
	*Labels
	dst, nodes []Digest

	frames []block2
	h      []state
	places []change // a lane at each of the first frames
}

// sumPairsLanes is SumPairs with pairs side by side. There is room in sizes, as for
// sumBatch.
func sumPairsLanes(p *plan, dst []Digest, f *Labels, nodes []Digest) {
	j := joins{Labels: f, dst: dst, nodes: nodes}
	switch n := p.room(len(dst)); {
	case n <= 2:
		j.sum2(p)
	case n <= 4:
		j.sum4(p)
	case n <= 8:
		j.sum8(p)
	default:
		j.sum32(p)
	}
}

//go:noinline
func (j joins) sum2(p *plan) {
	var frames [2 * 2]block2
	var h [2]state
	var c [2]change
	j.frames, j.h, j.places = frames[:], h[:], c[:]
	j.sum(p)
}

//go:noinline
func (j joins) sum4(p *plan) {
	var frames [2 * 4]block2
	var h [4]state
	var c [4]change
	j.frames, j.h, j.places = frames[:], h[:], c[:]
	j.sum(p)
}

//go:noinline
func (j joins) sum8(p *plan) {
	var frames [2 * 8]block2
	var h [8]state
	var c [8]change
	j.frames, j.h, j.places = frames[:], h[:], c[:]
	j.sum(p)
}

//go:noinline
func (j joins) sum32(p *plan) {
	var frames [2 * maxLanes]block2
	var h [maxLanes]state
	var c [maxLanes]change
	j.frames, j.h, j.places = frames[:], h[:], c[:]
	j.sum(p)
}

// sum goes through a batch in waves of as many pairs as a kernel has lanes. The nodes of
// a wave are copied before its digests are written, and digests never reach the nodes of
// a later wave: so dst may begin where nodes begins.
func (j *joins) sum(p *plan) {
	used := min(p.lanes, len(j.dst))
	if len(j.dst) > p.lanes {
		used *= 2 // kernels want two sets
	}
	blocks := j.template(max(1, used))
	placed := false
	for len(j.dst) > p.few {
		lanes, n := min(p.lanes, len(j.dst)), 0
		if j.Width >= 16 {
			n = p.by[lanes].pairs(j.dst, j.nodes, j.frames, j.left(), j.right(), j.Width, blocks)
		}
		if n == 0 {
			if !placed {
				j.place()
				placed = true
			}
			n = lanes
			j.wave(p, n, blocks)
		}
		j.dst, j.nodes = j.dst[n:], j.nodes[2*n:]
	}
	sumPairsStd(j.dst, j.Labels, j.nodes)
}

// template fills so many frames with labels and padding, and returns how many blocks one
// has.
func (j *joins) template(frames int) (blocks int) {
	first := &j.frames[0]
	copy(first[:], j.Left)
	copy(first[j.right()-len(j.Right):], j.Right)
	blocks = finish(first, j.size(), uint64(j.size()))
	for i := range j.frames[1:frames] {
		j.frames[1+i] = *first
	}
	return blocks
}

func (j *joins) place() {
	for l := range j.places {
		j.places[l] = change{at: unseen(sourceOf(j.frames[l][:])), lane: l}
	}
}

// left and right are where in a frame the nodes go.
func (f *Labels) left() int  { return len(f.Left) }
func (f *Labels) right() int { return len(f.Left) + f.Width + len(f.Right) }

// wave hashes n pairs, of nodes that may be shortened.
func (j *joins) wave(p *plan, n, blocks int) {
	for l := range n {
		copy(j.frames[l][j.left():], j.nodes[2*l][:j.Width])
		copy(j.frames[l][j.right():], j.nodes[2*l+1][:j.Width])
		j.h[l] = iv
	}
	room := p.room(n)
	p.advance(j.h, &iv, n, []step{{room, blocks}}, j.places[:room])
	for l := range n {
		put(&j.dst[l], &j.h[l])
	}
}
