package proof_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof"
)

// leafHashes returns the stored leaf hashes of groups [lo, hi).
func (tr *tree) leafHashes(lo, hi int) []commit.Hash {
	var all []commit.Hash
	for _, x := range tr.b.Leaves[lo*tr.b.N : hi*tr.b.N] {
		all = append(all, x)
	}
	return all
}

// loaded are the Leaves of groups [lo, hi).
func (tr *tree) loaded(lo, hi int) *proof.Leaves {
	tr.t.Helper()
	var l proof.Leaves
	if bad := l.Load(tr.ws[lo/commit.WindowGroups], lo, tr.leafHashes(lo, hi)); bad != nil {
		tr.t.Fatalf("groups %v refused", bad)
	}
	return &l
}

// TestLeavesLoad refuses the groups that are wrong, and those alone.
func TestLeavesLoad(t *testing.T) {
	tr := makeTree(t, commit.Params{K: 3, N: 5, SliceSize: 64}, 15, 192*9+1)
	n, groups := tr.b.N, int(tr.b.Groups())
	for _, bad := range [][]int{nil, {0}, {9}, {3, 4, 8}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		hashes := tr.leafHashes(0, groups)
		for _, g := range bad {
			hashes[g*n+g%n][g] ^= 0x10
		}
		var l proof.Leaves
		if got := l.Load(tr.ws[0], 0, hashes); !slices.Equal(got, bad) {
			t.Errorf("refused %v, want %v", got, bad)
		}
		for g := range groups {
			for i := range n {
				x, ok := l.Hash(commit.Pos{Group: g, Lane: i})
				if ok == slices.Contains(bad, g) || ok && x != tr.b.Leaves[g*n+i] {
					t.Errorf("%v bad: Hash of %d:%d is %x, %t", bad, g, i, x, ok)
				}
			}
		}
	}

	// Right hashes of a group are wrong for another, and in another order.
	var l proof.Leaves
	swapped := slices.Concat(tr.leafHashes(1, 2), tr.leafHashes(0, 1), tr.leafHashes(2, 3))
	if got := l.Load(tr.ws[0], 0, swapped); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("two groups swapped: refused %v", got)
	}
	turned := tr.leafHashes(0, 1)
	turned[1], turned[2] = turned[2], turned[1]
	if got := l.Load(tr.ws[0], 0, turned); !slices.Equal(got, []int{0}) {
		t.Errorf("two leaves swapped: refused %v", got)
	}
}

// TestLeavesReload forgets what was loaded before, and changes window and blob.
func TestLeavesReload(t *testing.T) {
	tr := makeTree(t, commit.Params{K: 1, N: 2, SliceSize: 64}, 16, 64*1030)
	l := tr.loaded(0, 10)
	if _, ok := l.Hash(commit.Pos{Group: 9}); !ok {
		t.Error("group 9 is not there")
	}
	if bad := l.Load(tr.ws[1], 1024, tr.leafHashes(1024, 1030)); bad != nil {
		t.Errorf("window 1: %v", bad)
	}
	for g, want := range map[int]bool{0: false, 9: false, 1023: false, 1024: true, 1029: true, 1030: false} {
		if _, ok := l.Hash(commit.Pos{Group: g}); ok != want {
			t.Errorf("group %d there: %t", g, ok)
		}
	}

	var old [1]proof.Slice
	at := commit.Pos{Group: 1025, Lane: 1}
	l.Open(old[:], []commit.Pos{at}, tr.bodies([]commit.Pos{at}))
	other := smallTree(t)
	if bad := l.Load(other.ws[0], 0, other.leafHashes(0, 3)); bad != nil {
		t.Errorf("another blob: %v", bad)
	}
	if !tr.isSlice(old[0]) || old[0].Pos() != at {
		t.Error("a slice of the first blob changed")
	}
	if x, ok := l.Hash(commit.Pos{Group: 2, Lane: 4}); !ok || x != other.b.Leaves[14] {
		t.Error("the other blob's leaf hash is not there")
	}
}

// TestLeavesCopies clears what Load and Retry were given.
func TestLeavesCopies(t *testing.T) {
	tr := smallTree(t)
	hashes := tr.leafHashes(0, 3)
	hashes[0][0] ^= 1
	var l proof.Leaves
	if bad := l.Load(tr.ws[0], 0, hashes); !slices.Equal(bad, []int{0}) {
		t.Fatalf("refused %v", bad)
	}
	clear(hashes)
	again := tr.leafHashes(0, 1)
	if !l.Retry(0, again) {
		t.Fatal("the right hashes are refused")
	}
	clear(again)
	for p, want := range tr.b.Leaves {
		if x, ok := l.Hash(tr.Header().PosAt(int64(p))); !ok || x != want {
			t.Errorf("leaf hash %d is %x, %t", p, x, ok)
		}
	}
}

func TestLeavesRetry(t *testing.T) {
	tr := smallTree(t)
	hashes := tr.leafHashes(1, 3)
	hashes[2][3] ^= 1
	var l proof.Leaves
	l.Load(tr.ws[0], 1, hashes)
	right := tr.leafHashes(1, 2)
	for name, c := range map[string]struct {
		group  int
		hashes []commit.Hash
	}{
		"wrong again":            {1, hashes[:5]},
		"another group's hashes": {1, tr.leafHashes(2, 3)},
		"none":                   {1, nil},
		"one less":               {1, right[:4]},
		"one more":               {1, tr.leafHashes(1, 3)[:6]},
		"for another group":      {2, right},
		"group before":           {0, tr.leafHashes(0, 1)}, // right, but Load was not given it
		"group behind":           {3, right},
		"group below zero":       {-1, right},
		"smallest group":         {math.MinInt, right},
	} {
		if l.Retry(c.group, c.hashes) {
			t.Errorf("%s: kept", name)
		}
		if _, ok := l.Hash(commit.Pos{Group: 1}); ok {
			t.Errorf("%s: group 1 is there", name)
		}
	}
	if x, ok := l.Hash(commit.Pos{Group: 2, Lane: 1}); !ok || x != tr.b.Leaves[11] {
		t.Error("group 2 was lost on the way")
	}
	for range 2 {
		if !l.Retry(1, right) {
			t.Error("the right hashes are refused")
		}
	}
	if l.Retry(1, hashes[:5]) {
		t.Error("wrong hashes are kept")
	}
	if x, ok := l.Hash(commit.Pos{Group: 1, Lane: 2}); !ok || x != tr.b.Leaves[7] {
		t.Error("group 1 is not there")
	}
	if new(proof.Leaves).Retry(0, right) {
		t.Error("the zero Leaves keep hashes")
	}
}

// TestLeavesNode compares every node of every group with the second model.
func TestLeavesNode(t *testing.T) {
	for n := 2; n <= 20; n++ {
		tr := makeTree(t, commit.Params{K: 1, N: n, SliceSize: 64}, 17, 64*3)
		l := tr.loaded(1, 3)
		for height := range commit.GroupHeight + 1 {
			for index := range int64(4) << (commit.GroupHeight - height) {
				group := index >> (commit.GroupHeight - height)
				x, ok := l.Node(commit.Node{Height: height, Index: index})
				if want := group == 1 || group == 2; ok != want || ok && x != tr.b.Node(height, index) {
					t.Errorf("n is %d: node %d at height %d: %x, %t", n, index, height, x, ok)
				}
			}
		}
		for _, at := range []commit.Node{
			{Height: 6, Index: 0}, {Height: 6, Index: 1}, {Height: -1, Index: 40}, {Height: 0, Index: -1},
			{Height: 5, Index: -1}, {Height: math.MaxInt, Index: 1}, {Height: math.MinInt, Index: 1},
			{Height: 0, Index: math.MaxInt64}, {Height: 0, Index: math.MinInt64}, {Height: 5, Index: math.MaxInt64},
		} {
			if x, ok := l.Node(at); ok {
				t.Errorf("n is %d: node %+v: %x", n, at, x)
			}
		}
	}
	tr := smallTree(t)
	hashes := tr.leafHashes(0, 3)
	hashes[5][0] ^= 1
	var l proof.Leaves
	l.Load(tr.ws[0], 0, hashes)
	for _, at := range []commit.Node{{Height: 0, Index: 32}, {Height: 0, Index: 63}, {Height: 5, Index: 1}} {
		if x, ok := l.Node(at); ok {
			t.Errorf("node %+v of a group that was refused: %x", at, x)
		}
	}
}

// TestLeavesHash asks for slices that there are none of.
func TestLeavesHash(t *testing.T) {
	l := smallTree(t).loaded(1, 2)
	for _, p := range []commit.Pos{
		{Group: 0}, {Group: 2}, {Group: 1, Lane: 5}, {Group: 1, Lane: 32}, {Group: 1, Lane: -1}, {Group: 2, Lane: -5},
		{Group: 0, Lane: 5}, {Group: -1}, {Group: math.MinInt}, {Group: math.MaxInt, Lane: math.MaxInt}, {Group: 1, Lane: math.MinInt},
	} {
		if x, ok := l.Hash(p); ok {
			t.Errorf("slice %v: %x", p, x)
		}
	}
}

// TestLeavesOpen opens what is a slice, and nothing else, whatever stands beside it.
func TestLeavesOpen(t *testing.T) {
	tr := smallTree(t)
	l := tr.loaded(0, 3)
	s := tr.b.Slices
	bent := bytes.Clone(s[7])
	bent[191] ^= 0x80
	type pos = commit.Pos
	cases := []struct {
		name string
		at   commit.Pos
		body []byte
		good bool
	}{
		{"a slice", pos{Group: 0, Lane: 0}, s[0], true},
		{"parity", pos{Group: 1, Lane: 4}, s[9], true},
		{"a copy", pos{Group: 1, Lane: 2}, bytes.Clone(s[7]), true},
		{"of the short group", pos{Group: 2, Lane: 1}, s[11], true},
		{"nil", pos{Group: 0, Lane: 1}, nil, false},
		{"empty", pos{Group: 0, Lane: 1}, []byte{}, false},
		{"a byte short", pos{Group: 0, Lane: 1}, s[1][:191], false},
		{"a byte long", pos{Group: 0, Lane: 1}, append(slices.Clip(s[1]), 0), false},
		{"a bit changed", pos{Group: 1, Lane: 2}, bent, false},
		{"the next slice", pos{Group: 0, Lane: 1}, s[2], false},
		{"of the next group", pos{Group: 0, Lane: 1}, s[6], false},
		{"a full slice for a short one", pos{Group: 2, Lane: 1}, s[1], false},
		{"a short slice for a full one", pos{Group: 0, Lane: 1}, s[11], false},
		{"zeros", pos{Group: 0, Lane: 1}, make([]byte, 192), false},
		{"padding, empty", pos{Group: 0, Lane: 5}, []byte{}, false},
		{"lane below zero", pos{Group: 1, Lane: -5}, s[0], false},
		{"padding group", pos{Group: 3, Lane: 0}, s[0], false},
		{"group below zero", pos{Group: -1, Lane: 0}, s[0], false},
	}
	var at []commit.Pos
	var data [][]byte
	for _, c := range cases {
		at, data = append(at, c.at), append(data, c.body)
	}
	zero := proof.Slice{}
	for range 2 { // dst is full of slices the second time
		dst := slices.Repeat([]proof.Slice{zero}, len(cases))
		l.Open(dst[:1], tr.at(3), tr.bodies(tr.at(3)))
		for i := range dst {
			dst[i] = dst[0]
		}
		l.Open(dst, at, data)
		for i, c := range cases {
			switch {
			case !c.good && dst[i].Valid():
				t.Errorf("%s: accepted", c.name)
			case c.good && (!tr.isSlice(dst[i]) || dst[i].Pos() != c.at || &dst[i].Bytes()[0] != &c.body[0]):
				t.Errorf("%s: refused or changed", c.name)
			}
		}
	}

	// Slices swapped: both are of the blob, neither is where it belongs.
	dst := make([]proof.Slice, 2)
	l.Open(dst, tr.at(0, 1), tr.bodies(tr.at(1, 0)))
	if dst[0].Valid() || dst[1].Valid() {
		t.Error("swapped slices accepted")
	}
	new(proof.Leaves).Open(dst[:1], tr.at(0), s[:1])
	if dst[0].Valid() {
		t.Error("the zero Leaves open a slice")
	}
	l.Open(nil, nil, nil)
}

// TestLeavesOtherLength has a writer who committed to bodies of other lengths than the
// header says: they are no slices, though they match.
func TestLeavesOtherLength(t *testing.T) {
	for _, n := range []int{0, 1, 63, 65, 73, 128, 4096} {
		body := reference.Stream(uint64(n), n)
		leaves := []commit.Hash{reference.Leaf(body), reference.Leaf(make([]byte, 64))}
		var root [1]commit.Hash
		commit.GroupRoots(root[:], leaves, 2)
		var b commit.Builder
		b.Add(root[:])
		m, err := b.Manifest(commit.Params{K: 1, N: 2, SliceSize: 64}, 64)
		if err != nil {
			t.Fatal(err)
		}
		w, err := m.OpenWindow(0, root[:])
		if err != nil {
			t.Fatal(err)
		}
		var l proof.Leaves
		if bad := l.Load(w, 0, leaves); bad != nil {
			t.Fatalf("groups %v refused", bad)
		}
		dst := make([]proof.Slice, 2)
		l.Open(dst, []commit.Pos{{}, {Lane: 1}}, [][]byte{body, make([]byte, 64)})
		if dst[0].Valid() || !dst[1].Valid() {
			t.Errorf("%d bytes opened: %t, those beside: %t", n, dst[0].Valid(), dst[1].Valid())
		}
	}
}

// TestLeavesPanics misuses Load and Open.
func TestLeavesPanics(t *testing.T) {
	tr := makeTree(t, commit.Params{K: 1, N: 2, SliceSize: 64}, 16, 64*1030)
	l := tr.loaded(0, 2)
	for name, f := range map[string]func(){
		"part of a group":    func() { l.Load(tr.ws[0], 0, make([]commit.Hash, 3)) },
		"group before":       func() { l.Load(tr.ws[1], 1023, make([]commit.Hash, 2)) },
		"group below zero":   func() { l.Load(tr.ws[0], -1, make([]commit.Hash, 2)) },
		"groups of the next": func() { l.Load(tr.ws[0], 1023, make([]commit.Hash, 4)) },
		"past the end":       func() { l.Load(tr.ws[1], 1029, make([]commit.Hash, 4)) },
		"positions missing":  func() { l.Open(make([]proof.Slice, 1), nil, make([][]byte, 1)) },
		"bodies missing":     func() { l.Open(make([]proof.Slice, 1), make([]commit.Pos, 1), nil) },
		"slices missing":     func() { l.Open(nil, make([]commit.Pos, 1), make([][]byte, 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				text, _ := recover().(string)
				if len(text) < 7 || text[:7] != "proof: " {
					t.Errorf("panics with %q", text)
				}
			}()
			f()
		})
	}
}

func TestLeavesAllocateNothing(t *testing.T) {
	tr := makeTree(t, commit.Params{K: 10, N: 20, SliceSize: 64}, 18, 640*16)
	hashes := tr.leafHashes(0, 16)
	at := make([]commit.Pos, len(hashes))
	for i := range at {
		at[i] = tr.Header().PosAt(int64(i))
	}
	data, dst := tr.bodies(at), make([]proof.Slice, len(at))
	var l proof.Leaves
	if n := fewestAllocs(func() {
		if bad := l.Load(tr.ws[0], 0, hashes); bad != nil {
			t.Fatalf("groups %v refused", bad)
		}
		l.Open(dst, at, data)
		if _, ok := l.Node(commit.Node{Height: 4, Index: 5}); !ok {
			t.Fatal("no node")
		}
		if !l.Retry(3, hashes[60:80]) {
			t.Fatal("Retry refuses")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestZeroSlice has no header and no bytes.
func TestZeroSlice(t *testing.T) {
	var s proof.Slice
	if s.Valid() || s.Bytes() != nil {
		t.Error("the zero Slice is a slice")
	}
	defer func() {
		if recover() == nil {
			t.Error("the zero Slice has a header")
		}
	}()
	s.Header()
}

// TestSliceOfBadParity opens slices of a blob that no honest writer made: what a slice
// is, the leaf hashes say, and not the code.
func TestSliceOfBadParity(t *testing.T) {
	good := smallTree(t)
	all := slices.Clone(good.b.Slices)
	all[9] = reference.Stream(1, 192)
	tr := newTree(t, reference.Commit(good.b.Params, good.b.Length, all))
	l := tr.loaded(0, 3)
	dst := make([]proof.Slice, 2)
	l.Open(dst, tr.at(9, 9), [][]byte{all[9], good.b.Slices[9]})
	if !tr.isSlice(dst[0]) || dst[1].Valid() {
		t.Errorf("the committed slice: %t, the one of the code: %t", dst[0].Valid(), dst[1].Valid())
	}
}
