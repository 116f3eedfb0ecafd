package slicer

import (
	"fmt"

	"github.com/klauspost/reedsolomon"

	"github.com/tapecommit/tapecommit/commit"
)

// newCode makes a code of data and parity slices. It works in the goroutine that
// calls it, and it keeps no inverted matrices: for ten lanes of twenty there are
// 184,756.
func newCode(data, parity int, o ...reedsolomon.Option) (reedsolomon.Encoder, error) {
	o = append(o, reedsolomon.WithMaxGoroutines(1), reedsolomon.WithInversionCache(false))
	code, err := reedsolomon.New(data, parity, o...)
	if err != nil {
		return nil, fmt.Errorf("slicer: code of %d and %d slices: %w", data, parity, err)
	}
	return code, nil
}

// Encode computes the parity of groups [lo, hi) from their data.
func (b *Batch) Encode(lo, hi int) {
	if b.span(lo, hi) == 0 {
		return
	}
	if err := b.code.Encode(b.shards); err != nil {
		panic("slicer: " + err.Error())
	}
}

// span sets b.shards to the pieces of the lanes that hold groups [lo, hi) and
// returns their length. A byte of parity depends on the bytes at the same place
// of the data alone, so groups in a row are coded like one group of long slices.
func (b *Batch) span(lo, hi int) int {
	g := b.shaped()
	if lo < 0 || lo > hi || hi > g {
		panic(fmt.Sprintf("slicer: groups [%d, %d) of %d", lo, hi, g))
	}
	begin, end := b.shape.LaneOffset(lo), b.shape.LaneOffset(hi)
	for i, lane := range b.lanes {
		b.shards[i] = lane[begin:end:end]
	}
	return int(end - begin)
}

// Loss is groups [Lo, Hi), the lanes that are right there, and the lanes to make
// of them.
type Loss struct {
	Lo, Hi     int
	Have, Want commit.Lanes
}

// Rebuild makes the wanted lanes, data or parity, of the groups from the first K
// lanes of Have, and fails where there are fewer. A wanted lane among those K
// stays as it is. No other lane is read or written.
//
// The way from one set of lanes to another is kept until it changes.
func (b *Batch) Rebuild(l Loss) error {
	if (l.Have|l.Want)>>b.shape.N != 0 {
		panic(fmt.Sprintf("slicer: lanes %#x and %#x of %d", uint32(l.Have), uint32(l.Want), b.shape.N))
	}
	if l.Have.Len() < b.shape.K {
		return fmt.Errorf("slicer: groups [%d, %d): %d lanes, want %d", l.Lo, l.Hi, l.Have.Len(), b.shape.K)
	}
	from := l.Have.First(b.shape.K)
	to := l.Want &^ from
	if b.span(l.Lo, l.Hi) == 0 || to == 0 {
		return nil
	}
	if b.decoder.from != from || b.decoder.to != to {
		d, err := newDecoder(b.code, b.shape.N, from, to)
		if err != nil {
			return err
		}
		b.decoder = d
	}
	return b.decoder.rebuild(b.shards)
}
