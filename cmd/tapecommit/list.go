package main

import (
	"github.com/spf13/cobra"

	"github.com/tapecommit/tapecommit/blob/gateway"
	"github.com/tapecommit/tapecommit/commit"
)

func (p *program) list() *cobra.Command {
	var store storeFlag
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the blobs of a store",
		Long: `List the blobs of a store, one a line: the ID, the length, the number of groups and
the code; then, where the store is a folder, what the last verify or repair found. A
blob that no header in the store leads to is listed as damaged.`,
		Args: operands(),
	}
	store.addReading(cmd)
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx := cmd.Context()
		s, err := store.origin(cmd)
		if err != nil {
			return err
		}
		reports := store.reports(cmd)
		for id, err := range s.IDs(ctx) {
			if err != nil {
				return err
			}
			h, err := s.header(ctx, id)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil && !s.ofBlob(err):
				return err
			case err != nil && *asJSON:
				p.printJSON(struct {
					ID      commit.ID `json:"id"`
					Damaged string    `json:"damaged"`
				}{id, err.Error()})
				continue
			case err != nil:
				p.printf("%s  damaged: %v\n", id, err)
				continue
			}
			last := reports.shown(p, id)
			if *asJSON {
				p.printJSON(listed{reportHeader(h), last.numbers()})
				continue
			}
			p.printf("%s  %14d bytes  %9d groups  %s", id, h.Length, h.Groups(), describe(h.Params))
			if last != nil {
				p.printf("  %v", last)
			}
			p.printf("\n")
		}
		return nil
	}
	return cmd
}

// listed is a blob as it is listed in JSON.
type listed struct {
	headerReport
	Verify *gateway.Report `json:"verify,omitempty"`
}
