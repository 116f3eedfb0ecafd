package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
)

// A scrub is a verify that keeps to a rate, and keeps its position in the store: one that
// was stopped is gone on with by the next.
type scrub struct {
	rate   byteRate
	stats  blob.Stats
	seen   uint64    // of the bytes that stats counts
	due    time.Time // when these may have been read, at that rate
	saved  time.Time // when the position was, or could not be
	unkept bool      // it was said that it cannot be
}

// newScrub begins a scrub; no rate makes none.
func newScrub(rate byteRate) *scrub {
	if rate == 0 {
		return nil
	}
	return &scrub{rate: rate, due: time.Now()}
}

// options are those to open a blob with. A scrub reads one run of groups ahead.
func (s *scrub) options() blob.Options {
	if s == nil {
		return blob.Options{}
	}
	return blob.Options{Stats: &s.stats, Workers: 1}
}

// pause waits until what was read so far may have been read. Time that went by without
// reading as much is not made up for.
func (s *scrub) pause(ctx context.Context) error {
	if s == nil {
		return nil
	}
	read := s.stats.Bytes.Load()
	seconds := float64(read-s.seen) / float64(s.rate)
	s.seen = read
	s.due = s.due.Add(time.Duration(min(seconds*float64(time.Second), math.MaxInt64/2)))
	now := time.Now()
	if s.due.Before(now) {
		s.due = now
	}
	t := time.NewTimer(s.due.Sub(now))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A position is what the file <id>.scrub.json in a store's folder holds, while a scrub is
// at that blob or was stopped there: what it found in the groups before Next. Like a
// report it is trusted by nobody: who goes on there says so.
type position struct {
	keptReport
	Next int  `json:"next"`
	All  bool `json:"all"` // the scrub is of all blobs, and those before this one were its part
}

// begin is the position before a blob.
func begin(id commit.ID, all bool) *position {
	at := &position{keptReport: keptReport{ID: id, Damage: []faultSpan{}, Began: time.Now()}, All: all}
	at.OK, at.Time = true, at.Began
	return at
}

// valid reports whether a scrub may have stopped there.
func (at *position) valid() bool {
	return at.Next >= 0 && at.Next == at.Groups && at.Next%commit.RunGroups == 0 && at.Error == "" && at.Fixed == 0
}

// scrubOn returns the blobs that a scrub of all has still to look at: those from the one
// on at which the last was stopped.
func (p *program) scrubOn(f reportFolder, ids []commit.ID) []commit.ID {
	i := slices.IndexFunc(ids, func(id commit.ID) bool {
		at, err := f.position(id)
		return err == nil && at.All
	})
	if i <= 0 {
		return ids
	}
	p.note("going on with %v, where a scrub was stopped, and not with the %s before it", ids[i], count(i, "blob"))
	return ids[i:]
}

// savePeriod is after how long the position is saved again: where a scrub is killed, and
// cannot save it, no more than that is looked at again.
const savePeriod = 10 * time.Second

// unsaved reports whether it is time to save the position.
func (s *scrub) unsaved() bool { return time.Since(s.saved) >= savePeriod }

// byteRate is a flag in bytes a second, as in 20MiB/s.
type byteRate int64

func (r *byteRate) Type() string { return "rate" }

func (r *byteRate) String() string {
	if *r == 0 {
		return ""
	}
	b := byteSize(*r)
	return b.String() + "/s"
}

func (r *byteRate) Set(s string) error {
	var b byteSize
	size, ok := strings.CutSuffix(s, "/s")
	if !ok || b.Set(size) != nil || b < 1 {
		return errors.New("want bytes a second, as in 20MiB/s")
	}
	*r = byteRate(b)
	return nil
}
