package main

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// wanted is a ratio that the design asks for.
type wanted struct {
	Work    string  `json:"work"`
	Target  float64 `json:"target,omitempty"` // 0 where the family has none
	AtMost  bool    `json:"at_most,omitempty"`
	Got     *spread `json:"got,omitempty"` // nil where it was not measured
	Verdict string  `json:"verdict"`
}

const (
	met       = "met"
	missed    = "missed"
	noTarget  = "no target"
	notTimed  = "not timed"
	voidRival = "void"
)

// targets are by family; those of any machine stand under "".
type targets map[string]float64

func anyMachine(t float64) targets { return targets{"": t} }

func zen(five, four float64) targets { return targets{zen5: five, zen4: four} }

// A wantedTable collects the ratios that the design asks for.
type wantedTable struct {
	family string
	series series
	notes  []rivalNote
	rows   []wanted
}

// addHashing adds what depends on the family.
func (t *wantedTable) addHashing(m *machine) {
	t.add("1 group, against crypto/sha256", zen(3.5, 3.0), oneGroup, standard, byDefault)
	t.add("8 groups in one call, against crypto/sha256", zen(4.4, 3.2), manyGroups, standard, byDefault)
	t.add("64 leaves of 1,057 bytes, against crypto/sha256", zen(4, 3), shreds, standard, byDefault)
	t.add("1 group, against tape-sha256", zen(1.3, 1.5), oneGroup, tape, byDefault)
	t.add("8 groups in one call, against tape-sha256", zen(1.35, 1.55), manyGroups, tape, byDefault)
	for _, k := range m.Kernels {
		if rival := sameKind(k.Name, t.notes); rival != "" {
			t.add(fmt.Sprintf("1 group by %s, against %s", k.Name, rival), zen(1.1, 1.1), oneGroup, rival, k.Name)
			t.add(fmt.Sprintf("8 groups by %s, against %s", k.Name, rival), zen(1.1, 1.1), manyGroups, rival, k.Name)
		}
	}
	t.addSeries("mixed lengths, against equal lengths of the same total", zen(0.9, 0.9),
		t.of(equalSizes, byDefault, 1), t.of(mixedSizes, byDefault, 1))
}

// addPath adds what any machine should reach.
func (t *wantedTable) addPath(ctx context.Context, o options) error {
	code, hash := t.of(codeAlone, coderOnly, 1), t.of(hashAlone, byDefault, 1)
	t.addSeries("write, against coding alone plus hashing alone", anyMachine(0.9),
		sum(code, hash), t.of(writePath, byDefault, 1))
	t.addSeries("read, against hashing the same bytes alone", anyMachine(0.85),
		t.of(dataAlone, byDefault, 1), t.of(readPath, byDefault, 1))
	if o.cores > 1 {
		on := fmt.Sprintf(" on %d cores, against one", o.cores)
		want := anyMachine(0.95 * float64(o.cores))
		t.addSeries("write"+on, want, t.of(writePath, byDefault, 1), t.of(writePath, byDefault, o.cores))
		t.addSeries("read"+on, nil, t.of(readPath, byDefault, 1), t.of(readPath, byDefault, o.cores))
		t.addSeries("8 groups for each"+on, want, t.of(manyGroups, byDefault, 1), t.of(manyGroups, byDefault, o.cores))
	}
	if t.of(writePath, byDefault, 1) == nil {
		return nil
	}
	write, read, err := allocations(ctx)
	if err != nil {
		return err
	}
	t.addAllocations("allocations a group, writing", write)
	t.addAllocations("allocations a group, reading", read)
	return nil
}

func (t *wantedTable) of(shape, by string, cores int) []float64 {
	return t.series[key{shape, by, cores}]
}

// add says how many times faster than a rival one of ours is on one core.
func (t *wantedTable) add(work string, want targets, shape, rival, our string) {
	for _, n := range t.notes {
		if n.Name == rival && (n.Void != "" || n.Absent != "") {
			verdict := voidRival
			if n.Absent != "" {
				verdict = notTimed
			}
			t.rows = append(t.rows, wanted{Work: work, Target: t.target(want), Verdict: verdict})
			return
		}
	}
	t.addSeries(work, want, t.of(shape, rival, 1), t.of(shape, our, 1))
}

func (t *wantedTable) target(want targets) float64 {
	if any, ok := want[""]; ok {
		return any
	}
	return want[t.family]
}

func (t *wantedTable) addSeries(work string, want targets, slow, fast []float64) {
	w := wanted{Work: work, Target: t.target(want)}
	switch {
	case slow == nil || fast == nil:
		w.Verdict = notTimed
	default:
		got := spreadOf(ratios(slow, fast))
		w.Got = &got
		switch {
		case w.Target == 0:
			w.Verdict = noTarget
		case round2(got.Median) >= w.Target:
			w.Verdict = met
		default:
			w.Verdict = missed
		}
	}
	t.rows = append(t.rows, w)
}

// allocationsWanted is none: what is left is what a run of 64 groups costs.
const allocationsWanted = 0.5

func (t *wantedTable) addAllocations(work string, n float64) {
	w := wanted{Work: work, Target: allocationsWanted, AtMost: true, Got: &spread{n, n, n}, Verdict: met}
	if n >= allocationsWanted {
		w.Verdict = missed
	}
	t.rows = append(t.rows, w)
}

// round2 is x as it is printed: 0.949 is printed as 0.95, and counts as that.
func round2(x float64) float64 { return math.Round(x*100) / 100 }

// sum adds times of the same rounds: doing one thing and then the other.
func sum(a, b []float64) []float64 {
	if a == nil || b == nil {
		return nil
	}
	s := make([]float64, len(a))
	for i := range a {
		s[i] = a[i] + b[i]
	}
	return s
}

// sameKind finds tape-sha256's backend of a kernel's instruction set and lanes. Ours are named like shani-x4, theirs
// shani-x4, avx2-8, or avx512-2x16.
func sameKind(kernel string, notes []rivalNote) string {
	set, lanes, ok := strings.Cut(kernel, "-x")
	if !ok {
		return ""
	}
	for _, n := range notes {
		backend, ok := strings.CutPrefix(n.Name, tape+" ")
		if !ok {
			continue
		}
		theirs, count, _ := strings.Cut(backend, "-")
		count = strings.TrimPrefix(count, "x")
		if count == "2x16" {
			count = "32"
		}
		if theirs == set && count == lanes {
			return n.Name
		}
	}
	return ""
}
