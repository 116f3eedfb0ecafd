package proof

import (
	"context"
	"fmt"
	"iter"

	"github.com/tapecommit/tapecommit/commit"
)

// Slice is a slice that was checked against the ID of its blob. Only this package
// makes one; the zero Slice is none.
type Slice struct {
	h  *commit.Header
	at commit.Pos
	b  []byte
}

// Valid reports whether s is a slice, and not the zero Slice.
func (s Slice) Valid() bool { return s.h != nil }

// Header returns the header of the blob that s is of. It panics for the zero Slice.
func (s Slice) Header() commit.Header { return *s.h }

// Pos returns which slice s is.
func (s Slice) Pos() commit.Pos { return s.at }

// Bytes returns the slice. It is read-only, and lasts as long as whatever gave s
// says.
func (s Slice) Bytes() []byte { return s.b }

// plain returns the plaintext in s from off on. It fails where s is not the slice of
// that blob that holds off: a Source that mixes slices up gives an error, and no wrong
// byte.
func (s Slice) plain(h *commit.Header, off int64) ([]byte, error) {
	if s.h != nil && *s.h == *h {
		start, n := h.Span(s.at)
		if at := off - start; at >= 0 && at < int64(n) {
			return s.b[at:n], nil
		}
	}
	return nil, fmt.Errorf("proof: the Source gives slice %v of another place or blob for byte %d", s.at, off)
}

// Source is an open blob, here or behind a gateway. It serves many goroutines.
type Source interface {
	// Header returns the header of the blob, which is valid.
	Header() commit.Header

	// Slices yields the slices at, in order; each lasts until the next is
	// yielded or the loop ends. An error is about one slice, and the loop may go on, unless ctx is
	// done. Nothing that Slices started outlives the loop.
	Slices(ctx context.Context, at iter.Seq[commit.Pos]) iter.Seq2[Slice, error]
}

// Tree is a Source that can be proven from.
type Tree interface {
	Source

	// Hashes sets dst[i] to node at[i] of the blob's tree, padding too, checked
	// against the ID. dst is as long as at.
	Hashes(ctx context.Context, dst []commit.Hash, at []commit.Node) error
}
