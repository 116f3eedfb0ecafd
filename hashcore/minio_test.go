//go:build !purego

package hashcore

import (
	"crypto/sha256"
	"fmt"
	"testing"

	sha256simd "github.com/minio/sha256-simd"
)

// TestMinio holds every kernel against an implementation that shares no code with crypto/sha256.
func TestMinio(t *testing.T) {
	data := random(4200)
	eachKernel(t, func(t *testing.T) {
		for n := 0; n <= len(data); n += 61 {
			var dst [1]Digest
			if Sum(dst[:], "", [][]byte{data[:n]}); dst[0] != sha256simd.Sum256(data[:n]) {
				t.Errorf("%d bytes: wrong", n)
			}
		}
	})
}

// BenchmarkOneMessage decides what the stdlib kernel is built on.
func BenchmarkOneMessage(b *testing.B) {
	for _, n := range []int{73, 1024, 4100} {
		msg := random(n)
		run := func(name string, sum func([]byte) [32]byte) {
			b.Run(fmt.Sprintf("%dB/%s", n, name), func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					sum(msg)
				}
			})
		}
		run("crypto-sha256", sha256.Sum256)
		run("minio", sha256simd.Sum256)
	}
}
