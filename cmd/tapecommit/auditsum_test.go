package main

import (
	"math"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// TestAuditSum checks that the report on many blobs claims what was shown, and no more.
func TestAuditSum(t *testing.T) {
	report := func(groups int64, lanes commit.Lanes, n int, verdict proof.Verdict) auditReport {
		h := commit.Header{Params: commit.Params{K: 10, N: 20, SliceSize: 4096}, Length: groups * 40960}
		samples := make([]proof.Sample, n)
		for i := range samples {
			samples[i].Verdict = proof.Good
		}
		samples[0].Verdict = verdict
		return newAuditReport(proof.Challenge{Lanes: lanes, Count: n}, h, samples)
	}
	all := commit.Lanes(1<<20 - 1)
	for _, c := range []struct {
		name      string
		sum       auditSum
		reports   []auditReport
		says, not []string
	}{
		{"all good", auditSum{}, []auditReport{report(2560, all, 100, proof.Good), report(100, all, 200, proof.Good)},
			[]string{"2 blobs: 2 with all slices asked for good, 0 with some not; 0 without an answer, 0 refused.", "300 good, 0 wrong, 0 absent, 0 unproven, of 300 slices chosen from 53200.",
				"of each blob passes for all with a chance of at most (1-f)^300: 4.91% for f = 1%", "of one blob passes for it with a chance of at most (1-f)^100: 36.7% for f = 1%",
				"where more than 100 slices", "chance of 12% or more; of the blob that shows it least, 96.1% or more", "Of 2 blobs as many lanes", "no challenge is for", "earlier audit"},
			[]string{"nothing was learned", "accuse nobody", "fewer lanes"}},
		{"one good, one not", auditSum{}, []auditReport{report(2560, 1<<9-1, 100, proof.Good), report(100, all, 200, proof.Absent)},
			[]string{": 1 with all slices asked for good, 1 with some not;", "299 good, 0 wrong, 1 absent", "accuse nobody", "(1-f)^100", "Of 1 blob fewer lanes"},
			[]string{"passes for all", "(1-f)^300", "(1-f)^200", "as many lanes", "nothing was learned."}},
		{"not all answered", auditSum{Unanswered: 2, Refused: 3}, []auditReport{report(9, 1<<10-1, 9, proof.Good)},
			[]string{"6 blobs: 1 with all slices asked for good, 0 with some not; 2 without an answer, 3 refused.", "or with one that is refused", "nothing was learned.", "(1-f)^9"},
			[]string{"passes for all", "accuse nobody"}},
		{"unproven", auditSum{}, []auditReport{report(9, 1, 1, proof.Unproven), report(9, 1, 9, proof.Wrong)},
			[]string{": 0 with all slices asked for good, 2 with some not;", "8 good, 1 wrong, 0 absent, 1 unproven", "nothing was learned.", "accuse nobody", "not excluded"},
			[]string{"passes", "lanes"}},
		{"no answers", auditSum{Unanswered: 2}, nil,
			[]string{"2 blobs: 0 with all slices asked for good", "of 0 slices chosen from 0", "nothing was learned."},
			[]string{"passes", "lanes", "accuse"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, r := range c.reports {
				c.sum.add(r)
			}
			c.sum.conclude()
			text := strings.Join(c.sum.Meaning, "\n")
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
			marshal(c.sum) // panics where a number is none
		})
	}
}

// TestPercent rounds to the side on which a claim is true.
func TestPercent(t *testing.T) {
	for _, c := range []struct {
		f           float64
		most, least string
	}{
		{0, "less than 1e-07%", "0%"},
		{1e-300, "less than 1e-07%", "1e-298%"},
		{0.05, "5%", "5%"},
		{0.366032, "36.7%", "36.6%"},
		{0.9999999, "100%", "99.9%"},
		{1, "100%", "100%"},
		{0.00266, "0.266%", "0.266%"},
		{0.0026561, "0.266%", "0.265%"},
	} {
		if most, least := atMost(c.f), atLeast(c.f); most != c.most || least != c.least {
			t.Errorf("%v: at most %s, at least %s, want %s, %s", c.f, most, least, c.most, c.least)
		}
	}
	// What a large audit leaves is never said to be nothing.
	if text := oddsOf(1 << 20).String(); !strings.Contains(text, "less than") || strings.Contains(text, " 0%") {
		t.Error(text)
	}
	if b := oddsOf(300).Bound95; math.Abs(math.Pow(1-b, 300)-0.05) > 1e-12 {
		t.Errorf("bound %v", b)
	}
}
