package main

import (
	"context"
	"io"
	"runtime"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
)

const memoryGroups = 4 * commit.RunGroups

func groupsLen(groups int) int64 { return int64(groups * defaults.K * defaults.SliceSize) }

// zeros reads as zero bytes without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func writeZeros(ctx context.Context, s blob.Store, groups int) (commit.Header, error) {
	w, err := blob.NewWriter(ctx, s, blob.Options{})
	if err != nil {
		return commit.Header{}, err
	}
	defer w.Close()
	if _, err := w.ReadFrom(io.LimitReader(zeros{}, groupsLen(groups))); err != nil {
		return commit.Header{}, err
	}
	return w.Commit()
}

// allocations are how many a writer and a reader make for a group when they go on and on: the difference between a blob
// and one three times as long.
func allocations(ctx context.Context) (write, read float64, err error) {
	write, err = perGroup(func(groups int) error {
		_, err := writeZeros(ctx, blob.Discard, groups)
		return err
	})
	if err != nil {
		return
	}
	s := blob.NewMem()
	h, err := writeZeros(ctx, s, 3*memoryGroups)
	if err != nil {
		return
	}
	read, err = perGroup(func(groups int) error {
		b, err := blob.Open(ctx, s, h.ID(), blob.Options{})
		if err != nil {
			return err
		}
		defer b.Close()
		for _, err := range b.Slices(ctx, h.Cover(0, groupsLen(groups))) {
			if err != nil {
				return err
			}
		}
		return nil
	})
	return
}

func perGroup(work func(groups int) error) (float64, error) {
	var counts [2]float64 // of each of the two sizes
	for i, groups := range []int{memoryGroups, 3 * memoryGroups} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := work(groups); err != nil {
			return 0, err
		}
		runtime.ReadMemStats(&after)
		counts[i] = float64(after.Mallocs - before.Mallocs)
	}
	return max(0, counts[1]-counts[0]) / (2 * memoryGroups), nil
}
