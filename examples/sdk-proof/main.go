// Command sdk-proof makes a proof of a few slices of a blob, hands it over as plain bytes,
// and checks it where nothing is known of the blob but its ID.
//
//	go run ./examples/sdk-proof
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sdk-proof:", err)
		os.Exit(1)
	}
}

// message is all that goes from the prover to the verifier. Nothing in it is trusted.
type message struct {
	at     []commit.Pos
	slices [][]byte
	proof  []byte
}

func run(ctx context.Context, out io.Writer) error {
	store := blob.NewMem()
	id, err := write(ctx, store, bytes.NewReader(bytes.Repeat([]byte("all work and no play "), 10_000)))
	if err != nil {
		return err
	}

	// One proof covers a set of slices: here two of data and one of parity, in two groups.
	m, err := prove(ctx, store, id, []commit.Pos{{Group: 1, Lane: 3}, {Group: 1, Lane: 17}, {Group: 4, Lane: 0}})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "proof of %d slices: %d bytes\n", len(m.at), len(m.proof))
	if err := verify(id, m); err != nil {
		return err
	}
	fmt.Fprintln(out, "accepted")

	// A changed byte is refused, and so is a right slice that claims another place.
	changed := m
	changed.slices = slices.Clone(m.slices)
	changed.slices[0] = slices.Clone(m.slices[0])
	changed.slices[0][0] ^= 1
	if err := refused(out, "changed byte", verify(id, changed)); err != nil {
		return err
	}
	moved := m
	moved.at = slices.Clone(m.at)
	moved.at[0].Lane = 4
	return refused(out, "moved slice", verify(id, moved))
}

// verify needs no store, no header and no coder: only package proof.
func verify(id commit.ID, m message) error {
	return proof.Check([]proof.Claim{{ID: id, At: m.at, Slices: m.slices, Proof: m.proof}})
}

// refused prints the rule that a forgery broke, and fails where it broke none.
func refused(out io.Writer, what string, err error) error {
	var rule commit.Rule
	if !errors.As(err, &rule) {
		return fmt.Errorf("%s: got %v, not the rule it breaks", what, err)
	}
	fmt.Fprintf(out, "%s: refused, %v\n", what, rule)
	return nil
}

func write(ctx context.Context, store blob.Store, r io.Reader) (commit.ID, error) {
	w, err := blob.NewWriter(ctx, store, blob.Options{})
	if err != nil {
		return commit.ID{}, err
	}
	defer w.Close()
	if _, err := io.Copy(w, r); err != nil {
		return commit.ID{}, err
	}
	h, err := w.Commit()
	if err != nil {
		return commit.ID{}, err
	}
	return h.ID(), nil
}

func prove(ctx context.Context, store blob.Store, id commit.ID, at []commit.Pos) (message, error) {
	b, err := blob.Open(ctx, store, id, blob.Options{})
	if err != nil {
		return message{}, err
	}
	defer b.Close()

	m := message{at: at}
	for s, err := range b.Slices(ctx, slices.Values(at)) {
		if err != nil {
			return message{}, err
		}
		m.slices = append(m.slices, slices.Clone(s.Bytes())) // its own bytes last until the next
	}
	m.proof, err = proof.Append(ctx, nil, b, at)
	return m, err
}
