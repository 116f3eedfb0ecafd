//go:build !purego

package hashcore

const (
	generic engine = iota
	shani1
	shani2
	shani4
	avx2x8
)

// width is how many lanes an engine has.
var width = [...]int{generic: genericLanes, shani1: 1, shani2: 2, shani4: 4, avx2x8: 8}

// advance takes the states of so many lanes over the first n blocks of their input. The
// slices have room for all lanes of any kernel; those beyond lanes are overwritten.
func (p *plan) advance(h []state, in [][]byte, lanes, n int) {
	if p.watch != nil {
		p.watch(lanes, n)
	}
	e := p.by[lanes]
	if e == generic {
		compress(h[:lanes], in[:lanes], n)
		return
	}
	for _, piece := range in[:lanes] {
		_ = piece[n*blockSize-1]
	}
	for l := lanes; l < width[e]; l++ {
		in[l] = in[0]
	}
	switch e {
	case shani1:
		blocksSHANIx1((*[1]state)(h), (*[1][]byte)(in), n)
	case shani2:
		blocksSHANIx2((*[2]state)(h), (*[2][]byte)(in), n)
	case shani4:
		blocksSHANIx4((*[4]state)(h), (*[4][]byte)(in), n)
	case avx2x8:
		blocksAVX2x8((*[8]state)(h), (*[8][]byte)(in), n)
	}
}

// pairs hashes pairs of whole digests, as many waves of its lanes as fit into dst and one
// call, and returns how many pairs that were. Frames hold labels and padding.
func (e engine) pairs(dst, nodes []Digest, frames []block2, left, right, blocks int) int {
	waves := min(len(dst), maxBlocks/blocks) / width[e]
	if waves == 0 || e == generic {
		return 0
	}
	n := waves * width[e]
	d, from := (*[32]byte)(&dst[:n][0]), (*[32]byte)(&nodes[:2*n][0])
	switch e {
	case shani1:
		pairsSHANIx1(d, from, waves, (*[2]block2)(frames), left, right, blocks)
	case shani2:
		pairsSHANIx2(d, from, waves, (*[4]block2)(frames), left, right, blocks)
	case shani4:
		pairsSHANIx4(d, from, waves, (*[8]block2)(frames), left, right, blocks)
	case avx2x8:
		pairsAVX2x8(d, from, waves, (*[16]block2)(frames), left, right, blocks)
	}
	return n
}
