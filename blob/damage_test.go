package blob_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// TestDamage makes n - k slices of each group wrong, different ones from group to group, so that no lane is whole; reads,
// and repairs.
func TestDamage(t *testing.T) {
	for _, p := range codes {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			rng := newRand(uint64(p.K*100 + p.N))
			group := p.K * p.SliceSize
			sizes := []int{1, group - 1, group, group + 1, 64*group - 1, 64 * group, 64*group + 1, 130*group + group/2}
			if testing.Short() {
				sizes = []int{1, group - 1, group + 1, 64*group + 1}
			}
			for _, size := range sizes {
				s := newBad()
				plain := randomBytes(rng, size)
				h := write(t, s, blob.Options{Params: p}, plain)
				want := all(t, s, h)
				for g := range h.Groups() {
					for _, i := range someLanes(rng, p, p.N-p.K) {
						s.flip(t, h.ID(), lane(i), h.LaneOffset(g)+int64(rng.IntN(h.SizeOf(g))), 1)
					}
				}
				if got := read(t, s, h.ID()); !bytes.Equal(got, plain) {
					t.Fatalf("%v, %d bytes: read gives other bytes", p, size)
				}
				faults := 0
				for run, err := range open(t, s, h.ID()).Repair(context.Background(), 0) {
					if err != nil {
						t.Fatal(err)
					}
					for _, f := range run.Faults {
						faults++
						if !f.Fixed || f.Err != blob.ErrWrong {
							t.Fatalf("%v, %d bytes: not mended: %v", p, size, f)
						}
					}
				}
				if want := h.Groups() * (p.N - p.K); faults != want {
					t.Fatalf("%v, %d bytes: %d faults, want %d", p, size, faults, want)
				}
				same(t, s, h, want)
			}
		})
	}
}

// same wants all objects to be as they were, and Verify to find nothing.
func same(t *testing.T, s blob.Store, h commit.Header, want map[string][]byte) {
	t.Helper()
	for name, b := range all(t, s, h) {
		if !bytes.Equal(b, want[name]) {
			t.Fatalf("%v, %d bytes: %s differs", h.Params, h.Length, name)
		}
	}
	for run, err := range open(t, s, h.ID()).Verify(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range run.Faults {
			t.Errorf("%v, %d bytes: %v", h.Params, h.Length, f)
		}
	}
}

// TestRandom writes blobs of random codes and sizes, damages them at random as far as they bear it, reads ranges, and
// repairs.
func TestRandom(t *testing.T) {
	for i := range times(40, 150, 150) {
		rng := newRand(uint64(1000 + i))
		n := 2 + rng.IntN(19)
		p := commit.Params{K: 1 + rng.IntN(n-1), N: n, SliceSize: 64 * (1 + rng.IntN(4))}
		plain := randomBytes(rng, rng.IntN(100*p.K*p.SliceSize))
		s := newBad()
		h := write(t, s, blob.Options{Params: p, Workers: 1 + rng.IntN(3)}, plain)
		want := all(t, s, h)

		// Some lanes are lost; in each group other slices are wrong, or cut off with the lane's end.
		missing := someLanes(rng, p, rng.IntN(p.N-p.K+1))
		for g := range h.Groups() {
			spare := p.N - p.K - len(missing)
			for _, i := range someLanes(rng, p, p.N) {
				if spare > 0 && !slices.Contains(missing, i) && rng.IntN(3) == 0 {
					s.flip(t, h.ID(), lane(i), h.LaneOffset(g)+int64(rng.IntN(h.SizeOf(g))), 1)
					spare--
				}
			}
		}
		for _, i := range missing {
			s.lose(lane(i))
		}
		for _, name := range caches {
			if rng.IntN(4) == 0 && len(missing) == p.N-p.K {
				s.lose(name)
			}
		}

		r := proof.NewReader(context.Background(), open(t, s, h.ID()))
		for range 20 {
			off := rng.IntN(len(plain) + 1)
			b := make([]byte, rng.IntN(len(plain)-off+1))
			if m, err := r.ReadAt(b, int64(off)); m < len(b) || !bytes.Equal(b, plain[off:off+len(b)]) {
				t.Fatalf("%d: %v: %d of %d bytes at %d, %v", i, p, m, len(b), off, err)
			}
		}
		repair(t, s, h.ID())
		same(t, s, h, want)
		if t.Failed() {
			t.Fatalf("%d: %v, %d bytes", i, p, len(plain))
		}
	}
}
