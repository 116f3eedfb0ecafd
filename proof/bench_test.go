package proof_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof"
)

// benchTree has groups of 10 of 20 slices of 4096 bytes. Its slices differ, and its
// parity is none.
func benchTree(b *testing.B, groups int) *tree {
	all := make([][]byte, 20*groups)
	for i := range all {
		all[i] = binary.LittleEndian.AppendUint64(make([]byte, 4088), uint64(i))
	}
	p := reference.Params{K: 10, N: 20, SliceSize: 4096}
	return newTree(b, reference.Commit(p, int64(10*4096*groups), all))
}

// BenchmarkCheck checks bundles of one slice each, all in one call and one call each.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{1, 100, 10_000} {
		tr := benchTree(b, (n+19)/20)
		claims := make([]proof.Claim, n)
		size := 0
		for i := range claims {
			claims[i] = tr.claim(int64(i))
			size += 4096 + len(claims[i].Proof)
		}
		for _, way := range []struct {
			name  string
			check func() error
		}{
			{"batched", func() error { return proof.Check(claims) }},
			{"alone", func() error {
				for i := range claims {
					if err := proof.Check(claims[i : i+1]); err != nil {
						return err
					}
				}
				return nil
			}},
		} {
			b.Run(fmt.Sprintf("bundles=%d/%s", n, way.name), func(b *testing.B) {
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					if err := way.check(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkAppend makes proofs of one slice, of a group and of a run, of hashes in memory.
func BenchmarkAppend(b *testing.B) {
	tr := benchTree(b, 512)
	for _, n := range []int{1, 20, 1280} {
		set := make([]int64, n)
		for i := range set {
			set[i] = 1280 + int64(i)
		}
		at := tr.at(set...)
		var dst []byte
		b.Run(fmt.Sprintf("slices=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if dst, err = proof.Append(b.Context(), dst[:0], tr, at); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen reads a range of 20 MiB of plaintext in bundles.
func BenchmarkOpen(b *testing.B) {
	tr := benchTree(b, 512)
	in := tr.b.Range(0, tr.b.Length-1)
	cover := slices.Collect(tr.Header().Cover(0, tr.b.Length))
	for _, way := range []struct {
		name string
		want iter.Seq[commit.Pos]
	}{{"any", nil}, {"wanted", slices.Values(cover)}} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(tr.b.Length)
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				for _, err := range proof.Open(tr.id(), bytes.NewReader(in), way.want) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				if n != len(cover) {
					b.Fatalf("%d slices of %d", n, len(cover))
				}
			}
		})
	}
}
