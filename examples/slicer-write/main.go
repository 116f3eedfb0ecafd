// Command slicer-write stores a file as a committed, erasure-coded blob, loses ten of its
// twenty lanes, and reads it back from the other ten.
//
//	go run ./examples/slicer-write [-store DIR] FILE|-
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

func main() {
	dir := flag.String("store", "", "folder of the store (default: a temporary one, removed at the end)")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: slicer-write [-store DIR] FILE|-")
		os.Exit(2)
	}
	if err := run(*dir, flag.Arg(0), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "slicer-write:", err)
		os.Exit(1)
	}
}

func run(dir, name string, stdin io.Reader, out io.Writer) error {
	if dir == "" {
		tmp, err := os.MkdirTemp("", "slicer-write")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		dir = tmp
	}
	in := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}

	ctx := context.Background()
	store, err := blob.OpenDir(dir)
	if err != nil {
		return err
	}
	written := sha256.New() // of what goes in, to compare with what comes out
	id, err := write(ctx, store, io.TeeReader(in, written))
	if err != nil {
		return err
	}
	fmt.Fprintln(out, id)

	// The objects of a blob are files in a folder named after its ID. Any ten lanes will do,
	// and the caches beside them can be made again.
	for _, object := range []string{
		"lane-00", "lane-02", "lane-04", "lane-06", "lane-08",
		"lane-10", "lane-12", "lane-14", "lane-16", "lane-18",
		"manifest", "roots", "leaves",
	} {
		if err := os.Remove(filepath.Join(dir, id.String(), object)); err != nil {
			return err
		}
	}

	back := sha256.New()
	n, err := read(ctx, store, id, back)
	if err != nil {
		return err
	}
	if !bytes.Equal(back.Sum(nil), written.Sum(nil)) {
		return fmt.Errorf("blob %s came back as other bytes", id)
	}
	fmt.Fprintf(out, "read back %d bytes from ten lanes of twenty\n", n)
	return nil
}

// write stores what r yields. Its memory does not depend on how much that is.
func write(ctx context.Context, store blob.Store, r io.Reader) (commit.ID, error) {
	w, err := blob.NewWriter(ctx, store, blob.Options{})
	if err != nil {
		return commit.ID{}, err
	}
	defer w.Close() // discards what was not committed
	if _, err := io.Copy(w, r); err != nil {
		return commit.ID{}, err
	}
	h, err := w.Commit()
	if err != nil {
		return commit.ID{}, err
	}
	return h.ID(), nil
}

// read writes the blob's bytes to w. Each was checked against the ID before.
func read(ctx context.Context, store blob.Store, id commit.ID, w io.Writer) (int64, error) {
	b, err := blob.Open(ctx, store, id, blob.Options{})
	if err != nil {
		return 0, err
	}
	defer b.Close()
	return io.Copy(w, proof.NewReader(ctx, b))
}
