package commit_test

import (
	"math"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
)

// TestGeometry holds every method against a literal walk over the bytes of small
// blobs.
func TestGeometry(t *testing.T) {
	for _, p := range []commit.Params{{K: 1, N: 2, SliceSize: 64}, {K: 2, N: 3, SliceSize: 128}, {K: 3, N: 20, SliceSize: 192}} {
		full := p.K * p.SliceSize
		for length := range 3*full + 2 {
			h := commit.Header{Params: p, Length: int64(length)}
			group, offset := 0, int64(0)
			at := 0
			for ; at < length; group++ {
				rest := min(length-at, full)
				size := (rest + p.K - 1) / p.K
				for size%64 != 0 {
					size++
				}
				if got := h.SizeOf(group); got != size {
					t.Fatalf("%+v of %d bytes: slices of group %d have %d bytes, want %d", p, length, group, got, size)
				}
				if got := h.LaneOffset(group); got != offset {
					t.Fatalf("%+v of %d bytes: group %d at %d, want %d", p, length, group, got, offset)
				}
				if got := h.PlainLen(group, 1); got != int64(rest) {
					t.Fatalf("%+v of %d bytes: group %d holds %d, want %d", p, length, group, got, rest)
				}
				for i := range p.N {
					lo, hi := min(i*size, rest), min((i+1)*size, rest)
					if i >= p.K {
						lo, hi = 0, 0
					}
					off, n := h.Span(commit.Pos{Group: group, Lane: i})
					if n != hi-lo || n > 0 && off != int64(at+lo) {
						t.Fatalf("%+v of %d bytes: slice %d:%d holds [%d, +%d), want [%d, +%d)", p, length, group, i, off, n, at+lo, hi-lo)
					}
				}
				at += rest
				offset += int64(size)
			}
			if h.Groups() != group || h.LaneOffset(group) != offset {
				t.Fatalf("%+v of %d bytes: %d groups in lanes of %d, want %d in %d", p, length, h.Groups(), h.LaneOffset(group), group, offset)
			}
		}
	}
}

func TestCover(t *testing.T) {
	h := commit.Header{Params: commit.Params{K: 3, N: 5, SliceSize: 64}, Length: 2*192 + 70}
	all := func(off, n int64) []commit.Pos {
		var want []commit.Pos
		for g := range h.Groups() {
			for i := range h.K {
				p := commit.Pos{Group: g, Lane: i}
				at, size := h.Span(p)
				if size > 0 && at < off+n && at+int64(size) > off && n > 0 {
					want = append(want, p)
				}
			}
		}
		return want
	}
	for off := int64(-3); off < h.Length+3; off++ {
		for n := int64(-1); n < h.Length+6; n++ {
			if got, want := slices.Collect(h.Cover(off, n)), all(off, n); !slices.Equal(got, want) {
				t.Fatalf("Cover(%d, %d) = %v, want %v", off, n, got, want)
			}
		}
	}
	if got := slices.Collect(h.Cover(64, math.MaxInt64)); len(got) != 7 || got[0] != (commit.Pos{Lane: 1}) {
		t.Errorf("Cover to the end of everything: %v", got)
	}
	if got := slices.Collect(h.Cover(math.MinInt64, math.MaxInt64)); got != nil {
		t.Errorf("Cover of what lies before the blob: %v", got)
	}
}

func TestSizeOfPanicsOutside(t *testing.T) {
	for _, group := range []int{-1, 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("SizeOf(%d) of one group did not panic", group)
				}
			}()
			commit.Header{Params: commit.Params{K: 1, N: 2, SliceSize: 64}, Length: 1}.SizeOf(group)
		}()
	}
}
