package slicer_test

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/slicer"
)

// FuzzRoundTrip writes any bytes with any parameters, loses any lanes that may be
// lost, rebuilds them, and reads the bytes back.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("some bytes"), uint8(9), uint8(9), uint8(0), uint32(0x3ff), false)
	f.Add(make([]byte, 5000), uint8(1), uint8(0), uint8(1), uint32(1), true)
	f.Add([]byte{}, uint8(0), uint8(18), uint8(63), uint32(0xffffffff), false)
	f.Fuzz(func(t *testing.T, plain []byte, k, m, size uint8, lost uint32, halves bool) {
		p := commit.Params{K: 1 + int(k)%(commit.MaxSlices-1), SliceSize: 64 * (1 + int(size)%(commit.MaxSliceSize/64))}
		p.N = p.K + 1 + int(m)%(commit.MaxSlices-p.K)
		l := slicer.Loss{Have: 1<<p.N - 1}
		for i := p.N - 1; i >= 0; i-- {
			if commit.Lanes(lost).Has(i) && l.Have.Len() > p.K {
				l.Have &^= 1 << i
				l.Want |= 1 << i
			}
		}
		b := newBatch(t, p, 3)
		var src io.Reader = bytes.NewReader(plain)
		if halves {
			src = iotest.HalfReader(src)
		}
		var back []byte
		for {
			n, err := b.Fill(src)
			if err != nil && err != io.EOF {
				t.Fatal(err)
			}
			checkPlain(t, b, p, plain[len(back):][:n])
			b.Encode(0, b.Groups())
			if g := b.Groups() - 1; g >= 0 {
				group := b.Slices()[g*p.N:][:p.N]
				checkModel(t, group, p.K, p.N-1)
			}
			l.Hi = b.Groups()
			rebuild(t, b, p, l)
			for i, s := range b.Slices() {
				if i%p.N < p.K {
					back = append(back, s[:min(len(s), len(plain)-len(back))]...)
				}
			}
			if err == io.EOF {
				break
			}
		}
		if !bytes.Equal(back, plain) {
			t.Fatal("other bytes came back")
		}
	})
}
