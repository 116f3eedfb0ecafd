package blob

import (
	"context"
	"iter"
	"slices"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
	"github.com/tapecommit/tapecommit/proof/evidence"
)

// accuse is the error of row x, whose right slices do not give the others. Its evidence is of the slices that are at
// hand: a store that was asked once need not give them twice.
func (r *run) accuse(x int) error {
	row := &r.rows[x]
	if row.accused == nil {
		row.accused = &EncodingError{Group: row.group, Wrong: row.wrong}
		// An error is one of the store, as the group is known to be bad.
		row.accused.Evidence, _ = evidence.Append(r.loop.ctx, nil, rowTree{r, x}, row.group)
	}
	return row.accused
}

// rowTree is what a run has of one of its groups, as package evidence takes it.
type rowTree struct {
	r *run
	x int
}

func (t rowTree) Header() commit.Header { return t.r.b.h }

// Slices yields the right slices of the row.
func (t rowTree) Slices(_ context.Context, at iter.Seq[commit.Pos]) iter.Seq2[proof.Slice, error] {
	return func(yield func(proof.Slice, error) bool) {
		for p := range at {
			if t.r.rows[t.x].right.Has(p.Lane) && !yield(t.r.proven[t.x*t.r.n()+p.Lane], nil) {
				return
			}
		}
	}
}

// Hashes takes the leaf hashes from the run. Nodes above may lie in another window.
func (t rowTree) Hashes(ctx context.Context, dst []commit.Hash, at []commit.Node) error {
	leaves := slices.IndexFunc(at, func(n commit.Node) bool { return n.Height > 0 })
	if leaves < 0 {
		leaves = len(at)
	}
	for i, n := range at[:leaves] {
		dst[i], _ = t.r.leaves.Node(n)
	}
	return t.r.b.Hashes(ctx, dst[leaves:], at[leaves:])
}
