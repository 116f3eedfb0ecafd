package blob

import (
	"context"
	"sync"

	"github.com/tapecommit/tapecommit/commit"
)

// runsPerWorker bounds how many runs are under way at a time where they are small.
const runsPerWorker = 16

// An ahead works on runs ahead of their use and lets them be used in order. It belongs to one loop over a Blob, which ends
// with stop: nothing that it started outlives the loop.
//
// While one run is used, Workers others are worked on.
type ahead struct {
	b      *Blob
	ctx    context.Context
	cancel context.CancelFunc
	queue  []*run // under way, the oldest first
	groups int    // that queue has memory for
	ready  []*run // before queue, done and not used
	spare  [len(runSizes)][]*run

	// A window that cannot be had is not tried again for each of its runs.
	mu         sync.Mutex
	lostWindow int
	lostErr    error
}

// runGroups is how many groups a run has that is read for its slices.
func (b *Blob) runGroups() int {
	if b.near != nil {
		return runSizes[1]
	}
	return commit.RunGroups
}

func (b *Blob) newAhead(ctx context.Context) *ahead {
	a := &ahead{b: b}
	a.ctx, a.cancel = context.WithCancel(ctx)
	return a
}

// take returns a run in memory for that many rows.
func (a *ahead) take(rows int) *run {
	class := sizeClass(rows)
	if spare := a.spare[class]; len(spare) > 0 {
		r := spare[len(spare)-1]
		a.spare[class] = spare[:len(spare)-1]
		return r
	}
	r, ok := a.b.pools[class].Get().(*run)
	if !ok {
		r = a.b.newRun(runSizes[class])
	}
	r.loop = a
	return r
}

// start begins to work on a run. It waits for as many of the oldest as make room and then, with r under way, lets use
// have them. It reports whether use returned true for all.
func (a *ahead) start(r *run, job func(*run) error, use func(*run) bool) bool {
	most := a.b.workers * runsPerWorker
	if a.b.near != nil {
		most = a.b.workers
	}
	for len(a.queue) > 0 && (len(a.queue) >= most || a.groups+r.size > a.b.workers*commit.RunGroups) {
		a.wait()
	}
	r.job = job
	a.queue = append(a.queue, r)
	a.groups += r.size
	if a.b.near != nil && a.b.workers == 1 {
		r.main() // there is nothing to wait for
	} else {
		go r.main()
	}
	return a.use(use)
}

// finish lets use have all runs that are left, and reports whether it returned true for all.
func (a *ahead) finish(use func(*run) bool) bool {
	for len(a.queue) > 0 {
		a.wait()
		if !a.use(use) {
			return false
		}
	}
	return true
}

// wait waits for the oldest run under way.
func (a *ahead) wait() {
	r := a.queue[0]
	<-r.done
	a.queue = append(a.queue[:0], a.queue[1:]...)
	a.groups -= r.size
	a.ready = append(a.ready, r)
}

// use lets use have the runs that are ready.
func (a *ahead) use(use func(*run) bool) bool {
	for len(a.ready) > 0 {
		r := a.ready[0]
		if !use(r) {
			return false // and leaves r to stop
		}
		a.ready = append(a.ready[:0], a.ready[1:]...)
		class := sizeClass(r.size)
		a.spare[class] = append(a.spare[class], r)
	}
	return true
}

// stop ends all work and waits for it.
func (a *ahead) stop() {
	a.cancel()
	for len(a.queue) > 0 {
		a.wait()
	}
	for _, r := range a.ready {
		a.release(r)
	}
	for _, spare := range a.spare {
		for _, r := range spare {
			a.release(r)
		}
	}
}

// release gives the memory of a run to the Blob.
func (a *ahead) release(r *run) {
	r.loop, r.job = nil, nil
	a.b.pools[sizeClass(r.size)].Put(r)
}

// window returns a window for a run of a, which may be one of several that ask.
func (a *ahead) window(i int) (*commit.Window, error) {
	a.mu.Lock()
	if a.lostErr != nil && a.lostWindow == i {
		defer a.mu.Unlock()
		return nil, a.lostErr
	}
	a.mu.Unlock()
	w, err := a.b.window(a.ctx, i)
	if err != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.lostWindow, a.lostErr = i, err
	}
	return w, err
}
