package main

import (
	"slices"
	"testing"
)

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		samples []float64
		want    spread
	}{
		{[]float64{7}, spread{7, 7, 7}},
		{[]float64{3, 1}, spread{2, 1.5, 2.5}},
		{[]float64{5, 1, 4, 2, 3}, spread{3, 2, 4}},
		{[]float64{4, 3, 2, 1}, spread{2.5, 1.75, 3.25}},
	} {
		before := slices.Clone(c.samples)
		if got := spreadOf(c.samples); got != c.want {
			t.Errorf("%v: %v, want %v", before, got, c.want)
		}
		if !slices.Equal(c.samples, before) {
			t.Errorf("the samples %v were put in order: %v", before, c.samples)
		}
	}
}

// Ratios are of the same round: a machine that slows down both sides changes none.
func TestRatios(t *testing.T) {
	of, by := []float64{10, 40, 20}, []float64{5, 20, 10}
	if got := ratios(of, by); !slices.Equal(got, []float64{2, 2, 2}) {
		t.Errorf("ratios %v, want 2", got)
	}
}
