package main

import "slices"

// A spread is what many samples come down to: half of them lie between the quartiles.
type spread struct {
	Median float64 `json:"median"`
	Q1     float64 `json:"q1"`
	Q3     float64 `json:"q3"`
}

// spreadOf is the spread of at least one sample.
func spreadOf(samples []float64) spread {
	s := slices.Sorted(slices.Values(samples))
	return spread{quantile(s, 2), quantile(s, 1), quantile(s, 3)}
}

// quantile is where so many quarters of the sorted samples end, between two of them in proportion.
func quantile(sorted []float64, quarters int) float64 {
	at := float64(quarters*(len(sorted)-1)) / 4
	i := int(at)
	if i == len(sorted)-1 {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// ratios divides samples of the same rounds: both sides had the same clock and the same neighbours.
func ratios(of, by []float64) []float64 {
	r := make([]float64, len(of))
	for i := range of {
		r[i] = of[i] / by[i]
	}
	return r
}
