package blob

import (
	"math/bits"

	"github.com/tapecommit/tapecommit/commit"
)

// readLeaves gets the leaf hashes that are stored and right.
func (r *run) readLeaves() error {
	r.askLeaves()
	r.askWindow()
	if err := r.fetch(); err != nil {
		return err
	}
	if r.window == nil {
		return r.windowErr
	}
	r.loadLeaves()
	return nil
}

// loadLeaves checks the stored leaf hashes against the window.
func (r *run) loadLeaves() {
	if len(r.rows) == 0 {
		return
	}
	r.leaves.Load(r.window, r.rows[0].group, r.stored)
	for x := range r.rows {
		row := &r.rows[x]
		_, row.leaves = r.leaves.Hash(commit.Pos{Group: row.group})
	}
}

// loseLeaves notes which rows have no leaf hashes.
func (r *run) loseLeaves() {
	for x := range r.rows {
		if !r.rows[x].leaves {
			r.faultLeaves(x)
		}
	}
}

// faultLeaves notes that the stored leaf hashes of row x are missing or wrong.
func (r *run) faultLeaves(x int) {
	err := ErrWrong
	if !r.storedWhole(x) {
		err = r.leavesErr
	}
	if row := &r.rows[x]; row.tried && !row.leaves {
		err = &lostLeaves{err, r.doubt(x)}
	}
	r.faults = append(r.faults, Fault{Object: nameLeaves, At: commit.Pos{Group: r.rows[x].group, Lane: -1}, Err: err})
}

// doubt returns which slices of row x were tried, and which the stored leaf hashes speak against.
func (r *run) doubt(x int) (d doubt) {
	d.have = r.rows[x].have
	if d.have.Len() < r.b.h.K {
		return d
	}
	d.tried = d.have.First(r.b.h.K)
	r.hashSlices(x)
	matched := false
	for j, rest := 0, d.have; rest != 0; j, rest = j+1, rest&(rest-1) {
		lane := bits.TrailingZeros32(uint32(rest))
		switch at := r.storedOf(x) + lane; {
		case at >= r.known:
		case r.stored[at] == r.digests[j]:
			matched = true
		default:
			d.suspects |= 1 << lane
		}
	}
	if !matched {
		d.suspects = 0 // the stored hashes are of no use
	}
	return d
}

// hashSlices sets digests to the leaf hashes of the slices of row x that came.
func (r *run) hashSlices(x int) {
	r.bodies = r.bodies[:0]
	for have := r.rows[x].have; have != 0; have &= have - 1 {
		r.bodies = append(r.bodies, r.slices[x*r.n()+bits.TrailingZeros32(uint32(have))])
	}
	r.digests = resize(r.digests, len(r.bodies))
	commit.HashLeaves(r.digests, r.bodies)
}

// storedOf is where in stored the leaf hashes of row x begin.
func (r *run) storedOf(x int) int { return (r.rows[x].group - r.rows[0].group) * r.n() }

// storedWhole reports whether all leaf hashes of row x came.
func (r *run) storedWhole(x int) bool { return r.storedOf(x)+r.n() <= r.known }

// recoverLeaves makes leaf hashes that are missing or wrong again, of all slices of their groups that there are: first
// the hashes of these slices with the stored hashes elsewhere, then those of the group coded again from the first K. It
// takes what leads to the group's root, and tries nothing else.
func (r *run) recoverLeaves() error {
	for x := range r.rows {
		row := &r.rows[x]
		if row.leaves || row.tried {
			continue
		}
		row.tried = true
		var hashes [commit.MaxSlices]commit.Hash
		leaves := hashes[:r.n()]
		if r.hashPresent(leaves, x) {
			row.leaves = r.leaves.Retry(row.group, leaves)
		}
		if row.leaves {
			continue
		}
		ok, err := r.hashCoded(leaves, x)
		if err != nil {
			return err
		}
		row.leaves = ok && r.leaves.Retry(row.group, leaves)
	}
	return nil
}

// hashPresent sets dst to the leaf hashes of the slices of row x that came, and elsewhere to the stored ones. It
// reports whether there is one or the other of each.
func (r *run) hashPresent(dst []commit.Hash, x int) bool {
	have := r.rows[x].have
	stored := r.storedOf(x)
	for lane := range dst {
		switch {
		case have.Has(lane):
		case stored+lane < r.known:
			dst[lane] = r.stored[stored+lane]
		default:
			return false
		}
	}
	r.hashSlices(x)
	for j := 0; have != 0; j, have = j+1, have&(have-1) {
		dst[bits.TrailingZeros32(uint32(have))] = r.digests[j]
	}
	return true
}

// hashCoded sets dst to the leaf hashes of row x coded again from the first K slices that came. It reports whether
// there are as many.
func (r *run) hashCoded(dst []commit.Hash, x int) (bool, error) {
	k := r.b.h.K
	if r.rows[x].have.Len() < k {
		return false, nil
	}
	if err := r.recode(x, x+1, r.rows[x].have.First(k)); err != nil {
		return false, err
	}
	commit.HashLeaves(dst, r.scratch.Slices()[x*r.n():][:r.n()])
	return true, nil
}
