//go:build !purego

package hashcore

const (
	generic engine = iota
	shani1
	shani2
	shani4
	avx2x8
	avx512x16
	avx512x32
	hybrid20
	split8
	split4
)

var engines = [...]capacity{
	generic:   {genericLanes, 256, true},
	shani1:    {1, 1024, true},
	shani2:    {2, 512, true},
	shani4:    {4, 512, true},
	avx2x8:    {8, 128, true},
	avx512x16: {16, 80, true},
	avx512x32: {32, 80, true},
	hybrid20:  {20, 80, true},
	split8:    {8, 256, true},
	split4:    {4, 512, false},
}

// blocks is advance for one kernel, whose lanes beyond h have memory there too.
func (e engine) blocks(h []state, mid *state, steps []step, changes []change) {
	s, n, c := &steps[0], len(steps), &changes[0]
	switch e {
	case generic:
		blocksGeneric(h, mid, steps, changes)
	case shani1:
		blocksSHANIx1((*[1]state)(h[:1]), mid, s, n, c)
	case shani2:
		blocksSHANIx2((*[2]state)(h[:2]), mid, s, n, c)
	case shani4:
		blocksSHANIx4((*[4]state)(h[:4]), mid, s, n, c)
	case avx2x8:
		blocksAVX2x8((*[8]state)(h[:8]), mid, s, n, c)
	case avx512x16:
		blocksAVX512x16((*[16]state)(h[:16]), mid, s, n, c)
	case avx512x32:
		blocksAVX512x32((*[32]state)(h[:32]), mid, s, n, c)
	case hybrid20:
		blocksHYBRIDx20((*[20]state)(h[:20]), mid, s, n, c)
	case split8:
		blocksSPLITx8((*[8]state)(h[:8]), mid, s, n, c)
	case split4:
		blocksSPLITx4((*[4]state)(h[:4]), mid, s, n, c)
	}
}

// pairs hashes pairs of nodes of a width from 16 on, as many waves of its lanes as fit into dst and one
// call, and returns how many pairs that were. Frames hold labels and padding.
func (e engine) pairs(dst, nodes []Digest, frames []block2, left, right, width, blocks int) int {
	c := engines[e]
	waves := min(len(dst)/c.lanes, c.blocks/blocks)
	if waves == 0 || e == generic || e == split4 && blocks < 2 {
		return 0
	}
	n := waves * c.lanes
	d, from := (*[32]byte)(&dst[:n][0]), (*[32]byte)(&nodes[:2*n][0])
	switch e {
	case shani1:
		pairsSHANIx1(d, from, waves, (*[2]block2)(frames), left, right, width, blocks)
	case shani2:
		pairsSHANIx2(d, from, waves, (*[4]block2)(frames), left, right, width, blocks)
	case shani4:
		pairsSHANIx4(d, from, waves, (*[8]block2)(frames), left, right, width, blocks)
	case avx2x8:
		pairsAVX2x8(d, from, waves, (*[16]block2)(frames), left, right, width, blocks)
	case avx512x16:
		pairsAVX512x16(d, from, waves, (*[32]block2)(frames), left, right, width, blocks)
	case avx512x32:
		pairsAVX512x32(d, from, waves, (*[64]block2)(frames), left, right, width, blocks)
	case hybrid20:
		pairsHYBRIDx20(d, from, waves, (*[40]block2)(frames), left, right, width, blocks)
	case split8:
		pairsSPLITx8(d, from, waves, (*[16]block2)(frames), left, right, width, blocks)
	case split4:
		pairsSPLITx4(d, from, waves, (*[8]block2)(frames), left, right, width, blocks)
	}
	return n
}
