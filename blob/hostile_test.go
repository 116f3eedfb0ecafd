package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// liar changes what a store answers.
type liar struct {
	blob.Store
	read func(name string, p []byte, n int, err error) (int, error)
	size func(size int64, err error) (int64, error)
}

func (s liar) Open(ctx context.Context, id commit.ID) (blob.Objects, error) {
	o, err := s.Store.Open(ctx, id)
	return liarObjects{o, s}, err
}

type liarObjects struct {
	blob.Objects
	s liar
}

func (o liarObjects) ReadAt(ctx context.Context, name string, p []byte, off int64) (int, error) {
	n, err := o.Objects.ReadAt(ctx, name, p, off)
	if o.s.read == nil {
		return n, err
	}
	return o.s.read(name, p, n, err)
}

func (o liarObjects) Size(ctx context.Context, name string) (int64, error) {
	n, err := o.Objects.Size(ctx, name)
	if o.s.size == nil {
		return n, err
	}
	return o.s.size(n, err)
}

// TestLiars has stores that break the rules of their interface.
func TestLiars(t *testing.T) {
	s := blob.NewMem()
	h := write(t, s, blob.Options{Params: small}, randomBytes(newRand(40), 1000))
	for name, l := range map[string]liar{
		"too many bytes":  {read: func(_ string, p []byte, n int, err error) (int, error) { return len(p) + 1, nil }},
		"fewer than none": {read: func(_ string, p []byte, n int, err error) (int, error) { return -1, nil }},
		"none, no error":  {read: func(_ string, p []byte, n int, err error) (int, error) { return 0, nil }},
		"nothing but zeros": {read: func(_ string, p []byte, n int, err error) (int, error) {
			clear(p)
			return len(p), nil
		}},
	} {
		l.Store = s
		if _, err := blob.Open(context.Background(), l, h.ID(), blob.Options{}); err == nil {
			t.Errorf("%s: opened", name)
		} else if errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, but it is there", name, err)
		}
	}
	for _, size := range []int64{-1, 0, math.MinInt64, math.MaxInt64, 1 << 62} {
		l := liar{
			Store: s,
			size:  func(int64, error) (int64, error) { return size, nil },
			read: func(name string, p []byte, n int, err error) (int, error) {
				if name == "manifest" {
					return 0, fs.ErrNotExist
				}
				return n, err
			},
		}
		if _, err := blob.Open(context.Background(), l, h.ID(), blob.Options{}); !errors.Is(err, blob.ErrNoHeader) {
			t.Errorf("lanes of %d bytes: %v", size, err)
		}
	}
}

// TestChanging reads objects that change from read to read: right bytes come, or an error.
func TestChanging(t *testing.T) {
	ctx := context.Background()
	s := blob.NewMem()
	plain := randomBytes(newRand(41), 200*192)
	h := write(t, s, blob.Options{Params: small}, plain)
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(41, 1))
	right, failed := 0, 0
	l := liar{Store: s, read: func(_ string, p []byte, n int, err error) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		if n == 0 {
			return n, err
		}
		switch rng.IntN(20) {
		case 0:
			return rng.IntN(n), io.ErrUnexpectedEOF
		case 1:
			return 0, fs.ErrNotExist
		case 2, 3, 4:
			p[rng.IntN(n)] ^= 1 << rng.IntN(8)
		}
		return n, err
	}}
	for range 300 {
		b, err := blob.Open(ctx, l, h.ID(), blob.Options{})
		if err != nil {
			failed++
			continue
		}
		got, err := io.ReadAll(proof.NewReader(ctx, b))
		if !bytes.Equal(got, plain[:len(got)]) || err == nil && len(got) < len(plain) {
			t.Fatalf("read gives %d bytes, some of them wrong, %v", len(got), err)
		}
		if err == nil {
			right++
		} else {
			failed++
		}
		b.Close()
	}
	if right == 0 || failed == 0 {
		t.Errorf("%d whole reads, %d errors: want some of each", right, failed)
	}
}

// TestHugeHeader opens blobs whose headers claim as much as headers can. What that costs is bounded by what is there.
func TestHugeHeader(t *testing.T) {
	ctx := context.Background()
	for _, p := range []commit.Params{{K: 19, N: 20, SliceSize: 4096}, {K: 1, N: 2, SliceSize: 64}} {
		h := commit.Header{Params: p, Length: int64(p.K) * int64(p.SliceSize) * commit.MaxGroups, Root: commit.Hash{1}}
		head, err := h.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, objects := range [][]string{
			{"manifest"},
			{lane(0), lane(1)},
			{"manifest", "roots", "leaves", lane(0), lane(1)},
		} {
			s := blob.NewMem()
			u, err := s.Create(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range objects {
				if err := u.Append(ctx, name, bytes.Repeat(head, 1000)); err != nil {
					t.Fatal(err)
				}
			}
			if err := u.Commit(ctx, h.ID()); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := blob.Open(ctx, s, h.ID(), blob.Options{Workers: 1}); !errors.Is(err, blob.ErrNoRoots) {
				t.Errorf("%v with %v: %v, want %v", p, objects, err, blob.ErrNoRoots)
			}
			runtime.ReadMemStats(&after)
			// A manifest of that size, a window, and the memory of two runs, twice; the claim is of GiBs.
			if cost := after.TotalAlloc - before.TotalAlloc; cost > 64<<20 {
				t.Errorf("%v with %v: %d bytes allocated", p, objects, cost)
			}
		}
	}
}
