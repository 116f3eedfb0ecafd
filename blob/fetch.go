package blob

import (
	"errors"
	"io/fs"

	"github.com/tapecommit/tapecommit/commit"
)

// Objects by number: lanes have their own; these are the others.
const (
	objectRoots = commit.MaxSlices + iota
	objectLeaves
	objectManifest
	objectCount
)

func objectName(object int) string {
	switch object {
	case objectRoots:
		return nameRoots
	case objectLeaves:
		return nameLeaves
	case objectManifest:
		return nameManifest
	}
	return nameLane(object)
}

// has reports whether the blob has an object of that number: some lanes it may not have.
func (b *Blob) has(object int) bool { return object < b.h.N || object >= commit.MaxSlices }

// A call is one question to the store, or for a window.
type call struct {
	kind   callKind
	object int
	p      []byte
	off    int64
	lo, hi int // rows that a lane is read for

	n   int64 // bytes that came, or the size of the object
	err error
}

type callKind uint8

const (
	callLane   callKind = iota // slices of some rows
	callLeaves                 // leaf hashes from the first row to the last
	callWindow                 // the window of the run
	callRoots                  // roots of the rows, for comparison
	callEnd                    // what lies at the end of an object, for comparison
	callSize                   // size of an object
)

// askLanes asks for the slices in ask of all rows: each lane in a row of groups by one call.
func (r *run) askLanes() error {
	if err := r.shape(); err != nil {
		return err
	}
	for lane := range r.n() {
		for lo, hi := 0, 0; lo < len(r.rows); lo = hi {
			hi = lo + 1
			if !r.rows[lo].ask.Has(lane) {
				continue
			}
			for hi < len(r.rows) && r.rows[hi].ask.Has(lane) && r.rows[hi].group == r.rows[hi-1].group+1 {
				hi++
			}
			c := call{
				kind:   callLane,
				object: lane,
				off:    r.b.h.LaneOffset(r.rows[lo].group),
				lo:     lo,
				hi:     hi,
			}
			if !r.viewing {
				begin, end := r.span(lo, hi)
				c.p = r.batch.Lane(lane)[begin:end]
			}
			r.calls = append(r.calls, c)
		}
	}
	return nil
}

// askLeaves asks for the leaf hashes of all groups from the first row to the last.
func (r *run) askLeaves() {
	if len(r.rows) == 0 {
		return
	}
	first, last := r.rows[0].group, r.rows[len(r.rows)-1].group
	r.stored = resize(r.stored, (last-first+1)*r.n())
	r.bytes = resize(r.bytes, len(r.stored)*hashLen)
	r.calls = append(r.calls, call{
		kind:   callLeaves,
		object: objectLeaves,
		p:      r.bytes,
		off:    int64(first) * int64(r.n()*hashLen),
	})
}

// askWindow asks for the window of the run.
func (r *run) askWindow() { r.calls = append(r.calls, call{kind: callWindow}) }

// fetch makes the calls, all at once unless they are cheap, and takes what they bring. Its error is that of the context,
// or that the Blob is closed.
func (r *run) fetch() error {
	r.crew.each(len(r.calls), r.makeCall)
	if err := contextError(r.loop.ctx); err != nil {
		return err
	}
	if r.b.closed.Load() {
		return errBlobClosed
	}
	for i := range r.calls {
		c := &r.calls[i]
		if c.kind != callWindow && errors.Is(c.err, fs.ErrNotExist) {
			r.walk.missing |= 1 << c.object
		}
		switch c.kind {
		case callLane:
			r.b.noteAbsent(c.object, errors.Is(c.err, fs.ErrNotExist))
			r.takeLane(c)
		case callLeaves:
			r.b.noteAbsent(c.object, errors.Is(c.err, fs.ErrNotExist))
			r.takeLeaves(c)
		case callWindow:
			r.windowErr = c.err
		case callRoots:
			r.walk.takeRoots(c)
		case callEnd:
			r.walk.takeEnd(c)
		case callSize:
			r.walk.takeSize(c)
		}
	}
	r.calls = r.calls[:0]
	for x := range r.rows {
		r.rows[x].asked |= r.rows[x].ask
		r.rows[x].ask = 0
	}
	return nil
}

func (r *run) doCall(i int) {
	c := &r.calls[i]
	switch {
	case c.kind == callWindow:
		r.window, c.err = r.loop.window(r.first / commit.WindowGroups)
	case c.kind == callSize:
		c.n, c.err = r.b.objects.Size(r.loop.ctx, objectName(c.object))
	case c.kind == callLane && r.viewing:
		r.view(c)
	default:
		var n int
		n, c.err = r.b.readAt(r.loop.ctx, objectName(c.object), c.p, c.off)
		c.n = int64(n)
	}
}

// takeLane notes which slices of a lane came whole.
func (r *run) takeLane(c *call) {
	got, missing := int(c.n), 0
	for x := c.lo; x < c.hi; x++ {
		i := x*r.n() + c.object
		if size := r.b.h.SizeOf(r.rows[x].group); got >= size {
			if r.viewing {
				from := int(c.n) - got
				r.slices[i] = c.p[from:][:size:size]
			}
			got -= size
			r.rows[x].have |= 1 << c.object
			continue
		}
		got = -1 // the next may be shorter, and is not there either
		missing++
		r.fault(i, c.err)
	}
	r.b.stats.Missing.Add(uint64(missing))
}

// takeLeaves takes the leaf hashes that came.
func (r *run) takeLeaves(c *call) {
	r.known = takeHashes(r.stored, c.p, int(c.n))
	r.leavesErr = c.err
}

const hashLen = len(commit.Hash{})

// takeHashes fills dst with the hashes in the first n bytes of b, and behind them with zeros. It returns how many
// hashes came.
func takeHashes(dst []commit.Hash, b []byte, n int) int {
	known := n / hashLen
	for i := range dst[:known] {
		dst[i] = commit.Hash(b[i*hashLen:])
	}
	clear(dst[known:])
	return known
}
