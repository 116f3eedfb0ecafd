package evidence_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof"
)

// tree is a proof.Tree over a blob of the second model, well coded or not.
type tree struct {
	b        *reference.Blob
	lost     commit.Lanes // of all groups
	noHashes error
}

var errLost = errors.New("lost")

func (tr tree) Header() commit.Header {
	h := tr.b.Header
	return commit.Header{Params: commit.Params(h.Params), Length: h.Length, Root: h.Root}
}

func (tr tree) id() commit.ID { return tr.b.ID() }

// Slices opens the bundle of each slice.
func (tr tree) Slices(ctx context.Context, at iter.Seq[commit.Pos]) iter.Seq2[proof.Slice, error] {
	return func(yield func(proof.Slice, error) bool) {
		for p := range at {
			if ctx.Err() != nil {
				yield(proof.Slice{}, ctx.Err())
				return
			}
			if tr.lost.Has(p.Lane) {
				if !yield(proof.Slice{}, errLost) {
					return
				}
				continue
			}
			bundle := tr.b.Bundle([]int64{tr.Header().Position(p)})
			for s, err := range proof.Open(tr.id(), bytes.NewReader(bundle), nil) {
				if !yield(s, err) {
					return
				}
			}
		}
	}
}

func (tr tree) Hashes(_ context.Context, dst []commit.Hash, at []commit.Node) error {
	if tr.noHashes != nil {
		return tr.noHashes
	}
	for i, n := range at {
		dst[i] = tr.b.Node(n.Height, n.Index)
	}
	return nil
}

// params are those of the blobs here: three groups, of which the last is short and has
// padding in its last two data slices.
var params = reference.Params{K: 3, N: 6, SliceSize: 128}

const length = 2*3*128 + 70

func honest() tree { return tree{b: reference.Make(params, reference.Stream(1, length))} }

// bad is a blob whose writer changed slices.
func bad(change func(all [][]byte)) tree {
	b := honest().b
	all := make([][]byte, len(b.Slices))
	for i, s := range b.Slices {
		all[i] = bytes.Clone(s)
	}
	change(all)
	return tree{b: reference.Commit(params, length, all)}
}

// lanesOf are the lanes of a mask.
func lanesOf(mask commit.Lanes) []int {
	var lanes []int
	for i := range commit.MaxSlices {
		if mask.Has(i) {
			lanes = append(lanes, i)
		}
	}
	return lanes
}

// masks are all masks of k of n lanes.
func masks(k, n int) []commit.Lanes {
	var all []commit.Lanes
	for m := commit.Lanes(0); m < 1<<n; m++ {
		if m.Len() == k {
			all = append(all, m)
		}
	}
	return all
}

// wantRule reports an error that does not name the rule.
func wantRule(t testing.TB, what string, err error, want commit.Rule) {
	t.Helper()
	var got commit.Rule
	if !errors.As(err, &got) || got != want {
		t.Errorf("%s: %v, want an error that %v", what, err, want)
	}
}

// xor flips bits of one byte of a slice.
func xor(position, i int, x byte) func([][]byte) {
	return func(all [][]byte) { all[position][i] ^= x }
}

func both(fs ...func([][]byte)) func([][]byte) {
	return func(all [][]byte) {
		for _, f := range fs {
			f(all)
		}
	}
}
