package commit_test

import (
	"math"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
)

func TestLanes(t *testing.T) {
	const l = commit.Lanes(0b1011_0100)
	if l.Len() != 4 || l.Has(0) || !l.Has(2) || l.Has(31) || l.Has(40) {
		t.Errorf("%b: %d lanes", l, l.Len())
	}
	for n, want := range map[int]commit.Lanes{
		-1: 0, 0: 0, 1: 0b100, 2: 0b1_0100, 3: 0b11_0100, 4: l, 5: l, 40: l,
		math.MaxInt: l, math.MinInt: 0,
	} {
		if got := l.First(n); got != want {
			t.Errorf("First(%d) of %b = %b, want %b", n, l, got, want)
		}
	}
}

func TestLanesString(t *testing.T) {
	for l, want := range map[commit.Lanes]string{
		0:                     "",
		1:                     "0",
		0b11:                  "0-1",
		1<<10 - 1 | 1<<12:     "0-9,12",
		1<<19 | 1<<3:          "3,19",
		1<<20 - 1:             "0-19",
		1<<31 | 1<<30 | 1<<28: "28,30-31",
		math.MaxUint32:        "0-31",
		math.MaxUint32 - 1:    "1-31",
	} {
		if got := l.String(); got != want {
			t.Errorf("%b: %q, want %q", l, got, want)
		}
	}
}
