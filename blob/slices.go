package blob

import (
	"context"
	"fmt"
	"iter"
	"math/bits"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// Slices yields slices of the blob, in the order of at, each checked. A slice lasts until the next is yielded or the
// loop ends.
//
// Of each run of 64 groups, or 8 of a store in memory, it asks for all slices at once, and works on some runs ahead. Where
// a slice is missing or wrong, it asks for others of its group and rebuilds it. A slice that cannot be had is an error, a
// [LostError] or an [EncodingError] or one about a position outside the blob, and the loop may go on with the next; any
// other error ends it.
func (b *Blob) Slices(ctx context.Context, at iter.Seq[commit.Pos]) iter.Seq2[proof.Slice, error] {
	return func(yield func(proof.Slice, error) bool) { b.deliver(ctx, at, (*run).read, (*run).failure, yield) }
}

// deliver yields the slices at: those that job proves, and what failure says of the others.
func (b *Blob) deliver(ctx context.Context, at iter.Seq[commit.Pos], job func(*run) error,
	failure func(*run, int) error, yield func(proof.Slice, error) bool) {
	a := b.newAhead(ctx)
	defer a.stop()
	d := delivery{ahead: a, job: job, failure: failure, yield: yield}
	d.hand = d.handOver
	for p := range at {
		if !b.h.Has(p) {
			if !d.flush() || !yield(proof.Slice{}, fmt.Errorf("blob: slice %v lies outside the blob", p)) {
				return
			}
			continue
		}
		if !d.fits(p) && !d.start() {
			return
		}
		d.add(p)
	}
	d.flush()
}

// A delivery collects positions until they make a run, and hands over the runs.
type delivery struct {
	*ahead
	job     func(*run) error
	failure func(*run, int) error
	yield   func(proof.Slice, error) bool
	hand    func(*run) bool

	first int                            // group where the run begins that is collected
	mask  uint64                         // groups of it
	want  [commit.RunGroups]commit.Lanes // of these groups
	at    []commit.Pos                   // in the order of delivery
}

// fits reports whether p belongs to the run that is collected.
func (d *delivery) fits(p commit.Pos) bool {
	run := d.b.runGroups()
	return len(d.at) == 0 || p.Group/run == d.first/run && len(d.at) < run*commit.MaxSlices
}

func (d *delivery) add(p commit.Pos) {
	x := p.Group % d.b.runGroups()
	d.first = p.Group - x
	d.mask |= 1 << x
	d.want[x] |= 1 << p.Lane
	d.at = append(d.at, p)
}

// start begins to work on the run that was collected, and reports whether the loop goes on.
func (d *delivery) start() bool {
	r := d.take(bits.OnesCount64(d.mask))
	r.begin(d.first)
	for ; d.mask != 0; d.mask &= d.mask - 1 {
		x := bits.TrailingZeros64(d.mask)
		r.touch(d.first+x, d.want[x])
		d.want[x] = 0
	}
	r.at, d.at = d.at, r.at[:0]
	return d.ahead.start(r, d.job, d.hand)
}

// flush hands over all there is, and reports whether the loop goes on.
func (d *delivery) flush() bool {
	if len(d.at) > 0 && !d.start() {
		return false
	}
	return d.finish(d.hand)
}

// handOver yields the slices of a run, and reports whether the loop goes on.
func (d *delivery) handOver(r *run) bool {
	if r.err != nil {
		d.yield(proof.Slice{}, r.err)
		return false
	}
	x := 0
	for _, p := range r.at {
		x = r.rowOf(p.Group, x)
		i := x*r.n() + p.Lane
		if (r.rows[x].right | r.rows[x].built).Has(p.Lane) {
			if !d.yield(r.proven[i], nil) {
				return false
			}
		} else if !d.yield(proof.Slice{}, d.failure(r, i)) {
			return false
		}
	}
	return true
}

// rowOf returns the row of a group, which is most often row x or the one behind it.
func (r *run) rowOf(group, x int) int {
	for r.rows[x].group != group {
		x = (x + 1) % len(r.rows)
	}
	return x
}

// read is the job of Slices: it proves the wanted slices, in rounds of calls to the store. The first asks for them and
// all that it takes to check them. Where some are missing or wrong, the second asks for as many others as it takes to
// rebuild them, and the third, where some of these are missing or wrong too, for all there are.
func (r *run) read() error {
	r.viewing = r.b.near != nil
	for x := range r.rows {
		r.rows[x].ask = r.firstAsk(r.rows[x].want)
	}
	if err := r.fetchFirst(); err != nil {
		return err
	}
	if r.window == nil {
		r.loseWindow()
		return nil
	}
	r.loadLeaves()
	r.check(0, len(r.rows))
	if r.viewing {
		if r.complete() {
			return nil
		}
		if err := r.own(); err != nil {
			return err
		}
	}
	for _, all := range []bool{false, true} {
		if !r.askFurther(all) {
			break
		}
		if err := r.askLanes(); err != nil {
			return err
		}
		if err := r.fetch(); err != nil {
			return err
		}
		if err := r.recoverLeaves(); err != nil {
			return err
		}
		r.check(0, len(r.rows))
	}
	r.loseLeaves()
	return r.rebuild()
}

// fetchFirst is the first round: the slices that are asked for, and what it takes to check them.
func (r *run) fetchFirst() error {
	if err := r.askLanes(); err != nil {
		return err
	}
	r.askLeaves()
	r.askWindow()
	return r.fetch()
}

// firstAsk returns what to ask for in the first round where some slices of a group are wanted. Where a lane was missing
// before, others are asked for in its place; it is not given up, for askFurther comes to it.
func (r *run) firstAsk(want commit.Lanes) commit.Lanes {
	absent := commit.Lanes(r.b.absent.Load())
	switch {
	case absent.Has(objectLeaves):
		return r.all() // to make the leaf hashes again takes all slices
	case want&absent == 0:
		return want
	}
	there := r.all() &^ absent
	return want&there | (there &^ want).First(r.b.h.K-(want&there).Len())
}

// askFurther chooses what to ask for where slices are missing or wrong, and reports whether there is anything left to
// do. A group without leaf hashes takes all its slices. Any other takes what is short of K right ones, or else all.
func (r *run) askFurther(all bool) bool {
	absent := commit.Lanes(r.b.absent.Load())
	more := false
	for x := range r.rows {
		row := &r.rows[x]
		rest := r.all() &^ row.asked
		short := r.b.h.K - row.right.Len()
		switch {
		case !row.leaves && !row.tried:
			row.ask = rest
			more = true
		case !row.leaves || short <= 0 || row.want&^row.right == 0:
		case all:
			row.ask = rest
		default:
			row.ask = (rest &^ absent).First(short)
			row.ask |= (rest & absent).First(short - row.ask.Len())
		}
		more = more || row.ask != 0
	}
	return more
}

// loseWindow notes that no group has a root that its leaf hashes could be checked against.
func (r *run) loseWindow() {
	for _, row := range r.rows {
		r.faults = append(r.faults, Fault{Object: nameRoots, At: commit.Pos{Group: row.group, Lane: -1}, Err: r.windowErr})
	}
}
