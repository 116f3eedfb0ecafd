package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
)

// survey is one verify or repair of a blob.
type survey struct {
	p    *program
	name string
	walk func(b *blob.Blob, ctx context.Context, from int) iter.Seq2[blob.Run, error]
	out  surveyPrinter
	bar  *progress
	sum  surveySum
	open map[faultKey]*faultSpan // spans that the next group may extend

	evidence *evidenceFile
	badGroup int // the first badly coded one, or -1

	reports reportFolder
	all     bool        // one of all blobs
	scrub   *scrub      // or nil
	before  *position   // where the survey begins, with what was found until there
	at      position    // where it is
	damage  []faultSpan // as it is kept
	omitted int         // spans of damage besides
}

// surveySum is what a survey found, in numbers.
type surveySum struct {
	Groups int  `json:"groups"` // looked at
	Faults int  `json:"faults"` // before spans were made of them
	Fixed  int  `json:"fixed"`
	Lost   int  `json:"lost"`     // groups with too few slices
	Bad    int  `json:"miscoded"` // groups that were coded wrongly
	OK     bool `json:"ok"`
}

func newSurvey(p *program, name string, walk func(*blob.Blob, context.Context, int) iter.Seq2[blob.Run, error], asJSON bool) *survey {
	var out surveyPrinter = &textSurvey{p: p}
	if asJSON {
		out = &jsonSurvey{p: p}
	}
	return &survey{p: p, name: name, walk: walk, out: out, open: map[faultKey]*faultSpan{}, badGroup: -1}
}

// run surveys a blob and reports on it. The answer is no where anything is wrong with
// it in the end.
func (s *survey) run(ctx context.Context, store blob.Store, id commit.ID) error {
	b, err := blob.Open(ctx, store, id, s.scrub.options())
	if errors.Is(err, blob.ErrNoHeader) || errors.Is(err, blob.ErrNoRoots) {
		return s.unreadable(id, answer(err))
	}
	if err != nil {
		return unknown(id, err)
	}
	defer b.Close()
	s.enter(id)
	h := b.Header()
	if s.before.Next > 0 && s.before.Next >= h.Groups() {
		s.before = begin(id, s.before.All) // no scrub was stopped there
	}
	s.at = *s.before
	s.bar = s.p.progress(s.name, h.Length)
	defer s.bar.done()
	s.bar.add(h.PlainLen(0, s.at.Next))
	s.out.begin(id, s.before)
	if err := s.look(ctx, b); err != nil {
		return s.stop(answer(err))
	}
	s.bar.done()
	s.flush(h.Groups())
	s.sum.OK = s.sum.Faults == s.sum.Fixed
	s.out.end(s.name, s.sum)
	r := s.report()
	s.keep(r)
	if !r.OK {
		return refusalf("blob %v is damaged", id)
	}
	return nil
}

// look surveys the groups from where the survey is.
func (s *survey) look(ctx context.Context, b *blob.Blob) error {
	h := b.Header()
	for r, err := range s.walk(b, ctx, s.at.Next) {
		if err != nil {
			return err
		}
		s.add(r)
		if s.badGroup >= 0 {
			if err := s.evidence.write(ctx, s.p, b, s.badGroup); err != nil {
				return err
			}
		}
		if s.p.stdout.err != nil {
			return s.p.stdout.err
		}
		s.bar.add(h.PlainLen(r.First, r.Groups))
		next := r.First + r.Groups
		if s.scrub == nil || next == h.Groups() {
			continue
		}
		s.at = position{keptReport: s.report(), Next: next, All: s.at.All}
		if err := s.scrub.pause(ctx); err != nil {
			return err
		}
		if s.scrub.unsaved() {
			s.save()
		}
	}
	return nil
}

// stop ends a report that came to no end. A scrub keeps its position.
func (s *survey) stop(err error) error {
	s.flush(math.MaxInt)
	switch {
	case errors.As(err, new(refusal)):
		return s.fail(err)
	case s.scrub == nil:
		s.out.failed(err)
		return err
	}
	if unkept := s.save(); unkept != nil {
		s.out.failed(fmt.Errorf("%w; %w", err, unkept))
	} else {
		s.out.failed(fmt.Errorf("%w; the next scrub goes on with group %d", err, s.at.Next))
	}
	return err
}

// unreadable reports on a blob that nothing can be looked at of.
func (s *survey) unreadable(id commit.ID, err error) error {
	s.before = begin(id, false)
	s.out.begin(id, s.before)
	return s.fail(err)
}

// fail ends a report with what keeps the blob from being looked at.
func (s *survey) fail(err error) error {
	s.out.failed(err)
	r := s.report()
	r.OK, r.Error = false, printable(err.Error())
	s.keep(r)
	return err
}

// add adds what was found in a run of groups, and prints what the next cannot go on
// with.
func (s *survey) add(r blob.Run) {
	s.sum.Groups += r.Groups
	for _, f := range r.Faults {
		if !s.counted(f) {
			s.sum.Faults++
			if f.Fixed {
				s.sum.Fixed++
			}
		}
		var lost *blob.LostError
		var bad *blob.EncodingError
		switch {
		case f.Object == "" && errors.As(f.Err, &lost):
			s.sum.Lost++
		case f.Object == "" && errors.As(f.Err, &bad):
			s.sum.Bad++
			if s.badGroup < 0 {
				s.badGroup = bad.Group
			}
		}
		key := keyOf(f)
		span := s.open[key]
		if span != nil && span.First >= 0 && f.At.Group == span.Last+1 {
			span.Last++
			continue
		}
		if span != nil {
			s.print(*span)
		}
		s.open[key] = &faultSpan{faultKey: key, First: f.At.Group, Last: f.At.Group}
	}
	s.flush(r.First + r.Groups - 1)
}

// counted reports whether a fault of an object as a whole, which are the last, is one that
// was counted group by group: what is missing or ends too early is so everywhere.
func (s *survey) counted(f blob.Fault) bool {
	if f.Object == "" || f.At.Group >= 0 || errors.Is(f.Err, blob.ErrWrong) {
		return false
	}
	whole := keyOf(f)
	for key, span := range s.open {
		if span.First >= 0 && key.Object == whole.Object && key.Error == whole.Error && key.Fixed == whole.Fixed {
			return true
		}
	}
	return false
}

// flush prints the spans that end before a group.
func (s *survey) flush(before int) {
	var done []faultSpan
	for key, span := range s.open {
		if span.Last < before {
			done = append(done, *span)
			delete(s.open, key)
		}
	}
	sortSpans(done)
	for _, span := range done {
		s.print(span)
	}
}

// print prints a span where the bar is.
func (s *survey) print(span faultSpan) {
	s.bar.clear()
	s.out.fault(span)
	if len(s.damage) < maxKeptDamage {
		s.damage = append(s.damage, span)
	} else {
		s.omitted++
	}
}

// enter finds where the survey of a blob begins: a scrub where the last was stopped.
func (s *survey) enter(id commit.ID) {
	switch {
	case s.before != nil:
		return
	case s.scrub == nil:
		s.before = begin(id, false)
		return
	}
	var err error
	if s.before, err = s.reports.position(id); err != nil {
		s.before = begin(id, s.all)
	}
	s.before.All = s.before.All || s.all
	s.at = *s.before
	s.save() // at once: it shows whether it can be
}

// save saves the position of a scrub. A scrub whose position cannot be kept goes on: what
// it looks at is worth as much. It says so, once.
func (s *survey) save() error {
	err := s.reports.write(s.at.ID, scrubSuffix, s.at)
	s.scrub.saved = time.Now()
	if err == nil {
		return nil
	}
	err = fmt.Errorf("the position of the scrub is not kept: %w", err)
	if !s.scrub.unkept {
		s.scrub.unkept = true
		s.bar.clear()
		s.p.note("%v", err)
	}
	return err
}

// report is what was found of the blob until now, and before the survey began.
func (s *survey) report() keptReport {
	r := s.before.keptReport
	r.Time = time.Now()
	r.Groups += s.sum.Groups
	r.Faults += s.sum.Faults
	r.Fixed += s.sum.Fixed
	r.Lost += s.sum.Lost
	r.Miscoded += s.sum.Bad
	r.OK = r.Faults == r.Fixed
	r.Damage = append(append([]faultSpan{}, r.Damage...), s.damage...)
	for _, span := range s.open {
		r.Damage = append(r.Damage, *span)
	}
	sortSpans(r.Damage)
	r.Omitted += s.omitted
	if more := len(r.Damage) - maxKeptDamage; more > 0 {
		r.Omitted += more
		r.Damage = r.Damage[:maxKeptDamage]
	}
	for i := range r.Damage {
		r.Damage[i].Error = printable(r.Damage[i].Error)
	}
	return r
}

// keep keeps a report as the last of its blob.
func (s *survey) keep(r keptReport) {
	if s.reports == "" {
		return
	}
	err := s.reports.write(r.ID, verifySuffix, r)
	switch {
	case err != nil:
	case s.all:
		err = s.reports.remove(r.ID, scrubSuffix)
	default:
		err = s.reports.leave(r.ID)
	}
	if err != nil {
		s.p.note("the report is not kept: %v", err) // what was asked for is done
	}
}
