package gateway

import (
	"errors"
	"iter"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tapecommit/tapecommit/commit"
)

// A span is the bytes [first, end) of a blob. end is 0 only for that of an empty one.
type span struct{ first, end int64 }

// maxParts is how many ranges one answer has, after those that overlap or touch are made one.
const maxParts = 64

// spansOf returns what of a blob of that size a GET asks for, in ascending order and apart. ranged is false where it is
// all of it because no range was asked for, or none that RFC 9110, section 14.2, lets a server look at.
//
// Ranges that cannot be served are refused as that section allows: malformed ones, and more than maxParts.
func spansOf(r *http.Request, id commit.ID, size int64) (spans []span, ranged bool, err error) {
	all := []span{{0, size}}
	lines := r.Header["Range"]
	if len(lines) != 1 {
		return all, false, nil
	}
	// Tags of If-Range are compared strongly, and no date is that of a blob.
	if l := r.Header["If-Range"]; l != nil && (len(l) > 1 || strings.Trim(l[0], " \t") != tagOf(id)) {
		return all, false, nil
	}
	unit, set, _ := strings.Cut(lines[0], "=")
	if !strings.EqualFold(strings.TrimLeft(unit, " \t"), "bytes") {
		return all, false, nil
	}
	spans, err = parseRanges(set, size)
	switch {
	case err != nil:
		return nil, false, err
	case len(spans) == 0:
		return nil, false, errors.New("the range lies outside the blob")
	case size == 0:
		return all, false, nil // no Content-Range can name nothing
	}
	spans = unite(spans)
	if len(spans) > maxParts {
		return nil, false, errors.New("too many ranges")
	}
	return spans, true, nil
}

// parseRanges parses the set of a range of bytes. It leaves out ranges that lie outside.
func parseRanges(set string, size int64) ([]span, error) {
	var spans []span
	any := false
	for spec := range strings.SplitSeq(set, ",") {
		spec = strings.Trim(spec, " \t")
		if spec == "" {
			continue
		}
		any = true
		a, b, found := strings.Cut(spec, "-")
		first, okA := parseNumber(a)
		last, okB := parseNumber(b)
		switch {
		case !found || !okA && a != "" || !okB && b != "" || a == "" && b == "" || okA && okB && last < first:
			return nil, errors.New("malformed range")
		case a == "" && last > 0:
			spans = append(spans, span{max(size-last, 0), size})
		case a == "" || first >= size:
		case b == "" || last >= size:
			spans = append(spans, span{first, size})
		default:
			spans = append(spans, span{first, last + 1})
		}
	}
	if !any {
		return nil, errors.New("malformed range")
	}
	return spans, nil
}

// parseNumber parses digits. A number beyond int64 is taken as the largest, for no blob has so many bytes.
func parseNumber(s string) (int64, bool) {
	if s == "" {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return math.MaxInt64, true
	}
	return v, true
}

// unite sorts spans and makes those that overlap or touch one.
func unite(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return int(min(max(a.first-b.first, -1), 1)) })
	united := spans[:1]
	for _, s := range spans[1:] {
		if last := &united[len(united)-1]; s.first <= last.end {
			last.end = max(last.end, s.end)
		} else {
			united = append(united, s)
		}
	}
	return united
}

// cover yields the slices that hold spans, in order, each once.
func cover(h commit.Header, spans []span) iter.Seq[commit.Pos] {
	return func(yield func(commit.Pos) bool) {
		last := commit.Pos{Group: -1}
		for _, s := range spans {
			for p := range h.Cover(s.first, s.end-s.first) {
				if p == last {
					continue // two spans meet in it
				}
				if !yield(p) {
					return
				}
				last = p
			}
		}
	}
}

// groupsOf is how many groups hold spans, at most.
func groupsOf(h commit.Header, spans []span) int64 {
	perGroup := int64(h.K) * int64(h.SliceSize)
	groups := int64(0)
	for _, s := range spans {
		if s.end > s.first {
			groups += (s.end-1)/perGroup - s.first/perGroup + 1
		}
	}
	return groups
}
