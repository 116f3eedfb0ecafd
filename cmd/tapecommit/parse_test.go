package main

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
)

func TestParseRange(t *testing.T) {
	for s, want := range map[string]byteRange{
		"0-0":                       {0, 0},
		"3-17":                      {3, 17},
		"0-9223372036854775807":     {0, math.MaxInt64},
		"1-99999999999999999999999": {1, math.MaxInt64},
	} {
		if got, err := parseRange(s); err != nil || got != want {
			t.Errorf("parseRange(%q) = %v, %v, want %v", s, got, err, want)
		}
	}
	for _, s := range []string{
		"", "-", "5", "5-", "-5", "5-4", " 0-1", "0-1 ", "0 - 1", "+0-1", "0-+1", "-0-1", "0--1", "0x0-0x1", "0-1-2",
		"00-1", "0-01", "0_0-1", "a-b", "0-1,3-4", "bytes=0-1", "1e3-2e3", "0.0-1", "٠-١", "0–1", "0-1\n",
	} {
		if got, err := parseRange(s); !errors.As(err, new(wrongUse)) {
			t.Errorf("parseRange(%q) = %v, %v, want wrong use", s, got, err)
		}
	}
}

func TestRangeWithin(t *testing.T) {
	for _, c := range []struct {
		r      byteRange
		length int64
		want   byteRange
		ok     bool
	}{
		{byteRange{0, 0}, 1, byteRange{0, 0}, true},
		{byteRange{0, 99}, 10, byteRange{0, 9}, true},
		{byteRange{9, math.MaxInt64}, 10, byteRange{9, 9}, true},
		{byteRange{3, 5}, 10, byteRange{3, 5}, true},
		{byteRange{10, 10}, 10, byteRange{}, false},
		{byteRange{0, 0}, 0, byteRange{}, false},
	} {
		got, err := c.r.within(c.length)
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("%v within %d = %v, %v, want %v", c.r, c.length, got, err, c.want)
		}
	}
}

// FuzzParseRange holds the parser against a regular expression: what is taken has
// the one spelling, and its numbers are the ones spelled.
func FuzzParseRange(f *testing.F) {
	for _, s := range []string{"0-0", "1-2", "5-", "-5", "0x1-2", "01-2", "1-99999999999999999999", "2-1"} {
		f.Add(s)
	}
	form := regexp.MustCompile(`^(0|[1-9][0-9]*)-(0|[1-9][0-9]*)$`)
	f.Fuzz(func(t *testing.T, s string) {
		r, err := parseRange(s)
		m := form.FindStringSubmatch(s)
		if err != nil {
			if m != nil && number(m[1]) <= number(m[2]) {
				t.Fatalf("parseRange(%q): %v", s, err)
			}
			return
		}
		if m == nil {
			t.Fatalf("parseRange(%q) = %v", s, r)
		}
		if want := (byteRange{number(m[1]), number(m[2])}); r != want || r.first > r.last || r.first < 0 {
			t.Fatalf("parseRange(%q) = %v, want %v", s, r, want)
		}
	})
}

// number is the value of digits, or the largest int64.
func number(digits string) int64 {
	v, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return math.MaxInt64
	}
	return v
}

func TestParsePos(t *testing.T) {
	for s, want := range map[string]commit.Pos{
		"0:0":                    {Group: 0, Lane: 0},
		"12:19":                  {Group: 12, Lane: 19},
		"99999999999999999999:3": {Group: commit.MaxGroups, Lane: 3},
		"4294967296:4294967297":  {Group: commit.MaxGroups, Lane: commit.MaxSlices},
	} {
		if got, err := parsePos(s); err != nil || got != want {
			t.Errorf("parsePos(%q) = %v, %v, want %v", s, got, err, want)
		}
	}
	for _, s := range []string{
		"", ":", "1", "1:", ":1", "1:2:3", "-1:0", "1:-1", " 1:2", "1 :2", "0x1:0", "01:0", "1:007", "1,2", "1-2",
	} {
		if got, err := parsePos(s); !errors.As(err, new(wrongUse)) {
			t.Errorf("parsePos(%q) = %v, %v, want wrong use", s, got, err)
		}
	}
}

func TestParseLanes(t *testing.T) {
	for s, want := range map[string]commit.Lanes{
		"0":         1,
		"19":        1 << 19,
		"0-19":      1<<20 - 1,
		"0-9,12":    1<<10 - 1 | 1<<12,
		"1,3-3,5-6": 1<<1 | 1<<3 | 1<<5 | 1<<6,
		"0-9,10":    1<<11 - 1,
	} {
		if got, err := parseLanes(s); err != nil || got != want {
			t.Errorf("parseLanes(%q) = %#x, %v, want %#x", s, got, err, want)
		}
	}
	for _, s := range []string{
		"", ",", "0,", ",0", "0,,1", "20", "0-20", "1-0", "1,0", "0,0", "0-3,3", "0-3,2-5", " 0", "0 ", "0, 1", "+1", "-1",
		"1-", "-", "0x1", "01", "0-1-2", "0-99999999999999999999", "a", "0;1",
	} {
		if got, err := parseLanes(s); !errors.As(err, new(wrongUse)) {
			t.Errorf("parseLanes(%q) = %#x, %v, want wrong use", s, got, err)
		}
	}
}

// FuzzParseLanes spells out what is taken, number by number, and checks that the set
// has one shortest spelling.
func FuzzParseLanes(f *testing.F) {
	for _, s := range []string{"0", "0-9,12", "0-19", "1,0", "20", "0-3,3", ",", "5-4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		lanes, err := parseLanes(s)
		if err != nil {
			if !errors.As(err, new(wrongUse)) || lanes != 0 {
				t.Fatalf("parseLanes(%q) = %#x, %v", s, lanes, err)
			}
			return
		}
		var spelled commit.Lanes
		for part := range strings.SplitSeq(s, ",") {
			a, b, isRange := strings.Cut(part, "-")
			if !isRange {
				b = a
			}
			lo, errA := strconv.Atoi(a)
			hi, errB := strconv.Atoi(b)
			if errA != nil || errB != nil || lo > hi || hi >= commit.MaxSlices || spelled>>lo != 0 {
				t.Fatalf("parseLanes(%q) = %#x", s, lanes)
			}
			for i := lo; i <= hi; i++ {
				spelled |= 1 << i
			}
		}
		if lanes != spelled || lanes == 0 {
			t.Fatalf("parseLanes(%q) = %#x, want %#x", s, lanes, spelled)
		}
		short := lanes.String()
		if again, err := parseLanes(short); err != nil || again != lanes || len(short) > len(s) {
			t.Fatalf("lanes %#x of %q formatted as %q: %#x, %v", lanes, s, short, again, err)
		}
	})
}

func TestParseSeed(t *testing.T) {
	seed, err := parseSeed("00ff" + strings.Repeat("0", 58) + "A1")
	if err != nil || seed[1] != 0xff || seed[31] != 0xa1 {
		t.Errorf("parseSeed = %x, %v", seed, err)
	}
	for _, s := range []string{"", "00", strings.Repeat("0", 63), strings.Repeat("0", 65), strings.Repeat("g", 64), "0x" + strings.Repeat("0", 62)} {
		if _, err := parseSeed(s); !errors.As(err, new(wrongUse)) {
			t.Errorf("parseSeed(%q): %v, want wrong use", s, err)
		}
	}
}

func TestDecimal(t *testing.T) {
	var d decimal
	if err := d.Set("4096"); err != nil || d != 4096 || d.String() != "4096" {
		t.Errorf("decimal = %v, %v", d, err)
	}
	for _, s := range []string{"", "-1", "+1", "010", "0x10", "1_0", " 1", "2147483648", "99999999999999999999"} {
		if err := d.Set(s); err == nil {
			t.Errorf("decimal takes %q as %v", s, d)
		}
	}
}
