package main

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestBenchWorks does each work once, and its rival.
func TestBenchWorks(t *testing.T) {
	works, err := benchWorks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range works {
		t.Run(w.name, func(t *testing.T) {
			if err := w.run(); err != nil {
				t.Error(err)
			}
			w.rival()
			if w.bytes <= 0 {
				t.Errorf("%d bytes", w.bytes)
			}
		})
	}
}

func TestMeasure(t *testing.T) {
	ran, rivals := 0, 0
	works := []benchWork{{"work", 7, func() error { ran++; return nil }, func() { rivals++ }}}
	results, err := measure(t.Context(), works, 5, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if ran < 5 || rivals < 5 {
		t.Errorf("work ran %d times, its rival %d, want 5 or more", ran, rivals)
	}
	if r := results[0]; len(results) != 1 || r.Name != "work" || r.Bytes != 7 || r.Ns <= 0 || r.SHA256Ns <= 0 || r.Ratio <= 0 {
		t.Errorf("results %+v", results)
	}
	if m := median([]float64{5, 1, 4, 2, 3}); m != 3 {
		t.Errorf("median %v, want 3", m)
	}

	failed := errors.New("failed")
	works[0].run = func() error { return failed }
	if _, err := measure(t.Context(), works, 5, 0); !errors.Is(err, failed) {
		t.Errorf("measure: %v, want %v", err, failed)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := measure(ctx, works, 5, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("measure: %v, want %v", err, context.Canceled)
	}
}
