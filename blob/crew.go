package blob

import "sync"

// A crew makes calls at once and waits for them. It is used again and again, and allocates only where it grows.
type crew struct {
	inTurn  bool // calls cost less than goroutines: one after the other
	wg      sync.WaitGroup
	call    func(int)
	members []func() // members[i] makes call i
}

// each calls f(0), ..., f(n-1), at once unless it is to be in turn, and returns when all have returned.
func (c *crew) each(n int, f func(int)) {
	if n == 0 {
		return
	}
	if c.inTurn {
		for i := range n {
			f(i)
		}
		return
	}
	for i := len(c.members); i < n; i++ {
		c.members = append(c.members, func() {
			defer c.wg.Done()
			c.call(i)
		})
	}
	c.call = f
	c.wg.Add(n - 1)
	for _, m := range c.members[1:n] {
		go m()
	}
	f(0)
	c.wg.Wait()
	c.call = nil
}
