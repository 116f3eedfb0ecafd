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
	var b []byte
	b, c.err = r.b.near.view(r.loop.ctx, objectName(c.object), len(c.p), c.off)
	c.p, c.n = b, int64(len(b))
	r.b.stats.Bytes.Add(uint64(len(b)))
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

// own copies what was viewed into the batch, where slices are rebuilt.
func (r *run) own() {
	r.viewing = false
	for i, s := range r.batch.Slices() {
		if r.rows[i/r.n()].have.Has(i % r.n()) {
			copy(s, r.slices[i])
		}
		r.slices[i] = s
	}
}
