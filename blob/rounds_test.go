package blob_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// watch makes each call on s take a second of the bubble that the test runs in, and lists them. So the time that
// passes is the number of rounds: calls that waited for others.
func watch(s *bad) *log {
	l := &log{start: time.Now()}
	s.hook = func(ctx context.Context, op, name string, off int64, n int) error {
		l.mu.Lock()
		l.calls = append(l.calls, fmt.Sprintf("%s %s %d+%d", op, name, off, n))
		l.bytes += n
		l.mu.Unlock()
		select {
		case <-time.After(time.Second):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return l
}

type log struct {
	mu    sync.Mutex
	start time.Time
	calls []string
	bytes int
}

// take returns the calls since the last take, sorted, and the rounds they took.
func (l *log) take() (calls []string, rounds int) {
	calls, rounds = l.calls, int(time.Since(l.start)/time.Second)
	slices.Sort(calls)
	l.calls, l.start = nil, time.Now()
	return calls, rounds
}

func (l *log) want(t *testing.T, what string, rounds int, calls ...string) {
	t.Helper()
	got, n := l.take()
	slices.Sort(calls)
	if !slices.Equal(got, calls) || n != rounds {
		t.Errorf("%s took %d rounds of calls\n%q\nwant %d of\n%q", what, n, got, rounds, calls)
	}
}

// TestRounds counts the calls of small reads of a blob with several windows.
func TestRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newBad()
		h := write(t, s, blob.Options{Params: small}, make([]byte, 3000*192))
		l := watch(s)
		b := open(t, s, h.ID())
		l.want(t, "Open", 1, "read manifest 0+16384")

		one := func(at ...commit.Pos) {
			t.Helper()
			_, errs := slicesOf(context.Background(), b, at)
			for _, err := range errs {
				if err != nil {
					t.Error(err)
				}
			}
		}
		one(commit.Pos{Group: 2500, Lane: 1})
		l.want(t, "a slice", 1, "read lane-01 160000+64", "read leaves 400000+160", "read roots 65536+30464")
		one(commit.Pos{Group: 2500, Lane: 1})
		l.want(t, "the slice again", 1, "read lane-01 160000+64", "read leaves 400000+160")
		one(commit.Pos{Group: 2520, Lane: 1}, commit.Pos{Group: 2501, Lane: 0}, commit.Pos{Group: 2502, Lane: 0}, commit.Pos{Group: 2502, Lane: 2})
		l.want(t, "some slices of a run", 1,
			"read lane-00 160064+128", "read lane-01 161280+64", "read lane-02 160128+64", "read leaves 400160+3200")

		node := make([]commit.Hash, 3)
		if err := b.Hashes(context.Background(), node, []commit.Node{{Height: 15, Index: 1}, {Height: 16, Index: 0}, {Height: 17, Index: 0}}); err != nil {
			t.Error(err)
		}
		l.want(t, "nodes of the manifest", 0)
		if err := b.Hashes(context.Background(), node, []commit.Node{{Height: 5, Index: 2050}, {Height: 0, Index: 2049 * 32}, {Height: 3, Index: 2051 * 4}}); err != nil {
			t.Error(err)
		}
		l.want(t, "hashes of a run", 1, "read leaves 327840+480")

		// A missing slice takes a second round, and what is short of k right slices; a lane once missing is not
		// waited for again.
		s.lose(lane(0))
		one(commit.Pos{Group: 2050, Lane: 0})
		l.want(t, "a missing slice", 2, "read lane-00 131200+64", "read leaves 328000+160",
			"read lane-01 131200+64", "read lane-02 131200+64", "read lane-03 131200+64")
		one(commit.Pos{Group: 2051, Lane: 0}, commit.Pos{Group: 2051, Lane: 1})
		l.want(t, "a slice of a lane that was missing", 1, "read leaves 328160+160",
			"read lane-01 131264+64", "read lane-02 131264+64", "read lane-03 131264+64")

		// A wrong slice among those of the second round takes a third, for all that are left.
		s.flip(t, h.ID(), lane(1), 131200, 1)
		s.flip(t, h.ID(), lane(3), 131200, 1)
		one(commit.Pos{Group: 2050, Lane: 2})
		l.want(t, "a right slice", 1, "read leaves 328000+160", "read lane-02 131200+64")
		s.flip(t, h.ID(), lane(3), 131200, 1)
		one(commit.Pos{Group: 2050, Lane: 1})
		l.want(t, "a wrong slice", 2, "read leaves 328000+160",
			"read lane-01 131200+64", "read lane-02 131200+64", "read lane-03 131200+64", "read lane-04 131200+64")
	})
}

// TestThirdRound has a replacement that is wrong too.
func TestThirdRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newBad()
		h := write(t, s, blob.Options{Params: commit.Params{K: 2, N: 6, SliceSize: 64}}, make([]byte, 100))
		s.flip(t, h.ID(), lane(0), 0, 1)
		s.flip(t, h.ID(), lane(1), 0, 1)
		l := watch(s)
		b := open(t, s, h.ID())
		l.want(t, "Open", 1, "read manifest 0+16384")
		if _, errs := slicesOf(context.Background(), b, []commit.Pos{{Group: 0, Lane: 0}}); errs[0] != nil {
			t.Error(errs)
		}
		l.want(t, "a slice", 3, "read leaves 0+192", "read roots 0+32", "read lane-00 0+64",
			"read lane-01 0+64", "read lane-02 0+64",
			"read lane-03 0+64", "read lane-04 0+64", "read lane-05 0+64")
	})
}

// TestSequential reads all of a blob: one call for each data lane and run, and none for parity.
func TestSequential(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const runs = 20
		s := newBad()
		h := write(t, s, blob.Options{Params: small}, make([]byte, runs*64*192-10))
		l := watch(s)
		b, err := blob.Open(context.Background(), s, h.ID(), blob.Options{Workers: 4})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		l.take()
		if _, err := io.Copy(io.Discard, readerOf{proof.NewReader(context.Background(), b)}); err != nil {
			t.Fatal(err)
		}
		calls, rounds := l.take()
		if want := runs*(small.K+1) + 2; len(calls) != want || rounds > runs/4+1 {
			t.Errorf("%d calls in %d rounds, want %d in at most %d", len(calls), rounds, want, runs/4+1)
		}
	})
}

// readerOf hides all but WriteTo.
type readerOf struct{ r io.WriterTo }

func (r readerOf) Read([]byte) (int, error)           { panic("not WriteTo") }
func (r readerOf) WriteTo(w io.Writer) (int64, error) { return r.r.WriteTo(w) }

// TestScattered reads single slices all over a blob, many at a time.
func TestScattered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const runs = 30
		s := newBad()
		h := write(t, s, blob.Options{Params: small}, make([]byte, runs*64*192))
		l := watch(s)
		b, err := blob.Open(context.Background(), s, h.ID(), blob.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		l.take()
		var at []commit.Pos
		for i := range runs {
			at = append(at, commit.Pos{Group: 64*i + i, Lane: i % 5})
		}
		bodies, errs := slicesOf(context.Background(), b, at)
		for i, err := range errs {
			if err != nil || len(bodies[i]) != 64 {
				t.Error(err)
			}
		}
		if calls, rounds := l.take(); len(calls) != 2*runs+2 || rounds != 1 {
			t.Errorf("%d calls in %d rounds, want %d in 1", len(calls), rounds, 2*runs+2)
		}
	})
}

// TestAppendsAtOnce counts the rounds of a Writer: one for each piece of 8 groups, then the ends of the objects, then the
// commit.
func TestAppendsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pieces = 5
		s := newBad()
		l := watch(s)
		h := write(t, s, blob.Options{Params: small}, make([]byte, pieces*8*192))
		if _, rounds := l.take(); rounds != pieces+3 { // and the end of the Upload
			t.Errorf("%d rounds, want %d", rounds, pieces+3)
		}
		if got := read(t, s, h.ID()); !bytes.Equal(got, make([]byte, pieces*8*192)) {
			t.Error("read gives other bytes")
		}
	})
}

// TestBundleReads counts what a bundle of one slice takes.
func TestBundleReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newBad()
		h := write(t, s, blob.Options{}, make([]byte, 10<<20))
		l := watch(s)
		b := open(t, s, h.ID())
		l.take()
		l.bytes = 0
		at := []commit.Pos{{Group: 77, Lane: 3}}
		if err := proof.Write(context.Background(), io.Discard, b, slices.Values(at)); err != nil {
			t.Fatal(err)
		}
		calls, rounds := l.take()
		// The leaf hashes come twice, the window of 256 roots once.
		if want := 4096 + 2*640 + 256*32; l.bytes != want || rounds != 2 {
			t.Errorf("a bundle of one slice reads %d bytes in %d rounds, want %d in 2: %q", l.bytes, rounds, want, calls)
		}
	})
}
