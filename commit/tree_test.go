package commit_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
)

// literal returns a node of the tree over the leaf hashes of whole groups, by the
// recursion of the specification.
func literal(leaves []commit.Hash, n int, at commit.Node) commit.Hash {
	if at.Height == 0 {
		group, lane := int(at.Index>>5), int(at.Index&31)
		if lane < n && group < len(leaves)/n {
			return leaves[group*n+lane]
		}
		return sha256.Sum256([]byte("LEAF"))
	}
	l := literal(leaves, n, commit.Node{Height: at.Height - 1, Index: 2 * at.Index})
	r := literal(leaves, n, commit.Node{Height: at.Height - 1, Index: 2*at.Index + 1})
	b := append([]byte("LEFT"), l[:]...)
	b = append(b, "RIGHT"...)
	return sha256.Sum256(append(b, r[:]...))
}

func someHashes(n int) []commit.Hash {
	h := make([]commit.Hash, n)
	for i := range h {
		h[i] = sha256.Sum256(binary.LittleEndian.AppendUint64(nil, uint64(i)))
	}
	return h
}

func TestGroupRoots(t *testing.T) {
	for n := 1; n <= commit.MaxSlices; n++ {
		for _, groups := range []int{0, 1, 2, 3, 63, 64, 65, 130} {
			leaves := someHashes(groups * n)
			got := make([]commit.Hash, groups)
			commit.GroupRoots(got, leaves, n)
			for g, root := range got {
				if want := literal(leaves, n, commit.Node{Height: 5, Index: int64(g)}); root != want {
					t.Fatalf("root of group %d of %d, %d slices each: %x, want %x", g, groups, n, root, want)
				}
			}
			if again := someHashes(groups * n); fmt.Sprint(leaves) != fmt.Sprint(again) {
				t.Fatalf("%d groups of %d: leaves were overwritten", groups, n)
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	slices := make([][]byte, 160)
	for i := range slices {
		slices[i] = make([]byte, 64)
	}
	leaves, roots := make([]commit.Hash, 160), make([]commit.Hash, 8)
	if n := testing.AllocsPerRun(100, func() {
		commit.HashLeaves(leaves, slices)
		commit.GroupRoots(roots, leaves, 20)
		commit.GroupRoots(roots[:5], leaves[:95], 19)
	}); n > 0 {
		t.Errorf("%v allocations a batch", n)
	}
}

// build makes the manifest of some groups of two slices, and their roots.
func build(t testing.TB, groups int) (*commit.Manifest, []commit.Hash) {
	t.Helper()
	roots := make([]commit.Hash, groups)
	commit.GroupRoots(roots, someHashes(2*groups), 2)
	var b commit.Builder
	for rest := roots; len(rest) > 0; { // in uneven pieces
		n := min(len(rest), 700)
		b.Add(rest[:n])
		rest = rest[n:]
	}
	m, err := b.Manifest(commit.Params{K: 1, N: 2, SliceSize: 64}, 64*int64(groups))
	if err != nil {
		t.Fatal(err)
	}
	return m, roots
}

func window(t testing.TB, m *commit.Manifest, roots []commit.Hash, i int) *commit.Window {
	t.Helper()
	lo := i * commit.WindowGroups
	w, err := m.OpenWindow(i, roots[lo:min(lo+commit.WindowGroups, len(roots))])
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestNodes(t *testing.T) {
	for _, groups := range []int{0, 1, 2, 3, 5, 64, 100} {
		leaves := someHashes(2 * groups)
		m, roots := build(t, groups)
		h := m.Header()
		for height := 5; height <= h.Height(); height++ {
			for i := range int64(1) << (h.Height() - height) {
				at := commit.Node{Height: height, Index: i}
				got, ok := commit.Hash{}, false
				if groups > 0 {
					got, ok = window(t, m, roots, 0).Node(at)
				}
				if !ok {
					got, ok = m.Node(at)
				}
				if want := literal(leaves, 2, at); !ok || got != want {
					t.Errorf("%d groups: node %v = %x, %v, want %x", groups, at, got, ok, want)
				}
			}
		}
	}
}

func TestNodesOfManyWindows(t *testing.T) {
	const groups = 2*commit.WindowGroups + 300
	m, roots := build(t, groups)
	h := m.Header()
	nodes := map[commit.Node]commit.Hash{}
	for i, r := range roots {
		nodes[commit.Node{Height: 5, Index: int64(i)}] = r
	}
	for height := 6; height <= h.Height(); height++ {
		for i := range int64(1) << (h.Height() - height) {
			get := func(i int64) commit.Hash {
				if x, ok := nodes[commit.Node{Height: height - 1, Index: i}]; ok {
					return x
				}
				return commit.Empty(height - 1)
			}
			var x [1]commit.Hash
			commit.HashPairs(x[:], []commit.Hash{get(2 * i), get(2*i + 1)})
			nodes[commit.Node{Height: height, Index: i}] = x[0]
		}
	}
	if h.Root != nodes[commit.Node{Height: h.Height()}] {
		t.Fatal("another root than the literal one")
	}
	for i := range h.Windows() {
		w := window(t, m, roots, i)
		for at, want := range nodes {
			got, ok := w.Node(at)
			mine := at.Height <= 15 && at.Index>>(15-at.Height) == int64(i)
			if ok != mine || ok && got != want {
				t.Fatalf("window %d: node %v = %x, %v", i, at, got, ok)
			}
		}
		// Window nodes of padding.
		if got, ok := w.Node(commit.Node{Height: 5, Index: int64(i)*1024 + 1023}); !ok || i == 2 && got != commit.Empty(5) {
			t.Errorf("window %d: its last group root is %x, %v", i, got, ok)
		}
	}
	for at, want := range nodes {
		if got, ok := m.Node(at); ok != (at.Height >= 15) || ok && got != want {
			t.Fatalf("manifest: node %v = %x, %v", at, got, ok)
		}
	}
	for _, at := range []commit.Node{{Height: 15, Index: 4}, {Height: 15, Index: -1}, {Height: 18}, {Height: -1}, {Height: 17, Index: 1}} {
		if _, ok := m.Node(at); ok {
			t.Errorf("manifest has a node %v", at)
		}
	}
}

func TestOpenManifest(t *testing.T) {
	for _, groups := range []int{0, 1, 1023, 1024, 1025, 2100} {
		m, _ := build(t, groups)
		id := m.Header().ID()
		b, err := m.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := commit.OpenManifest(id, b)
		if err != nil || got.Header() != m.Header() || got.ID() != id {
			t.Fatalf("%d groups: %+v, %v", groups, got, err)
		}
		for _, c := range []struct {
			name string
			b    []byte
			rule commit.Rule
		}{
			{"a byte more", append(bytes.Clone(b), 0), commit.ManifestSize},
			{"a node more", append(bytes.Clone(b), make([]byte, 32)...), commit.ManifestSize},
			{"cut in the header", b[:40], commit.HeaderSize},
		} {
			if _, err := commit.OpenManifest(id, c.b); !errors.Is(err, c.rule) {
				t.Errorf("%d groups, %s: %v", groups, c.name, err)
			}
		}
		if len(b) == commit.HeaderLen {
			continue
		}
		if _, err := commit.OpenManifest(id, b[:len(b)-1]); !errors.Is(err, commit.ManifestSize) {
			t.Errorf("%d groups, a byte fewer: %v", groups, err)
		}
		for at := commit.HeaderLen; at < len(b); at += 7 {
			bent := bytes.Clone(b)
			bent[at] ^= 0x10
			if _, err := commit.OpenManifest(id, bent); !errors.Is(err, commit.ManifestNodes) {
				t.Errorf("%d groups, byte %d bent: %v", groups, at, err)
			}
		}
	}
}

func TestOpenWindow(t *testing.T) {
	m, roots := build(t, 1500)
	for i, want := range []int{1024, 476} {
		in := append([]commit.Hash(nil), roots[i*1024:i*1024+want]...)
		if _, err := m.OpenWindow(i, in); err != nil {
			t.Fatal(err)
		}
		if _, err := m.OpenWindow(i, in[:want-1]); !errors.Is(err, commit.WindowSize) {
			t.Errorf("window %d with a root fewer: %v", i, err)
		}
		if _, err := m.OpenWindow(i, append(in, commit.Empty(5))); !errors.Is(err, commit.WindowSize) {
			t.Errorf("window %d with a root more: %v", i, err)
		}
		in[want/2][31] ^= 1
		if _, err := m.OpenWindow(i, in); !errors.Is(err, commit.WindowRoots) {
			t.Errorf("window %d with a bent root: %v", i, err)
		}
	}
	if _, err := m.OpenWindow(0, roots[1:1025]); !errors.Is(err, commit.WindowRoots) {
		t.Errorf("roots off by one: %v", err)
	}
}

// A window must not change with the memory it was opened from.
func TestWindowCopies(t *testing.T) {
	m, roots := build(t, 40)
	want := roots[3]
	w := window(t, m, roots, 0)
	clear(roots)
	if got, _ := w.Node(commit.Node{Height: 5, Index: 3}); got != want || w.Roots()[3] != want {
		t.Error("the window changed with the caller's memory")
	}
}

func TestBuilderRefuses(t *testing.T) {
	var b commit.Builder
	b.Add(someHashes(2))
	p := commit.Params{K: 1, N: 2, SliceSize: 64}
	if _, err := b.Manifest(p, 128); err != nil {
		t.Fatal(err)
	}
	for _, length := range []int64{0, 64, 129, 1 << 40} {
		if _, err := b.Manifest(p, length); err == nil {
			t.Errorf("two groups of %d bytes: no error", length)
		}
	}
	if _, err := b.Manifest(p, -1); !errors.Is(err, commit.HeaderLength) {
		t.Errorf("length -1: %v", err)
	}
	if _, err := b.Manifest(commit.Params{K: 2, N: 2, SliceSize: 64}, 128); !errors.Is(err, commit.HeaderCode) {
		t.Errorf("code 2 in 2: %v", err)
	}
	b.Add(someHashes(1)) // a Manifest in between changes nothing
	m, err := b.Manifest(p, 192)
	if err != nil {
		t.Fatal(err)
	}
	var all commit.Builder
	all.Add(append(someHashes(2), someHashes(1)...))
	if want, _ := all.Manifest(p, 192); m.Header() != want.Header() {
		t.Error("Manifest changed the Builder")
	}
}
