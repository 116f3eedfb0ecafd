package proof

import (
	"fmt"

	"github.com/tapecommit/tapecommit/commit"
)

// Leaves are the leaf hashes of a row of groups, checked against a window of group
// roots; the zero Leaves have none. They are for one goroutine at a time and keep
// their memory from one Load to the next.
type Leaves struct {
	h      *commit.Header
	w      *commit.Window
	first  int
	have   []bool // by group, counted from first
	hashes []commit.Hash
	roots  []commit.Hash

	// scratch of Open
	bodies  [][]byte
	which   []int
	digests []commit.Hash
}

// Load makes l hold the groups from first on, with n leaf hashes each, whose hashes
// lead to their roots, and returns the groups whose hashes do not. It copies hashes.
// It panics where the groups are not all of w or hashes are not whole groups.
func (l *Leaves) Load(w *commit.Window, first int, hashes []commit.Hash) (bad []int) {
	if l.w == nil || l.w.Manifest() != w.Manifest() {
		h := w.Manifest().Header()
		l.h = &h
	}
	groups := len(hashes) / l.h.N
	if len(hashes)%l.h.N != 0 || first < w.First() || first+groups > w.First()+len(w.Roots()) {
		panic(fmt.Sprintf("proof: %d leaf hashes for groups from %d on do not fit the window at %d", len(hashes), first, w.First()))
	}
	l.w, l.first = w, first
	l.hashes = append(l.hashes[:0], hashes...)
	l.have = resize(l.have, groups)
	l.roots = resize(l.roots, groups)
	commit.GroupRoots(l.roots, l.hashes, l.h.N)
	for i, root := range l.roots {
		l.have[i] = root == w.Roots()[first-w.First()+i]
		if !l.have[i] {
			bad = append(bad, first+i)
		}
	}
	return bad
}

// Retry offers other leaf hashes of one group that Load was given, keeps them where
// they lead to its root, and reports whether they do.
func (l *Leaves) Retry(group int, hashes []commit.Hash) bool {
	i := group - l.first
	if l.h == nil || uint(i) >= uint(len(l.have)) || len(hashes) != l.h.N {
		return false
	}
	var root [1]commit.Hash
	commit.GroupRoots(root[:], hashes, l.h.N)
	if root[0] != l.w.Roots()[group-l.w.First()] {
		return false
	}
	copy(l.hashes[i*l.h.N:], hashes)
	l.have[i] = true
	return true
}

// Hash returns the leaf hash of slice p, and whether l holds it.
func (l *Leaves) Hash(p commit.Pos) (commit.Hash, bool) {
	i := p.Group - l.first
	if l.h == nil || uint(i) >= uint(len(l.have)) || !l.have[i] || uint(p.Lane) >= uint(l.h.N) {
		return commit.Hash{}, false
	}
	return l.hashes[i*l.h.N+p.Lane], true
}

// Node returns a node of at most commit.GroupHeight, a padding node too, and whether
// l holds its group.
func (l *Leaves) Node(at commit.Node) (commit.Hash, bool) {
	up := commit.GroupHeight - at.Height
	if up < 0 || at.Height < 0 || at.Index < 0 {
		return commit.Hash{}, false
	}
	group := at.Index>>up - int64(l.first)
	if l.h == nil || group < 0 || group >= int64(len(l.have)) || !l.have[group] {
		return commit.Hash{}, false
	}
	lane := int(at.Index&(1<<up-1)) << at.Height
	width := 1 << at.Height
	n := l.h.N
	if lane >= n {
		return commit.Empty(at.Height), true
	}
	var nodes [1 << commit.GroupHeight]commit.Hash
	level := nodes[:copy(nodes[:width], l.hashes[int(group)*n+lane:int(group+1)*n])]
	for h := range at.Height {
		if len(level)%2 != 0 {
			level = append(level, commit.Empty(h))
		}
		commit.HashPairs(level[:len(level)/2], level)
		level = level[:len(level)/2]
	}
	return level[0], true
}

// Open sets dst[i] to data[i] if that is slice at[i], else to the zero Slice; nil
// data is no slice. All are hashed in one batch. dst keeps data, which nobody else
// may write. dst, at and data are of one length.
func (l *Leaves) Open(dst []Slice, at []commit.Pos, data [][]byte) {
	if len(dst) != len(at) || len(dst) != len(data) {
		panic(fmt.Sprintf("proof: Open of %d positions with %d bodies into %d slices", len(at), len(data), len(dst)))
	}
	l.bodies, l.which = l.bodies[:0], l.which[:0]
	for i, p := range at {
		dst[i] = Slice{}
		// A body of another length is refused before it is hashed.
		if _, ok := l.Hash(p); ok && len(data[i]) == l.h.SizeOf(p.Group) {
			l.bodies = append(l.bodies, data[i])
			l.which = append(l.which, i)
		}
	}
	l.digests = resize(l.digests, len(l.bodies))
	commit.HashLeaves(l.digests, l.bodies)
	for j, i := range l.which {
		if want, _ := l.Hash(at[i]); l.digests[j] == want {
			dst[i] = Slice{h: l.h, at: at[i], b: data[i]}
		}
	}
	clear(l.bodies) // keep no one's memory alive
}

// resize returns s with length n; its elements are whatever they were.
func resize[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n)
	}
	return s[:n]
}
