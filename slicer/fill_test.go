package slicer_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/tapecommit/tapecommit/commit"
)

// stutter returns nothing, without an error, before each read that begins at a
// multiple of every and before the end.
type stutter struct {
	r     io.Reader
	every int
	times int // how often

	off, done int
}

func (s *stutter) Read(p []byte) (int, error) {
	if s.off%s.every == 0 && s.done < s.times {
		s.done++
		return 0, nil
	}
	s.done = 0
	n, err := s.r.Read(p[:min(len(p), s.every-s.off%s.every)])
	s.off += n
	return n, err
}

func TestFill(t *testing.T) {
	p := commit.Params{K: 3, N: 5, SliceSize: 128}
	b := newBatch(t, p, 2)
	full := b.Cap()
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"plain":    func(r io.Reader) io.Reader { return r },
		"one byte": iotest.OneByteReader,
		"half":     iotest.HalfReader,
		"data err": iotest.DataErrReader,
		"no data":  func(r io.Reader) io.Reader { return &stutter{r: r, every: 128, times: 99} },
		"no data at groups": func(r io.Reader) io.Reader {
			return &stutter{r: iotest.DataErrReader(r), every: 384, times: 1}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range append(edges(p, 2), full, full+1, 2*full, 2*full+1) {
				plain := random(uint64(n), n)
				r := wrap(bytes.NewReader(plain))
				var got int
				for {
					n, err := b.Fill(r)
					checkPlain(t, b, p, plain[got:][:n])
					got += n
					if err == io.EOF {
						break
					}
					if err != nil || n != full {
						t.Fatalf("%d bytes, error %v", n, err)
					}
				}
				if got != n {
					t.Fatalf("got %d bytes of %d", got, n)
				}
			}
		})
	}
}

func TestFillError(t *testing.T) {
	p := commit.Params{K: 3, N: 5, SliceSize: 128}
	b := newBatch(t, p, 2)
	broken := errors.New("broken")
	for name, want := range map[string]error{"broken": broken, "unexpected end": io.ErrUnexpectedEOF, "timeout": iotest.ErrTimeout} {
		for _, n := range []int{0, 1, 127, 128, 129, 384, 500} {
			plain := random(uint64(n), n)
			for beside, r := range map[string]io.Reader{
				"":       io.MultiReader(bytes.NewReader(plain), iotest.ErrReader(want)),
				"beside": &errBeside{bytes.NewReader(plain), want},
			} {
				got, err := b.Fill(r)
				if err != want || got != n {
					t.Errorf("%s %s: %d bytes and %v, want %d and %v", name, beside, got, err, n, want)
				}
				checkPlain(t, b, p, plain)
			}
		}
	}
	t.Run("beside the last bytes that fit", func(t *testing.T) {
		plain := random(1, b.Cap())
		if n, err := b.Fill(&errBeside{bytes.NewReader(plain), broken}); n != b.Cap() || err != broken {
			t.Errorf("%d bytes and %v", n, err)
		}
		checkPlain(t, b, p, plain)
	})
	t.Run("no progress", func(t *testing.T) {
		plain := random(1, 256)
		if n, err := b.Fill(&stutter{r: bytes.NewReader(plain), every: 128, times: 100}); n != 0 || err != io.ErrNoProgress {
			t.Errorf("%d bytes and %v", n, err)
		}
	})
	for _, n := range []int{-1, 1 << 20} {
		if _, err := b.Fill(liar(n)); err == nil || err == io.EOF {
			t.Errorf("reader that claims %d bytes: error %v", n, err)
		}
	}
}

// errBeside returns err beside the last bytes of r.
type errBeside struct {
	r   *bytes.Reader
	err error
}

func (e *errBeside) Read(p []byte) (int, error) {
	n, _ := e.r.Read(p)
	if e.r.Len() == 0 {
		return n, e.err
	}
	return n, nil
}

// liar is a reader that returns a count it cannot have read.
type liar int

func (l liar) Read(p []byte) (int, error) { return int(l), nil }

// TestFillReads wants few large reads, and none beyond what fits.
func TestFillReads(t *testing.T) {
	p := commit.Params{K: 10, N: 20, SliceSize: 4096}
	b := newBatch(t, p, 64)
	var reads, max int
	src := bytes.NewReader(make([]byte, b.Cap()+1))
	n, err := b.Fill(readFunc(func(p []byte) (int, error) {
		reads++
		if len(p) > max {
			max = len(p)
		}
		return src.Read(p)
	}))
	if n != b.Cap() || err != nil {
		t.Fatalf("%d bytes and %v", n, err)
	}
	if src.Len() != 1 {
		t.Errorf("%d bytes left, want 1", src.Len())
	}
	if most := b.Cap() / (32 << 10); reads > most {
		t.Errorf("%d reads of at most %d bytes, want at most %d", reads, max, most)
	}
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
