package blob

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"

	"github.com/tapecommit/tapecommit/commit"
)

// A Run is what Verify or Repair found in the groups [First, First+Groups): up to 64, or none where no group is left.
type Run struct {
	First, Groups int
	Faults        []Fault // by group, then by lane; those of whole objects are the last
}

// Verify checks everything that is stored of the blob, run after run of groups from the run that group from is in: each
// slice, coded again from K right ones, against its leaf hash; the zeros behind the plaintext; leaf hashes and roots. With
// the last run come the manifest, the header behind each lane, and what lies behind the end of an object.
//
// The loop sets the pace, shows progress, stops, and goes on later with the First of a run. A fault does not end it; an
// error does, with a Run of no groups.
func (b *Blob) Verify(ctx context.Context, from int) iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		b.walk(ctx, from, func(r *run) bool {
			if r.err != nil {
				yield(Run{}, r.err)
				return false
			}
			return yield(r.report(), nil)
		})
	}
}

// walk verifies run after run and lets use have each. It reports whether use returned true for all.
func (b *Blob) walk(ctx context.Context, from int, use func(*run) bool) bool {
	if from < 0 {
		panic(fmt.Sprintf("blob: walk from group %d", from))
	}
	a := b.newAhead(ctx)
	defer a.stop()
	groups := b.h.Groups()
	for first := min(from, groups) / commit.RunGroups * commit.RunGroups; ; first += commit.RunGroups {
		end := min(first+commit.RunGroups, groups)
		r := a.take(end - first)
		r.begin(first)
		for group := first; group < end; group++ {
			r.touch(group, 0)
		}
		r.walk.begin(end == groups)
		if !a.start(r, (*run).verify, use) {
			return false
		}
		if end == groups {
			return a.finish(use)
		}
	}
}

// walked is what only Verify and Repair look at.
type walked struct {
	last    bool          // the run is the blob's last: the ends of the objects are looked at
	missing uint32        // objects that were not there, by number
	roots   []commit.Hash // of the rows, as they are stored
	known   int           // how many of them came
	err     error         // why not all did
	bytes   []byte        // of roots
	ends    [objectCount]objectEnd
	verdict [commit.RunGroups]verdict // by row
}

// verdict is what is known of a group besides its row.
type verdict struct {
	coded   bool // the group is well coded, and its row of scratch is right
	padding bool // bytes behind the plaintext are not zero
	root    bool // the stored root is right
}

// objectEnd is what lies at the end of an object.
type objectEnd struct {
	size    int64
	sizeErr error
	want    []byte // the header behind a lane, or the manifest
	got     []byte
	err     error // why got did not come whole
}

func (w *walked) begin(last bool) {
	*w = walked{last: last, roots: w.roots, bytes: w.bytes}
}

// verify is the job of Verify and Repair.
func (r *run) verify() error {
	for x := range r.rows {
		r.rows[x].ask = r.all()
	}
	if err := r.askLanes(); err != nil {
		return err
	}
	if len(r.rows) > 0 {
		r.askLeaves()
		r.askWindow()
		r.askRoots()
	}
	if r.walk.last {
		if err := r.askEnds(); err != nil {
			return err
		}
	}
	if err := r.fetch(); err != nil || len(r.rows) == 0 {
		return err
	}
	if r.window == nil {
		r.loseWindow()
		return nil
	}
	for x, row := range r.rows {
		r.walk.verdict[x].root = x < r.walk.known && r.walk.roots[x] == r.window.Roots()[row.group-r.window.First()]
	}
	r.loadLeaves()
	if err := r.recoverLeaves(); err != nil {
		return err
	}
	tile := tileGroups()
	for lo := 0; lo < len(r.rows); lo += tile {
		hi := min(lo+tile, len(r.rows))
		r.check(lo, hi)
		if err := r.verifyCode(lo, hi); err != nil {
			return err
		}
	}
	return nil
}

// askRoots asks for the stored roots of the rows.
func (r *run) askRoots() {
	w := &r.walk
	w.roots = resize(w.roots, len(r.rows))
	w.bytes = resize(w.bytes, len(r.rows)*hashLen)
	r.calls = append(r.calls, call{
		kind:   callRoots,
		object: objectRoots,
		p:      w.bytes,
		off:    int64(r.first) * int64(hashLen),
	})
}

func (w *walked) takeRoots(c *call) {
	w.known = takeHashes(w.roots, c.p, int(c.n))
	w.err = c.err
}

// askEnds asks for the sizes of all objects, the headers behind the lanes, and the manifest.
func (r *run) askEnds() error {
	manifest, err := r.b.m.AppendBinary(nil)
	if err != nil {
		return err
	}
	for object := range objectCount {
		if !r.b.has(object) {
			continue
		}
		r.calls = append(r.calls, call{kind: callSize, object: object})
		end := &r.walk.ends[object]
		off := int64(0)
		switch object {
		case objectRoots, objectLeaves:
			continue
		case objectManifest:
			end.want = manifest
		default:
			end.want = manifest[:commit.HeaderLen]
			off = r.b.h.LaneOffset(r.b.h.Groups())
		}
		end.got = make([]byte, len(end.want))
		r.calls = append(r.calls, call{kind: callEnd, object: object, p: end.got, off: off})
	}
	return nil
}

func (w *walked) takeSize(c *call) {
	end := &w.ends[c.object]
	end.size, end.sizeErr = c.n, c.err
}

// wrong reports whether the end does not hold what it should, were the object there.
func (e *objectEnd) wrong() bool { return e.err != nil || !bytes.Equal(e.got, e.want) }

func (w *walked) takeEnd(c *call) { w.ends[c.object].err = c.err }

// verifyCode codes rows [lo, hi) again, each from K right slices, and compares.
func (r *run) verifyCode(lo, hi int) error {
	k := r.b.h.K
	for end := lo; lo < hi; lo = end {
		end = lo + 1
		if !r.rows[lo].leaves || r.rows[lo].right.Len() < k {
			continue
		}
		from := r.rows[lo].right.First(k)
		for end < hi && r.rows[end].leaves && r.rows[end].right.Len() >= k && r.rows[end].right.First(k) == from {
			end++
		}
		if err := r.recode(lo, end, from); err != nil {
			return err
		}
		r.compare(lo, end, from)
	}
	return nil
}

// compare compares rows [lo, hi) of scratch, which were coded from the lanes in from, with what they must be: slices of
// the batch where these are right, and the leaf hashes elsewhere.
func (r *run) compare(lo, hi int, from commit.Lanes) {
	n := r.n()
	coded := r.scratch.Slices()
	r.index = r.index[:0]
	for x := lo; x < hi; x++ {
		row := &r.rows[x]
		for lane := range n {
			if i := x*n + lane; row.right.Has(lane) && !from.Has(lane) && !bytes.Equal(coded[i], r.slices[i]) {
				row.wrong |= 1 << lane
			}
		}
		r.list(x, r.all()&^row.right)
	}
	for j, s := range r.open(coded) {
		if i := r.index[j]; s.Valid() {
			r.b.stats.Rebuilt.Add(1)
		} else {
			r.rows[i/n].wrong |= 1 << (i % n)
		}
	}
	for x := lo; x < hi; x++ {
		v := &r.walk.verdict[x]
		v.padding = !r.paddingIsZero(x, coded[x*n:])
		v.coded = r.rows[x].wrong == 0 && !v.padding
	}
}

// paddingIsZero reports whether the data slices of row x hold only zeros behind the plaintext.
func (r *run) paddingIsZero(x int, slices [][]byte) bool {
	group := r.rows[x].group
	if group != r.b.h.Groups()-1 {
		return true
	}
	for lane := range r.b.h.K {
		_, n := r.b.h.Span(commit.Pos{Group: group, Lane: lane})
		for _, c := range slices[lane][n:] {
			if c != 0 {
				return false
			}
		}
	}
	return true
}

// report tells what is wrong with the run, in memory of its own.
func (r *run) report() Run {
	for x := range r.rows {
		r.reportRow(x)
	}
	if r.walk.last {
		r.reportEnds()
	}
	sortFaults(r.faults)
	return Run{First: r.first, Groups: len(r.rows), Faults: append([]Fault(nil), r.faults...)}
}

// reportRow adds what is wrong with a group besides its slices.
func (r *run) reportRow(x int) {
	row, v := &r.rows[x], &r.walk.verdict[x]
	whole := commit.Pos{Group: row.group, Lane: -1}
	if r.window != nil && !v.root {
		err := r.walk.err
		if x < r.walk.known {
			err = ErrWrong
		}
		r.faults = append(r.faults, Fault{Object: nameRoots, At: whole, Err: err})
	}
	switch {
	case r.window == nil:
	case row.leaves && row.tried && r.storedWhole(x):
		r.reportLeaves(x)
	case row.tried:
		r.faultLeaves(x)
	}
	switch {
	case v.coded:
	case row.wrong != 0 || v.padding:
		r.faults = append(r.faults, Fault{At: whole, Err: &EncodingError{Group: row.group, Wrong: row.wrong, Padding: v.padding}})
	default:
		r.faults = append(r.faults, Fault{At: whole, Err: newLostError(row.group, r.b.h.K, row.right, r.faults)})
	}
}

// reportLeaves adds the stored leaf hashes of row x that are wrong.
func (r *run) reportLeaves(x int) {
	for lane := range r.n() {
		p := commit.Pos{Group: r.rows[x].group, Lane: lane}
		if right, _ := r.leaves.Hash(p); right != r.stored[r.storedOf(x)+lane] {
			r.faults = append(r.faults, Fault{Object: nameLeaves, At: p, Err: ErrWrong})
		}
	}
}

// reportEnds adds what is wrong with whole objects.
func (r *run) reportEnds() {
	whole := commit.Pos{Group: -1, Lane: -1}
	for object := range objectCount {
		if !r.b.has(object) {
			continue
		}
		add := func(err error) {
			r.faults = append(r.faults, Fault{Object: objectName(object), At: whole, Err: err})
		}
		end := &r.walk.ends[object]
		if end.sizeErr != nil {
			add(causeOf(end.sizeErr))
			continue
		}
		if end.wrong() {
			add(cmp.Or(end.err, ErrWrong))
		}
		if end.size > r.b.sizeOf(object) {
			add(ErrSurplus)
		}
	}
}

// sizeOf returns the size that an object has to have.
func (b *Blob) sizeOf(object int) int64 {
	groups := b.h.Groups()
	switch object {
	case objectRoots:
		return int64(groups) * int64(hashLen)
	case objectLeaves:
		return int64(groups) * int64(b.h.N) * int64(hashLen)
	case objectManifest:
		return b.h.ManifestLen()
	}
	return b.h.LaneOffset(groups) + commit.HeaderLen
}
