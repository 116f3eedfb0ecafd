package main

import (
	"math"
	"strings"
	"testing"
)

func TestSameKind(t *testing.T) {
	var notes []rivalNote
	for _, n := range []string{tape, "serial", "portable-8", "shani-x4", "avx2-8", "avx512-16", "avx512-2x16"} {
		if n != tape {
			n = tape + " " + n
		}
		notes = append(notes, rivalNote{Name: n})
	}
	for kernel, want := range map[string]string{
		"shani-x4":   "shani-x4",
		"avx2-x8":    "avx2-8",
		"avx512-x16": "avx512-16",
		"avx512-x32": "avx512-2x16",
		"shani-x2":   "",
		"avx512-x8":  "",
		"split-x8":   "",
		"generic":    "",
		"stdlib":     "",
	} {
		if want != "" {
			want = tape + " " + want
		}
		if got := sameKind(kernel, notes); got != want {
			t.Errorf("%s is of a kind with %q, want %q", kernel, got, want)
		}
	}
}

func find(t *testing.T, rows []wanted, work string) wanted {
	t.Helper()
	for _, w := range rows {
		if strings.HasPrefix(w.Work, work) {
			return w
		}
	}
	t.Fatalf("no row %q", work)
	return wanted{}
}

// TestWanted goes through what may become of a row.
func TestWanted(t *testing.T) {
	two := func(a, b float64) []float64 { return []float64{a, b} }
	s := series{
		{oneGroup, byDefault, 1}:   two(10, 20),
		{oneGroup, standard, 1}:    two(35, 70),
		{oneGroup, tape, 1}:        two(30, 60),
		{oneGroup, "avx2-x8", 1}:   two(40, 80),
		{manyGroups, byDefault, 1}: two(100, 100),
		{manyGroups, standard, 1}:  two(300, 320),
		{manyGroups, tape, 1}:      two(135, 135),
		{manyGroups, byDefault, 2}: two(52.6, 52.6),
		{writePath, byDefault, 2}:  two(10, 10),
		{equalSizes, byDefault, 1}: two(100, 100),
		{mixedSizes, byDefault, 1}: two(111.5, 111.5),
	}
	m := machine{Family: zen5, Kernels: []chosen{{Name: "avx2-x8"}, {Name: "avx512-x16"}}}
	notes := []rivalNote{{Name: tape}, {Name: tape + " avx2-8", Void: "slow"}, {Name: tape + " avx512-16", Absent: "no"}}
	table := wantedTable{family: m.Family, series: s, notes: notes}
	table.addHashing(&m)
	if err := table.addPath(t.Context(), options{cores: 2}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		work    string
		target  float64
		got     float64 // 0 for none
		verdict string
	}{
		{"1 group, against crypto/sha256", 3.5, 3.5, met},
		{"8 groups in one call, against crypto/sha256", 4.4, 3.1, missed},
		{"64 leaves", 4, 0, notTimed},
		{"1 group, against tape-sha256", 1.3, 3, met},
		{"8 groups in one call, against tape-sha256", 1.35, 1.35, met},
		{"1 group by avx2-x8", 1.1, 0, voidRival},
		{"1 group by avx512-x16", 1.1, 0, notTimed},
		{"mixed lengths", 0.9, 100 / 111.5, met}, // printed as 0.90
		{"write, against", 0.9, 0, notTimed},
		{"write on 2 cores", 1.9, 0, notTimed},
		{"8 groups for each on 2 cores", 1.9, 100 / 52.6, met},
	} {
		w := find(t, table.rows, c.work)
		var got float64
		if w.Got != nil {
			got = w.Got.Median
		}
		if w.Target != c.target || math.Abs(got-c.got) > 1e-9 || w.Verdict != c.verdict {
			t.Errorf("%s: wanted %v, got %v, %s; want %v, %v, %s", c.work, w.Target, got, w.Verdict, c.target, c.got, c.verdict)
		}
	}

	other := wantedTable{family: zen3, series: s, notes: notes}
	other.addHashing(&machine{Family: zen3})
	if w := find(t, other.rows, "1 group, against crypto/sha256"); w.Target != 0 || w.Verdict != noTarget || w.Got == nil {
		t.Errorf("on a family without targets: %+v", w)
	}
}

func TestSum(t *testing.T) {
	if s := sum([]float64{1, 2}, []float64{10, 20}); len(s) != 2 || s[0] != 11 || s[1] != 22 {
		t.Errorf("sum %v", s)
	}
	if sum(nil, []float64{1}) != nil || sum([]float64{1}, nil) != nil {
		t.Error("a sum with what was not timed")
	}
}

func TestAllocations(t *testing.T) {
	var table wantedTable
	table.addAllocations("few", 0.25)
	table.addAllocations("one", 1)
	if table.rows[0].Verdict != met || table.rows[1].Verdict != missed {
		t.Errorf("rows %+v", table.rows)
	}
	write, read, err := allocations(t.Context())
	if err != nil || write >= allocationsWanted || read >= allocationsWanted {
		t.Errorf("%v and %v allocations a group, %v", write, read, err)
	}
}
