package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/klauspost/reedsolomon"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/slicer"
)

// A batch is a shape in memory, and the digests that crypto/sha256 gives.
//
// Bodies lie as a slicer lays them out, or three cache lines apart: never a multiple of 4096 bytes, which would put all
// of them into one set of the L1 cache. All who take a prefix apart from the body read the same bodies. The others get
// prefix and body joined, and everybody but us gets the joins of all levels framed, before any time is taken.
type batch struct {
	shape
	bodies [][]byte
	joined [][]byte // prefix || body
	framed [][]byte // LEFT || l || RIGHT || r, group after group, each from its leaves up

	digests []commit.Hash // of joined; where there are none, the leaf hashes that framed begins with
	parents []commit.Hash // of framed
	roots   []commit.Hash // the last of each group's parents
}

func newBatch(s shape) (*batch, error) {
	b := &batch{shape: s}
	r := rand.NewChaCha8(sha256.Sum256([]byte(s.name)))
	switch {
	case len(s.sizes) == 0:
		b.digests = make([]commit.Hash, s.groups*defaults.N)
		for i := range b.digests {
			r.Read(b.digests[i][:])
		}
	case s.groups > 0:
		plain := make([]byte, s.groups*defaults.K*defaults.SliceSize)
		r.Read(plain)
		coded, err := slicer.New(defaults, s.groups)
		if err != nil {
			return nil, err
		}
		if _, err := coded.Fill(bytes.NewReader(plain)); err != nil {
			return nil, err
		}
		coded.Encode(0, s.groups)
		b.bodies = coded.Slices()
	default:
		b.bodies = spaced(s.sizes)
		for _, m := range b.bodies {
			r.Read(m)
		}
	}

	sizes := slices.Clone(s.sizes)
	for i := range sizes {
		sizes[i] += len(s.prefix)
	}
	b.joined = spaced(sizes)
	for i, m := range b.joined {
		copy(m[copy(m, s.prefix):], b.bodies[i])
		b.digests = append(b.digests, sha256.Sum256(m))
	}
	for g := range s.groups {
		b.frame(b.digests[g*defaults.N:][:defaults.N])
	}
	return b, nil
}

// spaced is memory for messages of these sizes.
func spaced(sizes []int) [][]byte {
	const line, gap = 64, 3 * 64
	total := line
	for _, n := range sizes {
		total += (n+line-1)/line*line + gap
	}
	arena := reedsolomon.AllocAligned(1, total)[0]
	msgs := make([][]byte, len(sizes))
	for i, n := range sizes {
		msgs[i], arena = arena[:n:n], arena[(n+line-1)/line*line+gap:]
	}
	return msgs
}

// frame appends the joins of one group: the tree of height 5, of which only parents with a slice below are computed.
func (b *batch) frame(level []commit.Hash) {
	for height := range commit.GroupHeight {
		if len(level)%2 != 0 {
			level = append(slices.Clip(level), commit.Empty(height))
		}
		var next []commit.Hash
		for i := 0; i < len(level); i += 2 {
			join := slices.Concat([]byte("LEFT"), level[i][:], []byte("RIGHT"), level[i+1][:])
			b.framed = append(b.framed, join)
			next = append(next, sha256.Sum256(join))
		}
		b.parents = append(b.parents, next...)
		level = next
	}
	b.roots = append(b.roots, level[0])
}

// check compares what a contestant computed. Roots stand for all joins of whoever makes the tree itself.
func (b *batch) check(digests, parents, roots []commit.Hash) error {
	for _, c := range []struct {
		what      string
		got, want []commit.Hash
	}{{"digest", digests, b.digests}, {"join", parents, b.parents}, {"root", roots, b.roots}} {
		if c.got == nil {
			continue
		}
		if len(c.got) != len(c.want) {
			return fmt.Errorf("%d times a %s, want %d", len(c.got), c.what, len(c.want))
		}
		for i := range c.got {
			if c.got[i] != c.want[i] {
				return fmt.Errorf("%s %d is %x, want %x", c.what, i, c.got[i], c.want[i])
			}
		}
	}
	return nil
}
