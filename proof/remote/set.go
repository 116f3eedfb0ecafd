package remote

import (
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strconv"

	"github.com/tapecommit/tapecommit/commit"
)

// maxNamed is how many slices a request names where they are not those of a range: the longest request line that
// comes of it, 5 KB, passes through any proxy.
const maxNamed = 256

// sets cuts at into what one request asks for: strictly ascending slices of one run, and few of them where they are not
// those of a range. A slice outside the blob is a set of its own.
func (b *Blob) sets(at iter.Seq[commit.Pos]) iter.Seq[[]commit.Pos] {
	return func(yield func([]commit.Pos) bool) {
		var set []commit.Pos
		isRange := false // set holds the slices of a range
		for p := range at {
			ranged := b.plain(p)
			if len(set) > 0 {
				last := set[len(set)-1]
				goesOn := isRange && ranged && b.follows(last, p)
				if b.inRun(last, p) && (goesOn || len(set) < maxNamed) {
					ranged = goesOn
				} else {
					if !yield(set) {
						return
					}
					set = nil
				}
			}
			set, isRange = append(set, p), ranged
		}
		if len(set) > 0 {
			yield(set)
		}
	}
}

// runs cuts at into runs of groups. An error ends the loop: of a slice outside the blob, or one that is not behind the one
// before it.
func (b *Blob) runs(at iter.Seq[commit.Pos]) iter.Seq2[[]commit.Pos, error] {
	return func(yield func([]commit.Pos, error) bool) {
		var set []commit.Pos
		for p := range at {
			if !b.h.Has(p) {
				yield(nil, fmt.Errorf("slice %v lies outside the blob: %w", p, commit.SetRange))
				return
			}
			if len(set) > 0 {
				last := set[len(set)-1]
				if b.h.Position(p) <= b.h.Position(last) {
					yield(nil, fmt.Errorf("slice %v after slice %v: %w", p, last, commit.SetOrder))
					return
				}
				if !b.inRun(last, p) {
					if !yield(set, nil) {
						return
					}
					set = nil
				}
			}
			set = append(set, p)
		}
		if len(set) > 0 {
			yield(set, nil)
		}
	}
}

// plain reports whether p holds plaintext.
func (b *Blob) plain(p commit.Pos) bool {
	if !b.h.Has(p) {
		return false
	}
	_, n := b.h.Span(p)
	return n > 0
}

// follows reports whether p is the data slice behind the data slice last.
func (b *Blob) follows(last, p commit.Pos) bool {
	if last.Lane == b.h.K-1 {
		return p == commit.Pos{Group: last.Group + 1}
	}
	return p == commit.Pos{Group: last.Group, Lane: last.Lane + 1}
}

// inRun reports whether p comes after last, in the run of last.
func (b *Blob) inRun(last, p commit.Pos) bool {
	return b.h.Has(last) && b.h.Has(p) && p.Group/commit.RunGroups == last.Group/commit.RunGroups &&
		b.h.Position(p) > b.h.Position(last)
}

// query asks for slices of the blob, of one run: for a range of plaintext where they are those of one.
func (b *Blob) query(set []commit.Pos) url.Values {
	if first, n := b.h.Span(set[0]); n > 0 {
		last, n := b.h.Span(set[len(set)-1])
		end := last + int64(n)
		if slices.Equal(slices.Collect(b.h.Cover(first, end-first)), set) {
			return url.Values{"range": {strconv.FormatInt(first, 10) + "-" + strconv.FormatInt(end-1, 10)}}
		}
	}
	names := make([]string, len(set))
	for i, p := range set {
		names[i] = p.String()
	}
	return url.Values{"at": names}
}
