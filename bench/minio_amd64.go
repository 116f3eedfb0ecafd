//go:build !noasm

package main

import (
	"errors"
	"hash"
	"sync"

	"github.com/klauspost/cpuid/v2"
	sha256simd "github.com/minio/sha256-simd"

	"github.com/tapecommit/tapecommit/commit"
)

// minioServer hashes with minio's AVX-512 server, message i in goroutine i modulo 20. All joins come in one go behind the
// messages.
func minioServer() (contestant, error) {
	// What the package itself asks for in its tests; the server does not look.
	if !cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL) {
		return contestant{}, errors.New("the CPU has no AVX-512")
	}
	return contestant{name: minioLanes, load: func(b *batch) job {
		const goroutines = 20
		server := sha256simd.NewAvx512Server()
		hashes := make([]hash.Hash, goroutines)
		for i := range hashes {
			hashes[i] = sha256simd.NewAvx512(server)
		}
		all := func(dst []commit.Hash, msgs [][]byte) {
			var wg sync.WaitGroup
			for i := range min(goroutines, len(msgs)) {
				wg.Go(func() {
					for m := i; m < len(msgs); m += goroutines {
						h := hashes[i]
						h.Reset()
						h.Write(msgs[m])
						h.Sum(dst[m][:0])
					}
				})
			}
			wg.Wait()
		}
		digests, parents := make([]commit.Hash, len(b.joined)), make([]commit.Hash, len(b.framed))
		return job{
			run: func(times int) error {
				for range times {
					all(digests, b.joined)
					all(parents, b.framed)
				}
				return nil
			},
			check: func() error { return b.checkRival(digests, parents) },
		}
	}}, nil
}
