package main

import (
	"io"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tapecommit/tapecommit/commit"
)

func (p *program) prove() *cobra.Command {
	var store storeFlag
	var to outputFlag
	var at, rng string
	cmd := &cobra.Command{
		Use:   "prove ID --at G:I | --range A-B",
		Short: "Write slices of a blob with the proof that they are its slices",
		Long: `Write slices of a blob together with the proof that they are its slices, for check.
--at takes one slice by group and lane, both counted from 0; --range takes those
that hold a range of bytes. A slice that is missing or wrong is rebuilt first. A file of
-o is as with read.`,
		Args:              operands("ID"),
		ValidArgsFunction: store.complete,
	}
	store.addReading(cmd)
	cmd.Flags().StringVar(&at, "at", "", "slice `G:I`: lane I of group G")
	cmd.Flags().StringVar(&rng, "range", "", "the bytes `A-B`, both included, counted from 0")
	to.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ranged := cmd.Flags().Changed("range")
		if cmd.Flags().Changed("at") == ranged {
			return wrongUsef("want one of --at and --range")
		}
		var pos commit.Pos
		var r byteRange // of one byte, where it is a slice that is proven
		var err error
		if ranged {
			r, err = parseRange(rng)
		} else {
			pos, err = parsePos(at)
		}
		if err != nil {
			return err
		}
		out, err := to.file(cmd)
		if err != nil {
			return err
		}
		if out == "" {
			if err := p.noTerminal("a proof"); err != nil {
				return err
			}
		}
		b, err := store.source(cmd, args[0])
		if err != nil {
			return err
		}
		defer b.Close()
		h := b.Header()
		var set iter.Seq[commit.Pos]
		if ranged {
			if r, err = r.within(h.Length); err != nil {
				return err
			}
			set = h.Cover(r.first, r.len())
		} else {
			if !h.Has(pos) {
				return wrongUsef("slice %s lies outside the blob's %d groups of %d slices", at, h.Groups(), h.N)
			}
			set = slices.Values([]commit.Pos{pos})
		}
		bar := p.progress(cmd.Name(), r.len())
		defer bar.done()
		return p.deliver(out, func(w io.Writer) error {
			return answer(b.writeBundles(cmd.Context(), w, watched(set, h, bar)))
		})
	}
	return cmd
}

// watched is a set that adds to a bar what it yields.
func watched(set iter.Seq[commit.Pos], h commit.Header, bar *progress) iter.Seq[commit.Pos] {
	return func(yield func(commit.Pos) bool) {
		for p := range set {
			if !yield(p) {
				return
			}
			_, n := h.Span(p)
			bar.add(int64(n))
		}
	}
}
