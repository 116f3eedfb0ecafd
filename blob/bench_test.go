package blob_test

import (
	"context"
	"io"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
	"github.com/tapecommit/tapecommit/slicer"
)

const benchSize = 64 << 20

// BenchmarkWrite is a Writer in memory that keeps nothing, beside its two parts alone: the erasure code, and the hashes of
// the slices and of the groups' trees.
func BenchmarkWrite(b *testing.B) {
	plain := randomBytes(newRand(1), benchSize)
	p := commit.Params{K: 10, N: 20, SliceSize: 4096}
	b.Run("Writer", func(b *testing.B) {
		b.SetBytes(benchSize)
		b.ReportAllocs()
		for b.Loop() {
			write(b, blob.Discard, blob.Options{}, plain)
		}
	})
	b.Run("coding alone", func(b *testing.B) {
		batch, err := slicer.New(p, commit.RunGroups)
		if err != nil {
			b.Fatal(err)
		}
		batch.Reset(batch.Cap())
		b.SetBytes(int64(batch.Cap()))
		for b.Loop() {
			batch.Encode(0, commit.RunGroups)
		}
	})
	b.Run("hashing alone", func(b *testing.B) {
		batch, err := slicer.New(p, commit.RunGroups)
		if err != nil {
			b.Fatal(err)
		}
		batch.Reset(batch.Cap())
		leaves := make([]commit.Hash, len(batch.Slices()))
		roots := make([]commit.Hash, commit.RunGroups)
		b.SetBytes(int64(batch.Cap()))
		for b.Loop() {
			commit.HashLeaves(leaves, batch.Slices())
			commit.GroupRoots(roots, leaves, p.N)
		}
	})
}

// BenchmarkRead is the verified read of a blob in memory, beside hashing its data slices alone, from where the plaintext
// lies; then from a store that copies, and with lanes lost.
func BenchmarkRead(b *testing.B) {
	ctx := context.Background()
	plain := randomBytes(newRand(1), benchSize)
	mem, s := blob.NewMem(), newBad()
	h := write(b, mem, blob.Options{}, plain)
	write(b, s, blob.Options{}, plain)
	all := func(s blob.Store) func(b *testing.B) {
		return func(b *testing.B) {
			src := open(b, s, h.ID())
			b.SetBytes(benchSize)
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range src.Slices(ctx, h.Cover(0, h.Length)) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		}
	}
	b.Run("Slices", all(mem))
	b.Run("Reader", func(b *testing.B) {
		src := open(b, mem, h.ID())
		b.SetBytes(benchSize)
		for b.Loop() {
			if _, err := proof.NewReader(ctx, src).WriteTo(io.Discard); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("hashing alone", func(b *testing.B) {
		const tile = 8 * 10
		leaves := make([]commit.Hash, tile)
		data := slices.Collect(slices.Chunk(plain, 4096))
		b.SetBytes(benchSize)
		for b.Loop() {
			for part := range slices.Chunk(data, tile) {
				commit.HashLeaves(leaves[:len(part)], part)
			}
		}
	})
	b.Run("copied", all(s))
	b.Run("one slice", func(b *testing.B) {
		src := open(b, s, h.ID())
		b.SetBytes(4096)
		b.ReportAllocs()
		for b.Loop() {
			for _, err := range src.Slices(ctx, h.Cover(12345678, 1)) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("Verify", func(b *testing.B) {
		src := open(b, s, h.ID())
		b.SetBytes(benchSize)
		b.ReportAllocs()
		for b.Loop() {
			for run, err := range src.Verify(ctx, 0) {
				if err != nil || len(run.Faults) > 0 {
					b.Fatal(run, err)
				}
			}
		}
	})
	for i := range 10 {
		s.lose(lane(2 * i))
	}
	b.Run("without half of the lanes", all(s))
}
