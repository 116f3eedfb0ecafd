package main

import (
	"context"
	"io"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof/evidence"
)

// evidenceFile is where evidence against the first badly coded group goes. The nil
// evidenceFile is nowhere.
type evidenceFile struct {
	path    string
	written bool
}

// write writes evidence against a group, unless there is some already.
func (e *evidenceFile) write(ctx context.Context, p *program, b *blob.Blob, group int) error {
	if e == nil || e.written {
		return nil
	}
	shown, err := evidence.Append(ctx, nil, b, group)
	if err != nil {
		return err
	}
	err = p.deliver(e.path, func(w io.Writer) error {
		_, err := w.Write(shown)
		return err
	})
	e.written = err == nil
	return err
}

const (
	evidenceMagic = "TPE1"
	// maxEvidence is more than evidence has: a group of slices, the hashes of 20 and
	// those beside the way to the root.
	maxEvidence = 1 << 17
)

// evidenceReport is what evidence shows.
type evidenceReport struct {
	ID      commit.ID `json:"id"`
	Group   int       `json:"group"`
	Wrong   string    `json:"wrong"` // lanes
	Padding bool      `json:"padding"`
}

// checkEvidence checks evidence and prints what it shows.
func (p *program) checkEvidence(id commit.ID, r io.Reader, asJSON bool) error {
	// One byte too many is refused as surplus.
	b, err := io.ReadAll(io.LimitReader(r, maxEvidence+1))
	if err != nil {
		return err
	}
	found, err := evidence.Check(id, b)
	if err != nil {
		return err
	}
	if asJSON {
		return p.printJSON(evidenceReport{id, found.Group, found.Wrong.String(), found.Padding})
	}
	p.printf("%v\n", found)
	return nil
}
