package proof_test

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
)

// bruteNode is a node of a blob's tree for a search that knows nothing of how proofs are
// made, only what may be in one.
type bruteNode struct {
	l, r  *bruteNode
	known bool   // padding, or a slice of the set
	bit   uint64 // of the nodes that may be sent, or 0
}

// given reports whether the node's hash follows from the nodes sent.
func (n *bruteNode) given(sent uint64) bool {
	return n.known || n.bit&sent != 0 || n.l != nil && n.l.given(sent) && n.r.given(sent)
}

// brute makes the tree of a set. A node may be sent if it has slices below and no
// padding, and none of the set: one above a slice of the set would prove itself. A whole
// group counts as free of padding.
type brute struct {
	h        reference.Header
	set      map[int64]bool
	sendable int
}

func (b *brute) node(height int, index int64) (n *bruteNode, real, padding, chosen bool) {
	n = new(bruteNode)
	if height == 0 {
		group, lane := index/32, index%32
		switch position := group*int64(b.h.N) + lane; {
		case group >= b.h.Groups() || lane >= int64(b.h.N):
			padding = true
		case b.set[position]:
			real, chosen = true, true
		default:
			real = true
		}
	} else {
		var r, p, c [2]bool
		n.l, r[0], p[0], c[0] = b.node(height-1, 2*index)
		n.r, r[1], p[1], c[1] = b.node(height-1, 2*index+1)
		real, padding, chosen = r[0] || r[1], p[0] || p[1], c[0] || c[1]
		if height == 5 && real {
			padding = false
		}
	}
	n.known = !real || height == 0 && chosen
	if n.known {
		n.l, n.r = nil, nil
	} else if !padding && !chosen {
		n.bit = 1 << b.sendable
		b.sendable++
	}
	return n, real, padding, chosen
}

// binomial is n over k, at most limit + 1.
func binomial(n, k, limit int) int {
	x := 1
	for i := range k {
		if x = x * (n - i) / (i + 1); x > limit {
			return limit + 1
		}
	}
	return x
}

// fewer reports whether the root follows from some nodes fewer than n. It tries all sets
// of n-1, which include the smaller ones.
func fewer(root *bruteNode, sendable, n int) bool {
	if n == 0 {
		return false
	}
	if n == 1 {
		return root.given(0)
	}
	for sent := uint64(1)<<(n-1) - 1; sent < 1<<sendable; {
		if root.given(sent) {
			return true
		}
		low := sent & -sent // the next number with as many bits
		high := sent + low
		sent = high | (sent^high)>>(bits.TrailingZeros64(low)+2)
	}
	return false
}

// complement is the positions that are not in set, or the first where none is left.
func complement(set []int64, positions int64) []int64 {
	var rest []int64
	for p := range positions {
		if !slices.Contains(set, p) {
			rest = append(rest, p)
		}
	}
	if rest == nil {
		return []int64{0}
	}
	return rest
}

// TestMinimal compares the number of nodes of proofs with exhaustive search: no set of
// fewer nodes gives the root. All sets of the smallest trees, some of larger ones.
func TestMinimal(t *testing.T) {
	const most = 100_000 // sets of nodes to try for one proof
	rng := rand.New(rand.NewPCG(6, 6))
	for _, c := range []struct {
		k, n, groups int
		all          bool
	}{
		{1, 2, 1, true}, {1, 2, 2, true}, {1, 2, 3, true},
		{1, 3, 1, true}, {2, 3, 2, true}, {2, 3, 3, false},
		{2, 4, 1, true}, {2, 5, 1, true}, {3, 6, 1, true}, {3, 7, 1, true}, {4, 8, 1, true}, {5, 9, 1, true}, {5, 10, 1, true},
		{3, 5, 3, false}, {5, 9, 2, false}, {10, 17, 1, false}, {10, 20, 1, false}, {10, 20, 3, false},
	} {
		tr := makeTree(t, commit.Params{K: c.k, N: c.n, SliceSize: 64}, 5, c.k*64*c.groups)
		positions := tr.b.Positions()
		tried, skipped := 0, 0
		try := func(set []int64) {
			b := brute{h: tr.b.Header, set: map[int64]bool{}}
			for _, p := range set {
				b.set[p] = true
			}
			root, _, _, _ := b.node(tr.b.Height(), 0)
			w := cut(tr.prove(tr.at(set...)))
			if b.sendable >= 64 || binomial(b.sendable, len(w.nodes)-1, most) > most {
				skipped++
				return
			}
			tried++
			if !root.given(1<<b.sendable - 1) {
				t.Fatalf("%d of %d, %d groups, set %v: the search does not see the root", c.k, c.n, c.groups, set)
			}
			if fewer(root, b.sendable, len(w.nodes)) {
				t.Errorf("%d of %d, %d groups: the proof of %v has %d nodes, fewer do", c.k, c.n, c.groups, set, len(w.nodes))
			}
		}
		if c.all {
			for mask := uint64(1); mask < 1<<positions; mask++ {
				var set []int64
				for p := range positions {
					if mask>>p&1 == 1 {
						set = append(set, p)
					}
				}
				try(set)
			}
			if skipped > 0 {
				t.Errorf("%d of %d, %d groups: %d sets not tried", c.k, c.n, c.groups, skipped)
			}
		} else {
			for range 60 {
				set := tr.positions(tr.randomSet(rng, 1+rng.IntN(8)))
				try(set)
				try(complement(set, positions))
			}
		}
		if tried < 20 && !c.all {
			t.Errorf("%d of %d, %d groups: only %d sets tried", c.k, c.n, c.groups, tried)
		}
		t.Logf("%d of %d, %d groups: %d sets", c.k, c.n, c.groups, tried)
	}
}

// TestMinimalBytes wants nothing in a proof but what its set needs.
func TestMinimalBytes(t *testing.T) {
	tr := smallTree(t)
	all := make([]int64, tr.b.Positions())
	for i := range all {
		all[i] = int64(i)
	}
	if b := tr.prove(tr.at(all...)); len(b) != 72+8*len(all) || !bytes.Equal(b, tr.b.Proof(all)) {
		t.Errorf("the proof of all slices has %d bytes, want %d", len(b), 72+8*len(all))
	}
}
