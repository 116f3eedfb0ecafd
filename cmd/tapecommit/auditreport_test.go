package main

import (
	"math"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// TestMisses holds misses against counting all choices.
func TestMisses(t *testing.T) {
	for all := 1; all <= 10; all++ {
		for few := range all + 1 {
			for count := 1; count <= all; count++ {
				choices, missing := 0, 0
				for set := range 1 << all {
					if commit.Lanes(set).Len() != count {
						continue
					}
					choices++
					if set&(1<<few-1) == 0 {
						missing++
					}
				}
				want := float64(missing) / float64(choices)
				if got := misses(int64(few), int64(all), int64(count)); math.Abs(got-want) > 1e-12 {
					t.Errorf("misses(%d, %d, %d) = %v, want %v", few, all, count, got, want)
				}
				// The bound that the report gives is one.
				if bound := passes(float64(few)/float64(all), count); want > bound+1e-12 {
					t.Errorf("%d of %d choices of %d: chance %v, bound %v", few, all, count, want, bound)
				}
			}
		}
	}
	// One group of a large blob.
	if got, want := misses(20, 20<<20, 100), math.Pow(1-1.0/(1<<20), 100); math.Abs(got-want) > 1e-9 {
		t.Errorf("one group of 2^20: %v, want about %v", got, want)
	}
}

// TestMeaning checks that the report claims what was shown, and no more.
func TestMeaning(t *testing.T) {
	h := commit.Header{Params: commit.Params{K: 10, N: 20, SliceSize: 4096}, Length: 2560 * 40960}
	report := func(lanes commit.Lanes, verdicts ...proof.Verdict) auditReport {
		c := proof.Challenge{Lanes: lanes, Count: len(verdicts)}
		samples := make([]proof.Sample, len(verdicts))
		for i, v := range verdicts {
			samples[i].Verdict = v
		}
		return newAuditReport(c, h, samples)
	}
	good := make([]proof.Verdict, 300)
	for i := range good {
		good[i] = proof.Good
	}
	for _, c := range []struct {
		name      string
		r         auditReport
		says, not []string
	}{
		{"all good", report(1<<20-1, good...),
			[]string{"300 good", "51200 in lanes 0-19 of 2560 groups", "at most (1-f)^300: 4.91% for f = 1%", "one in 20", "lost one group", "do not mean that each lane is stored", "earlier audit"},
			[]string{"nothing was learned", "accuses nobody"}},
		{"few lanes", report(1<<9-1, good...),
			[]string{"23040 in lanes 0-8", "9 lanes asked about are fewer than the 10"},
			[]string{"do not mean that each lane is stored"}},
		{"k lanes", report(1<<10-1, good...),
			[]string{"do not mean that each lane is stored"},
			[]string{"are fewer"}},
		{"absent", report(1, proof.Good, proof.Absent, proof.Wrong),
			[]string{"1 good, 1 wrong, 1 absent, 0 unproven", "accuses nobody"},
			[]string{"at most", "one in 20", "lost one group"}},
		{"unproven", report(1, proof.Unproven),
			[]string{"1 unproven", "nothing was learned"},
			[]string{"at most", "asked about", "earlier audit"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Join(c.r.meaning(), "\n")
			for _, s := range c.says {
				if !strings.Contains(text, s) {
					t.Errorf("does not say %q:\n%s", s, text)
				}
			}
			for _, s := range c.not {
				if strings.Contains(text, s) {
					t.Errorf("says %q:\n%s", s, text)
				}
			}
		})
	}
	if r := report(1, good...); math.Abs(math.Pow(1-r.Bound95, 300)-0.05) > 1e-12 {
		t.Errorf("bound %v", r.Bound95)
	}
}
