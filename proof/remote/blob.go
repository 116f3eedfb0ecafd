package remote

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// Blob is a blob behind a gateway. It serves many goroutines.
type Blob struct {
	g  *Gateway
	id commit.ID
	h  commit.Header
}

var _ proof.Source = (*Blob)(nil)

// Header returns the header that the ID vouches for.
func (b *Blob) Header() commit.Header { return b.h }

// Slices yields the slices at, in order; each lasts until the next is yielded or the loop ends.
//
// It asks for a run of groups at a time, and for some runs ahead. A bundle is read and checked whole before its
// first slice is yielded, and is refused before a slice of it is read where it is of others. An error is about one
// slice, and the loop may go on unless ctx is done. Where the gateway fails to make a bundle of several slices (status 500),
// they are asked for in halves, so that one that is lost costs no other. The error is a [StatusError], or wraps a
// [commit.Rule] where the gateway gave something wrong, or is of the connection.
func (b *Blob) Slices(ctx context.Context, at iter.Seq[commit.Pos]) iter.Seq2[proof.Slice, error] {
	return func(yield func(proof.Slice, error) bool) {
		q := newQueue(ctx, b)
		defer q.stop()
		for set := range b.sets(at) {
			if len(q.requests) == maxAhead && !q.deliver(yield) {
				return
			}
			q.start(set)
		}
		q.finish(yield)
	}
}

// WriteBundles writes the bundles of the slices at, byte for byte what [proof.Write] would write. Each is checked before it
// is written, and one is held at a time. at is strictly ascending.
//
// A gateway is asked for a bundle in one request, which names each slice where they are not those of a range: not every
// gateway takes a request that names a whole run.
func (b *Blob) WriteBundles(ctx context.Context, w io.Writer, at iter.Seq[commit.Pos]) error {
	var bundle bytes.Buffer
	for set, err := range b.runs(at) {
		if err != nil {
			return fmt.Errorf("remote: %w", err)
		}
		bundle.Reset()
		if err := b.readBundle(ctx, &bundle, set); err != nil {
			return fmt.Errorf("remote: slices from %v on: %w", set[0], err)
		}
		if _, err := w.Write(bundle.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// readBundle reads the bundle of a set into dst, which is of use where there is no error.
func (b *Blob) readBundle(ctx context.Context, dst *bytes.Buffer, set []commit.Pos) error {
	answer, err := b.ask(ctx, set)
	if err != nil {
		return err
	}
	defer answer.Close()
	for _, err := range proof.Open(b.id, io.TeeReader(answer, dst), slices.Values(set)) {
		if err != nil {
			return err
		}
	}
	return nil
}

// ask asks for the bundle of a set.
func (b *Blob) ask(ctx context.Context, set []commit.Pos) (*answer, error) {
	return b.g.get(ctx, b.query(set), "blobs", b.id.String(), "bundles")
}
