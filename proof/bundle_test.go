package proof_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// open reads bundles to their end or first error, and fails t where a slice is yielded
// that the blob does not have. It returns which slices came before the end.
func (tr *tree) open(r io.Reader, want iter.Seq[commit.Pos]) (at []commit.Pos, err error) {
	tr.t.Helper()
	for s, err := range proof.Open(tr.id(), r, want) {
		if err != nil {
			return at, err
		}
		if !tr.isSlice(s) {
			tr.t.Errorf("slice %v is not the blob's", s.Pos())
		}
		at = append(at, s.Pos())
	}
	return at, nil
}

// TestOpen reads bundles of sets of any kind, in one run and in several, wanted and not.
func TestOpen(t *testing.T) {
	tr := runTree(t, 3) // positions 192 a run
	last := tr.b.Positions() - 1
	for _, set := range [][]int64{
		{0}, {191}, {192}, {last}, {0, 191}, {0, 191, 192}, {190, 383, 384, 385}, {0, 200, last}, {5, 400}, {400, 401},
	} {
		at := tr.at(set...)
		in := tr.b.Bundles(set)
		got, err := tr.open(bytes.NewReader(in), slices.Values(at))
		if err != nil || !slices.Equal(got, at) {
			t.Errorf("set %v: %v, %v", set, got, err)
		}
		got, err = tr.open(bytes.NewReader(in), nil)
		if len(tr.b.Runs(set)) > 1 {
			wantRule(t, fmt.Sprintf("set %v, any", set), err, commit.BundleRange)
		} else if err != nil || !slices.Equal(got, at) {
			t.Errorf("set %v, any: %v, %v", set, got, err)
		}
	}
}

// TestOpenRange reads ranges in any number of bundles, without knowing their ends.
func TestOpenRange(t *testing.T) {
	tr := runTree(t, 3)
	const run = 128 * 64 // bytes
	h := tr.Header()
	for _, c := range [][2]int64{
		{0, 0}, {0, run - 1}, {0, run}, {run - 1, run}, {run - 1, run + 1}, {run, 2*run - 1}, {run - 64, 3 * run},
		{0, h.Length - 1}, {h.Length - 1, h.Length - 1}, {3*run - 1, h.Length - 1},
	} {
		cover := slices.Collect(h.Cover(c[0], c[1]-c[0]+1))
		in := tr.b.Range(c[0], c[1])
		for name, r := range map[string]io.Reader{
			"whole":    bytes.NewReader(in),
			"bytes":    iotest.OneByteReader(bytes.NewReader(in)),
			"halves":   iotest.HalfReader(bytes.NewReader(in)),
			"data end": iotest.DataErrReader(bytes.NewReader(in)),
		} {
			got, err := tr.open(r, nil)
			if err != nil || !slices.Equal(got, cover) {
				t.Errorf("bytes %d-%d, %s: %d slices, want %d: %v", c[0], c[1], name, len(got), len(cover), err)
			}
		}
		got, err := tr.open(iotest.OneByteReader(bytes.NewReader(in)), slices.Values(cover))
		if err != nil || !slices.Equal(got, cover) {
			t.Errorf("bytes %d-%d, wanted: %d slices, want %d: %v", c[0], c[1], len(got), len(cover), err)
		}
	}
}

// TestOpenNothing wants nothing and gets it.
func TestOpenNothing(t *testing.T) {
	tr := smallTree(t)
	nothing := func(func(commit.Pos) bool) {}
	if got, err := tr.open(bytes.NewReader(nil), nothing); err != nil || got != nil {
		t.Errorf("nothing of nothing: %v, %v", got, err)
	}
	_, err := tr.open(bytes.NewReader([]byte{0}), nothing)
	wantRule(t, "nothing of a byte", err, commit.BundleSize)
	_, err = tr.open(bytes.NewReader(nil), nil)
	wantRule(t, "anything of nothing", err, commit.BundleSize)
	_, err = tr.open(bytes.NewReader(nil), slices.Values(tr.at(0)))
	wantRule(t, "a slice of nothing", err, commit.BundleSize)
}

// TestOpenStops leaves the loop early: nothing more is read, and the sequence of what is
// wanted ends.
func TestOpenStops(t *testing.T) {
	tr := runTree(t, 3)
	at := tr.at(0, 1, 200, 400)
	in := tr.b.Bundles(tr.positions(at))
	for stop := range at {
		r := bytes.NewReader(in)
		ended := false
		n := 0
		for s, err := range proof.Open(tr.id(), r, func(yield func(commit.Pos) bool) {
			defer func() { ended = true }()
			for _, p := range at {
				if !yield(p) {
					return
				}
			}
		}) {
			if err != nil || s.Pos() != at[n] {
				t.Fatalf("slice %d: %v, %v", n, s.Pos(), err)
			}
			if n == stop {
				break
			}
			n++
		}
		if !ended {
			t.Errorf("stopped at %d: the wanted slices were not let go", stop)
		}
		read := len(tr.b.Bundles(tr.positions(at[:max(2, stop+1)])))
		if got := len(in) - r.Len(); got != read {
			t.Errorf("stopped at %d: %d bytes read, the bundles so far have %d", stop, got, read)
		}
	}
}

// TestOpenRandom cuts random sets into bundles and reads them back.
func TestOpenRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 8 {
		tr := randomTree(t, rng, 1+rng.IntN(150))
		at := tr.randomSet(rng, 1+rng.IntN(50))
		got, err := tr.open(bytes.NewReader(tr.b.Bundles(tr.positions(at))), slices.Values(at))
		if err != nil || !slices.Equal(got, at) {
			t.Errorf("%+v: %d slices of %d, %v", tr.Header(), len(got), len(at), err)
		}
		first := rng.Int64N(tr.b.Length)
		last := first + rng.Int64N(tr.b.Length-first)
		cover := slices.Collect(tr.Header().Cover(first, last-first+1))
		got, err = tr.open(bytes.NewReader(tr.b.Range(first, last)), nil)
		if err != nil || !slices.Equal(got, cover) {
			t.Errorf("%+v, bytes %d-%d: %d slices of %d, %v", tr.Header(), first, last, len(got), len(cover), err)
		}
	}
}

// TestOpenReaderErrors ends the input with an error of the reader's own at each place: it
// comes out as it is, and as no broken rule.
func TestOpenReaderErrors(t *testing.T) {
	tr := runTree(t, 2)
	set := []int64{189, 190, 192}
	in := tr.b.Bundles(set)
	for _, own := range []error{
		errors.New("connection reset"),
		io.ErrUnexpectedEOF, // what a cut HTTP body gives
		fmt.Errorf("body: %w", io.ErrUnexpectedEOF),
		fmt.Errorf("body: %w", io.EOF),
	} {
		for n := 0; n <= len(in); n += 1 + n%7 {
			for _, want := range []iter.Seq[commit.Pos]{nil, slices.Values(tr.at(set...))} {
				_, err := tr.open(io.MultiReader(bytes.NewReader(in[:n]), iotest.ErrReader(own)), want)
				var r commit.Rule
				if !errors.Is(err, own) || errors.As(err, &r) {
					t.Fatalf("%v after %d of %d bytes: %v", own, n, len(in), err)
				}
			}
		}
	}
	if _, err := tr.open(iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(in))), nil); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("timeout: %v", err)
	}
}
