package commit

import (
	"fmt"
	"iter"
	"math/bits"
)

// groupLen is the plaintext of a full group in bytes.
func (p Params) groupLen() int64 { return int64(p.K) * int64(p.SliceSize) }

// Groups returns the number of groups, G in FORMAT.md.
func (h Header) Groups() int {
	if h.Length == 0 {
		return 0
	}
	return int((h.Length-1)/h.groupLen()) + 1
}

// Height returns the height of the tree: 5 + ceil(log2 G), and 5 where G is 0.
func (h Header) Height() int {
	return GroupHeight + bits.Len(uint(max(h.Groups(), 1)-1))
}

// Windows returns the number of windows of group roots.
func (h Header) Windows() int { return (h.Groups() + WindowGroups - 1) / WindowGroups }

// ManifestLen returns the size of the manifest in bytes.
func (h Header) ManifestLen() int64 {
	if h.Groups() <= WindowGroups {
		return HeaderLen
	}
	return HeaderLen + int64(h.Windows())*int64(len(Hash{}))
}

// SizeOf returns the size of the slices of a group in bytes. It panics where the
// blob has no such group.
func (h Header) SizeOf(group int) int {
	if uint(group) < MaxGroups && int64(group+1)*h.groupLen() < h.Length {
		return h.SliceSize // before the last, which readers ask for each slice: without a division
	}
	g := h.Groups()
	if uint(group) >= uint(g) {
		panic(fmt.Sprintf("commit: group %d of %d", group, g))
	}
	rest := h.Length - int64(g-1)*h.groupLen()
	per := (rest + int64(h.K) - 1) / int64(h.K)
	return int(per+sliceAlign-1) &^ (sliceAlign - 1)
}

// PlainLen returns the bytes of plaintext that groups [first, first+groups) hold.
func (h Header) PlainLen(first, groups int) int64 {
	return min(int64(first+groups)*h.groupLen(), h.Length) - min(int64(first)*h.groupLen(), h.Length)
}

// LaneOffset returns where in its lane the slice of a group begins, in bytes;
// LaneOffset(Groups()) is where the lane's slices end and its copy of the header
// begins.
func (h Header) LaneOffset(group int) int64 {
	if g := h.Groups(); group == g && g > 0 {
		return int64(g-1)*int64(h.SliceSize) + int64(h.SizeOf(g-1))
	}
	return int64(group) * int64(h.SliceSize)
}

// Position returns where slice p stands in the order of sets: N Group + Lane.
func (h Header) Position(p Pos) int64 { return int64(h.N)*int64(p.Group) + int64(p.Lane) }

// PosAt returns the slice at a position.
func (h Header) PosAt(position int64) Pos {
	return Pos{Group: int(position / int64(h.N)), Lane: int(position % int64(h.N))}
}

// Has reports whether the blob has a slice p.
func (h Header) Has(p Pos) bool {
	return uint(p.Group) < uint(h.Groups()) && uint(p.Lane) < uint(h.N)
}

// Span returns the plaintext that slice p holds: n bytes at offset off. n is 0
// for parity and for a slice that holds only padding.
func (h Header) Span(p Pos) (off int64, n int) {
	size := h.SizeOf(p.Group)
	if p.Lane >= h.K {
		return 0, 0
	}
	off = int64(p.Group)*h.groupLen() + int64(p.Lane)*int64(size)
	if off >= h.Length {
		return h.Length, 0
	}
	return off, int(min(int64(size), h.Length-off))
}

// Cover yields the data slices that hold the plaintext [off, off+n), in order.
// What lies outside the blob is left out.
func (h Header) Cover(off, n int64) iter.Seq[Pos] {
	return func(yield func(Pos) bool) {
		if off < 0 {
			off, n = 0, n+off
		}
		end := h.Length
		if n <= 0 || off >= end {
			return
		}
		if n < end-off {
			end = off + n
		}
		group := int(off / h.groupLen())
		p := Pos{group, int((off - int64(group)*h.groupLen()) / int64(h.SizeOf(group)))}
		for at := off; at < end; {
			if !yield(p) {
				return
			}
			start, n := h.Span(p)
			at = start + int64(n)
			if p.Lane++; p.Lane == h.K {
				p = Pos{Group: p.Group + 1}
			}
		}
	}
}
