package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"math/rand/v2"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
	"github.com/tapecommit/tapecommit/slicer"
)

// benchWork is something to measure.
type benchWork struct {
	name  string
	bytes int64
	run   func() error
	rival func() // its hashing, one message after another
}

const (
	benchGroups = 8                    // of hashing and coding
	blobGroups  = 4 * commit.RunGroups // of writing and reading
	groupJoins  = 10 + 5 + 3 + 2 + 1   // of a group of 20
)

// benchWorks prepares what bench measures.
func benchWorks(ctx context.Context) ([]benchWork, error) {
	params := commit.Params{K: 10, N: 20, SliceSize: commit.MaxSliceSize}
	groupLen := params.K * params.SliceSize
	plain := make([]byte, blobGroups*groupLen)
	rand.NewChaCha8([32]byte{}).Read(plain)

	batch, err := slicer.New(params, benchGroups)
	if err != nil {
		return nil, err
	}
	if _, err := batch.Fill(bytes.NewReader(plain[:benchGroups*groupLen])); err != nil {
		return nil, err
	}
	batch.Encode(0, benchGroups)
	leaves := make([]commit.Hash, benchGroups*params.N)
	roots := make([]commit.Hash, benchGroups)
	hash := func(groups int) func() error {
		n := groups * params.N
		return func() error {
			commit.HashLeaves(leaves[:n], batch.Slices()[:n])
			commit.GroupRoots(roots[:groups], leaves[:n], params.N)
			return nil
		}
	}
	if err := hash(benchGroups)(); err != nil {
		return nil, err
	}

	options := blob.Options{Params: params, Workers: 1}
	write := func(s blob.Store) (commit.Header, error) {
		w, err := blob.NewWriter(ctx, s, options)
		if err != nil {
			return commit.Header{}, err
		}
		defer w.Close()
		if _, err := w.ReadFrom(bytes.NewReader(plain)); err != nil {
			return commit.Header{}, err
		}
		return w.Commit()
	}
	store := blob.NewMem()
	h, err := write(store)
	if err != nil {
		return nil, err
	}

	groupBytes := int64(params.N * params.SliceSize)
	return []benchWork{
		{"hash 1 group", groupBytes, hash(1), rival(params.N, groupJoins)},
		{"hash 8 groups", benchGroups * groupBytes, hash(benchGroups), rival(benchGroups*params.N, benchGroups*groupJoins)},
		{"joins of 8 groups", benchGroups * groupJoins * 2 * int64(len(commit.Hash{})), func() error {
			commit.GroupRoots(roots, leaves, params.N)
			return nil
		}, rival(0, benchGroups*groupJoins)},
		{"encode 8 groups", int64(benchGroups * groupLen), func() error {
			batch.Encode(0, benchGroups)
			return nil
		}, rival(benchGroups*params.N, benchGroups*groupJoins)},
		{"write 10 MiB", int64(len(plain)), func() error {
			_, err := write(blob.Discard)
			return err
		}, rival(blobGroups*params.N, blobGroups*groupJoins)},
		{"read 10 MiB", int64(len(plain)), func() error {
			b, err := blob.Open(ctx, store, h.ID(), options)
			if err != nil {
				return err
			}
			defer b.Close()
			_, err = proof.NewReader(ctx, b).WriteTo(io.Discard)
			return err
		}, rival(blobGroups*params.K, blobGroups*groupJoins)},
	}, nil
}

// rival hashes that many leaves of full slices, and joins, with crypto/sha256.
func rival(leaves, joins int) func() {
	// As many different slices as there are up to 8 groups, then again: the rival
	// must not find all of them in the nearest cache.
	msgs := make([][]byte, min(max(leaves, 1), benchGroups*commit.MaxSlices))
	for i := range msgs {
		msgs[i] = make([]byte, len("LEAF")+commit.MaxSliceSize)
	}
	join := make([]byte, len("LEFT")+len("RIGHT")+2*sha256.Size)
	return func() {
		for i := range leaves {
			sha256.Sum256(msgs[i%len(msgs)])
		}
		for range joins {
			sha256.Sum256(join)
		}
	}
}
