//go:build unix

package blob_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// TestStorm reads a blob in a folder while n - k of its lanes are damaged in every way that files can be, and others
// repair it and write it again. Each read gives the right bytes, for k lanes are left alone; and when it is over one
// repair makes the blob whole.
func TestStorm(t *testing.T) {
	rounds := times(50, 150, 10_000)
	ctx := context.Background()
	p := commit.Params{K: 4, N: 8, SliceSize: 64}
	path := t.TempDir()
	plain := randomBytes(newRand(60), 150*p.K*p.SliceSize-33)
	h := write(t, dirAt(t, path), blob.Options{Params: p}, plain)
	want := all(t, dirAt(t, path), h)

	done := make(chan struct{})
	var workers sync.WaitGroup
	// Each has a store of its own, as processes would have.
	each := func(work func(s blob.Store, rng *rand.Rand)) {
		seed := rand.Uint64()
		workers.Go(func() {
			s, rng := dirAt(t, path), newRand(seed)
			for {
				work(s, rng)
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	reads := func(b *blob.Blob, rng *rand.Rand) {
		off := rng.IntN(len(plain))
		got := make([]byte, rng.IntN(min(5000, len(plain)-off))+1)
		if n, err := proof.NewReader(ctx, b).ReadAt(got, int64(off)); n != len(got) || !bytes.Equal(got, plain[off:off+n]) {
			t.Errorf("%d of %d bytes at %d, %v", n, len(got), off, err)
		}
	}
	var opened, kept, repairs, writes int
	each(func(s blob.Store, rng *rand.Rand) {
		b, err := blob.Open(ctx, s, h.ID(), blob.Options{Workers: 1})
		if err != nil {
			t.Error(err)
			return
		}
		defer b.Close()
		reads(b, rng)
		var all bytes.Buffer
		if _, err := io.Copy(&all, proof.NewReader(ctx, b)); err != nil || !bytes.Equal(all.Bytes(), plain) {
			t.Errorf("read of all gives %d bytes, %v", all.Len(), err)
		}
		opened++
	})
	b := open(t, dirAt(t, path), h.ID())
	each(func(_ blob.Store, rng *rand.Rand) {
		reads(b, rng)
		kept++
	})
	// What they find changes under their hands, so they may fail.
	each(func(s blob.Store, _ *rand.Rand) {
		b, err := blob.Open(ctx, s, h.ID(), blob.Options{Workers: 1})
		if err != nil {
			t.Error(err)
			return
		}
		defer b.Close()
		for range b.Repair(ctx, 0) {
		}
		repairs++
	})
	each(func(s blob.Store, _ *rand.Rand) {
		w, err := blob.NewWriter(ctx, s, blob.Options{Params: p, Workers: 1})
		if err != nil {
			t.Error(err)
			return
		}
		defer w.Close()
		w.Write(plain)
		w.Commit()
		writes++
	})

	rng := newRand(61)
	for range rounds {
		spoil(rng, filepath.Join(path, h.ID().String()), p.N-p.K)
	}
	close(done)
	workers.Wait()
	repair(t, dirAt(t, path), h.ID())
	same(t, dirAt(t, path), h, want)
	t.Logf("%d times damaged, %d and %d reads, %d repairs, %d writes", rounds, opened, kept, repairs, writes)
}

func dirAt(t *testing.T, path string) blob.Store {
	t.Helper()
	s, err := blob.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// spoil does something to one of the first lanes in a folder. What it meets there may be what it left, so that it may
// fail.
func spoil(rng *rand.Rand, folder string, lanes int) {
	i := rng.IntN(lanes)
	name, other := filepath.Join(folder, lane(i)), filepath.Join(folder, lane((i+1)%lanes))
	info, err := os.Lstat(name)
	regular := err == nil && info.Mode().IsRegular()
	switch kind := rng.IntN(9); {
	case kind == 0:
		os.RemoveAll(name)
	case kind == 1:
		os.Rename(name, filepath.Join(folder, "aside"))
		os.Rename(other, name)
		os.Rename(filepath.Join(folder, "aside"), other)
	case kind == 2:
		os.RemoveAll(name)
		os.Mkdir(name, 0o777)
	case kind == 3:
		os.RemoveAll(name)
		syscall.Mkfifo(name, 0o666)
	case kind == 4:
		os.RemoveAll(name)
		os.Symlink(lane(lanes), name)
	case regular && kind == 5:
		os.Truncate(name, rng.Int64N(info.Size()+1))
	case regular && kind == 6:
		os.Truncate(name, info.Size()+1+rng.Int64N(1000))
	case regular:
		if f, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			f.WriteAt([]byte{byte(rng.Uint32()), byte(rng.Uint32())}, rng.Int64N(info.Size()+1))
			f.Close()
		}
	}
}
