package main

import (
	"encoding/hex"
	"fmt"
	"math"
	"strings"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// auditReport is what an audit found and what that is worth.
type auditReport struct {
	ID         commit.ID      `json:"id"`
	Seed       string         `json:"seed"`
	Lanes      string         `json:"lanes"`
	Count      int            `json:"count"`
	Population int64          `json:"population"` // slices that the choice was made from
	Groups     int            `json:"groups"`
	K          int            `json:"k"`
	N          int            `json:"n"`
	Good       int            `json:"good"`
	Wrong      int            `json:"wrong"`
	Absent     int            `json:"absent"`
	Unproven   int            `json:"unproven"`
	Samples    []sampleReport `json:"samples"`
	Chances    []chance       `json:"chances"`             // of an audit like this one to be passed
	Bound95    float64        `json:"unavailable_bound95"` // the fraction that passes one audit in 20
	OneGroup   float64        `json:"one_group_chance"`    // to be passed by who lacks one whole group
	Meaning    []string       `json:"meaning"`
	asked      int            // lanes
}

type sampleReport struct {
	Slice   slicePos      `json:"slice"`
	Verdict proof.Verdict `json:"verdict"`
}

// chance is how likely who cannot produce a fraction of the slices passes.
type chance struct {
	Unavailable float64 `json:"unavailable"`
	Chance      float64 `json:"chance"`
}

func newAuditReport(c proof.Challenge, h commit.Header, samples []proof.Sample) auditReport {
	r := auditReport{
		ID: c.ID, Seed: hex.EncodeToString(c.Seed[:]), Lanes: c.Lanes.String(), Count: c.Count,
		Population: population(c, h), Groups: h.Groups(), K: h.K, N: h.N, asked: c.Lanes.Len(),
	}
	for _, s := range samples {
		r.Samples = append(r.Samples, sampleReport{slicePos(s.Pos), s.Verdict})
		switch s.Verdict {
		case proof.Good:
			r.Good++
		case proof.Wrong:
			r.Wrong++
		case proof.Absent:
			r.Absent++
		default:
			r.Unproven++
		}
	}
	o := oddsOf(c.Count)
	r.Chances, r.Bound95 = o.Chances, o.Bound95
	r.OneGroup = misses(int64(r.asked), r.Population, int64(c.Count))
	r.Meaning = r.meaning()
	return r
}

// odds are those of an audit to be passed by who cannot produce some slices.
type odds struct {
	Samples int      `json:"samples"`
	Chances []chance `json:"chances"`
	Bound95 float64  `json:"unavailable_bound95"` // the fraction that passes one audit in 20
}

func oddsOf(samples int) odds {
	o := odds{Samples: samples, Bound95: 1 - math.Pow(0.05, 1/float64(samples))}
	for _, f := range []float64{0.01, 0.05, 0.10} {
		o.Chances = append(o.Chances, chance{f, passes(f, samples)})
	}
	return o
}

// String is the odds in words; f is the fraction that cannot be produced.
func (o odds) String() string {
	var parts []string
	for _, c := range o.Chances {
		parts = append(parts, fmt.Sprintf("%s for f = %s", atMost(c.Chance), percent(c.Unavailable)))
	}
	return fmt.Sprintf("at most (1-f)^%d: %s; one in 20 for f = %s", o.Samples, strings.Join(parts, ", "), atMost(o.Bound95))
}

// passes is the chance that none of count slices is of the fraction f that cannot
// be produced. Slices are chosen without repetition, so this is at most so.
func passes(f float64, count int) float64 { return math.Pow(1-f, float64(count)) }

// misses is the chance that count slices chosen of all include none of certain few.
// With the slices of one group of G in a large blob it is close to (1 - 1/G)^count.
func misses(few, all, count int64) float64 {
	chance := 1.0
	for i := range few {
		chance *= float64(max(all-count-i, 0)) / float64(all-i)
	}
	return chance
}

// meaning says what the verdicts mean, with the numbers of the case.
func (r auditReport) meaning() []string {
	lines := []string{fmt.Sprintf("%d good, %d wrong, %d absent, %d unproven, of %s chosen from the %d in lanes %s of %s.",
		r.Good, r.Wrong, r.Absent, r.Unproven, count(r.Count, "slice"), r.Population, r.Lanes, count(r.Groups, "group"))}
	switch {
	case r.Unproven > 0:
		return append(lines, "The answer does not lead to the ID: nothing was learned about the slices.")
	case r.Good < r.Count:
		lines = append(lines, "What is wrong or absent is so in this answer. Anybody can make such an answer: it accuses nobody.")
	default:
		lines = append(lines,
			fmt.Sprintf("An archive that cannot produce a fraction f of those slices passes with a chance of %v.", oddsOf(r.Count)),
			fmt.Sprintf("One that has lost one group and nothing else passes with a chance of %s or more.", atLeast(r.OneGroup)))
	}
	if r.asked < r.K {
		lines = append(lines, fmt.Sprintf("%s asked about are fewer than the %d that make a group: the slices do not follow from each other, and to produce them is to store them or to fetch them.",
			count(r.asked, "lane"), r.K))
	} else {
		lines = append(lines, fmt.Sprintf("Who can reach any %d slices of a group can produce all %d: good slices of %s do not mean that each lane is stored.",
			r.K, r.N, count(r.asked, "lane")))
	}
	return append(lines, "Slices that were fetched from elsewhere, and an answer kept from an earlier audit with this seed, are not excluded.")
}

// percent writes a fraction with three digits; atMost and atLeast never claim more than
// is so.
func percent(f float64) string { return fmt.Sprintf("%.3g%%", 100*f) }

func atMost(f float64) string {
	const least = 1e-9
	if f < least { // or too little for a float64
		return "less than " + percent(least)
	}
	return percent(threeDigits(f, math.Ceil))
}

func atLeast(f float64) string { return percent(threeDigits(f, math.Floor)) }

// threeDigits rounds a fraction to three digits. What is three digits but for the
// precision of a float64 stays.
func threeDigits(f float64, round func(float64) float64) float64 {
	if f == 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(f))-2)
	if near := math.Round(f / unit); math.Abs(f/unit-near) < 1e-9 {
		return near * unit
	}
	return round(f/unit) * unit
}
