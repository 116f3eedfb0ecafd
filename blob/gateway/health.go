package gateway

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
)

// A ReportFunc finds the last verify report of a blob.
type ReportFunc func(ctx context.Context, id commit.ID) (*Report, error)

// A Report is what a full check of a blob found: the object that "tapecommit verify --json" prints, as far as it is shown
// here.
type Report struct {
	Time     time.Time `json:"time"` // of its end; zero where it is not known
	OK       bool      `json:"ok"`   // nothing is wrong, or what was is repaired
	Faults   int       `json:"faults"`
	Fixed    int       `json:"fixed"`
	Lost     int       `json:"lost"`     // groups with too few slices
	Miscoded int       `json:"miscoded"` // groups that the writer coded wrongly
	Error    string    `json:"error"`    // why the check came to no end
}

// health is what is known of a blob without reading its slices: from the sizes of its objects and the last report.
type health string

const (
	whole      health = "whole"      // all objects have their sizes, and the last report found nothing wrong
	unverified health = "unverified" // all objects have their sizes, and there is no report
	damaged    health = "damaged"    // something is missing, wrong or not given by the store, and as far as is known all can be read
	lost       health = "lost"       // some of it cannot be read
)

// A listing is a blob as it is listed.
type listing struct {
	ID commit.ID `json:"id"`
	*shape
	Health   health     `json:"health"`
	Faults   []string   `json:"faults,omitempty"`
	Verified *time.Time `json:"verified,omitempty"` // time of the last report
}

// shape is what a header says; a blob without one has none.
type shape struct {
	Size      int64 `json:"size"`
	K         int   `json:"k"`
	N         int   `json:"n"`
	SliceSize int   `json:"slice_size"`
	Groups    int   `json:"groups"`

	header  commit.Header
	objects []object
}

// unreadable is what the store fails to give. Why it does is the operator's business.
const unreadable = "cannot be read"

// An object is one of a blob's objects and its size, which is -1 where it is missing or the store failed.
type object struct {
	Name       string
	Size, Want int64
	failed     bool
}

// look finds what is known of a blob. It looks at the sizes of objects, and reads the header: from the manifest, or where
// that is missing or wrong, from the ends of the lanes.
func (h *Handler) look(ctx context.Context, id commit.ID) (listing, error) {
	l := listing{ID: id, Health: unverified}
	header, err := blob.ReadHeader(ctx, h.store, id)
	switch {
	case errors.Is(err, blob.ErrNoHeader):
		l.Health = lost
		l.Faults = []string{"no header is left"}
		return l, nil
	case err != nil:
		return l, err
	}
	l.shape = &shape{header.Length, header.K, header.N, header.SliceSize, header.Groups(), header, objectsOf(header)}
	if err := h.lookAtSizes(ctx, &l); err != nil {
		return l, err
	}
	l.lookAtReport(h.report(ctx, id))
	return l, nil
}

// lookAtSizes finds objects that are missing or have another size than the header says.
func (h *Handler) lookAtSizes(ctx context.Context, l *listing) error {
	o, err := h.store.Open(ctx, l.ID)
	if err != nil {
		return err
	}
	defer o.Close()
	lanes := 0 // that have all their slices
	for i := range l.objects {
		x := &l.objects[i]
		x.Size, err = o.Size(ctx, x.Name)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			x.Size = -1
			x.failed = !errors.Is(err, fs.ErrNotExist)
		}
		if x.failed {
			h.o.Log.Warn("size", "id", l.ID.String(), "object", x.Name, "error", err.Error())
		}
		if fault := x.fault(); fault != "" {
			l.worsen()
			l.Faults = append(l.Faults, x.Name+" "+fault)
		}
		if i < l.N && x.Size >= l.header.LaneOffset(l.Groups) {
			lanes++
		}
	}
	if lanes < l.K && l.Groups > 0 {
		l.Health = lost
		l.Faults = append(l.Faults, fmt.Sprintf("%d lanes are whole, %d are needed", lanes, l.K))
	}
	return nil
}

// fault says what is wrong with the size of an object, or nothing.
func (x object) fault() string {
	switch {
	case x.failed:
		return unreadable
	case x.Size < 0:
		return "is missing"
	case x.Size < x.Want:
		return fmt.Sprintf("is %s short", count(x.Want-x.Size, "byte"))
	case x.Size > x.Want:
		return fmt.Sprintf("has %s too many", count(x.Size-x.Want, "byte"))
	}
	return ""
}

// lookAtReport adds what the last report says.
func (l *listing) lookAtReport(r *Report) {
	if r == nil {
		return
	}
	if !r.Time.IsZero() {
		l.Verified = &r.Time
	}
	switch {
	case r.Lost > 0:
		l.Health = lost
		l.Faults = append(l.Faults, "verify: "+count(int64(r.Lost), "group")+" lost")
	case r.Error != "":
		l.worsen()
		l.Faults = append(l.Faults, "verify: "+r.Error)
	case !r.OK:
		l.worsen()
		l.Faults = append(l.Faults, "verify: "+count(int64(r.Faults-r.Fixed), "fault"))
	case l.Health == unverified:
		l.Health = whole
	}
	if r.Miscoded > 0 {
		l.Faults = append(l.Faults, "verify: "+count(int64(r.Miscoded), "group")+" coded wrongly by the writer")
	}
}

// worsen makes of a blob one that is damaged, if not worse.
func (l *listing) worsen() {
	if l.Health != lost {
		l.Health = damaged
	}
}

// report returns the last report of a blob, or nil.
func (h *Handler) report(ctx context.Context, id commit.ID) *Report {
	if h.o.Report == nil {
		return nil
	}
	r, err := h.o.Report(ctx, id)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil {
			h.o.Log.Warn("verify report", "id", id.String(), "error", err.Error())
		}
		return nil
	}
	return r
}

// objectsOf lists the objects of a blob, the lanes first.
func objectsOf(h commit.Header) []object {
	const hashLen = int64(len(commit.Hash{}))
	groups := int64(h.Groups())
	var objects []object
	for i := range h.N {
		objects = append(objects, object{Name: fmt.Sprintf("lane-%02d", i), Want: h.LaneOffset(h.Groups()) + commit.HeaderLen})
	}
	return append(objects,
		object{Name: "leaves", Want: groups * int64(h.N) * hashLen},
		object{Name: "roots", Want: groups * hashLen},
		object{Name: "manifest", Want: h.ManifestLen()})
}

// count names a number of things.
func count(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
