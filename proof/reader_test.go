package proof_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// plain is the plaintext of a blob that is well coded.
func (tr *tree) plain() []byte {
	var all []byte
	for p, s := range tr.b.Slices {
		_, n := tr.b.Span(int64(p))
		all = append(all, s[:n]...)
	}
	return all
}

func (tr *tree) reader() *proof.Reader { return proof.NewReader(tr.t.Context(), tr) }

// readerTree has eleven groups, so that Read fetches more than once.
func readerTree(t testing.TB) *tree {
	return makeTree(t, commit.Params{K: 3, N: 5, SliceSize: 128}, 10, 10*384+200)
}

func TestReader(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	trees := []*tree{readerTree(t), smallTree(t)}
	for range 4 {
		trees = append(trees, randomTree(t, rng, 1+rng.IntN(20)))
	}
	for _, tr := range trees {
		if err := iotest.TestReader(tr.reader(), tr.plain()); err != nil {
			t.Errorf("%+v: %v", tr.Header(), err)
		}
		if n := tr.reader().Size(); n != tr.b.Length {
			t.Errorf("Size is %d, want %d", n, tr.b.Length)
		}
	}
}

func TestReaderEmptyBlob(t *testing.T) {
	tr := makeTree(t, commit.Params{K: 3, N: 5, SliceSize: 128}, 0, 0)
	if err := iotest.TestReader(tr.reader(), nil); err != nil {
		t.Error(err)
	}
	var b bytes.Buffer
	if n, err := tr.reader().WriteTo(&b); n != 0 || err != nil || b.Len() > 0 {
		t.Errorf("WriteTo: %d, %v", n, err)
	}
	if n, err := tr.reader().ReadAt(make([]byte, 1), 0); n != 0 || err != io.EOF {
		t.Errorf("ReadAt: %d, %v", n, err)
	}
}

func TestReadAt(t *testing.T) {
	tr := readerTree(t)
	plain := tr.plain()
	r := tr.reader()
	end := int64(len(plain))
	for _, c := range []struct {
		off int64
		n   int
		got int
		err error
	}{
		{0, 0, 0, nil},
		{0, 1, 1, nil},
		{127, 2, 2, nil}, // two slices
		{383, 2, 2, nil}, // two groups
		{100, 900, 900, nil},
		{0, int(end), int(end), nil},
		{0, int(end) + 1, int(end), io.EOF},
		{end - 1, 1, 1, nil},
		{end - 1, 2, 1, io.EOF},
		{end, 0, 0, nil},
		{end, 1, 0, io.EOF},
		{end + 1, 1, 0, io.EOF},
		{math.MaxInt64, 1, 0, io.EOF},
		{math.MaxInt64 - 5, 100, 0, io.EOF},
	} {
		p := bytes.Repeat([]byte{0xee}, c.n)
		n, err := r.ReadAt(p, c.off)
		if n != c.got || err != c.err {
			t.Errorf("%d bytes at %d: %d, %v, want %d, %v", c.n, c.off, n, err, c.got, c.err)
			continue
		}
		if n > 0 && !bytes.Equal(p[:n], plain[c.off:][:n]) {
			t.Errorf("%d bytes at %d: others", c.n, c.off)
		}
		if bytes.Count(p[n:], []byte{0xee}) != c.n-n {
			t.Errorf("%d bytes at %d: written behind the %d returned", c.n, c.off, n)
		}
	}
	for _, off := range []int64{-1, math.MinInt64} {
		if n, err := r.ReadAt(make([]byte, 10), off); n != 0 || err == nil || err == io.EOF {
			t.Errorf("at %d: %d, %v", off, n, err)
		}
	}
}

// TestReadAtParallel reads from many goroutines, beside one that reads on.
func TestReadAtParallel(t *testing.T) {
	tr := readerTree(t)
	plain := tr.plain()
	r := tr.reader()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(12, uint64(i)))
			for range 50 {
				off := rng.IntN(len(plain))
				p := make([]byte, 1+rng.IntN(len(plain)-off))
				if n, err := r.ReadAt(p, int64(off)); n != len(p) || err != nil || !bytes.Equal(p, plain[off:off+n]) {
					t.Errorf("%d bytes at %d: %d, %v", len(p), off, n, err)
				}
			}
		})
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("ReadAll: %d bytes, %v", len(got), err)
	}
	wg.Wait()
}

func TestSeek(t *testing.T) {
	tr := readerTree(t)
	plain := tr.plain()
	r := tr.reader()
	end := r.Size()
	for _, c := range []struct {
		off    int64
		whence int
		want   int64  // -1: refused, and the offset stays
		why    string // in the error
	}{
		{10, io.SeekStart, 10, ""},
		{5, io.SeekCurrent, 16, ""}, // a byte was read in between
		{-17, io.SeekCurrent, 0, ""},
		{-2, io.SeekCurrent, -1, "before the beginning"},
		{-1, io.SeekStart, -1, "before the beginning"},
		{-1, io.SeekEnd, end - 1, ""},
		{0, io.SeekEnd, end, ""},
		{7, io.SeekEnd, end + 7, ""},
		{math.MaxInt64, io.SeekCurrent, -1, "out of range"},
		{math.MaxInt64 - end + 1, io.SeekEnd, -1, "out of range"},
		{math.MinInt64, io.SeekEnd, -1, "before the beginning"},
		{-end - 1, io.SeekEnd, -1, "before the beginning"},
		{0, 3, -1, "whence 3"},
		{0, -1, -1, "whence -1"},
		{math.MaxInt64 - end, io.SeekEnd, math.MaxInt64, ""},
		{math.MaxInt64, io.SeekStart, math.MaxInt64, ""},
		{0, io.SeekStart, 0, ""},
	} {
		before, _ := r.Seek(0, io.SeekCurrent)
		got, err := r.Seek(c.off, c.whence)
		if c.want < 0 {
			if after, _ := r.Seek(0, io.SeekCurrent); err == nil || !strings.Contains(err.Error(), c.why) || after != before {
				t.Errorf("Seek(%d, %d): %v, from %d to %d", c.off, c.whence, err, before, after)
			}
			continue
		}
		if got != c.want || err != nil {
			t.Errorf("Seek(%d, %d): %d, %v, want %d", c.off, c.whence, got, err, c.want)
		}
		var one [1]byte
		n, err := r.Read(one[:])
		switch {
		case got >= end:
			if n != 0 || err != io.EOF {
				t.Errorf("read at %d: %d, %v", got, n, err)
			}
		case n != 1 || err != nil || one[0] != plain[got]:
			t.Errorf("read at %d: %d, %v, %#x, want %#x", got, n, err, one[0], plain[got])
		}
	}
}

// TestReadMixed moves about at random, with reads of any size.
func TestReadMixed(t *testing.T) {
	tr := readerTree(t)
	plain := tr.plain()
	r := tr.reader()
	rng := rand.New(rand.NewPCG(13, 13))
	at := int64(0)
	for range 500 {
		switch rng.IntN(8) {
		case 0:
			at, _ = r.Seek(rng.Int64N(r.Size()+10), io.SeekStart)
		case 1:
			var b bytes.Buffer
			n, err := r.WriteTo(&b)
			if err != nil || n != int64(b.Len()) || !bytes.Equal(b.Bytes(), plain[min(at, r.Size()):]) {
				t.Fatalf("WriteTo from %d: %d, %v", at, n, err)
			}
			at += n
		default:
			p := make([]byte, rng.IntN(1<<rng.IntN(14)))
			n, err := r.Read(p)
			if end := len(p) > 0 && at >= r.Size(); end != (err == io.EOF) || err != nil && !end {
				t.Fatalf("%d bytes at %d: %d, %v", len(p), at, n, err)
			}
			if n == 0 && len(p) > 0 && err == nil {
				t.Fatalf("%d bytes at %d: nothing", len(p), at)
			}
			if n > 0 && !bytes.Equal(p[:n], plain[at:][:n]) {
				t.Fatalf("%d bytes at %d: others", len(p), at)
			}
			at += int64(n)
		}
	}
}

// ways are how the plaintext of a blob is read from its begin.
var ways = map[string]func(r *proof.Reader) ([]byte, error){
	"small Reads": func(r *proof.Reader) ([]byte, error) { return io.ReadAll(iotest.OneByteReader(r)) },
	"Reads":       func(r *proof.Reader) ([]byte, error) { return io.ReadAll(struct{ io.Reader }{r}) },
	"one Read": func(r *proof.Reader) ([]byte, error) {
		p := make([]byte, r.Size())
		n, err := io.ReadFull(r, p)
		return p[:n], err
	},
	"ReadAt": func(r *proof.Reader) ([]byte, error) {
		p := make([]byte, r.Size())
		n, err := r.ReadAt(p, 0)
		return p[:n], err
	},
	"WriteTo": func(r *proof.Reader) ([]byte, error) {
		var b bytes.Buffer
		n, err := r.WriteTo(&b)
		if int(n) != b.Len() {
			err = fmt.Errorf("WriteTo counts %d of %d bytes", n, b.Len())
		}
		return b.Bytes(), err
	},
}

// TestReaderLost has a lost slice: what comes before it is read, nothing behind, and the
// error is the Source's.
func TestReaderLost(t *testing.T) {
	tr := readerTree(t)
	plain := tr.plain()
	for position := range tr.b.Positions() {
		off, n := tr.b.Span(position)
		tr.lost = map[int64]bool{position: true}
		for name, read := range ways {
			got, err := read(tr.reader())
			if n == 0 { // parity is of no interest
				if err != nil || !bytes.Equal(got, plain) {
					t.Errorf("without slice %d, %s: %d bytes, %v", position, name, len(got), err)
				}
				continue
			}
			if !errors.Is(err, errLost) || !bytes.Equal(got, plain[:off]) {
				t.Errorf("without slice %d, %s: %d bytes, %v, want %d", position, name, len(got), err, off)
			}
		}
		tr.lost = nil
	}
}

// TestReaderGoesOn reads past a slice that was lost for a while.
func TestReaderGoesOn(t *testing.T) {
	tr := readerTree(t)
	plain := tr.plain()
	r := tr.reader()
	tr.lost = map[int64]bool{6: true} // bytes 512 to 639
	first, err := io.ReadAll(struct{ io.Reader }{r})
	if !errors.Is(err, errLost) {
		t.Fatal(err)
	}
	if n, err := r.Read(make([]byte, 10)); n != 0 || !errors.Is(err, errLost) {
		t.Errorf("again: %d, %v", n, err)
	}
	tr.lost = nil
	rest, err := io.ReadAll(struct{ io.Reader }{r})
	if err != nil || !bytes.Equal(append(first, rest...), plain) {
		t.Errorf("%d and %d bytes, %v", len(first), len(rest), err)
	}
}

// TestReaderEndsEarly has a Source that stops without an error, each time after a few
// slices: what asks for more gets an error or, where it asks again, the rest.
func TestReaderEndsEarly(t *testing.T) {
	tr := readerTree(t)
	plain := tr.plain()
	again := []string{"small Reads", "Reads", "one Read"} // io.ReadAll and io.ReadFull do
	for name, read := range ways {
		for _, n := range []int{1, 3, 20} {
			tr.short = n
			got, err := read(tr.reader())
			if slices.Contains(again, name) {
				if err != nil || !bytes.Equal(got, plain) {
					t.Errorf("%s, %d slices at a time: %d bytes, %v", name, n, len(got), err)
				}
			} else if !errors.Is(err, io.ErrUnexpectedEOF) || !bytes.Equal(got, plain[:128*n]) {
				t.Errorf("%s, %d slices at a time: %d bytes, %v", name, n, len(got), err)
			}
		}
	}
}

// mixingSource is a Source that yields, in place of what it is asked for, what pick says.
type mixingSource struct {
	proof.Source
	pick func(commit.Pos) (proof.Source, commit.Pos)
}

func (m mixingSource) Slices(ctx context.Context, at iter.Seq[commit.Pos]) iter.Seq2[proof.Slice, error] {
	return func(yield func(proof.Slice, error) bool) {
		for p := range at {
			src, other := m.pick(p)
			if src == nil {
				if !yield(proof.Slice{}, nil) {
					return
				}
				continue
			}
			for s, err := range src.Slices(ctx, func(yield func(commit.Pos) bool) { yield(other) }) {
				if !yield(s, err) {
					return
				}
			}
		}
	}
}

// TestReaderMixedUp has a Source that mixes up slices, each of which was checked: of
// another blob of the same shape, of another place, parity, or none at all. That gives an
// error, and not a byte of the wrong slice.
func TestReaderMixedUp(t *testing.T) {
	tr := readerTree(t)
	plain := tr.plain()
	other := makeTree(t, tr.Header().Params, 77, int(tr.b.Length))
	bad := commit.Pos{Group: 1, Lane: 1} // from byte 512 on
	for name, instead := range map[string]func() (proof.Source, commit.Pos){
		"another blob":      func() (proof.Source, commit.Pos) { return other, bad },
		"the next slice":    func() (proof.Source, commit.Pos) { return tr, commit.Pos{Group: 1, Lane: 2} },
		"the slice before":  func() (proof.Source, commit.Pos) { return tr, commit.Pos{Group: 1, Lane: 0} },
		"the last slice":    func() (proof.Source, commit.Pos) { return tr, commit.Pos{Group: 10, Lane: 2} },
		"a slice of parity": func() (proof.Source, commit.Pos) { return tr, commit.Pos{Group: 1, Lane: 4} },
		"the zero Slice":    func() (proof.Source, commit.Pos) { return nil, bad },
	} {
		src := mixingSource{tr, func(p commit.Pos) (proof.Source, commit.Pos) {
			if p == bad {
				return instead()
			}
			return tr, p
		}}
		for way, read := range ways {
			got, err := read(proof.NewReader(t.Context(), src))
			if err == nil || !bytes.Equal(got, plain[:512]) {
				t.Errorf("%s, %s: %d bytes, %v", name, way, len(got), err)
			}
		}
	}
}

func TestReaderCancelled(t *testing.T) {
	tr := readerTree(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, read := range ways {
		if got, err := read(proof.NewReader(ctx, tr)); !errors.Is(err, context.Canceled) || len(got) > 0 {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}

// uncomparable is an error that panics when it is compared.
type uncomparable []string

func (e uncomparable) Error() string { return "disk full" }

// TestReaderWriterErrors fails the Writer at each place: its error comes back, and the
// count is of what it took.
func TestReaderWriterErrors(t *testing.T) {
	tr := readerTree(t)
	full := errors.New("disk full")
	for _, c := range []struct {
		name string
		own  error
		is   func(error) bool
	}{
		{"an error", full, func(err error) bool { return errors.Is(err, full) }},
		{"an uncomparable error", uncomparable{"full"}, func(err error) bool { return errors.As(err, new(uncomparable)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := 0; n < int(tr.b.Length); n += 97 {
				r := tr.reader()
				got, err := r.WriteTo(&failingWriter{n, c.own})
				if !c.is(err) {
					t.Errorf("%d bytes: %v", n, err)
				}
				if at, _ := r.Seek(0, io.SeekCurrent); got != int64(n) || at != got {
					t.Errorf("%d bytes: %d counted, now at %d", n, got, at)
				}
			}
			tr.lost = map[int64]bool{10: true}
			defer func() { tr.lost = nil }()
			if _, err := tr.reader().WriteTo(&failingWriter{3, c.own}); !errors.Is(err, errLost) || !c.is(err) {
				t.Errorf("both sides: %v", err)
			}
		})
	}
}

// TestReaderFetchesOnce reads a blob in small pieces: each slice is fetched about once,
// and at most twice where reading began inside a buffer.
func TestReaderFetchesOnce(t *testing.T) {
	tr := makeTree(t, commit.Params{K: 3, N: 4, SliceSize: 128}, 14, 40*384)
	data := int64(3 * 40)
	for _, size := range []int{1, 7, 100, 128, 500, 5000} {
		for _, from := range []int64{0, 1, 1000} {
			tr.yielded.Store(0)
			r := tr.reader()
			r.Seek(from, io.SeekStart)
			buf := make([]byte, size)
			for {
				if _, err := r.Read(buf); err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
			if n := tr.yielded.Load(); n > data*3/2 {
				t.Errorf("reads of %d bytes from %d on: %d slices fetched of %d", size, from, n, data)
			}
		}
	}
	tr.yielded.Store(0)
	tr.reader().WriteTo(io.Discard)
	if n := tr.yielded.Load(); n != data {
		t.Errorf("WriteTo: %d slices fetched of %d", n, data)
	}
}

// TestReaderHoldsLittle reads a blob of 8 MB, whose slices need no memory of their own.
func TestReaderHoldsLittle(t *testing.T) {
	tr := newBigTree(t, 2000).tree
	for name, read := range map[string]func(*proof.Reader, io.Writer) (int64, error){
		"WriteTo": func(r *proof.Reader, w io.Writer) (int64, error) { return r.WriteTo(w) },
		"Read": func(r *proof.Reader, w io.Writer) (int64, error) {
			return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, make([]byte, 1000))
		},
	} {
		before := live()
		held := before
		n, err := read(proof.NewReader(t.Context(), tr), &probe{7 << 20, func() { held = live() }})
		if n != tr.b.Length || err != nil || held == before {
			t.Fatalf("%s: %d, %v", name, n, err)
		}
		if held > before+1<<20 {
			t.Errorf("%s: %d bytes held", name, held-before)
		}
	}
}
