package main

import (
	"github.com/spf13/cobra"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
)

func (p *program) write() *cobra.Command {
	var store storeFlag
	var code codeFlags
	cmd := &cobra.Command{
		Use:   "write FILE|-",
		Short: "Store a file as a blob and print its ID",
		Long: `Store a file, or stdin for -, as a blob and print the blob's ID, alone on a line.
The blob appears in the store whole or not at all. Where it is there already, what
is missing or wrong of it is replaced.`,
		Args: operands("FILE"),
	}
	store.add(cmd)
	code.add(cmd.Flags())
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		params, err := code.params()
		if err != nil {
			return err
		}
		in, err := p.openInput(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer in.Close()
		s, err := store.create(cmd)
		if err != nil {
			return err
		}
		h, err := p.commit(cmd, s, params, in)
		if err != nil {
			return err
		}
		if err := store.reports(cmd).mended(h.ID()); err != nil {
			p.note("the last report on the blob is out of date: %v", err)
		}
		return p.printBlob(h, *asJSON)
	}
	return cmd
}

func (p *program) id() *cobra.Command {
	var code codeFlags
	cmd := &cobra.Command{
		Use:   "id FILE|-",
		Short: "Print the ID that a file has as a blob, and store nothing",
		Args:  operands("FILE"),
	}
	code.add(cmd.Flags())
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		params, err := code.params()
		if err != nil {
			return err
		}
		in, err := p.openInput(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer in.Close()
		h, err := p.commit(cmd, blob.Discard, params, in)
		if err != nil {
			return err
		}
		return p.printBlob(h, *asJSON)
	}
	return cmd
}

// commit writes a blob.
func (p *program) commit(cmd *cobra.Command, s blob.Store, params commit.Params, in *input) (commit.Header, error) {
	w, err := blob.NewWriter(cmd.Context(), s, blob.Options{Params: params})
	if err != nil {
		return commit.Header{}, err
	}
	defer w.Close()
	bar := p.progress(cmd.Name(), in.size)
	_, err = w.ReadFrom(counted{in, bar})
	bar.done()
	if err != nil {
		return commit.Header{}, err
	}
	return w.Commit()
}

// printBlob prints what a blob is called.
func (p *program) printBlob(h commit.Header, asJSON bool) error {
	if asJSON {
		return p.printJSON(reportHeader(h))
	}
	p.printf("%s\n", h.ID())
	return nil
}
