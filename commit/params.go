package commit

import (
	"fmt"
	"math/bits"
	"strings"
)

const (
	// MaxSlices is the most slices that a group has.
	MaxSlices = 20
	// MaxSliceSize is the most bytes that a slice has.
	MaxSliceSize = 4096
	// MaxGroups is the most groups that a blob has.
	MaxGroups = 1 << 27
	// RunGroups is how many groups a run has, the unit of bundles and of work;
	// runs begin at multiples of it.
	RunGroups = 64
	// WindowGroups is how many group roots a window has; windows begin at
	// multiples of it.
	WindowGroups = 1024

	sliceAlign = 64
)

// Params say how a blob is cut: groups of N slices of SliceSize bytes, any K of
// which suffice.
type Params struct{ K, N, SliceSize int }

// Validate reports the first rule that p breaks.
func (p Params) Validate() error {
	if p.K < 1 || p.K >= p.N || p.N > MaxSlices {
		return fmt.Errorf("commit: code of %d in %d slices, want 1 <= k < n <= %d: %w", p.K, p.N, MaxSlices, HeaderCode)
	}
	if p.SliceSize < sliceAlign || p.SliceSize > MaxSliceSize || p.SliceSize%sliceAlign != 0 {
		return fmt.Errorf("commit: slice size %d, want a multiple of %d up to %d: %w", p.SliceSize, sliceAlign, MaxSliceSize, HeaderSliceSize)
	}
	return nil
}

// Lanes is a set of lanes: bit i is lane i.
type Lanes uint32

// Has reports whether lane i is in l.
func (l Lanes) Has(i int) bool { return l>>uint(i)&1 != 0 }

// Len returns the number of lanes in l.
func (l Lanes) Len() int { return bits.OnesCount32(uint32(l)) }

// First returns the n lowest lanes of l: l where it has no more, and none where n is
// not positive.
func (l Lanes) First(n int) Lanes {
	rest := l
	for ; n > 0 && rest != 0; n-- {
		rest &= rest - 1
	}
	return l &^ rest
}

// String returns the lanes in ascending order, rows of them as first-last: 0-9,12.
func (l Lanes) String() string {
	var b strings.Builder
	sep := ""
	for l != 0 {
		first := bits.TrailingZeros32(uint32(l))
		row := bits.TrailingZeros32(^uint32(l >> first))
		fmt.Fprintf(&b, "%s%d", sep, first)
		if row > 1 {
			fmt.Fprintf(&b, "-%d", first+row-1)
		}
		sep = ","
		l &^= (1<<row - 1) << first
	}
	return b.String()
}

// Pos names a slice: slice Lane of group Group.
type Pos struct{ Group, Lane int }

// String returns p as group:lane.
func (p Pos) String() string { return fmt.Sprintf("%d:%d", p.Group, p.Lane) }

// Node names a node of a blob's tree: slice i of group g is {0, 32g + i}, the
// root of group g is {5, g}.
type Node struct {
	Height int
	Index  int64
}
