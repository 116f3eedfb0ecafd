package blob_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// heapInUse is what is live.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // of what the first only dropped from pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestLossPatternsOfOneReader reads one Blob under ever other losses, of which 10 of 20 has 616,665 that it bears. What it
// keeps does not grow with them.
func TestLossPatternsOfOneReader(t *testing.T) {
	patterns := times(500, 4000, 200_000)
	ctx := context.Background()
	rng := newRand(70)
	p := commit.Params{K: 10, N: 20, SliceSize: 64}
	s := newBad()
	plain := randomBytes(rng, p.K*p.SliceSize)
	h := write(t, s, blob.Options{Params: p}, plain)
	var lost map[string]bool
	s.hook = func(_ context.Context, _, name string, _ int64, _ int) error {
		if lost[name] {
			return fmt.Errorf("%s: %w", name, fs.ErrNotExist)
		}
		return nil
	}
	r := proof.NewReader(ctx, open(t, s, h.ID()))
	got := make([]byte, len(plain))
	var heap int64
	var goroutines int
	for i := range patterns {
		lost = make(map[string]bool)
		for _, i := range someLanes(rng, p, rng.IntN(p.N-p.K+1)) {
			lost[lane(i)] = true
		}
		clear(got)
		if n, err := r.ReadAt(got, 0); n != len(plain) || !bytes.Equal(got, plain) {
			t.Fatalf("without %v: %d bytes, %v", lost, n, err)
		}
		if i == patterns/4 {
			heap, goroutines = heapInUse(), runtime.NumGoroutine()
		}
	}
	wantFlat(t, heap, goroutines)
}

// wantFlat wants no more memory and goroutines to be held than before, give or take what others use.
func wantFlat(t *testing.T, heap int64, goroutines int) {
	t.Helper()
	for range 20_000 { // a busy machine takes its time
		if runtime.NumGoroutine() <= goroutines {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines, %d before", n, goroutines)
	}
	if now := heapInUse(); now > heap+1<<20 {
		t.Errorf("%d bytes held, %d before", now, heap)
	}
}

// TestManyStoppedOnDisk ends writers and readers of a folder half way, some without Close: no file stays open, and
// nothing that they built is left.
func TestManyStoppedOnDisk(t *testing.T) {
	path := t.TempDir()
	s, err := blob.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	plain := make([]byte, 3*64*192)
	h := write(t, s, blob.Options{Params: small}, plain)
	round := func(i int) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		w, err := blob.NewWriter(ctx, s, blob.Options{Params: small, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		w.Write(plain[:len(plain)*(i%10)/9])
		if i%3 == 0 {
			defer w.Close()
		}
		b, err := blob.Open(ctx, s, h.ID(), blob.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		for range b.Slices(ctx, b.Header().Cover(0, h.Length)) {
			if i%2 == 0 {
				break
			}
			cancel()
		}
		proof.NewReader(ctx, b).WriteTo(io.Discard)
		for range b.Verify(ctx, 0) {
			break
		}
	}
	round(0)
	heap, goroutines, files := heapInUse(), runtime.NumGoroutine(), openFiles(t)
	for i := range times(50, 200, 2000) {
		round(i)
	}
	wantFlat(t, heap, goroutines) // and then all writers have ended
	if n := openFiles(t); n > files {
		t.Errorf("%d files are open, %d before", n, files)
	}
	builds, err := os.ReadDir(filepath.Join(path, "tmp"))
	if err != nil || len(builds) > 0 {
		t.Errorf("%v are left, %v", builds, err)
	}
}

// openFiles is how many files this process has open, or 0 where that cannot be seen.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil && runtime.GOOS == "linux" {
		t.Fatal(err)
	}
	return len(entries)
}
