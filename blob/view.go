package blob

import "context"

// A viewer is Objects in memory that show their bytes where they lie. These never change, so that what was checked stays
// right; no other package is asked to promise that, and no store outside memory can.
//
// What is viewed is read in small runs, each checked and used while it is in the cache of the CPU.
type viewer interface {
	// view returns the bytes that ReadAt would copy, and its error.
	view(ctx context.Context, name string, n int, off int64) ([]byte, error)
}

// view takes the bytes of a lane instead of a copy.
func (r *run) view(c *call) {
	begin, end := r.span(c.lo, c.hi)
	c.p, c.err = r.b.near.view(r.loop.ctx, objectName(c.object), end-begin, c.off)
	c.n = int64(len(c.p))
	r.b.stats.Bytes.Add(uint64(c.n))
}

// complete reports whether all slices are right that are wanted.
func (r *run) complete() bool {
	for x := range r.rows {
		if r.rows[x].want&^r.rows[x].right != 0 {
			return false
		}
	}
	return true
}

// own makes the batch, where slices are rebuilt, and copies what was viewed into it.
func (r *run) own() error {
	viewed := r.slices
	r.viewing, r.shaped, r.slices = false, false, nil
	if err := r.shape(); err != nil {
		return err
	}
	for i, s := range r.slices {
		if r.rows[i/r.n()].have.Has(i % r.n()) {
			copy(s, viewed[i])
		}
	}
	return nil
}
