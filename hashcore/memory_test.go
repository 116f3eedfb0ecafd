//go:build linux || darwin

package hashcore

import (
	"os"
	"syscall"
	"testing"
)

// fenced returns memory of at least n bytes between two pages that must not be touched.
func fenced(t *testing.T, n int) []byte {
	t.Helper()
	page := os.Getpagesize()
	n = (n + page - 1) / page * page
	b, err := syscall.Mmap(-1, 0, n+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(b) })
	for _, fence := range [][]byte{b[:page], b[page+n:]} {
		if err := syscall.Mprotect(fence, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return b[page : page+n : page+n]
}

// TestFencedInput has every length of a slice, or many, flush against either fence, in each
// of 20 messages. A read outside ends the test program.
func TestFencedInput(t *testing.T) {
	const longest = 4096
	data := fenced(t, longest)
	copy(data, random(len(data)))
	eachKernel(t, func(t *testing.T) {
		step := 1
		if testing.Short() {
			step = 13
		}
		if plainGo() {
			step = 61 // the compiler checks its bounds
		}
		for n := 1; n <= longest; n += step {
			var msgs [20][]byte
			for i := range msgs {
				if msgs[i] = data[:n]; i%2 == 0 {
					msgs[i] = data[len(data)-n:]
				}
			}
			var dst [20]Digest
			Sum(dst[:], "LEAF", msgs[:])
			head, tail := want([]byte("LEAF"), data[:n]), want([]byte("LEAF"), data[len(data)-n:])
			for i := range dst {
				if w := [2]Digest{tail, head}[i%2]; dst[i] != w {
					t.Fatalf("%d bytes, message %d: wrong", n, i)
				}
			}
		}
	})
}

// TestFencedPairs has nodes and digests flush against either fence.
func TestFencedPairs(t *testing.T) {
	const most = 40
	in, out := fenced(t, 2*most*32), fenced(t, most*32)
	copy(in, random(len(in)))
	eachKernel(t, func(t *testing.T) {
		for _, s := range schemes {
			for n := 1; n <= most; n++ {
				for _, place := range []struct{ nodes, dst []byte }{
					{in[:2*n*32], out[:n*32]},
					{in[len(in)-2*n*32:], out[len(out)-n*32:]},
				} {
					nodes, dst := digests(place.nodes), digests(place.dst)
					SumPairs(dst, s.f, nodes)
					for i := range dst {
						if dst[i] != want([]byte(s.f.Left), nodes[2*i][:s.f.Width], []byte(s.f.Right), nodes[2*i+1][:s.f.Width]) {
							t.Fatalf("%s, %d pairs, pair %d: wrong", s.name, n, i)
						}
					}
				}
			}
		}
	})
}

// TestFencedOutput has the digests of messages flush against either fence.
func TestFencedOutput(t *testing.T) {
	const most = 40
	out := fenced(t, most*32)
	data := random(300)
	eachKernel(t, func(t *testing.T) {
		for n := 1; n <= most; n++ {
			msgs := make([][]byte, n)
			for i := range msgs {
				msgs[i] = data[i:][:200+i]
			}
			for _, place := range [][]byte{out[:n*32], out[len(out)-n*32:]} {
				dst := digests(place)
				Sum(dst, "LEAF", msgs)
				for i := range dst {
					if dst[i] != want([]byte("LEAF"), msgs[i]) {
						t.Fatalf("batch of %d, message %d: wrong", n, i)
					}
				}
			}
		}
	})
}

// TestSumHuge has a message whose length in bits does not fit in 32, of pages that are all
// the one page of zeros.
func TestSumHuge(t *testing.T) {
	const size = 1<<29 + 1
	if plainGo() || len(kernels) == len(common) {
		t.Skip("too much for plain Go; TestFinish has such lengths")
	}
	zeros, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skipf("no address space for %d bytes: %v", size, err)
	}
	defer syscall.Munmap(zeros)
	checkSum(t, "LEAF", [][]byte{zeros[:70], zeros})
}
