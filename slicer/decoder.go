package slicer

import (
	"fmt"

	"github.com/klauspost/reedsolomon"

	"github.com/tapecommit/tapecommit/commit"
)

// A decoder makes the lanes to of the lanes from. It is a code of its own, with
// from as its data and to as its parity, so its matrix is inverted once and
// rebuilding costs no more than encoding.
type decoder struct {
	from, to commit.Lanes
	code     reedsolomon.Encoder
	shards   [][]byte // the groups of one call: from, then to
}

// newDecoder makes a decoder for a code of n lanes.
func newDecoder(code reedsolomon.Encoder, n int, from, to commit.Lanes) (decoder, error) {
	// The matrix is what the code makes of the unit vectors.
	k := from.Len()
	units := make([][]byte, n)
	wanted := make([]bool, n)
	for i, j := 0, 0; i < n; i++ {
		if from.Has(i) {
			units[i] = make([]byte, k)
			units[i][j] = 1
			j++
		}
		wanted[i] = to.Has(i)
	}
	if err := code.ReconstructSome(units, wanted); err != nil {
		return decoder{}, fmt.Errorf("slicer: lanes %#x from %#x: %w", uint32(to), uint32(from), err)
	}
	var matrix [][]byte
	for i, row := range units {
		if wanted[i] {
			matrix = append(matrix, row)
		}
	}
	own, err := newCode(k, len(matrix), reedsolomon.WithCustomMatrix(matrix))
	if err != nil {
		return decoder{}, err
	}
	return decoder{from: from, to: to, code: own, shards: make([][]byte, k+len(matrix))}, nil
}

// rebuild makes the lanes to of pieces of all lanes, which have one length.
func (d *decoder) rebuild(lanes [][]byte) error {
	from, to := 0, d.from.Len()
	for i, lane := range lanes {
		switch {
		case d.from.Has(i):
			d.shards[from] = lane
			from++
		case d.to.Has(i):
			d.shards[to] = lane
			to++
		}
	}
	if err := d.code.Encode(d.shards); err != nil {
		return fmt.Errorf("slicer: lanes %#x from %#x: %w", uint32(d.to), uint32(d.from), err)
	}
	return nil
}
