package main

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/tapecommit/tapecommit/blob/gateway"
	"github.com/tapecommit/tapecommit/commit"
)

// A keptReport is what the file <id>.verify.json in a store's folder holds: what the
// last verify or repair found that looked at all of the blob. It is the object that
// verify --json prints, with the time.
//
// Nobody trusts it, for whoever can write to the store can write it: it is shown, and
// decides nothing.
type keptReport struct {
	ID      commit.ID   `json:"id"`
	Groups  int         `json:"groups"`            // looked at
	Damage  []faultSpan `json:"damage"`            // the first of it
	Omitted int         `json:"omitted,omitempty"` // spans of damage besides
	gateway.Report
	Began time.Time `json:"began,omitzero"` // Time is that of the end
}

// What is kept has bounds, and so has what is read: the file may hold anything.
const (
	maxReport     = 64 << 10 // bytes of a file
	maxKeptDamage = 100      // spans
	maxKeptText   = 200      // bytes of an error
)

// validate refuses what no survey of the blob finds, and texts that a terminal should not
// get.
func (r *keptReport) validate(id commit.ID) error {
	switch {
	case r.ID != id:
		return errors.New("a report on another blob")
	case r.Groups < 0, r.Groups > commit.MaxGroups,
		r.Lost < 0, r.Lost > commit.MaxGroups, r.Miscoded < 0, r.Miscoded > commit.MaxGroups,
		r.Fixed < 0, r.Fixed > r.Faults, r.Faults > math.MaxInt/2,
		r.Omitted < 0, r.Omitted > math.MaxInt/2, len(r.Damage) > maxKeptDamage,
		r.OK != (r.Faults == r.Fixed && r.Error == ""):
		return errors.New("no report: its numbers do not fit together")
	case r.Error != printable(r.Error):
		return errors.New("no report: its error is no short text")
	}
	for _, s := range r.Damage {
		if !s.valid() {
			return errors.New("no report: it names damage that no blob has")
		}
	}
	return nil
}

// valid reports whether there may be such a span.
func (s faultSpan) valid() bool {
	return (s.Object == "" || slices.Contains(objectNames, s.Object)) &&
		-1 <= s.Lane && s.Lane < commit.MaxSlices &&
		-1 <= s.First && s.First <= s.Last && s.Last < commit.MaxGroups &&
		s.Error == printable(s.Error)
}

// objectNames are the names of the objects that a blob may have.
var objectNames = func() []string {
	var names []string
	for _, o := range objectsOf(commit.Header{Params: commit.Params{K: 1, N: commit.MaxSlices, SliceSize: 64}}) {
		names = append(names, o.Name)
	}
	return names
}()

// printable is s as it is kept: short, and nothing but what is printed.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return '?'
		}
		return r
	}, s)
	if len(s) > maxKeptText {
		s = strings.ToValidUTF8(s[:maxKeptText], "")
	}
	return s
}

// String is the report in a few words.
func (r *keptReport) String() string {
	what := "whole"
	switch {
	case r.Error != "":
		what = "damaged: " + r.Error
	case !r.OK:
		what = "damaged: " + foundText(r.Report)
	}
	return what + ", on " + stamp(r.Time)
}

// numbers are the report without the damage in words; nil where there is none.
func (r *keptReport) numbers() *gateway.Report {
	if r == nil {
		return nil
	}
	return &r.Report
}

// foundText is what is wrong, in numbers.
func foundText(r gateway.Report) string {
	text := count(r.Faults-r.Fixed, "fault")
	if r.Lost > 0 {
		text += ", " + count(r.Lost, "group") + " lost"
	}
	if r.Miscoded > 0 {
		text += ", " + count(r.Miscoded, "group") + " coded wrongly"
	}
	return text
}

// stamp is a time as it is printed.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
