package gateway

import (
	"context"
	"net/http"
	"sync"
)

// A budget is an amount of something that requests share. Whoever asks first is served first, so that a large claim is
// not passed over for small ones forever.
type budget struct {
	mu    sync.Mutex
	total int64
	free  int64
	queue []*claim
}

type claim struct {
	amount int64
	ready  chan struct{} // closed when the amount is the claim's
}

func newBudget(total int64) *budget { return &budget{total: total, free: total} }

func (b *budget) used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.total - b.free
}

// take waits for an amount, which give returns. A claim to more than there is waits for all.
func (b *budget) take(ctx context.Context, amount int64) (give func(), err error) {
	c := &claim{amount: min(amount, b.total), ready: make(chan struct{})}
	b.mu.Lock()
	b.queue = append(b.queue, c)
	b.serve()
	b.mu.Unlock()
	select {
	case <-c.ready:
	case <-ctx.Done():
		if !b.withdraw(c) {
			b.release(c.amount)
		}
		return nil, ctx.Err()
	}
	return sync.OnceFunc(func() { b.release(c.amount) }), nil
}

// withdraw takes c out of the queue and reports whether it was there.
func (b *budget) withdraw(c *claim) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, other := range b.queue {
		if other == c {
			b.queue = append(b.queue[:i], b.queue[i+1:]...)
			b.serve() // c may have been what the next waited for
			return true
		}
	}
	return false
}

func (b *budget) release(amount int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free += amount
	b.serve()
}

// serve serves the queue as far as it goes.
func (b *budget) serve() {
	for len(b.queue) > 0 && b.queue[0].amount <= b.free {
		c := b.queue[0]
		b.free -= c.amount
		b.queue = b.queue[1:]
		close(c.ready)
	}
}

// enter takes an amount of a budget for a request, or refuses the request where that takes too long.
func (h *Handler) enter(ctx context.Context, b *budget, amount int64) (leave func(), err error) {
	waiting, stop := context.WithTimeout(ctx, h.o.Wait)
	defer stop()
	leave, err = b.take(waiting, amount)
	if err != nil && ctx.Err() == nil {
		return nil, refusef(http.StatusServiceUnavailable, "busy", "too much to do, try again")
	}
	return leave, err
}
