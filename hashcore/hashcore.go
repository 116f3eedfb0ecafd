// Package hashcore computes the SHA-256 digests of many independent messages at once.
//
// A batch is one call: [Sum] for messages that share a prefix, [SumPairs] for the inner
// nodes of a Merkle tree. Every digest equals crypto/sha256's; what a batch gains is that
// its messages run side by side, one in each lane of a kernel. Messages of different
// lengths share the lanes: a lane that finishes takes the next message.
//
// Prefix and body are hashed where they lie. Only a block that holds an end of either is
// put together in scratch memory. A batch allocates nothing, keeps nothing, and starts no
// goroutine; batches may run on many goroutines at once.
//
// # Kernels
//
// A kernel is one implementation, named after its instructions and its lanes:
//
//	stdlib       crypto/sha256, one message after the other
//	generic      plain Go, four lanes
//	shani-x      1, 2 or 4 streams on the SHA unit of amd64
//	avx2-x       8 lanes of vector registers
//	avx512-x     16 lanes, or 32 in two registers each
//	hybrid-x     16 such lanes, and 4 streams on the SHA unit beside them
//	split-x      the schedule of 8 blocks in vector registers, the rounds on the SHA unit: of 8
//	             messages, or two blocks of 4
//
// Which of them run is decided once, when the program starts, from what the CPU has.
// [Kernels] lists them, and [Pin], or the environment variable TAPECOMMIT_KERNEL, makes
// every batch use one; a program started with the name of a kernel that is unknown or
// cannot run here ends at once with exit code 2. With the build tag purego the package
// holds and imports no assembly.
package hashcore

import "fmt"

// Digest is a SHA-256 digest; any [32]byte assigns to it.
type Digest [32]byte

// Sum sets dst[i] to SHA-256(prefix || msgs[i]), for any mix of lengths. It panics unless
// len(dst) is len(msgs). dst must not overlap the messages.
func Sum(dst []Digest, prefix string, msgs [][]byte) {
	if len(dst) != len(msgs) {
		panic(fmt.Sprintf("hashcore: Sum: room for %d digests, but %d messages", len(dst), len(msgs)))
	}
	p := current.Load()
	if p.lanes == 0 || len(msgs) <= p.few {
		sumStd(dst, prefix, msgs)
		return
	}
	pre := newPrefix(prefix)
	sumLanes(p, dst, &pre, msgs)
}

// Labels frame a pair of digests: Left || l[:Width] || Right || r[:Width], at most two
// blocks. Width is in bytes, 0 to 32.
type Labels struct {
	Left, Right string
	Width       int
}

// size is the length of a framed pair.
func (f *Labels) size() int { return len(f.Left) + len(f.Right) + 2*f.Width }

// SumPairs sets dst[i] to the digest of nodes[2i] and nodes[2i+1], framed. dst may be
// nodes[:len(dst)] and overlaps nodes in no other way. SumPairs panics unless len(nodes)
// is twice len(dst), Width is 0 to 32, and a framed pair has at most 119 bytes.
func SumPairs(dst []Digest, f Labels, nodes []Digest) {
	switch {
	case len(nodes)%2 != 0 || len(nodes)/2 != len(dst):
		panic(fmt.Sprintf("hashcore: SumPairs: room for %d digests, but %d nodes", len(dst), len(nodes)))
	case f.Width < 0 || f.Width > len(Digest{}):
		panic(fmt.Sprintf("hashcore: SumPairs: width %d, want 0 to %d", f.Width, len(Digest{})))
	case f.size() > maxPadded:
		panic(fmt.Sprintf("hashcore: SumPairs: a framed pair has %d bytes, more than %d", f.size(), maxPadded))
	}
	p := current.Load()
	if p.lanes == 0 || len(dst) <= p.few {
		sumPairsStd(dst, &f, nodes)
	} else {
		sumPairsLanes(p, dst, &f, nodes)
	}
}
