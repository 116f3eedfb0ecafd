package blob

import (
	"context"
	"fmt"
	"iter"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// Stored returns b without the rebuilding, for audits: an archive answers with what it stores. A slice that is missing
// or wrong is an error, and so are leaf hashes; hashes above them may be made again.
func (b *Blob) Stored() proof.Tree { return storedTree{b} }

type storedTree struct{ b *Blob }

func (t storedTree) Header() commit.Header { return t.b.h }

func (t storedTree) Slices(ctx context.Context, at iter.Seq[commit.Pos]) iter.Seq2[proof.Slice, error] {
	return func(yield func(proof.Slice, error) bool) {
		t.b.deliver(ctx, at, (*run).readStored, (*run).storedFailure, yield)
	}
}

func (t storedTree) Hashes(ctx context.Context, dst []commit.Hash, at []commit.Node) error {
	return t.b.hashes(ctx, dst, at, (*run).readStoredHashes, (*run).storedFailure)
}

// readStored proves the wanted slices that are stored.
func (r *run) readStored() error {
	for x := range r.rows {
		r.rows[x].ask = r.rows[x].want
	}
	if err := r.fetchFirst(); err != nil {
		return err
	}
	if r.window == nil {
		r.loseWindow()
		return nil
	}
	r.loadLeaves()
	r.loseLeaves()
	r.check(0, len(r.rows))
	return nil
}

// readStoredHashes gets the leaf hashes that are stored.
func (r *run) readStoredHashes() error {
	if err := r.readLeaves(); err != nil {
		return err
	}
	r.loseLeaves()
	return nil
}

// storedFailure is why the slice at an index was not proven: it is not there, or nothing stored tells what it should be.
func (r *run) storedFailure(index int) error {
	p := r.posOf(index)
	for _, f := range r.faults {
		if f.At == p || f.At.Group == p.Group && f.At.Lane < 0 {
			return fmt.Errorf("blob: %s: %w", f.where(), f.Err)
		}
	}
	panic(fmt.Sprintf("blob: no fault of slice %v", p))
}
