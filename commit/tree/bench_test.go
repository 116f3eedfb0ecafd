package tree_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/tapecommit/tapecommit/commit/tree"
	"github.com/tapecommit/tapecommit/hashcore"
)

// BenchmarkRoot makes roots over leaf hashes, beside crypto/sha256 over as many joined pairs as the tape tree
// of the same leaves has.
func BenchmarkRoot(b *testing.B) {
	for _, size := range []struct{ leaves, height int }{{20, 5}, {1024, 10}, {65536, 16}} {
		leaves := make([]hashcore.Digest, size.leaves)
		for i := range leaves {
			leaves[i][0], leaves[i][1] = byte(i), byte(i>>8)
		}
		for _, s := range []struct {
			name   string
			scheme tree.Scheme
		}{{"tape", tree.Tape(size.height)}, {"shred", tree.Shred()}, {"rfc6962", tree.RFC6962()}} {
			b.Run(fmt.Sprintf("leaves=%d/%s", size.leaves, s.name), func(b *testing.B) {
				b.SetBytes(int64(32 * size.leaves))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := s.scheme.Root(leaves); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("leaves=%d/crypto-sha256", size.leaves), func(b *testing.B) {
			joins := 0
			for h, n := 0, size.leaves; h < size.height; h++ {
				n = (n + 1) / 2
				joins += n
			}
			pair := make([]byte, len("LEFT")+32+len("RIGHT")+32)
			b.SetBytes(int64(32 * size.leaves))
			for b.Loop() {
				for range joins {
					sum := sha256.Sum256(pair)
					copy(pair[4:], sum[:])
				}
			}
		})
	}
}

// BenchmarkCheck checks one path at a time.
func BenchmarkCheck(b *testing.B) {
	leaves := make([]hashcore.Digest, 1024)
	for _, s := range []struct {
		name   string
		scheme tree.Scheme
	}{{"tape", tree.Tape(10)}, {"shred", tree.Shred()}, {"rfc6962", tree.RFC6962()}} {
		b.Run(s.name, func(b *testing.B) {
			root, err := s.scheme.Root(leaves)
			if err != nil {
				b.Fatal(err)
			}
			path, err := s.scheme.Path(leaves, 700)
			if err != nil {
				b.Fatal(err)
			}
			in := tree.Inclusion{Root: root, Leaf: leaves[700], Index: 700, Count: 1024, Path: path}
			b.ReportAllocs()
			for b.Loop() {
				if err := s.scheme.Check(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
