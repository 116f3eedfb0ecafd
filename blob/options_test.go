package blob_test

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
)

// TestWorkers refuses more workers than there may be, before any memory is taken for them.
func TestWorkers(t *testing.T) {
	ctx := context.Background()
	s := blob.NewMem()
	plain := randomBytes(newRand(60), 1000)
	h := write(t, s, blob.Options{Params: commit.Params{K: 3, N: 5, SliceSize: 64}}, plain)
	for _, workers := range []int{-1, math.MinInt, 1<<10 + 1, math.MaxInt} {
		if _, err := blob.NewWriter(ctx, s, blob.Options{Workers: workers}); err == nil {
			t.Errorf("NewWriter takes %d workers", workers)
		}
		if _, err := blob.Open(ctx, s, h.ID(), blob.Options{Workers: workers}); err == nil {
			t.Errorf("Open takes %d workers", workers)
		}
	}
	if most := write(t, s, blob.Options{Params: h.Params, Workers: 1 << 10}, plain); most != h {
		t.Errorf("another blob by 1,024 workers: %v, want %v", most, h)
	}
	if got := read(t, s, h.ID()); !bytes.Equal(got, plain) {
		t.Error("read gives other bytes")
	}
}
