package blob_test

import (
	"context"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
)

// TestReadAllocates bounds what a group more costs a loop: next to nothing, for a run costs little.
func TestReadAllocates(t *testing.T) {
	s := newBad()
	h := write(t, s, blob.Options{Params: small}, make([]byte, 40*64*192))
	b, err := blob.Open(context.Background(), s, h.ID(), blob.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	cost := func(runs int64) float64 {
		return testing.AllocsPerRun(5, func() {
			for _, err := range b.Slices(context.Background(), h.Cover(0, runs*64*192)) {
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	cost(40) // the windows
	few, many := cost(10), cost(40)
	if perGroup := (many - few) / 30 / 64; perGroup > 0.1 {
		t.Errorf("a group costs %v allocations (%v for 10 runs, %v for 40)", perGroup, few, many)
	}
}
