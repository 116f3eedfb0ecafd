package main

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

// timedJob takes as long as it says.
func timedJob(perTime time.Duration, ran *int) job {
	var took time.Duration
	return job{
		run: func(times int) error {
			*ran += times
			took = time.Duration(times) * perTime
			return nil
		},
		took: func() time.Duration { return took },
	}
}

func TestMeasure(t *testing.T) {
	const rounds = 7
	var ran, ready int
	fast := &entry{key: key{"shape", "fast", 1}, jobs: []job{timedJob(time.Microsecond, &ran)}, parts: 3, slot: time.Millisecond}
	fast.jobs[0].ready = func() error { ready++; return nil }
	var slowRan int
	slow := &entry{key: key{"shape", "slow", 1}, jobs: []job{timedJob(time.Second, &slowRan)}, parts: 1, slot: time.Millisecond}
	before := runtime.GOMAXPROCS(0)
	s, err := measure(t.Context(), []heat{{fast, slow}}, rounds, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if fast.times != 1000 || slow.times != 1 {
		t.Errorf("%d and %d times fill a slot, want 1000 and 1", fast.times, slow.times)
	}
	for _, e := range []*entry{fast, slow} {
		if len(s[e.key]) != rounds {
			t.Errorf("%s: %d samples in %d rounds", e.By, len(s[e.key]), rounds)
		}
	}
	if m := spreadOf(s[fast.key]); m.Median != 1000 {
		t.Errorf("fast takes %v ns, want 1000", m)
	}
	if ran < rounds*3*1000 || ready < rounds {
		t.Errorf("ran %d times, was ready %d times", ran, ready)
	}
	if now := runtime.GOMAXPROCS(0); now != before {
		t.Errorf("GOMAXPROCS is %d, was %d", now, before)
	}
}

// TestFastestPart has a neighbour spoil all parts but one.
func TestFastestPart(t *testing.T) {
	var part int
	e := entry{key: key{Cores: 1}, parts: 4, times: 1, jobs: []job{{
		run:  func(int) error { part++; return nil },
		took: func() time.Duration { return []time.Duration{9, 5, 7, 8}[part-1] },
	}}}
	if ns, err := e.sample(); ns != 5 || err != nil || part != 4 {
		t.Errorf("sample of %v ns, %v, after %d parts, want 5 after 4", ns, err, part)
	}
}

// TestTogether wants jobs that wait for each other to run at once, and the time of both counted as of twice the work.
func TestTogether(t *testing.T) {
	meet := make(chan bool)
	e := entry{key: key{Cores: 2}, parts: 1, times: 5, jobs: []job{
		{run: func(int) error { meet <- true; return nil }, took: func() time.Duration { return 1000 }},
		{run: func(int) error { <-meet; return nil }},
	}}
	if ns, err := e.sample(); ns != 100 || err != nil {
		t.Errorf("sample of %v ns, %v, want 100", ns, err)
	}
}

func TestMeasureFails(t *testing.T) {
	failed := errors.New("failed")
	good := job{run: func(int) error { return nil }}
	bad := job{run: func(int) error { return failed }}
	unready := job{ready: func() error { return failed }}
	for name, jobs := range map[string][]job{"run": {bad}, "other": {good, bad}, "ready": {unready}} {
		e := &entry{key: key{"shape", "who", 1}, jobs: jobs, parts: 1, slot: time.Nanosecond}
		_, err := measure(t.Context(), []heat{{e}}, 1, io.Discard)
		if !errors.Is(err, failed) || !strings.Contains(err.Error(), "who on shape") {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := &entry{key: key{"shape", "who", 1}, jobs: []job{good}, parts: 1, slot: time.Nanosecond}
	if _, err := measure(ctx, []heat{{e}}, 1, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
