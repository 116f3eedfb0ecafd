package blob

import (
	"fmt"
	"math/bits"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
	"github.com/tapecommit/tapecommit/slicer"
)

// A run is the unit of reading: groups of one run of commit.RunGroups, as many as are touched, in memory that is used
// again. What is needed of them is asked for at once.
//
// The groups touched are the rows of its batch, in order. Slice i of row x has index n x + i.
type run struct {
	b    *Blob
	size int // rows that fit: an entry of runSizes
	loop *ahead
	job  func(*run) error
	err  error         // of the job: the blob cannot go on
	done chan struct{} // gets a token when the job is done
	main func()        // the job, as a goroutine without a closure of its own

	first int // group where the run begins, a multiple of commit.RunGroups
	rows  []row
	at    []commit.Pos // slices to deliver
	nodes [2]int       // nodes to deliver: a range of those that Hashes was asked for

	batch   *slicer.Batch
	shaped  bool          // the batch has the shape of the rows
	viewing bool          // lanes are viewed, not copied into the batch
	slices  [][]byte      // by index: those of the batch, or what was viewed in their place
	proven  []proof.Slice // by index: these slices, where the row says that they are right or rebuilt
	scratch *slicer.Batch // rows coded again

	stored []commit.Hash // leaf hashes as they are stored, of all groups from the first touched to the last
	known  int           // how many of them came
	leaves proof.Leaves
	window *commit.Window

	leavesErr error // why not all of stored came
	windowErr error // why there is no window

	calls    []call
	crew     crew
	makeCall func(int)
	bytes    []byte // of the leaf hashes

	faults []Fault

	// Scratch of open.
	index   []int
	pos     []commit.Pos
	bodies  [][]byte
	opened  []proof.Slice
	digests []commit.Hash

	walk walked // what only Verify and Repair look at
}

// row is what is known of a group.
type row struct {
	group  int
	want   commit.Lanes // slices to deliver
	ask    commit.Lanes // to be asked for in this round
	asked  commit.Lanes
	have   commit.Lanes // came whole
	looked commit.Lanes // and were compared with their leaf hashes
	right  commit.Lanes // and match
	built  commit.Lanes // rebuilt, and match
	wrong  commit.Lanes // rebuilt, and do not match
	leaves bool         // the leaf hashes are known
	tried  bool         // to make them again

	accused *EncodingError // what reads of its slices end with, where they were rebuilt and do not match
}

// runSizes are the rows that runs are made for: a small read does not pay for a large one.
var runSizes = [...]int{1, 8, commit.RunGroups}

func sizeClass(rows int) int {
	for i, size := range runSizes {
		if rows <= size {
			return i
		}
	}
	panic(fmt.Sprintf("blob: run of %d groups", rows))
}

func (b *Blob) newRun(size int) *run {
	r := &run{b: b, size: size, done: make(chan struct{}, 1)}
	r.makeCall = r.doCall
	r.crew.inTurn = b.near != nil
	r.main = func() {
		r.err = r.job(r)
		r.done <- struct{}{}
	}
	return r
}

// begin empties r for groups of the run that begins at first.
func (r *run) begin(first int) {
	r.first = first
	r.err = nil
	r.rows = r.rows[:0]
	r.at = r.at[:0]
	r.calls = r.calls[:0]
	r.shaped = false
	r.viewing = false
	r.known = 0
	r.window = nil
	r.faults = r.faults[:0]
}

// touch adds a group, behind those that are there, of which slices are wanted.
func (r *run) touch(group int, want commit.Lanes) {
	r.rows = append(r.rows, row{group: group, want: want})
}

func (r *run) n() int { return r.b.h.N }

// all is the set of all lanes.
func (r *run) all() commit.Lanes { return 1<<r.b.h.N - 1 }

// posOf returns the slice at an index.
func (r *run) posOf(index int) commit.Pos {
	return commit.Pos{Group: r.rows[index/r.n()].group, Lane: index % r.n()}
}

// shape gives the batch the shape of the rows, or where slices are viewed makes room for them.
func (r *run) shape() error {
	if r.shaped {
		return nil
	}
	r.proven = resize(r.proven, len(r.rows)*r.n())
	if r.viewing {
		r.slices = resize(r.slices, len(r.proven))
		r.shaped = true
		return nil
	}
	if r.batch == nil {
		var err error
		if r.batch, err = slicer.New(r.b.h.Params, r.size); err != nil {
			return err
		}
	}
	r.batch.Reset(r.plainLen())
	r.slices = append(r.slices[:0], r.batch.Slices()...)
	r.shaped = true
	return nil
}

// plainLen is the plaintext that the rows hold. All but the last of the blob are full, and that is the last row.
func (r *run) plainLen() int {
	h, length := &r.b.h, int64(0)
	if last := len(r.rows) - 1; last >= 0 {
		length = int64(last)*int64(h.K)*int64(h.SliceSize) + h.PlainLen(r.rows[last].group, 1)
	}
	return int(length)
}

// check compares the slices that came with their leaf hashes, those of the rows [lo, hi) whose hashes are known.
func (r *run) check(lo, hi int) {
	r.index = r.index[:0]
	for x := lo; x < hi; x++ {
		if row := &r.rows[x]; row.leaves {
			r.list(x, row.have&^row.looked)
			row.looked |= row.have
		}
	}
	verified := 0
	for j, s := range r.open(r.slices) {
		i := r.index[j]
		if s.Valid() {
			r.proven[i] = s
			r.rows[i/r.n()].right |= 1 << (i % r.n())
			verified++
		} else {
			r.fault(i, ErrWrong)
		}
	}
	r.b.stats.Verified.Add(uint64(verified))
	r.b.stats.Wrong.Add(uint64(len(r.index) - verified))
}

// list adds slices of row x to the index list.
func (r *run) list(x int, lanes commit.Lanes) {
	for ; lanes != 0; lanes &= lanes - 1 {
		r.index = append(r.index, x*r.n()+bits.TrailingZeros32(uint32(lanes)))
	}
}

// open opens the slices of the index list, which lie in bodies by index.
func (r *run) open(bodies [][]byte) []proof.Slice {
	r.pos, r.bodies = r.pos[:0], r.bodies[:0]
	for _, i := range r.index {
		r.pos = append(r.pos, r.posOf(i))
		r.bodies = append(r.bodies, bodies[i])
	}
	r.opened = resize(r.opened, len(r.index))
	r.leaves.Open(r.opened, r.pos, r.bodies)
	return r.opened
}

// rebuild makes the wanted slices that are not right from the first K that are.
func (r *run) rebuild() error {
	need := r.b.h.K
	for lo, hi := 0, 0; lo < len(r.rows); lo = hi {
		have, want := r.rows[lo].right, r.rows[lo].want&^r.rows[lo].right
		for hi = lo + 1; hi < len(r.rows) && r.rows[hi].right == have && r.rows[hi].want&^have == want; hi++ {
		}
		if want == 0 || have.Len() < need {
			continue
		}
		if err := r.batch.Rebuild(slicer.Loss{Lo: lo, Hi: hi, Have: have, Want: want}); err != nil {
			return err
		}
		r.index = r.index[:0]
		for x := lo; x < hi; x++ {
			r.list(x, want)
		}
		for j, s := range r.open(r.slices) {
			i := r.index[j]
			if row := &r.rows[i/r.n()]; s.Valid() {
				r.proven[i] = s
				row.built |= 1 << (i % r.n())
				r.b.stats.Rebuilt.Add(1)
			} else {
				row.wrong |= 1 << (i % r.n())
			}
		}
	}
	return nil
}

// recode makes rows [lo, hi) of scratch from the lanes in from of the batch, which are K.
func (r *run) recode(lo, hi int, from commit.Lanes) error {
	if r.scratch == nil {
		var err error
		if r.scratch, err = slicer.New(r.b.h.Params, r.size); err != nil {
			return err
		}
	}
	if r.scratch.Len() != r.batch.Len() {
		r.scratch.Reset(r.batch.Len())
	}
	begin, end := r.span(lo, hi)
	for lane := range r.n() {
		if from.Has(lane) {
			copy(r.scratch.Lane(lane)[begin:end], r.batch.Lane(lane)[begin:end])
		}
	}
	return r.scratch.Rebuild(slicer.Loss{Lo: lo, Hi: hi, Have: from, Want: r.all() &^ from})
}

// span is where in each lane of the batch rows [lo, hi) lie, of which there is at least one.
func (r *run) span(lo, hi int) (begin, end int) {
	size := r.b.h.SliceSize
	return lo * size, (hi-1)*size + r.b.h.SizeOf(r.rows[hi-1].group)
}

// fault notes that the slice at an index is not there or not right.
func (r *run) fault(index int, err error) {
	p := r.posOf(index)
	r.faults = append(r.faults, Fault{Object: nameLane(p.Lane), At: p, Err: err})
}

// failure is why the slice at an index was not proven.
func (r *run) failure(index int) error {
	row := &r.rows[index/r.n()]
	if row.wrong.Has(index % r.n()) {
		return r.accuse(index / r.n())
	}
	return newLostError(row.group, r.b.h.K, row.right, r.faults)
}

// resize returns s with length n; its elements are whatever they were.
func resize[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n)
	}
	return s[:n]
}
