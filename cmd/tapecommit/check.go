package main

import (
	"bufio"
	"io"

	"github.com/spf13/cobra"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

func (p *program) check() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check ID FILE|-",
		Short: "Check a proof or evidence, with nothing but the ID",
		Long: `Check what prove wrote, with nothing but the ID, and print what it proves: a line
"bytes A-B" for each longest run of plaintext, both ends included, and a line
"slice G:I" for each slice of parity. Of evidence, from verify, print which group
was coded wrongly by the writer of the blob. Nothing is printed unless all of it
holds.`,
		Args: operands("ID", "FILE"),
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ids, err := parseIDs(args[:1])
		if err != nil {
			return err
		}
		in, err := p.openInput(cmd.Context(), args[1])
		if err != nil {
			return err
		}
		defer in.Close()
		bar := p.progress(cmd.Name(), in.size)
		defer bar.done()
		r := bufio.NewReaderSize(counted{in, bar}, 1<<16)
		if magic, _ := r.Peek(len(evidenceMagic)); string(magic) == evidenceMagic {
			err = p.checkEvidence(ids[0], r, *asJSON)
		} else {
			err = p.checkBundles(ids[0], r, *asJSON)
		}
		switch {
		case in.err != nil:
			return in.err
		case err != nil:
			return refusalf("%s: %w", in.name, err)
		}
		return nil
	}
	return cmd
}

// checkBundles checks bundles and prints what they prove.
func (p *program) checkBundles(id commit.ID, r io.Reader, asJSON bool) error {
	f := findings{ID: id, Bytes: [][2]int64{}, Parity: []slicePos{}}
	for s, err := range proof.Open(id, r, nil) {
		if err != nil {
			return err
		}
		f.add(s)
	}
	if asJSON {
		return p.printJSON(f)
	}
	p.printFindings(f)
	return nil
}

// findings is what bundles prove.
type findings struct {
	ID     commit.ID  `json:"id"`
	Bytes  [][2]int64 `json:"bytes"`  // runs of plaintext, first and last byte
	Parity []slicePos `json:"parity"` // slices of parity
}

// add adds a slice; slices come in order.
func (f *findings) add(s proof.Slice) {
	h := s.Header()
	if s.Pos().Lane >= h.K {
		f.Parity = append(f.Parity, slicePos(s.Pos()))
		return
	}
	off, n := h.Span(s.Pos())
	if n == 0 {
		return // padding
	}
	if i := len(f.Bytes) - 1; i >= 0 && f.Bytes[i][1]+1 == off {
		f.Bytes[i][1] += int64(n)
		return
	}
	f.Bytes = append(f.Bytes, [2]int64{off, off + int64(n) - 1})
}

func (p *program) printFindings(f findings) {
	for _, run := range f.Bytes {
		p.printf("bytes %d-%d\n", run[0], run[1])
	}
	for _, pos := range f.Parity {
		p.printf("slice %v\n", commit.Pos(pos))
	}
	if len(f.Bytes)+len(f.Parity) == 0 {
		p.note("the proof holds, and it is only of padding behind the end of the blob")
	}
}
