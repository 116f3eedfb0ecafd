package blob

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/tapecommit/tapecommit/commit"
)

// Hashes sets dst[i] to node at[i] of the blob's tree, padding too, each checked. dst is as long as at. Nodes of a run of
// 64 groups that stand together in at are read together, so ascending order is the cheapest.
//
// Stored hashes that are missing or wrong are made again of the slices. Where that fails the error is a [LostError], or
// wraps [ErrNoRoots].
func (b *Blob) Hashes(ctx context.Context, dst []commit.Hash, at []commit.Node) error {
	return b.hashes(ctx, dst, at, (*run).readHashes, (*run).failure)
}

// hashes is Hashes with a job that gets a run its window and the leaf hashes of its rows, and with what to say where
// there are none.
func (b *Blob) hashes(ctx context.Context, dst []commit.Hash, at []commit.Node,
	job func(*run) error, failure func(*run, int) error) error {
	if len(dst) != len(at) {
		panic(fmt.Sprintf("blob: %d hashes for %d nodes", len(dst), len(at)))
	}
	a := b.newAhead(ctx)
	defer a.stop()
	var failed error
	give := func(r *run) bool {
		failed = r.giveHashes(dst, at, failure)
		return failed == nil
	}
	for lo := 0; lo < len(at); {
		need, hi, err := b.need(at, lo)
		if err != nil {
			return err
		}
		if need.window < 0 { // all of it is in the manifest
			for i := lo; i < hi; i++ {
				dst[i] = b.heldNode(at[i])
			}
			lo = hi
			continue
		}
		r := a.take(bits.OnesCount64(need.mask))
		r.begin(need.first)
		for mask := need.mask; mask != 0; mask &= mask - 1 {
			r.touch(need.first+bits.TrailingZeros64(mask), 0)
		}
		r.nodes = [2]int{lo, hi}
		if !a.start(r, job, give) {
			return failed
		}
		lo = hi
	}
	a.finish(give)
	return failed
}

// hashNeed is what it takes to give some nodes: a window, unless that is negative, and the leaf hashes of groups of one
// run in it.
type hashNeed struct {
	window int
	first  int // group where the run begins
	mask   uint64
}

// need returns what it takes to give the nodes from at[lo] on: at[lo:hi], as many as need no more than one run.
func (b *Blob) need(at []commit.Node, lo int) (need hashNeed, hi int, err error) {
	need = hashNeed{window: -1}
	for hi = lo; hi < len(at); hi++ {
		group, err := b.groupOf(at[hi])
		if err != nil {
			return need, hi, err
		}
		if group < 0 {
			continue
		}
		if need.window >= 0 && need.window != group/commit.WindowGroups {
			break
		}
		if at[hi].Height < commit.GroupHeight {
			x := group % commit.RunGroups
			if need.mask != 0 && need.first != group-x {
				break
			}
			need.first = group - x
			need.mask |= 1 << x
		} else if need.mask == 0 {
			need.first = group / commit.WindowGroups * commit.WindowGroups
		}
		need.window = group / commit.WindowGroups
	}
	return need, hi, nil
}

// groupOf returns the first group below a node, or -1 where the node is padding or in the manifest.
func (b *Blob) groupOf(at commit.Node) (int, error) {
	top := b.h.Height()
	if at.Height < 0 || at.Height > top || at.Index < 0 || at.Index >= 1<<(top-at.Height) {
		return 0, fmt.Errorf("blob: node %d at height %d lies outside a tree of height %d", at.Index, at.Height, top)
	}
	if _, ok := b.m.Node(at); ok {
		return -1, nil
	}
	group := at.Index
	if at.Height < commit.GroupHeight {
		group >>= commit.GroupHeight - at.Height
	} else {
		group <<= at.Height - commit.GroupHeight
	}
	if group >= int64(b.h.Groups()) {
		return -1, nil
	}
	return int(group), nil
}

// heldNode returns a node that needs no window: groupOf has no group for it.
func (b *Blob) heldNode(at commit.Node) commit.Hash {
	if x, ok := b.m.Node(at); ok {
		return x
	}
	return commit.Empty(at.Height)
}

// giveHashes sets the nodes that the run is for.
func (r *run) giveHashes(dst []commit.Hash, at []commit.Node, failure func(*run, int) error) error {
	if r.err != nil {
		return r.err
	}
	for i := r.nodes[0]; i < r.nodes[1]; i++ {
		group, err := r.b.groupOf(at[i])
		if err != nil {
			return err
		}
		if group < 0 {
			dst[i] = r.b.heldNode(at[i])
			continue
		}
		ok := false
		if at[i].Height < commit.GroupHeight {
			if dst[i], ok = r.leaves.Node(at[i]); !ok {
				return failure(r, r.rowOf(group, 0)*r.n())
			}
		} else if dst[i], ok = r.window.Node(at[i]); !ok {
			panic(fmt.Sprintf("blob: no node %d at height %d in the window at group %d", at[i].Index, at[i].Height, r.window.First()))
		}
	}
	return nil
}

// readHashes is the job of Hashes.
func (r *run) readHashes() error {
	if err := r.readLeaves(); err != nil {
		return err
	}
	lost := false
	for x := range r.rows {
		if row := &r.rows[x]; !row.leaves {
			row.ask = r.all()
			lost = true
		}
	}
	if !lost {
		return nil
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
	r.loseLeaves()
	return nil
}
