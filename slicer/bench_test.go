package slicer_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/slicer"
)

var defaults = commit.Params{K: 10, N: 20, SliceSize: 4096}

// fullBatch is a run of 64 groups, encoded.
func fullBatch(b *testing.B) *slicer.Batch {
	run := newBatch(b, defaults, commit.RunGroups)
	run.Append(random(1, run.Cap()))
	run.Finish()
	run.Encode(0, run.Groups())
	return run
}

// Bytes a second are plaintext in all benchmarks.

func BenchmarkAppend(b *testing.B) {
	run := fullBatch(b)
	plain := random(1, run.Cap())
	b.SetBytes(int64(len(plain)))
	b.ReportAllocs()
	for b.Loop() {
		run.Reset(0)
		run.Append(plain)
		run.Finish()
	}
}

// BenchmarkFill reads from memory, and from memory that does not show it.
func BenchmarkFill(b *testing.B) {
	run := fullBatch(b)
	src := bytes.NewReader(random(1, run.Cap()))
	for _, c := range []struct {
		name string
		r    io.Reader
	}{{"memory", src}, {"other", readFunc(src.Read)}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(src.Size())
			b.ReportAllocs()
			for b.Loop() {
				src.Seek(0, io.SeekStart)
				if _, err := run.Fill(c.r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	run := fullBatch(b)
	for _, groups := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("groups=%d", groups), func(b *testing.B) {
			b.SetBytes(int64(run.Cap()))
			b.ReportAllocs()
			for b.Loop() {
				for g := 0; g < run.Groups(); g += groups {
					run.Encode(g, g+groups)
				}
			}
		})
	}
}

// BenchmarkRebuild rebuilds the first lanes from the others, the same again and
// again, or one of two lanes by turns, which is the worst case.
func BenchmarkRebuild(b *testing.B) {
	run := fullBatch(b)
	for _, lost := range []int{1, 3, 10} {
		for _, groups := range []int{1, 64} {
			b.Run(fmt.Sprintf("lanes=%d/groups=%d", lost, groups), func(b *testing.B) {
				want := commit.Lanes(1)<<lost - 1
				l := slicer.Loss{Lo: 0, Hi: groups, Have: 1<<20 - 1 - want, Want: want}
				b.SetBytes(int64(groups * defaults.K * defaults.SliceSize))
				b.ReportAllocs()
				for b.Loop() {
					if err := run.Rebuild(l); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	b.Run("by turns", func(b *testing.B) {
		want := commit.Lanes(1)
		b.SetBytes(int64(defaults.K * defaults.SliceSize))
		b.ReportAllocs()
		for b.Loop() {
			if err := run.Rebuild(slicer.Loss{Lo: 0, Hi: 1, Have: 1<<20 - 1 - want, Want: want}); err != nil {
				b.Fatal(err)
			}
			want ^= 3
		}
	})
}
