package evidence_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof/evidence"
	"github.com/tapecommit/tapecommit/slicer"
)

// A writer commits to parity that does not follow from the data. Whoever stores the blob
// can show that to everybody who has its ID.
func Example() {
	ctx := context.Background()
	store := blob.NewMem()
	id := writeBadly(ctx, store, "all work and no play makes jack a dull boy")

	b, err := blob.Open(ctx, store, id, blob.Options{})
	if err != nil {
		panic(err)
	}
	defer b.Close()
	shown, err := evidence.Append(ctx, nil, b, 0) // an error of a read has it already: see blob.EncodingError
	if err != nil {
		panic(err)
	}

	// Elsewhere, with nothing but the ID:
	finding, err := evidence.Check(id, shown)
	if err != nil {
		panic(err)
	}
	fmt.Println(finding)
	// Output:
	// group 0 is badly encoded: lane 3 does not follow from the others
}

// writeBadly stores a blob of one group of 2 of 4 slices, the last of which is wrong.
func writeBadly(ctx context.Context, store blob.Store, text string) commit.ID {
	p := commit.Params{K: 2, N: 4, SliceSize: 64}
	batch, err := slicer.New(p, 1)
	if err != nil {
		panic(err)
	}
	if _, err := batch.Fill(strings.NewReader(text)); err != io.EOF { // text is shorter than the group
		panic(err)
	}
	batch.Encode(0, 1)
	batch.Lane(3)[0] ^= 1

	leaves, roots := make([]commit.Hash, p.N), make([]commit.Hash, 1)
	commit.HashLeaves(leaves, batch.Slices())
	commit.GroupRoots(roots, leaves, p.N)
	var builder commit.Builder
	builder.Add(roots)
	m, err := builder.Manifest(p, int64(len(text)))
	if err != nil {
		panic(err)
	}
	manifest, err := m.AppendBinary(nil)
	if err != nil {
		panic(err)
	}

	u, err := store.Create(ctx)
	if err != nil {
		panic(err)
	}
	defer u.Close()
	objects := map[string][]byte{"manifest": manifest, "roots": roots[0][:]}
	for i, x := range leaves {
		objects["leaves"] = append(objects["leaves"], x[:]...)
		objects[fmt.Sprintf("lane-%02d", i)] = batch.Lane(i)
	}
	for name, b := range objects {
		if err := u.Append(ctx, name, b); err != nil {
			panic(err)
		}
	}
	if err := u.Commit(ctx, m.ID()); err != nil {
		panic(err)
	}
	return m.ID()
}
