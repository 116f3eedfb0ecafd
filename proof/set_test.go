package proof_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof"
)

// TestRandomSets proves random sets of random blobs, and compares the proofs with the
// second model's.
func TestRandomSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	trees, sets := 40, 8
	if testing.Short() {
		trees = 10
	}
	for range trees {
		tr := randomTree(t, rng, 1+rng.IntN(70))
		var claims []proof.Claim
		for range sets {
			c := tr.claim(tr.positions(tr.randomSet(rng, 1+rng.IntN(100)))...)
			if b := tr.prove(c.At); !bytes.Equal(b, c.Proof) {
				t.Errorf("%+v, set %v: %d bytes, the second model has %d others", tr.Header().Params, c.At, len(b), len(c.Proof))
			}
			claims = append(claims, c)
		}
		checkVerdicts(t, claims, make([]commit.Rule, len(claims)))
	}
}

// TestWholeBlobs proves all slices of a blob and each of them alone, at the numbers of
// groups where the tree changes its height.
func TestWholeBlobs(t *testing.T) {
	for _, groups := range []int{1, 2, 3, 4, 5, 8, 9, 16, 17, 64, 65} {
		tr := makeTree(t, commit.Params{K: 1, N: 2, SliceSize: 64}, 8, 64*groups)
		all := make([]int64, tr.b.Positions())
		claims := make([]proof.Claim, len(all))
		for i := range all {
			all[i] = int64(i)
			claims[i] = tr.claim(all[i])
		}
		claims = append(claims, tr.claim(all...))
		if n := len(cut(claims[len(all)].Proof).nodes); n != 0 {
			t.Errorf("%d groups: %d nodes with all slices", groups, n)
		}
		checkVerdicts(t, claims, make([]commit.Rule, len(claims)))
	}
}

// TestSetAppendRefuses gives Append sets that are none.
func TestSetAppendRefuses(t *testing.T) {
	tr := smallTree(t)
	for _, c := range []struct {
		name string
		at   []commit.Pos
		rule commit.Rule
	}{
		{"nil", nil, commit.SetCount},
		{"65,537", make([]commit.Pos, 1<<16+1), commit.SetCount},
		{"repeated", tr.at(3, 3), commit.SetOrder},
		{"descending", tr.at(4, 3), commit.SetOrder},
		{"padding lane", []commit.Pos{{Group: 0, Lane: 5}}, commit.SetRange},
		{"padding group", []commit.Pos{{Group: 3, Lane: 0}}, commit.SetRange},
		{"lane 32 up", []commit.Pos{{Group: 0, Lane: 32}}, commit.SetRange},
		{"lane below zero", []commit.Pos{{Group: 1, Lane: -1}}, commit.SetRange},
		{"group below zero", []commit.Pos{{Group: -1, Lane: 4}}, commit.SetRange},
	} {
		dst := []byte("before")
		b, err := proof.Append(t.Context(), dst, tr, c.at)
		wantRule(t, c.name, err, c.rule)
		if b != nil {
			t.Errorf("%s: %d bytes with an error", c.name, len(b))
		}
	}
	empty := newTree(t, reference.Make(tr.b.Params, nil))
	_, err := proof.Append(t.Context(), nil, empty, []commit.Pos{{}})
	wantRule(t, "of the empty blob", err, commit.SetRange)
}

// TestAppend appends, asks for no slice, and passes on what Hashes says.
func TestAppend(t *testing.T) {
	tr := smallTree(t)
	b, err := proof.Append(t.Context(), []byte("before"), tr, tr.at(1, 12))
	if err != nil || !bytes.Equal(b, append([]byte("before"), tr.b.Proof([]int64{1, 12})...)) {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if n := tr.yielded.Load(); n != 0 {
		t.Errorf("%d slices were read", n)
	}
	tr.noHashes = errLost
	if b, err := proof.Append(t.Context(), nil, tr, tr.at(1)); !errors.Is(err, errLost) || b != nil {
		t.Errorf("without hashes: %d bytes, %v", len(b), err)
	}
	tr.noHashes = nil
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := proof.Append(ctx, nil, tr, tr.at(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// hugeTree is a proof.Tree of any geometry: its nodes are made up, and its root follows
// from those that one set needs.
type hugeTree struct {
	proof.Source
	h     commit.Header
	nodes map[commit.Node]commit.Hash
}

func (t *hugeTree) Header() commit.Header { return t.h }

func (t *hugeTree) Hashes(_ context.Context, dst []commit.Hash, at []commit.Node) error {
	for i, n := range at {
		x, ok := t.nodes[n]
		if !ok {
			return errors.New("a node that the set does not need")
		}
		dst[i] = x
	}
	return nil
}

// newHugeTree makes a blob in which the slices of a set are what bodies are.
func newHugeTree(p commit.Params, length int64, set []int64, bodies [][]byte) *hugeTree {
	h := reference.Header{Params: reference.Params{K: p.K, N: p.N, SliceSize: p.SliceSize}, Length: length}
	t := &hugeTree{nodes: map[commit.Node]commit.Hash{}}
	known := map[commit.Node]commit.Hash{}
	mark := func(n commit.Node, x commit.Hash) {
		known[n] = x
		for n.Height < h.Height() { // the nodes above are no padding
			n = commit.Node{Height: n.Height + 1, Index: n.Index / 2}
			if _, ok := known[n]; !ok {
				known[n] = commit.Hash{}
			}
		}
	}
	for i, position := range set {
		group, lane := position/int64(h.N), position%int64(h.N)
		mark(commit.Node{Index: 32*group + lane}, reference.Leaf(bodies[i]))
	}
	for _, n := range h.NodesOf(set) {
		at := commit.Node{Height: n.Height, Index: n.Index}
		x := sha256Of("node", binary.LittleEndian.AppendUint64([]byte{byte(n.Height)}, uint64(n.Index)))
		t.nodes[at] = x
		mark(at, x)
	}
	var hash func(commit.Node) commit.Hash
	hash = func(n commit.Node) commit.Hash {
		x, ok := known[n]
		switch {
		case !ok:
			return reference.Empty(n.Height)
		case x != commit.Hash{}:
			return x
		}
		l := hash(commit.Node{Height: n.Height - 1, Index: 2 * n.Index})
		return reference.Join(l, hash(commit.Node{Height: n.Height - 1, Index: 2*n.Index + 1}))
	}
	t.h = commit.Header{Params: p, Length: length, Root: hash(commit.Node{Height: h.Height()})}
	return t
}

// TestHugeBlobs proves and checks slices of blobs of up to 2^27 groups, whose positions
// pass 2^31.
func TestHugeBlobs(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, c := range []struct {
		p      commit.Params
		groups int64
	}{
		{commit.Params{K: 10, N: 20, SliceSize: 64}, 1 << 27},
		{commit.Params{K: 1, N: 17, SliceSize: 128}, 1<<27 - 1},
		{commit.Params{K: 1, N: 2, SliceSize: 64}, 1<<26 + 1},
		{commit.Params{K: 15, N: 16, SliceSize: 64}, 1025},
	} {
		length := c.groups * int64(c.p.K*c.p.SliceSize)
		end := c.groups * int64(c.p.N)
		sets := [][]int64{{0}, {end - 1}, {0, end - 1}, {end / 2}, {0, 1, 2, end - 2, end - 1}}
		if end > 1<<31 {
			sets = append(sets, []int64{1<<31 - 1, 1 << 31, 1<<31 + 1})
		}
		for range 10 {
			set := make([]int64, 1+rng.IntN(9))
			for i := range set {
				set[i] = rng.Int64N(end)
			}
			slices.Sort(set)
			sets = append(sets, slices.Compact(set))
		}
		for _, set := range sets {
			bodies := make([][]byte, len(set))
			for i := range bodies {
				bodies[i] = reference.Stream(uint64(i), c.p.SliceSize)
			}
			tr := newHugeTree(c.p, length, set, bodies)
			at := make([]commit.Pos, len(set))
			for i, p := range set {
				at[i] = tr.h.PosAt(p)
			}
			b, err := proof.Append(t.Context(), nil, tr, at)
			if err != nil {
				t.Fatalf("%d groups, set %v: %v", c.groups, set, err)
			}
			claim := proof.Claim{ID: tr.h.ID(), At: at, Slices: bodies, Proof: b}
			if err := check(claim); err != nil {
				t.Errorf("%d groups, set %v: %v", c.groups, set, err)
			}
			if err := reference.CheckProof(claim.ID, set, bodies, b); err != nil {
				t.Errorf("%d groups, set %v: %v", c.groups, set, err)
			}
			for _, add := range []uint64{1, 1 << 31, 1 << 32, 1 << 62, 1 << 63} {
				w := cut(b)
				w.positions[len(set)-1] += add
				moved := claim
				moved.Proof = w.bytes()
				if err := check(moved); !errors.Is(err, commit.SetOther) && !errors.Is(err, commit.SetRange) {
					t.Errorf("%d groups, set %v, last + %#x: %v", c.groups, set, add, err)
				}
			}
		}
	}
}
