package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
)

func (p *program) verify() *cobra.Command {
	var store storeFlag
	var all bool
	var rate byteRate
	var path string
	cmd := &cobra.Command{
		Use:   "verify ID | --all",
		Short: "Check all that is stored of a blob",
		Long: `Check all that is stored of a blob, or of all blobs: every slice against the ID, and
every group against the code. The report begins with the ID and names what is
missing or wrong; the exit code is 1 where anything is. The store keeps the last
report on each blob, in <id>.verify.json, for list and info to show.

With --rate it is a scrub: it reads no faster than that, and where it was stopped the
next scrub goes on. The position is in the store, in <id>.scrub.json, and whoever can
write there can move it: the report says which groups were looked at in this run. In a
store that cannot be written to it is not kept, which is said on stderr.
Without --rate all groups are.

Where the writer of the blob coded a group wrongly, --evidence writes what shows it
to anybody who has the ID, for check: of the first such group. Else FILE is left
alone.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if !all {
				return operands("ID")(cmd, args)
			}
			if len(args) > 0 {
				return errors.New("want one of ID and --all")
			}
			return nil
		},
		ValidArgsFunction: store.complete,
	}
	store.add(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "verify every blob in the store")
	cmd.Flags().Var(&rate, "rate", "scrub: read at this `RATE` at most, as in 20MiB/s, and go on where the last scrub was stopped")
	cmd.Flags().StringVar(&path, "evidence", "", "write evidence against the first badly coded group to `FILE`")
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := wantFile(cmd, "evidence"); err != nil {
			return err
		}
		var file *evidenceFile
		if path != "" {
			file = &evidenceFile{path: path}
		}
		scrub, reports := newScrub(rate), store.reports(cmd)
		begin := func() *survey {
			s := newSurvey(p, "verify", (*blob.Blob).Verify, *asJSON)
			s.evidence, s.all, s.scrub, s.reports = file, all, scrub, reports
			return s
		}
		if !all {
			return p.surveyOperand(cmd, &store, args[0], begin())
		}
		from, err := store.open(cmd)
		if err != nil {
			return err
		}
		return p.verifyAll(cmd.Context(), from, scrub, reports, begin)
	}
	return cmd
}

func (p *program) repair() *cobra.Command {
	var store storeFlag
	cmd := &cobra.Command{
		Use:   "repair ID",
		Short: "Rewrite what is missing or wrong of a blob",
		Long: `Rewrite what is missing or wrong of a blob, from what is right, and cut surplus
bytes. All that can be repaired is; the exit code is 1 where something cannot. A
group that its writer coded wrongly is left alone. The report is that of verify, and
kept as its last.`,
		Args:              operands("ID"),
		ValidArgsFunction: store.complete,
	}
	store.add(cmd)
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s := newSurvey(p, "repair", (*blob.Blob).Repair, *asJSON)
		s.reports = store.reports(cmd)
		return p.surveyOperand(cmd, &store, args[0], s)
	}
	return cmd
}

// surveyOperand surveys the blob that an operand names.
func (p *program) surveyOperand(cmd *cobra.Command, store *storeFlag, operand string, s *survey) error {
	ids, err := parseIDs([]string{operand})
	if err != nil {
		return err
	}
	from, err := store.open(cmd)
	if err != nil {
		return err
	}
	return s.run(cmd.Context(), from, ids[0])
}

// verifyAll verifies one blob after the other and goes on behind damaged ones.
func (p *program) verifyAll(ctx context.Context, store blob.Store, scrub *scrub, reports reportFolder, begin func() *survey) error {
	var ids []commit.ID
	for id, err := range store.IDs(ctx) {
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	if scrub != nil {
		ids = p.scrubOn(reports, ids)
	}
	damaged := 0
	for _, id := range ids {
		s := begin()
		s.enter(id)
		if err := scrub.pause(ctx); err != nil { // for what was read of the blob before
			return err
		}
		err := s.run(ctx, store, id)
		if errors.As(err, new(unknownBlob)) { // it has a folder, and nothing in it
			err = s.unreadable(id, refusalf("nothing of it is stored"))
		}
		if ctx.Err() != nil || err != nil && !errors.As(err, new(refusal)) {
			return err
		}
		if err != nil {
			damaged++
		}
	}
	if damaged > 0 {
		return refusalf("%d of %d blobs are damaged", damaged, len(ids))
	}
	return nil
}
