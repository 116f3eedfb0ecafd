package main

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"github.com/tapecommit/tapecommit/commit"
)

// parseDecimal takes a number in its one decimal spelling: no sign, no space,
// no leading zero. A number beyond int64 is taken as the largest int64, so that
// "0-99999999999999999999" is a range to the end like any other.
func parseDecimal(s string) (int64, bool) {
	if s == "" || (s[0] == '0' && len(s) > 1) {
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

// byteRange is plaintext from first to last, both included.
type byteRange struct{ first, last int64 }

// parseRange takes A-B with A <= B.
func parseRange(s string) (byteRange, error) {
	a, b, _ := strings.Cut(s, "-")
	first, okA := parseDecimal(a)
	last, okB := parseDecimal(b)
	if !okA || !okB {
		return byteRange{}, wrongUsef("range %q: want A-B, two decimal numbers", s)
	}
	if first > last {
		return byteRange{}, wrongUsef("range %q ends before it begins", s)
	}
	return byteRange{first, last}, nil
}

// within returns r as it lies in a blob of that length: cut at the end, and
// wrong use where the blob ends before it.
func (r byteRange) within(length int64) (byteRange, error) {
	if r.first >= length {
		return byteRange{}, wrongUsef("range %d-%d lies behind the blob's %d bytes", r.first, r.last, length)
	}
	return byteRange{r.first, min(r.last, length-1)}, nil
}

// len is the number of bytes in r.
func (r byteRange) len() int64 { return r.last - r.first + 1 }

// parsePos takes G:I, a group and a lane.
func parsePos(s string) (commit.Pos, error) {
	g, i, _ := strings.Cut(s, ":")
	group, okG := parseDecimal(g)
	lane, okI := parseDecimal(i)
	if !okG || !okI {
		return commit.Pos{}, wrongUsef("slice %q: want G:I, the numbers of a group and a lane", s)
	}
	// No blob has a slice beyond these, and a Pos holds them where int is 32 bits.
	return commit.Pos{Group: int(min(group, commit.MaxGroups)), Lane: int(min(lane, commit.MaxSlices))}, nil
}

// parseLanes takes lanes and ranges of lanes, ascending and apart, as commit.Lanes writes them: 0-9,12.
func parseLanes(s string) (commit.Lanes, error) {
	var lanes commit.Lanes
	next := int64(0) // the lowest lane that may come
	for part := range strings.SplitSeq(s, ",") {
		a, b, isRange := strings.Cut(part, "-")
		if !isRange {
			b = a
		}
		lo, okA := parseDecimal(a)
		hi, okB := parseDecimal(b)
		switch {
		case !okA || !okB:
			return 0, wrongUsef("lanes %q: want numbers and ranges such as 0-9,12", s)
		case lo > hi || lo < next:
			return 0, wrongUsef("lanes %q: want them in ascending order, each once", s)
		case hi >= commit.MaxSlices:
			return 0, wrongUsef("lanes %q: a blob has no lane %s", s, b)
		}
		for i := lo; i <= hi; i++ {
			lanes |= 1 << i
		}
		next = hi + 1
	}
	return lanes, nil
}

// parseSeed takes 64 hex digits.
func parseSeed(s string) (*[32]byte, error) {
	var seed [32]byte
	if len(s) != 2*len(seed) {
		return nil, wrongUsef("seed %q: want 64 hex digits", s)
	}
	if _, err := hex.Decode(seed[:], []byte(s)); err != nil {
		return nil, wrongUsef("seed %q: want 64 hex digits", s)
	}
	return &seed, nil
}

// parseIDs takes IDs, all before any is used.
func parseIDs(args []string) ([]commit.ID, error) {
	ids := make([]commit.ID, len(args))
	for i, s := range args {
		id, err := commit.ParseID(s)
		if err != nil {
			return nil, wrongUsef("ID %q: want 64 lower-case hex digits", s)
		}
		ids[i] = id
	}
	return ids, nil
}
