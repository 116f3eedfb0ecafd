package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"time"
)

// A key names what is timed: who does which work on how many cores.
type key struct {
	Shape string `json:"shape"`
	By    string `json:"by"`
	Cores int    `json:"cores"`
}

// An entry is something to time.
type entry struct {
	key
	jobs    []job // at once
	collect bool  // it allocates: what the last sample left is collected before the next
	parts   int   // of a sample, of which the fastest counts
	slot    time.Duration
	times   int // in a part, to fill a slot
}

// A heat is entries that take turns: what is compared stands in one heat.
type heat []*entry

// series has the samples of each entry, one a round: nanoseconds for one time of the work.
type series map[key][]float64

// measure times every entry of every heat once a round, in a new order each round.
//
// The collector stands still meanwhile. A sample on one core has one processor of Go's: whatever goroutines a contestant
// has take turns on it. No goroutine is tied to a thread, because that costs the others a change of threads each time it
// waits for them.
func measure(ctx context.Context, heats []heat, rounds int, progress io.Writer) (series, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	s := make(series)
	r := rand.New(rand.NewPCG(3, 4))
	for _, h := range heats {
		for _, e := range h {
			if err := e.calibrate(); err != nil {
				return nil, err
			}
		}
	}
	for round := range rounds {
		fmt.Fprintf(progress, "\rround %d of %d", round+1, rounds)
		for _, h := range heats {
			for _, i := range r.Perm(len(h)) {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				ns, err := h[i].sample()
				if err != nil {
					return nil, err
				}
				s[h[i].key] = append(s[h[i].key], ns)
			}
		}
	}
	fmt.Fprintln(progress)
	return s, nil
}

// calibrate finds how many times fill a slot, which warms up caches and branches, too.
func (e *entry) calibrate() error {
	for e.times = 1; ; {
		ns, err := e.sample()
		if err != nil {
			return err
		}
		all := ns * float64(len(e.jobs))
		if all*float64(e.times) >= float64(e.slot)/2 {
			e.times = max(1, int(float64(e.slot)/all+0.5))
			return nil
		}
		e.times *= 2
	}
}

// sample is the fastest of so many parts right behind each other: where they differ, somebody else had the core.
func (e *entry) sample() (float64, error) {
	if runtime.GOMAXPROCS(0) != e.Cores {
		runtime.GOMAXPROCS(e.Cores)
	}
	if e.collect {
		runtime.GC()
	}
	for i := range e.jobs {
		if err := e.jobs[i].prepare(); err != nil {
			return 0, fmt.Errorf("%s on %s: %w", e.By, e.Shape, err)
		}
	}
	best := math.Inf(1)
	for range e.parts {
		ns, err := e.part()
		if err != nil {
			return 0, fmt.Errorf("%s on %s: %w", e.By, e.Shape, err)
		}
		best = min(best, ns)
	}
	return best, nil
}

// part does the work of every job e.times and returns what one time took.
func (e *entry) part() (float64, error) {
	others := make(chan error, len(e.jobs)-1)
	start := time.Now()
	for i := range e.jobs[1:] {
		go func() { others <- e.jobs[1+i].run(e.times) }()
	}
	err := e.jobs[0].run(e.times)
	for range e.jobs[1:] {
		if other := <-others; err == nil {
			err = other
		}
	}
	took := time.Since(start)
	if e.jobs[0].took != nil {
		took = e.jobs[0].took()
	}
	return float64(took.Nanoseconds()) / float64(e.times*len(e.jobs)), err
}
