package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
)

// headerReport is what a header says.
type headerReport struct {
	ID        commit.ID `json:"id"`
	Length    int64     `json:"length"`
	Groups    int       `json:"groups"`
	K         int       `json:"k"`
	N         int       `json:"n"`
	SliceSize int       `json:"slice_size"`
	Root      string    `json:"root"`
}

func reportHeader(h commit.Header) headerReport {
	return headerReport{h.ID(), h.Length, h.Groups(), h.K, h.N, h.SliceSize, hex.EncodeToString(h.Root[:])}
}

// objectReport is one stored object: its size, and the size it should have. Size
// is absent where the object is missing, or with an Error cannot be read.
type objectReport struct {
	Name  string `json:"name"`
	Size  *int64 `json:"size,omitempty"`
	Want  int64  `json:"want"`
	Error string `json:"error,omitempty"`
}

func (p *program) info() *cobra.Command {
	var store storeFlag
	cmd := &cobra.Command{
		Use:   "info ID",
		Short: "Describe a blob",
		Long: `Describe a blob: what its header says, and which of its objects are in the store.
Sizes are looked at, contents are not: that is verify's business. Where the store is
a folder, the report of the last verify or repair is shown, and where a scrub of the
blob was stopped; whoever can write to the store can write that. Of what a gateway
stores there is nothing to be seen.`,
		Args:              operands("ID"),
		ValidArgsFunction: store.complete,
	}
	store.addReading(cmd)
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		ids, err := parseIDs(args)
		if err != nil {
			return err
		}
		s, err := store.origin(cmd)
		if err != nil {
			return err
		}
		h, err := s.header(ctx, ids[0])
		if err != nil {
			return unknown(ids[0], err)
		}
		objects, err := s.objects(ctx, h)
		if err != nil {
			return err
		}
		reports := store.reports(cmd)
		last := reports.shown(p, ids[0])
		at, err := reports.position(ids[0])
		if err != nil {
			at = nil // whatever is there is no position
		}
		if *asJSON {
			return p.printJSON(struct {
				headerReport
				Objects []objectReport `json:"objects,omitempty"`
				Verify  *keptReport    `json:"verify,omitempty"`
				Scrub   *position      `json:"scrub,omitempty"`
			}{reportHeader(h), objects, last, at})
		}
		p.printInfo(h, objects)
		p.printReport(last, at)
		return nil
	}
	return cmd
}

func (p *program) printInfo(h commit.Header, objects []objectReport) {
	p.printf("%s\n", h.ID())
	p.printf("length      %d bytes\n", h.Length)
	p.printf("code        %s\n", describe(h.Params))
	p.printf("groups      %d\n", h.Groups())
	if g := h.Groups(); g > 0 {
		p.printf("last group  slices of %d bytes\n", h.SizeOf(g-1))
	}
	p.printf("root        %x at height %d\n", h.Root, h.Height())
	if objects == nil {
		return
	}
	stored := int64(0)
	for _, o := range objects {
		if o.Size != nil {
			stored += *o.Size
		}
	}
	p.printf("stored      %d bytes\n", stored)
	for _, o := range objects {
		switch {
		case o.Error != "":
			p.printf("%-11s cannot be read: %s\n", o.Name, o.Error)
		case o.Size == nil:
			p.printf("%-11s missing\n", o.Name)
		case *o.Size != o.Want:
			p.printf("%-11s %d bytes, should have %d\n", o.Name, *o.Size, o.Want)
		default:
			p.printf("%-11s %d bytes\n", o.Name, *o.Size)
		}
	}
}

// printReport prints what the last survey found, and where a scrub is; either may be nil.
func (p *program) printReport(last *keptReport, at *position) {
	if last != nil {
		p.printf("verified    %v\n", last)
		for _, span := range last.Damage {
			p.printf("            %v\n", span)
		}
		if last.Omitted > 0 {
			p.printf("            and more: %d lines\n", last.Omitted)
		}
	}
	if at != nil {
		p.printf("scrub       before group %d on %s: %s\n", at.Next, stamp(at.Time), foundText(at.Report))
	}
}

// measureObjects lists the objects of a blob with their sizes.
func measureObjects(ctx context.Context, s blob.Store, h commit.Header) ([]objectReport, error) {
	o, err := s.Open(ctx, h.ID())
	if err != nil {
		return nil, err
	}
	defer o.Close()
	objects := objectsOf(h)
	for i := range objects {
		size, err := o.Size(ctx, objects[i].Name)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil:
			objects[i].Size = &size
		case !errors.Is(err, fs.ErrNotExist):
			objects[i].Error = err.Error()
		}
	}
	return objects, nil
}

// objectsOf lists the objects of a blob.
func objectsOf(h commit.Header) []objectReport {
	const hash = int64(len(commit.Hash{}))
	groups := h.Groups()
	objects := []objectReport{
		{Name: "manifest", Want: h.ManifestLen()},
		{Name: "roots", Want: hash * int64(groups)},
		{Name: "leaves", Want: hash * int64(groups) * int64(h.N)},
	}
	for i := range h.N {
		objects = append(objects, objectReport{
			Name: fmt.Sprintf("lane-%02d", i),
			Want: h.LaneOffset(groups) + commit.HeaderLen,
		})
	}
	return objects
}
