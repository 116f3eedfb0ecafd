package main

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
)

func (p *program) rm() *cobra.Command {
	var store storeFlag
	cmd := &cobra.Command{
		Use:   "rm ID...",
		Short: "Delete blobs",
		Long: `Delete blobs. Where the store has no blob of one of the IDs, those of the others are
deleted all the same, and the exit code is 1.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("missing ID")
			}
			return nil
		},
		ValidArgsFunction: store.complete,
	}
	store.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ids, err := parseIDs(args)
		if err != nil {
			return err
		}
		s, err := store.open(cmd)
		if err != nil {
			return err
		}
		reports := store.reports(cmd)
		var unknown []string
		for _, id := range ids {
			if err := reports.forget(id); err != nil {
				return err
			}
			err := s.Remove(cmd.Context(), id)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				unknown = append(unknown, id.String())
			case err != nil:
				return err
			}
		}
		if len(unknown) > 0 {
			return refusalf("no blob %s in the store", strings.Join(unknown, ", "))
		}
		return nil
	}
	return cmd
}
