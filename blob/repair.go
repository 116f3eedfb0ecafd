package blob

import (
	"cmp"
	"context"
	"iter"
	"math/bits"
	"sync"

	"github.com/tapecommit/tapecommit/commit"
)

// Repair is [Blob.Verify] that rewrites what is missing or wrong, run after run, as it is yielded. It writes all that it
// can: a group that is lost stays as it is, and so does a group that its writer coded wrongly.
//
// What is wrong in an object is overwritten in place, which takes [Repairable] objects. An object that is missing is
// built aside and appears at the end of the loop, if that began at group 0; slices that could not be made again are
// zeros in it, which no reader takes for slices. A fault with Fixed is sure to stay mended when the loop has ended by
// itself and without an error.
func (b *Blob) Repair(ctx context.Context, from int) iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		m := mender{b: b, ctx: ctx, whole: from < commit.RunGroups}
		m.objects, _ = b.objects.(Repairable)
		defer m.close()
		all := b.walk(ctx, from, func(r *run) bool {
			if r.err != nil {
				yield(Run{}, r.err)
				return false
			}
			found := r.report()
			m.mend(r, found.Faults)
			return yield(found, nil)
		})
		if !all {
			return
		}
		if err := m.finish(); err != nil {
			yield(Run{}, cmp.Or(contextError(ctx), err))
		}
	}
}

// A mender does what Repair does beyond Verify.
type mender struct {
	b       *Blob
	ctx     context.Context
	objects Repairable // or nil
	whole   bool       // the walk began at group 0
	aside   Upload     // objects built anew, or nil
	built   uint32     // which they are, by number
	crew    crew

	mu      sync.Mutex
	err     error // the first of writing, which does not end the walk
	broken  bool  // aside cannot be committed
	written bool  // in place, and not known to last
}

// mend mends what is wrong with a run and notes in faults what was fixed.
func (m *mender) mend(r *run, faults []Fault) {
	if len(faults) == 0 && m.built == 0 {
		return
	}
	if r.first == 0 && m.whole {
		m.build(r.walk.missing)
	} else if r.walk.last {
		m.build(r.walk.missing & (1 << objectManifest)) // which takes no run before this
	}
	var fixes [objectCount]fix
	m.crew.each(objectCount, func(object int) {
		switch bit := uint32(1) << object; {
		case !m.b.has(object):
		case m.built&bit != 0:
			fixes[object] = m.append(r, object)
		case m.objects != nil && r.walk.missing&bit == 0:
			fixes[object] = m.overwrite(r, object)
		}
	})
	for i := range faults {
		f := &faults[i]
		for object, fix := range fixes {
			if f.Object != objectName(object) {
				continue
			}
			if f.At.Group < 0 {
				f.Fixed = fix.end
			} else {
				f.Fixed = fix.rows>>(f.At.Group-r.first)&1 != 0
			}
		}
	}
}

// fix is what was mended of an object in a run.
type fix struct {
	rows uint64
	end  bool
}

// build begins to build objects aside.
func (m *mender) build(objects uint32) {
	if objects == 0 {
		return
	}
	if m.aside == nil {
		aside, err := m.b.store.Create(m.ctx)
		if err != nil {
			m.fail(err)
			return
		}
		m.aside = aside
	}
	m.built |= objects
}

// append adds the rows to an object that is built aside, with zeros where they are not known, and at the end of the blob
// what lies behind them.
func (m *mender) append(r *run, object int) fix {
	var p []byte
	if len(r.rows) > 0 {
		p = r.content(object, 0, len(r.rows))
	}
	if r.walk.last {
		p = append(p[:len(p):len(p)], r.walk.ends[object].want...)
	}
	if err := m.aside.Append(m.ctx, objectName(object), p); err != nil {
		m.fail(err)
		m.breakAside()
		return fix{}
	}
	m.b.stats.Bytes.Add(uint64(len(p)))
	return fix{rows: r.mendable(object), end: true}
}

// overwrite writes over what is wrong in an object.
func (m *mender) overwrite(r *run, object int) (done fix) {
	for rows := r.mendable(object); rows != 0; {
		lo := bits.TrailingZeros64(rows)
		hi := lo + bits.TrailingZeros64(^(rows >> lo))
		span := rows & (1<<hi - 1<<lo)
		rows &^= span
		if !m.write(object, r.content(object, lo, hi), r.offset(object, lo)) {
			return done
		}
		done.rows |= span
	}
	if r.walk.last {
		done.end = m.overwriteEnd(r, object)
	}
	return done
}

// overwriteEnd mends what is wrong behind the rows of an object, and reports whether nothing is.
func (m *mender) overwriteEnd(r *run, object int) bool {
	end, size := &r.walk.ends[object], m.b.sizeOf(object)
	if end.sizeErr != nil {
		return false
	}
	if end.wrong() && !m.write(object, end.want, size-int64(len(end.want))) {
		return false
	}
	if end.size <= size {
		return true
	}
	err := m.objects.Truncate(m.ctx, objectName(object), size)
	m.wrote(err)
	return err == nil
}

// write writes p over an object, and reports whether it could.
func (m *mender) write(object int, p []byte, off int64) bool {
	err := m.objects.WriteAt(m.ctx, objectName(object), p, off)
	m.wrote(err)
	if err == nil {
		m.b.stats.Bytes.Add(uint64(len(p)))
	}
	return err == nil
}

// wrote notes how a write in place ended.
func (m *mender) wrote(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.written = true
	m.err = cmp.Or(m.err, err)
}

func (m *mender) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = cmp.Or(m.err, err)
}

func (m *mender) breakAside() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.broken = true
}

// finish makes all that was written last.
func (m *mender) finish() error {
	m.sync()
	if m.aside != nil && !m.broken {
		m.fail(m.aside.Commit(m.ctx, m.b.m.ID()))
		m.b.absent.Store(0)
	}
	return m.err
}

func (m *mender) sync() {
	if m.written {
		m.written = false
		m.fail(m.objects.Sync(m.ctx))
	}
}

// close ends the repair. What was written in place stays, so that the next loop may go on behind it.
func (m *mender) close() {
	m.sync()
	if m.aside != nil {
		m.aside.Close()
	}
}

// mendable returns the rows of which what an object should hold is known, and is not what it holds.
func (r *run) mendable(object int) (rows uint64) {
	for x, row := range r.rows {
		v := &r.walk.verdict[x]
		ok := false
		switch object {
		case objectRoots:
			ok = r.window != nil && !v.root
		case objectLeaves:
			ok = row.leaves && row.tried
		case objectManifest:
		default:
			ok = v.coded && !row.right.Has(object)
		}
		if ok {
			rows |= 1 << x
		}
	}
	return rows
}

// offset is where row x begins in an object.
func (r *run) offset(object, x int) int64 {
	group := r.rows[x].group
	switch object {
	case objectRoots:
		return int64(group) * int64(hashLen)
	case objectLeaves:
		return int64(group) * int64(r.n()) * int64(hashLen)
	}
	return r.b.h.LaneOffset(group)
}

// content is what an object should hold of rows [lo, hi), zeros where that is not known. It may lie in the batch, in
// place of what was there and is not right.
func (r *run) content(object, lo, hi int) []byte {
	var p []byte
	switch object {
	case objectManifest:
	case objectRoots:
		for _, row := range r.rows[lo:hi] {
			var root commit.Hash
			if r.window != nil {
				root = r.window.Roots()[row.group-r.window.First()]
			}
			p = append(p, root[:]...)
		}
	case objectLeaves:
		for _, row := range r.rows[lo:hi] {
			for lane := range r.n() {
				leaf, _ := r.leaves.Hash(commit.Pos{Group: row.group, Lane: lane})
				p = append(p, leaf[:]...)
			}
		}
	default:
		for x := lo; x < hi; x++ {
			switch i := x*r.n() + object; {
			case r.rows[x].right.Has(object):
			case r.walk.verdict[x].coded:
				copy(r.slices[i], r.scratch.Slices()[i])
			default:
				clear(r.slices[i])
			}
		}
		begin, end := r.span(lo, hi)
		p = r.batch.Lane(object)[begin:end]
	}
	return p
}
