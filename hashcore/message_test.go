package hashcore

import (
	"encoding/binary"
	"testing"
)

// TestFinish has the edges of the padding, and lengths that 32 bits do not hold.
func TestFinish(t *testing.T) {
	for _, c := range []struct {
		n    int
		size uint64
		want int
	}{
		{0, 0, 64}, {55, 55, 64}, {56, 56, 128}, {63, 127, 128}, {64, 64, 128}, {119, 119, 128},
		{0, 1<<29 - 64, 64}, {63, 1<<29 - 1, 128}, {0, 1 << 29, 64}, {1, 1<<32 + 1, 64}, {9, 1<<61 - 55, 64},
	} {
		var b block2
		for i := range b {
			b[i] = 0xff
		}
		got := b[:blockSize*finish(&b, c.n, c.size)]
		if len(got) != c.want {
			t.Fatalf("%d bytes of %d: %d bytes of blocks, want %d", c.n, c.size, len(got), c.want)
		}
		for i, v := range got[:len(got)-8] {
			want := byte(0)
			if i < c.n {
				want = 0xff
			} else if i == c.n {
				want = 0x80
			}
			if v != want {
				t.Errorf("%d bytes of %d: byte %d is %#x, want %#x", c.n, c.size, i, v, want)
			}
		}
		if bits := binary.BigEndian.Uint64(got[len(got)-8:]); bits != 8*c.size {
			t.Errorf("%d bytes: length %d bits, want %d", c.size, bits, 8*c.size)
		}
	}
}
