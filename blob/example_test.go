package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/proof"
)

// A blob is written, and its bytes come back checked against the ID alone.
func Example() {
	ctx := context.Background()
	store := blob.NewMem() // or OpenDir

	w, err := blob.NewWriter(ctx, store, blob.Options{})
	if err != nil {
		panic(err)
	}
	defer w.Close() // discards what was not committed
	if _, err := io.WriteString(w, "hello, tape"); err != nil {
		panic(err)
	}
	h, err := w.Commit()
	if err != nil {
		panic(err)
	}
	id := h.ID()
	fmt.Println(id)

	b, err := blob.Open(ctx, store, id, blob.Options{})
	if err != nil {
		panic(err)
	}
	defer b.Close()
	plain, err := io.ReadAll(proof.NewReader(ctx, b))
	if err != nil {
		panic(err)
	}
	fmt.Println(string(plain))
	// Output:
	// 012bebd2b1be4987357790d6887ca52b34ff896f19f57dc09c4affb02c6d9af7
	// hello, tape
}

// The loop over Repair tells what it found and mended.
func ExampleBlob_Repair() {
	ctx := context.Background()
	store := blob.NewMem()
	w, err := blob.NewWriter(ctx, store, blob.Options{})
	if err != nil {
		panic(err)
	}
	defer w.Close()
	if _, err := w.Write(bytes.Repeat([]byte("tape"), 50_000)); err != nil {
		panic(err)
	}
	h, err := w.Commit()
	if err != nil {
		panic(err)
	}

	// The store loses a byte of one lane.
	objects, err := store.Open(ctx, h.ID())
	if err != nil {
		panic(err)
	}
	defer objects.Close()
	if err := objects.(blob.Repairable).WriteAt(ctx, "lane-03", []byte("?"), 5000); err != nil {
		panic(err)
	}

	b, err := blob.Open(ctx, store, h.ID(), blob.Options{})
	if err != nil {
		panic(err)
	}
	defer b.Close()
	for run, err := range b.Repair(ctx, 0) {
		if err != nil {
			panic(err)
		}
		for _, f := range run.Faults {
			fmt.Println(f, errors.Is(f.Err, blob.ErrWrong), f.Fixed)
		}
	}
	// Output:
	// lane-03, slice 1:3: wrong true true
}
