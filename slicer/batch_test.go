package slicer_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/slicer"
)

func newBatch(t testing.TB, p commit.Params, groups int) *slicer.Batch {
	t.Helper()
	b, err := slicer.New(p, groups)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// edges is the lengths around which the shape of a batch changes.
func edges(p commit.Params, groups int) []int {
	s, group := p.SliceSize, p.K*p.SliceSize
	var at []int
	for _, base := range []int{0, group, (groups - 1) * group} {
		for _, d := range []int{0, 1, p.K, 2 * p.K, 64, 64 * p.K, s, s * (p.K - 1), group / 2, group} {
			for _, around := range []int{-p.K - 1, -1, 0, 1, p.K + 1} {
				if n := base + d + around; n >= 0 && n <= groups*group {
					at = append(at, n)
				}
			}
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// checkPlain compares the shape and the data slices of b with the definition: data
// slice i of a group is its bytes [i s, (i+1) s), filled with zeros.
func checkPlain(t *testing.T, b *slicer.Batch, p commit.Params, plain []byte) {
	t.Helper()
	size := func(n int) int { // of the slices of a group of n bytes
		if n == p.K*p.SliceSize {
			return p.SliceSize
		}
		per := (n + p.K - 1) / p.K
		return (per + 63) / 64 * 64
	}
	all := b.Slices()
	if b.Len() != len(plain) {
		t.Fatalf("Len is %d, want %d", b.Len(), len(plain))
	}
	g := 0
	for rest := plain; len(rest) > 0; g++ {
		group := rest[:min(p.K*p.SliceSize, len(rest))]
		rest = rest[len(group):]
		s := size(len(group))
		padded := append(slices.Clone(group), make([]byte, p.K*s-len(group))...)
		for i := range p.N {
			slice := all[g*p.N+i]
			if len(slice) != s {
				t.Fatalf("slice %d:%d has %d bytes, want %d", g, i, len(slice), s)
			}
			if i < p.K && !bytes.Equal(slice, padded[i*s:(i+1)*s]) {
				t.Fatalf("slice %d:%d differs", g, i)
			}
			off := g * p.SliceSize
			if lane := b.Lane(i); &lane[off] != &slice[0] {
				t.Fatalf("slice %d:%d is not in its lane at %d", g, i, off)
			}
		}
		if len(rest) == 0 {
			for i := range p.N {
				if got, want := len(b.Lane(i)), g*p.SliceSize+s; got != want {
					t.Fatalf("lane %d has %d bytes, want %d", i, got, want)
				}
			}
		}
	}
	if b.Groups() != g || len(all) != g*p.N {
		t.Fatalf("%d groups, %d slices, want %d groups of %d", b.Groups(), len(all), g, p.N)
	}
}

func TestShapes(t *testing.T) {
	for k := 1; k < commit.MaxSlices; k++ {
		for _, size := range []int{64, 128, 320} {
			p := commit.Params{K: k, N: k + 1, SliceSize: size}
			t.Run(fmt.Sprintf("k=%d,size=%d", k, size), func(t *testing.T) {
				b := newBatch(t, p, 3)
				if want := 3 * k * size; b.Cap() != want {
					t.Fatalf("Cap is %d, want %d", b.Cap(), want)
				}
				b.Append(bytes.Repeat([]byte{0xee}, b.Cap())) // what an earlier use left
				for _, n := range append(edges(p, 3), b.Cap()) {
					plain := random(uint64(n), n)
					b.Reset(0)
					if got := b.Append(plain); got != n {
						t.Fatalf("Append took %d of %d bytes", got, n)
					}
					b.Finish()
					checkPlain(t, b, p, plain)

					b.Reset(b.Cap())
					b.Reset(n)
					for i, s := range b.Slices() {
						if got, want := len(s), (commit.Header{Params: p, Length: int64(n)}).SizeOf(i/p.N); got != want {
							t.Fatalf("Reset(%d): slice %d has %d bytes, want %d", n, i, got, want)
						}
					}
				}
			})
		}
	}
}

// TestSmall is all lengths up to two slices, of which others cut some wrong.
func TestSmall(t *testing.T) {
	for k := 1; k < commit.MaxSlices; k++ {
		p := commit.Params{K: k, N: commit.MaxSlices, SliceSize: 64}
		b := newBatch(t, p, 3)
		for n := range 2*k + 130 {
			plain := random(uint64(n), n)
			b.Reset(0)
			plain = plain[:b.Append(plain)]
			b.Finish()
			checkPlain(t, b, p, plain)
			b.Encode(0, b.Groups())
		}
	}
}

func TestTrailingZeros(t *testing.T) {
	p := commit.Params{K: 10, N: 20, SliceSize: 128}
	b := newBatch(t, p, 2)
	for _, zeros := range []int{1, 63, 64, 65, 127, 128, 129, 1279, 1280, 1281} {
		for _, head := range []int{0, 1, 64, 1000} {
			plain := append(random(1, head), make([]byte, zeros)...)
			b.Reset(0)
			b.Append(plain)
			b.Finish()
			checkPlain(t, b, p, plain)
		}
	}
}

func TestAppendInPieces(t *testing.T) {
	p := commit.Params{K: 3, N: 5, SliceSize: 128}
	const groups = 2
	plain := random(1, groups*p.K*p.SliceSize)
	for _, piece := range []int{1, 2, 63, 64, 65, 127, 128, 129, 383, 384, 385, 768} {
		for _, n := range []int{1, 383, 384, 385, 700, 768} {
			b := newBatch(t, p, groups)
			for rest := plain[:n]; len(rest) > 0; {
				rest = rest[b.Append(rest[:min(piece, len(rest))]):]
			}
			b.Finish()
			b.Finish() // a second one does nothing
			checkPlain(t, b, p, plain[:n])
		}
	}
	b := newBatch(t, p, groups)
	if n := b.Append(append(plain, 1, 2, 3)); n != len(plain) {
		t.Errorf("Append took %d bytes, %d fit", n, len(plain))
	}
	if n := b.Append(plain); n != 0 {
		t.Errorf("Append took %d bytes, none fit", n)
	}
	b.Finish()
	checkPlain(t, b, p, plain)
}

// TestNoAlias changes the caller's bytes after the call, and the lanes.
func TestNoAlias(t *testing.T) {
	p := commit.Params{K: 2, N: 4, SliceSize: 64}
	want := random(1, 200)
	for name, fill := range map[string]func(*slicer.Batch, []byte){
		"Append": func(b *slicer.Batch, in []byte) { b.Reset(0); b.Append(in); b.Finish() },
		"Fill":   func(b *slicer.Batch, in []byte) { b.Fill(bytes.NewReader(in)) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBatch(t, p, 2)
			in := slices.Clone(want)
			fill(b, in)
			clear(in)
			checkPlain(t, b, p, want)
			for i := range p.N {
				clear(b.Lane(i))
			}
			in = slices.Clone(want)
			fill(b, in)
			for i := range p.N {
				clear(b.Lane(i))
			}
			if !bytes.Equal(in, want) {
				t.Error("the caller's bytes changed with the lanes")
			}
		})
	}
}

// TestBounds wants that appending to a slice or a lane cannot reach another.
func TestBounds(t *testing.T) {
	p := commit.Params{K: 2, N: 4, SliceSize: 128}
	b := newBatch(t, p, 2)
	b.Reset(300)
	for i, s := range b.Slices() {
		if len(s) != cap(s) {
			t.Errorf("slice %d has room for %d bytes behind it", i, cap(s)-len(s))
		}
	}
	for i := range p.N {
		if l := b.Lane(i); len(l) != cap(l) {
			t.Errorf("lane %d has room for %d bytes behind it", i, cap(l)-len(l))
		}
	}
	if s := b.Slices(); len(s) != cap(s) {
		t.Errorf("room for %d slices behind the last", cap(s)-len(s))
	}
}

func TestNew(t *testing.T) {
	good := commit.Params{K: 10, N: 20, SliceSize: 4096}
	for _, c := range []struct {
		name   string
		p      commit.Params
		groups int
	}{
		{"no data", commit.Params{K: 0, N: 20, SliceSize: 64}, 1},
		{"no parity", commit.Params{K: 20, N: 20, SliceSize: 64}, 1},
		{"too many", commit.Params{K: 10, N: 21, SliceSize: 64}, 1},
		{"beyond the field", commit.Params{K: 200, N: 300, SliceSize: 64}, 1},
		{"far beyond", commit.Params{K: 65535, N: 131070, SliceSize: 64}, 1},
		{"odd size", commit.Params{K: 1, N: 2, SliceSize: 65}, 1},
		{"no size", commit.Params{K: 1, N: 2}, 1},
		{"no groups", good, 0},
		{"fewer groups", good, -1},
		{"no memory is that large", good, int(^uint(0) >> 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := slicer.New(c.p, c.groups); err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestMisuse(t *testing.T) {
	p := commit.Params{K: 2, N: 4, SliceSize: 64}
	for name, f := range map[string]func(*slicer.Batch){
		"Reset below":         func(b *slicer.Batch) { b.Reset(-1) },
		"Reset above":         func(b *slicer.Batch) { b.Reset(b.Cap() + 1) },
		"Append to finished":  func(b *slicer.Batch) { b.Finish(); b.Append([]byte{1}) },
		"Append to shape":     func(b *slicer.Batch) { b.Reset(64); b.Append([]byte{1}) },
		"Lane of unfinished":  func(b *slicer.Batch) { b.Lane(0) },
		"Slices unfinished":   func(b *slicer.Batch) { b.Slices() },
		"Encode unfinished":   func(b *slicer.Batch) { b.Encode(0, 1) },
		"Encode below":        func(b *slicer.Batch) { b.Finish(); b.Encode(-1, 1) },
		"Encode above":        func(b *slicer.Batch) { b.Finish(); b.Encode(0, 2) },
		"Encode backwards":    func(b *slicer.Batch) { b.Finish(); b.Encode(1, 0) },
		"Rebuild above":       func(b *slicer.Batch) { b.Finish(); b.Rebuild(slicer.Loss{Lo: 0, Hi: 2, Have: 3, Want: 4}) },
		"Rebuild from beyond": func(b *slicer.Batch) { b.Finish(); b.Rebuild(slicer.Loss{Lo: 0, Hi: 1, Have: 1<<4 | 3, Want: 4}) },
		"Rebuild beyond":      func(b *slicer.Batch) { b.Finish(); b.Rebuild(slicer.Loss{Lo: 0, Hi: 1, Have: 3, Want: 1 << 4}) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBatch(t, p, 2)
			b.Append(make([]byte, 100))
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f(b)
		})
	}
}

// TestAppendAtGroups reads whole groups before the last is finished.
func TestAppendAtGroups(t *testing.T) {
	p := commit.Params{K: 2, N: 4, SliceSize: 64}
	b := newBatch(t, p, 2)
	plain := random(1, 256)
	b.Append(plain[:128])
	checkPlain(t, b, p, plain[:128])
	b.Encode(0, 1)
	parity := slices.Clone(b.Lane(3))
	b.Append(plain[128:])
	b.Finish()
	b.Encode(1, 2)
	checkPlain(t, b, p, plain)
	if !bytes.Equal(b.Lane(3)[:64], parity) {
		t.Error("the first group's parity changed")
	}
}
