package proof

import (
	"encoding/binary"
	"fmt"

	"github.com/tapecommit/tapecommit/commit"
)

// maxSet is the most positions that a set has.
const maxSet = 1 << 16

// checkSet reports why at is no set of slices of a blob: 1 to maxSet of them,
// strictly ascending, all in the blob. A blob without a valid header has none.
func checkSet(h commit.Header, at []commit.Pos) error {
	if err := h.Validate(); err != nil {
		return err
	}
	if len(at) < 1 || len(at) > maxSet {
		return fmt.Errorf("proof: %d positions, want 1 to %d: %w", len(at), maxSet, commit.SetCount)
	}
	last := int64(-1)
	for _, p := range at {
		if !h.Has(p) {
			return fmt.Errorf("proof: slice %v of a blob of %d groups of %d: %w", p, h.Groups(), h.N, commit.SetRange)
		}
		if h.Position(p) <= last {
			return fmt.Errorf("proof: slice %v after slice %v: %w", p, h.PosAt(last), commit.SetOrder)
		}
		last = h.Position(p)
	}
	return nil
}

// parseSet parses 8 bytes for each position and calls f with each.
func parseSet(h *commit.Header, b []byte, f func(i int, p commit.Pos)) error {
	end := uint64(h.N) * uint64(h.Groups())
	var last uint64
	for i := 0; len(b) > 0; i, b = i+1, b[8:] {
		x := binary.LittleEndian.Uint64(b)
		if x >= end {
			return fmt.Errorf("proof: position %d of %d: %w", x, end, commit.SetRange)
		}
		if i > 0 && x <= last {
			return fmt.Errorf("proof: position %d after %d: %w", x, last, commit.SetOrder)
		}
		last = x
		f(i, h.PosAt(int64(x)))
	}
	return nil
}

// hashLen is the size of a node on the wire.
const hashLen = len(commit.Hash{})

// copyHashes fills dst from the wire.
func copyHashes(dst []commit.Hash, b []byte) {
	for i := range dst {
		dst[i] = commit.Hash(b[i*hashLen:])
	}
}
