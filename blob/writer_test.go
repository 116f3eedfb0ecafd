package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
)

// small cuts blobs so that a few KiB are many groups.
var small = commit.Params{K: 3, N: 5, SliceSize: 64}

// idOf is the ID of plain, written at once.
func idOf(t testing.TB, plain []byte) commit.ID {
	t.Helper()
	return write(t, blob.Discard, blob.Options{Params: small}, plain).ID()
}

// readFrom writes what r gives and returns the ID of the blob.
func readFrom(t testing.TB, s blob.Store, r io.Reader) (id commit.ID, n int64, err error) {
	t.Helper()
	w, err := blob.NewWriter(context.Background(), s, blob.Options{Params: small, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if n, err = w.ReadFrom(r); err != nil {
		if _, cerr := w.Commit(); cerr != err {
			t.Errorf("Commit: %v, want the error of the reader: %v", cerr, err)
		}
		return commit.ID{}, n, err
	}
	h, err := w.Commit()
	return h.ID(), n, err
}

func TestReaders(t *testing.T) {
	const group, run = 3 * 64, 64 * 3 * 64
	for _, size := range []int{0, 1, 63, 64, 65, group - 1, group, group + 1, 8*group - 1, 8 * group, run - 1, run, run + 1, 3*run + 17} {
		plain := randomBytes(newRand(uint64(size)), size)
		want := idOf(t, plain)
		for name, r := range map[string]io.Reader{
			"plain":     bytes.NewReader(plain),
			"one byte":  iotest.OneByteReader(bytes.NewReader(plain)),
			"half":      iotest.HalfReader(bytes.NewReader(plain)),
			"data, EOF": iotest.DataErrReader(bytes.NewReader(plain)),
			"one, EOF":  iotest.DataErrReader(iotest.OneByteReader(bytes.NewReader(plain))),
			"empty":     &emptyReads{b: plain, at: 64},
		} {
			id, n, err := readFrom(t, blob.Discard, r)
			if id != want || n != int64(size) || err != nil {
				t.Errorf("%s, %d bytes: ID %v after %d bytes, %v; want %v", name, size, id, n, err, want)
			}
		}
	}
}

// emptyReads reads nothing, without an error, at every multiple of at.
type emptyReads struct {
	b     []byte
	at, n int
	empty bool
}

func (r *emptyReads) Read(p []byte) (int, error) {
	if r.n%r.at == 0 {
		if r.empty = !r.empty; r.empty {
			return 0, nil
		}
	}
	if r.n == len(r.b) {
		return 0, io.EOF
	}
	n := copy(p, r.b[r.n:min(len(r.b), r.n/r.at*r.at+r.at)])
	r.n += n
	return n, nil
}

// lyingReader reads n bytes, it says, and err.
type lyingReader struct {
	n   int
	err error
}

func (r lyingReader) Read([]byte) (int, error) { return r.n, r.err }

func TestBadReaders(t *testing.T) {
	broken := errors.New("broken")
	plain := randomBytes(newRand(1), 5000)
	for _, c := range []struct {
		name string
		r    io.Reader
		n    int64
		want error // nil is any
	}{
		{"timeout", iotest.TimeoutReader(iotest.HalfReader(bytes.NewReader(plain))), 5000, iotest.ErrTimeout},
		{"error", io.MultiReader(bytes.NewReader(plain), iotest.ErrReader(broken)), 5000, broken},
		{"unexpected EOF", io.MultiReader(bytes.NewReader(plain), iotest.ErrReader(io.ErrUnexpectedEOF)), 5000, io.ErrUnexpectedEOF},
		{"error beside data", lyingReader{10, broken}, 10, broken},
		{"no progress", lyingReader{}, 0, io.ErrNoProgress},
		{"negative", lyingReader{n: -1}, 0, nil},
		{"too much", lyingReader{n: 1 << 30}, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := blob.NewMem()
			_, n, err := readFrom(t, s, c.r)
			if err == nil || c.want != nil && !errors.Is(err, c.want) || n != c.n {
				t.Errorf("%d bytes, %v; want %d, %v", n, err, c.n, c.want)
			}
			empty(t, s)
		})
	}
}

// empty wants a store without blobs.
func empty(t *testing.T, s blob.Store) {
	t.Helper()
	for id, err := range s.IDs(context.Background()) {
		t.Errorf("the store has %v, %v", id, err)
	}
}

// TestWriteKeepsNothing writes from a buffer that changes after each Write.
func TestWriteKeepsNothing(t *testing.T) {
	plain := randomBytes(newRand(2), 40000)
	w, err := blob.NewWriter(context.Background(), blob.Discard, blob.Options{Params: small})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	buf := make([]byte, 700)
	for rest := plain; len(rest) > 0; {
		n := copy(buf, rest)
		if m, err := w.Write(buf[:n]); m != n || err != nil {
			t.Fatal(m, err)
		}
		clear(buf)
		rest = rest[n:]
	}
	h, err := w.Commit()
	if want := idOf(t, plain); err != nil || h.ID() != want {
		t.Errorf("ID %v, %v, want %v", h.ID(), err, want)
	}
}

// TestTurns has many pieces overtake one another.
func TestTurns(t *testing.T) {
	plain := randomBytes(newRand(3), 30*64*192+100)
	want := idOf(t, plain)
	for workers := 1; workers <= 5; workers++ {
		for range 20 {
			s := blob.NewMem()
			if h := write(t, s, blob.Options{Params: small, Workers: workers}, plain); h.ID() != want {
				t.Fatalf("%d workers: ID %v, want %v", workers, h.ID(), want)
			}
			if got := read(t, s, want); !bytes.Equal(got, plain) {
				t.Fatalf("%d workers: read gives other bytes", workers)
			}
		}
	}
}

// TestAppends counts the calls on an upload: one for each object and piece of 8 groups, and one for the end of each lane.
func TestAppends(t *testing.T) {
	const pieces = 4
	calls := make(map[string]int)
	var mu sync.Mutex
	s := newBad()
	s.hook = func(_ context.Context, op, name string, _ int64, n int) error {
		mu.Lock()
		defer mu.Unlock()
		if op == "append" {
			calls[name]++
		}
		return nil
	}
	h := write(t, s, blob.Options{Params: small}, randomBytes(newRand(4), pieces*8*192-100))
	for _, name := range objects(h) {
		want := pieces + 1
		switch name {
		case "manifest":
			want = 1
		case "roots", "leaves":
			want = pieces
		}
		if calls[name] != want {
			t.Errorf("%s: %d calls, want %d", name, calls[name], want)
		}
	}
}

func TestWriterEnds(t *testing.T) {
	ctx := context.Background()
	writer := func(s blob.Store) *blob.Writer {
		w, err := blob.NewWriter(ctx, s, blob.Options{Params: small})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, 30000)); err != nil {
			t.Fatal(err)
		}
		return w
	}
	closed := func(name string, w *blob.Writer) {
		t.Helper()
		if n, err := w.Write([]byte{1}); n != 0 || !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Write %s: %d, %v", name, n, err)
		}
		if n, err := w.ReadFrom(bytes.NewReader([]byte{1})); n != 0 || !errors.Is(err, fs.ErrClosed) {
			t.Errorf("ReadFrom %s: %d, %v", name, n, err)
		}
		if h, err := w.Commit(); h != (commit.Header{}) || !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Commit %s: %v, %v", name, h, err)
		}
		if err := w.Close(); err != nil {
			t.Errorf("Close %s: %v", name, err)
		}
	}

	s := blob.NewMem()
	w := writer(s)
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	closed("after Close", w)
	empty(t, s)

	w = writer(s)
	h, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	closed("after Commit", w)
	if got := read(t, s, h.ID()); !bytes.Equal(got, make([]byte, 30000)) {
		t.Error("read gives other bytes")
	}
}

// TestStoreFails fails each call on a store in turn: no blob appears, and the error is the store's.
func TestStoreFails(t *testing.T) {
	full := errors.New("disk full")
	plain := randomBytes(newRand(5), 3*8*192)
	for at, done := 0, false; !done; at++ {
		var mu sync.Mutex
		calls, discarded := 0, 0
		s := newBad()
		s.hook = func(_ context.Context, op, name string, _ int64, _ int) error {
			mu.Lock()
			defer mu.Unlock()
			if op == "discard" {
				discarded++
				return nil
			}
			if calls++; calls-1 == at {
				return full
			}
			return nil
		}
		w, err := blob.NewWriter(context.Background(), s, blob.Options{Params: small, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		w.Write(plain)
		_, err = w.Commit()
		done = calls <= at
		if done {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		if !errors.Is(err, full) {
			t.Fatalf("call %d: %v, want %v", at, err, full)
		}
		if discarded == 0 {
			t.Fatalf("call %d: the upload was not closed", at)
		}
		empty(t, s)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []blob.Options{
		{Params: commit.Params{K: 20}},
		{Params: commit.Params{N: 21}},
		{Params: commit.Params{SliceSize: 65}},
		{Params: commit.Params{K: -1}},
		{Workers: -1},
	} {
		if _, err := blob.NewWriter(context.Background(), blob.Discard, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	h := write(t, blob.Discard, blob.Options{}, nil)
	if want := (commit.Params{K: 10, N: 20, SliceSize: 4096}); h.Params != want {
		t.Errorf("default is %v, want %v", h.Params, want)
	}
}

// TestWriterAllocates bounds what a group more costs: a quarter of an allocation, by the erasure coder for each tile, and a
// little for a piece; more under the race detector, where pools forget.
func TestWriterAllocates(t *testing.T) {
	cost := func(runs int) float64 {
		plain := make([]byte, runs*64*192)
		return testing.AllocsPerRun(5, func() {
			write(t, blob.Discard, blob.Options{Params: small, Workers: 1}, plain)
		})
	}
	few, many := cost(8), cost(24)
	if perGroup := (many - few) / 16 / 64; perGroup > 0.6 {
		t.Errorf("a group costs %v allocations (%v for 8 runs, %v for 24)", perGroup, few, many)
	}
}

// memoryReader is a reader in memory, as bytes.Reader is, that fails behind its bytes.
type memoryReader struct {
	*bytes.Buffer
	err error
}

func (r memoryReader) WriteTo(w io.Writer) (int64, error) {
	n, err := r.Buffer.WriteTo(w)
	if err == nil {
		err = r.err
	}
	return n, err
}

// TestReadFromMemory wants of readers in memory what holds for all: their error ends the Writer, and a Writer that was
// ended says so, if they are empty too.
func TestReadFromMemory(t *testing.T) {
	begin := func() *blob.Writer {
		w, err := blob.NewWriter(context.Background(), blob.NewMem(), blob.Options{Params: small})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	broken := errors.New("broken")
	w := begin()
	if n, err := w.ReadFrom(memoryReader{bytes.NewBufferString("part"), broken}); n != 4 || !errors.Is(err, broken) {
		t.Errorf("ReadFrom: %d, %v", n, err)
	}
	if _, err := w.Commit(); !errors.Is(err, broken) {
		t.Errorf("Commit of a part: %v", err)
	}
	w = begin()
	w.Close()
	if _, err := w.ReadFrom(bytes.NewReader(nil)); err == nil {
		t.Error("ReadFrom of nothing after Close is no error")
	}
}
