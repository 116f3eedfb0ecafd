package blob

import (
	"context"
	"slices"
	"sync"

	"github.com/tapecommit/tapecommit/commit"
)

// keptWindows is how many windows of group roots a Blob keeps, each of up to 64 KiB.
const keptWindows = 8

// windows are the windows used last. One that several want is read once.
type windows struct {
	mu   sync.Mutex
	kept []*windowEntry // the one used last is the last
}

type windowEntry struct {
	i    int
	done chan struct{} // closed when w and err are there
	w    *commit.Window
	err  error

	stopped bool // the error is that of the context of whoever read it
}

// window returns window i, from memory or from the store, checked.
func (b *Blob) window(ctx context.Context, i int) (*commit.Window, error) {
	for {
		e, mine := b.windows.entry(i)
		if mine {
			e.w, e.err = b.openWindow(ctx, i)
			if e.err != nil {
				e.stopped = ctx.Err() != nil
				b.windows.drop(e)
			}
			close(e.done)
			return e.w, e.err
		}
		select {
		case <-e.done:
		case <-ctx.Done():
			return nil, contextError(ctx)
		}
		if !e.stopped {
			return e.w, e.err
		}
	}
}

// entry returns the entry of window i, and whether it is the caller's to fill.
func (c *windows) entry(i int) (e *windowEntry, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := slices.IndexFunc(c.kept, func(e *windowEntry) bool { return e.i == i }); at >= 0 {
		e = c.kept[at]
		c.kept = append(slices.Delete(c.kept, at, at+1), e)
		return e, false
	}
	if len(c.kept) == keptWindows {
		c.kept = slices.Delete(c.kept, 0, 1)
	}
	e = &windowEntry{i: i, done: make(chan struct{})}
	c.kept = append(c.kept, e)
	return e, true
}

func (c *windows) drop(e *windowEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = slices.DeleteFunc(c.kept, func(other *windowEntry) bool { return other == e })
}
