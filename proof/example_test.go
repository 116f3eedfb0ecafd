package proof_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// store writes text to a store in memory and opens it there. It is cut into groups of 2
// data slices and 2 of parity, of 64 bytes.
func store(ctx context.Context, text []byte) *blob.Blob {
	s := blob.NewMem()
	w, err := blob.NewWriter(ctx, s, blob.Options{Params: commit.Params{K: 2, N: 4, SliceSize: 64}})
	if err != nil {
		panic(err)
	}
	defer w.Close()
	if _, err := w.Write(text); err != nil {
		panic(err)
	}
	h, err := w.Commit()
	if err != nil {
		panic(err)
	}
	b, err := blob.Open(ctx, s, h.ID(), blob.Options{})
	if err != nil {
		panic(err)
	}
	return b
}

// Whoever has the blob proves two slices of it; whoever has the ID checks that.
func Example() {
	ctx := context.Background()
	b := store(ctx, bytes.Repeat([]byte("all work and no play. "), 100))
	defer b.Close()

	at := []commit.Pos{{Group: 3, Lane: 0}, {Group: 9, Lane: 2}}
	claim := proof.Claim{ID: b.Header().ID(), At: at}
	for s, err := range b.Slices(ctx, slices.Values(at)) {
		if err != nil {
			panic(err)
		}
		claim.Slices = append(claim.Slices, bytes.Clone(s.Bytes())) // which last until the next
	}
	var err error
	if claim.Proof, err = proof.Append(ctx, nil, b, at); err != nil {
		panic(err)
	}

	// Checking needs nothing but the claim, and any number of claims is one call.
	bent := claim
	bent.Slices = [][]byte{claim.Slices[0], make([]byte, 64)}
	claims := []proof.Claim{claim, bent}
	proof.Check(claims)
	fmt.Println(claims[0].Err)
	fmt.Println(errors.Is(claims[1].Err, commit.ProofRoot))
	fmt.Printf("%q\n", claim.Slices[0][:22])
	// Output:
	// <nil>
	// true
	// "nd no play. all work a"
}

// A range of bytes travels as bundles, and is checked while it is read.
func ExampleOpen() {
	ctx := context.Background()
	b := store(ctx, bytes.Repeat([]byte("all work and no play. "), 100))
	defer b.Close()
	h := b.Header()

	var sent bytes.Buffer
	if err := proof.Write(ctx, &sent, b, h.Cover(1000, 50)); err != nil {
		panic(err)
	}
	fmt.Println(sent.Len(), "bytes")

	// The receiver knows the ID, and with the header what it asked for.
	for s, err := range proof.Open(h.ID(), &sent, h.Cover(1000, 50)) {
		if err != nil {
			panic(err)
		}
		off, n := h.Span(s.Pos())
		fmt.Printf("slice %v: bytes %d-%d, %.22q...\n", s.Pos(), off, off+int64(n)-1, s.Bytes())
	}
	// Output:
	// 568 bytes
	// slice 7:1: bytes 960-1023, "o play. all work and n"...
	// slice 8:0: bytes 1024-1087, " no play. all work and"...
}

// A Reader is an io.ReadSeeker, io.ReaderAt and io.WriterTo over checked slices.
func ExampleReader() {
	ctx := context.Background()
	b := store(ctx, bytes.Repeat([]byte("all work and no play. "), 100))
	defer b.Close()

	r := proof.NewReader(ctx, b)
	if _, err := r.Seek(-22, io.SeekEnd); err != nil {
		panic(err)
	}
	end, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%q of %d bytes\n", end, r.Size())
	// Output:
	// "all work and no play. " of 2200 bytes
}

// An auditor asks an archive for slices that it could not foresee.
func ExampleChallenge() {
	ctx := context.Background()
	b := store(ctx, bytes.Repeat([]byte("all work and no play. "), 100))
	defer b.Close()

	c := proof.Challenge{ID: b.Header().ID(), Lanes: 1<<0 | 1<<3, Count: 5}
	rand.Read(c.Seed[:])

	// The archive answers with what it stores, and does not rebuild.
	var answer bytes.Buffer
	if err := c.Answer(ctx, &answer, b.Stored()); err != nil {
		panic(err)
	}

	samples, err := c.Judge(&answer)
	if err != nil {
		panic(err)
	}
	good := 0
	for _, s := range samples {
		if s.Verdict == proof.Good {
			good++
		}
	}
	fmt.Println(good, "of", len(samples), "are good")
	// Output:
	// 5 of 5 are good
}
