package remote

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// maxAhead is how many requests of one loop are under way at a time.
const maxAhead = 4

// A request is for the bundle of a set. When done is closed, the bundle is here and checked, or err says why not.
type request struct {
	set  []commit.Pos
	done chan struct{}
	err  error

	first proof.Slice // what next returned
	next  func() (proof.Slice, error, bool)
	stop  func()
}

func (r *request) run(ctx context.Context, b *Blob) {
	defer close(r.done)
	r.err = r.read(ctx, b)
}

// read reads the bundle up to its first slice, which comes when all were read and checked.
func (r *request) read(ctx context.Context, b *Blob) error {
	answer, err := b.ask(ctx, r.set)
	if err != nil {
		return err
	}
	defer answer.Close()
	r.next, r.stop = iter.Pull2(proof.Open(b.id, answer, slices.Values(r.set)))
	if r.first, err, _ = r.next(); err != nil {
		return err
	}
	ended, err := answer.ended()
	if err == nil && !ended {
		err = fmt.Errorf("bytes behind the bundle: %w", commit.BundleSize)
	}
	return err
}

func (r *request) close() {
	if r.stop != nil {
		r.stop()
	}
}

// A queue is requests under way, the oldest first.
type queue struct {
	b        *Blob
	ctx      context.Context
	cancel   context.CancelFunc
	requests []*request
}

func newQueue(ctx context.Context, b *Blob) *queue {
	q := &queue{b: b}
	q.ctx, q.cancel = context.WithCancel(ctx)
	return q
}

// stop ends what is under way.
func (q *queue) stop() {
	q.cancel()
	for _, r := range q.requests {
		<-r.done
		r.close()
	}
}

// start asks for a set, which is one slice where that lies outside the blob.
func (q *queue) start(set []commit.Pos) {
	r := &request{set: set, done: make(chan struct{})}
	q.requests = append(q.requests, r)
	if !q.b.h.Has(set[0]) {
		r.err = errors.New("lies outside the blob")
		close(r.done)
		return
	}
	go r.run(q.ctx, q.b)
}

// finish delivers all that is under way and reports whether the loop goes on.
func (q *queue) finish(yield func(proof.Slice, error) bool) bool {
	for len(q.requests) > 0 {
		if !q.deliver(yield) {
			return false
		}
	}
	return true
}

// deliver yields the slices of the oldest request and reports whether the loop goes on.
func (q *queue) deliver(yield func(proof.Slice, error) bool) bool {
	r := q.requests[0]
	<-r.done
	q.requests = q.requests[1:]
	defer r.close()
	if r.err != nil {
		return q.fail(r, yield)
	}
	for s, err, ok := r.first, error(nil), true; ok; s, err, ok = r.next() {
		if !yield(s, err) {
			return false
		}
	}
	return true
}

// fail yields what became of the slices of a request that failed.
func (q *queue) fail(r *request, yield func(proof.Slice, error) bool) bool {
	if err := q.ctx.Err(); err != nil {
		yield(proof.Slice{}, err)
		return false
	}
	var status *StatusError
	if len(r.set) > 1 && errors.As(r.err, &status) && status.Status == http.StatusInternalServerError {
		return q.halve(r.set, yield)
	}
	for _, p := range r.set {
		if !yield(proof.Slice{}, fmt.Errorf("remote: slice %v: %w", p, r.err)) {
			return false
		}
	}
	return true
}

// halve asks for the halves of a set that the gateway did not give: it may have one of them.
func (q *queue) halve(set []commit.Pos, yield func(proof.Slice, error) bool) bool {
	halves := newQueue(q.ctx, q.b)
	defer halves.stop()
	mid := len(set) / 2
	halves.start(set[:mid])
	halves.start(set[mid:])
	return halves.finish(yield)
}
