package gateway

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// maxPositions is how many slices can be asked for one by one: as many as a proof holds.
const maxPositions = 1 << 16

func (h *Handler) serveHeader(x *response, r *http.Request, id commit.ID) error {
	b, leave, err := h.shelf.take(r.Context(), id)
	if err != nil {
		return err
	}
	defer leave()
	setImmutable(x.Header(), id)
	if done, err := checkConditions(x, r, id); done || err != nil {
		return err
	}
	encoded, err := b.blob.Header().AppendBinary(nil)
	if err != nil {
		return err
	}
	x.Header().Set("Content-Type", "application/octet-stream")
	x.Header().Set("Content-Length", fmt.Sprint(len(encoded)))
	if r.Method == http.MethodHead {
		x.finish()
		return nil
	}
	_, err = x.Write(encoded)
	return err
}

func (h *Handler) serveBundles(x *response, r *http.Request, id commit.ID) error {
	b, leave, err := h.shelf.take(r.Context(), id)
	if err != nil {
		return err
	}
	defer leave()
	header := b.blob.Header()
	at, groups, err := positionsOf(r.URL.RawQuery, header)
	if err != nil {
		return &refusal{http.StatusBadRequest, "query", err.Error(), nil}
	}
	setImmutable(x.Header(), id)
	if done, err := checkConditions(x, r, id); done || err != nil {
		return err
	}
	// Besides the slices that are read, the bundle that is made of them is held.
	amount := readMemory(header, groups) + min(groups, commit.RunGroups)*int64(header.N)*int64(header.SliceSize)
	free, err := h.enter(r.Context(), h.memory, amount)
	if err != nil {
		return err
	}
	defer free()
	x.Header().Set("Content-Type", "application/vnd.tapecommit.bundles")
	if r.Method == http.MethodHead {
		x.finish()
		return nil
	}
	return proof.Write(r.Context(), x, b.blob, at)
}

// positionsOf parses a query for slices, and counts the groups they are in. Whatever does not name slices of the blob is
// refused: nothing but the blob's end is cut.
func positionsOf(raw string, h commit.Header) (at iter.Seq[commit.Pos], groups int64, err error) {
	ranges, places, err := parseQuery(raw)
	switch {
	case err != nil:
		return nil, 0, err
	case (len(ranges) == 0) == (len(places) == 0):
		return nil, 0, errors.New("query: want range=A-B, or at=G:I once or more")
	case len(ranges) > 1:
		return nil, 0, errors.New("query: more than one range")
	case len(places) > maxPositions:
		return nil, 0, fmt.Errorf("query: %d slices, want at most %d", len(places), maxPositions)
	case len(ranges) == 1:
		s, err := parseBytes(ranges[0], h.Length)
		if err != nil {
			return nil, 0, err
		}
		return h.Cover(s.first, s.end-s.first), groupsOf(h, []span{s}), nil
	}
	set := make([]commit.Pos, len(places))
	for i, place := range places {
		if set[i], err = parsePlace(place, h); err != nil {
			return nil, 0, err
		}
		if i > 0 && h.Position(set[i]) <= h.Position(set[i-1]) {
			return nil, 0, fmt.Errorf("query: slice %v after slice %v", set[i], set[i-1])
		}
		if i == 0 || set[i].Group != set[i-1].Group {
			groups++
		}
	}
	return slices.Values(set), groups, nil
}

// parseQuery takes a query apart. It knows two names, and each may have many values: more than url.ParseQuery allows.
func parseQuery(raw string) (ranges, places []string, err error) {
	for pair := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if value, err = url.QueryUnescape(value); err != nil {
			return nil, nil, fmt.Errorf("query: %v", err)
		}
		switch name {
		case "range":
			ranges = append(ranges, value)
		case "at":
			places = append(places, value)
		default:
			return nil, nil, fmt.Errorf("query: %q, want range=A-B, or at=G:I once or more", pair)
		}
	}
	return ranges, places, nil
}

// parseBytes parses A-B, both ends included.
func parseBytes(s string, size int64) (span, error) {
	a, b, _ := strings.Cut(s, "-")
	first, okA := parseDecimal(a)
	last, okB := parseDecimal(b)
	switch {
	case !okA || !okB:
		return span{}, fmt.Errorf("query: range %q: want A-B, two numbers", s)
	case last < first:
		return span{}, fmt.Errorf("query: range %q ends before it begins", s)
	case first >= size:
		return span{}, fmt.Errorf("query: range %q lies behind the blob's %d bytes", s, size)
	}
	return span{first, min(last, size-1) + 1}, nil
}

// parsePlace parses G:I, a group and a lane.
func parsePlace(s string, h commit.Header) (commit.Pos, error) {
	g, i, _ := strings.Cut(s, ":")
	group, okG := parseDecimal(g)
	lane, okI := parseDecimal(i)
	switch {
	case !okG || !okI:
		return commit.Pos{}, fmt.Errorf("query: slice %q: want G:I, two numbers", s)
	case group >= int64(h.Groups()) || lane >= int64(h.N):
		return commit.Pos{}, fmt.Errorf("query: slice %q lies outside the blob", s)
	}
	return commit.Pos{Group: int(group), Lane: int(lane)}, nil
}

// parseDecimal is parseNumber for numbers that have one spelling: without zeros in front.
func parseDecimal(s string) (int64, bool) {
	if len(s) > 1 && s[0] == '0' {
		return 0, false
	}
	return parseNumber(s)
}
