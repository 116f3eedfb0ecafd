package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/tapecommit/tapecommit/proof"
)

func (p *program) read() *cobra.Command {
	var store storeFlag
	var to outputFlag
	var rng string
	cmd := &cobra.Command{
		Use:   "read ID",
		Short: "Read a blob, checked, to stdout or into a file",
		Long: `Read a blob, or a range of it, to stdout or into a file. Each slice is checked
against the ID before a byte of it is written, and where slices are missing or
wrong they are rebuilt from others. Where a group has too few slices left, stdout
holds what came before that group and the exit code is 1. A file of -o appears
whole or not at all; one that is there keeps its permissions, and a link stays one, to
the new file.`,
		Args:              operands("ID"),
		ValidArgsFunction: store.complete,
	}
	store.addReading(cmd)
	cmd.Flags().StringVar(&rng, "range", "", "only the bytes `A-B`, both included, counted from 0")
	to.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var r byteRange
		ranged := cmd.Flags().Changed("range")
		if ranged {
			var err error
			if r, err = parseRange(rng); err != nil {
				return err
			}
		}
		out, err := to.file(cmd)
		if err != nil {
			return err
		}
		b, err := store.source(cmd, args[0])
		if err != nil {
			return err
		}
		defer b.Close()
		h := b.Header()
		if !ranged {
			r = byteRange{0, h.Length - 1}
		} else if r, err = r.within(h.Length); err != nil {
			return err
		}
		var bar *progress
		if out != "" || !isTerminal(p.stdout) {
			bar = p.progress(cmd.Name(), r.len())
		}
		defer bar.done()
		return p.deliver(out, func(w io.Writer) error {
			return copyRange(cmd, w, b, r, bar)
		})
	}
	return cmd
}

// copyRange writes a range of a blob, group by group: of a group that is lost it
// writes nothing.
func copyRange(cmd *cobra.Command, w io.Writer, src proof.Source, r byteRange, bar *progress) error {
	h := src.Header()
	buf := make([]byte, 0, h.K*h.SliceSize)
	for s, err := range src.Slices(cmd.Context(), h.Cover(r.first, r.len())) {
		if err != nil {
			return answer(err)
		}
		off, n := h.Span(s.Pos())
		end := off + int64(n)
		buf = append(buf, s.Bytes()[max(r.first-off, 0):min(r.last+1, end)-off]...)
		if s.Pos().Lane < h.K-1 && end <= r.last {
			continue // the group goes on
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
		bar.add(int64(len(buf)))
		buf = buf[:0]
	}
	return nil
}
