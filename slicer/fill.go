package slicer

import (
	"fmt"
	"io"
)

const (
	stageSize     = 64 << 10 // one read; small enough to be in the L2 cache when it is cut
	maxEmptyReads = 100      // in a row, as in package bufio
)

// Fill makes b hold what it reads from r, finished, and returns the number of
// bytes: Cap with a nil error, or all there was before an error with that error,
// which is io.EOF itself at the end of r. Where r has an error beside the last
// bytes that fit, it comes with them. No byte is read that does not fit.
func (b *Batch) Fill(r io.Reader) (int, error) {
	b.Reset(0)
	err := b.fill(r)
	b.Finish()
	return b.Len(), err
}

func (b *Batch) fill(r io.Reader) error {
	// Who knows how much is left has it in memory. There a read costs no more than
	// the copy, so reads are as small as slices and go where the bytes belong.
	_, direct := r.(interface{ Len() int })
	empty := 0
	for b.Len() < b.Cap() {
		var p []byte
		if direct {
			p = b.next()
		} else {
			p = b.buffer()
		}
		n, err := r.Read(p)
		if n < 0 || n > len(p) {
			return fmt.Errorf("slicer: reader returned %d bytes, asked for %d", n, len(p))
		}
		if direct {
			b.shape.Length += int64(n)
		} else {
			b.Append(p[:n])
		}
		if err != nil {
			return err
		}
		if n > 0 {
			empty = 0
			continue
		}
		if empty++; empty == maxEmptyReads {
			return io.ErrNoProgress
		}
	}
	return nil
}

// buffer is where to read what Append then cuts: no more than fits.
func (b *Batch) buffer() []byte {
	if b.stage == nil {
		b.stage = make([]byte, min(stageSize, b.Cap()))
	}
	return b.stage[:min(len(b.stage), b.Cap()-b.Len())]
}
