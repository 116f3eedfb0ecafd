// Package slicer turns bytes into coded slices and back; it alone knows the
// erasure coder.
//
// A [Batch] is a run of groups of a blob. Whoever writes fills it with
// plaintext, encodes it, and takes the slices, to hash them, and the lanes, to
// store them. Whoever reads gives it a shape, puts the slices that are there into
// the lanes, and rebuilds others from them.
//
// The code is Reed-Solomon over GF(2^8) with the polynomial 0x11d, from a
// Vandermonde matrix made systematic: any K slices of a group give all N. Nothing
// is verified here: wrong slices rebuild wrong slices.
package slicer

import (
	"fmt"
	"math"

	"github.com/klauspost/reedsolomon"

	"github.com/tapecommit/tapecommit/commit"
)

// Slices that lie a multiple of 4096 bytes apart share one set of the L1 cache,
// and coding and hashing walk the slices of a group in step: over 20 such lanes
// the walk took twice as long. Three cache lines more put 20 lanes in 20 sets.
const (
	lanePage = 4096
	lanePad  = 3 * 64
)

// A Batch is a run of groups in memory of its own, of which the last may be the
// short last group of a blob. Each lane is in one piece. A Batch serves one
// goroutine at a time.
type Batch struct {
	groups int      // that fit
	lanes  [][]byte // lane i of as many groups
	slices [][]byte // slice i of group g is entry N g + i
	stage  []byte   // what Fill reads into

	shape    commit.Header // has the geometry of the plaintext held as a blob of its own
	finished bool          // the last group has its shape

	code    reedsolomon.Encoder
	shards  [][]byte // the groups of one call, by lane
	decoder decoder
}

// New makes a Batch for up to that many groups, N * SliceSize bytes each.
func New(p commit.Params, groups int) (*Batch, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if groups < 1 || groups > (math.MaxInt/p.N-lanePage-lanePad)/p.SliceSize {
		return nil, fmt.Errorf("slicer: batch of %d groups", groups)
	}
	code, err := newCode(p.K, p.N-p.K)
	if err != nil {
		return nil, err
	}
	b := &Batch{
		groups: groups,
		lanes:  make([][]byte, p.N),
		slices: make([][]byte, groups*p.N),
		shape:  commit.Header{Params: p},
		code:   code,
		shards: make([][]byte, p.N),
	}
	size := groups * p.SliceSize
	stride := (size+lanePage-1)/lanePage*lanePage + lanePad
	arena := reedsolomon.AllocAligned(1, p.N*stride)[0]
	for i := range b.lanes {
		b.lanes[i] = arena[i*stride : i*stride+size : i*stride+size]
	}
	for g := range groups {
		b.setSize(g, p.SliceSize)
	}
	return b, nil
}

// setSize makes the slices of group g size bytes long.
func (b *Batch) setSize(g, size int) {
	off := g * b.shape.SliceSize
	for i, lane := range b.lanes {
		b.slices[g*b.shape.N+i] = lane[off : off+size : off+size]
	}
}

// Cap returns how many bytes of plaintext fit.
func (b *Batch) Cap() int { return b.groups * b.groupLen() }

func (b *Batch) groupLen() int { return b.shape.K * b.shape.SliceSize }

// Len returns how many bytes of plaintext b holds.
func (b *Batch) Len() int { return int(b.shape.Length) }

// Groups returns how many groups hold them.
func (b *Batch) Groups() int { return b.shape.Groups() }

// Reset gives b the shape of length bytes of plaintext, at most Cap. What its
// slices hold is undefined: they are for the caller to read into, or to Rebuild.
// Reset(0) empties b, and Append may fill it.
func (b *Batch) Reset(length int) {
	if length < 0 || length > b.Cap() {
		panic(fmt.Sprintf("slicer: shape of %d bytes for a batch of %d", length, b.Cap()))
	}
	if g := b.Groups(); g > 0 {
		b.setSize(g-1, b.shape.SliceSize)
	}
	b.shape.Length = int64(length)
	b.finished = false
	if g := b.Groups(); g > 0 {
		b.setSize(g-1, b.shape.SizeOf(g-1))
		b.finished = true
	}
}

// Append copies what fits of p behind the plaintext that was appended since
// Reset(0) or New, and returns the number of bytes. Finish ends it.
func (b *Batch) Append(p []byte) int {
	if b.finished {
		panic("slicer: Append to a finished batch")
	}
	p = p[:min(len(p), b.Cap()-b.Len())]
	for rest := p; len(rest) > 0; {
		n := copy(b.next(), rest)
		rest = rest[n:]
		b.shape.Length += int64(n)
	}
	return len(p)
}

// next is the rest of the slice that the next byte of plaintext goes to.
func (b *Batch) next() []byte {
	slice, off := b.Len()/b.shape.SliceSize, b.Len()%b.shape.SliceSize
	group, lane := slice/b.shape.K, slice%b.shape.K
	return b.slices[group*b.shape.N+lane][off:]
}

// Finish ends what was appended: it gives the last group its shape, in which the
// slices may be shorter, and fills its data slices up with zeros.
func (b *Batch) Finish() {
	if g := b.Groups(); g > 0 && !b.finished {
		b.moveLast()
		b.setSize(g-1, b.shape.SizeOf(g-1))
		b.finished = true
	}
}

// moveLast moves the data of the last group from slices of full size to where it
// lies in slices of the group's own size.
//
// Slice i of a group of smaller slices begins, and ends, at or before the byte
// where slice i of full size does. So its bytes come from slices [0, i], and
// from the last slice down, in each from the end, none is overwritten too early.
func (b *Batch) moveLast() {
	g := b.Groups() - 1
	full, size := b.shape.SliceSize, b.shape.SizeOf(g)
	length := int(b.shape.PlainLen(g, 1))
	data := b.slices[g*b.shape.N:][:b.shape.K]
	for i := b.shape.K - 1; i >= 0; i-- {
		lo, hi := min(i*size, length), min((i+1)*size, length)
		clear(data[i][hi-lo : size])
		for lo < hi {
			from := (hi - 1) / full
			begin := max(lo, from*full)
			copy(data[i][begin-lo:hi-lo], data[from][begin-from*full:])
			hi = begin
		}
	}
}

// Lane returns lane i as it is stored: the slices of all groups in a row. It
// lasts until the next Reset or Fill; whoever writes to it writes to the slices.
func (b *Batch) Lane(i int) []byte {
	end := b.shape.LaneOffset(b.shaped())
	return b.lanes[i][:end:end]
}

// Slices returns all slices, slice i of group g as entry N g + i, as
// [commit.HashLeaves] takes them. They are pieces of the lanes and last as long.
func (b *Batch) Slices() [][]byte {
	n := b.shaped() * b.shape.N
	return b.slices[:n:n]
}

// shaped is Groups of a batch whose last group has its shape.
func (b *Batch) shaped() int {
	if !b.finished && b.Len()%b.groupLen() != 0 {
		panic("slicer: batch is not finished")
	}
	return b.Groups()
}
