package hostile

import (
	"slices"

	"github.com/tapecommit/tapecommit/internal/reference"
)

// WindowIn is a manifest with its ID, and the group roots of a window of it, in a row.
type WindowIn struct {
	ID       Hex `json:"id"`
	Manifest Hex `json:"manifest"`
	Window   int `json:"window"`
	Roots    Hex `json:"roots"`
}

// WindowOut is which groups an accepted window has.
type WindowOut struct {
	First  int64 `json:"first"`
	Groups int   `json:"groups"`
}

func windows(b *blobs) *list[WindowIn, WindowOut] {
	l := &list[WindowIn, WindowOut]{}
	in := func(h reference.Header, nodes []reference.Hash, window int, roots [][]byte) WindowIn {
		return WindowIn{idOf(h.Bytes()), manifest(h.Bytes(), raw(nodes)), window, append(Hex{}, slices.Concat(roots...)...)}
	}
	// rooted5 is the node at height 15 over roots.
	rooted5 := func(roots []reference.Hash) reference.Hash {
		known := map[reference.Node]reference.Hash{}
		for i, x := range roots {
			known[reference.Node{Height: 5, Index: int64(i)}] = x
		}
		return fold(15, known)
	}

	last := hashes(40, 5)
	nodes := append(hashes(41, 2), rooted5(last))
	many := over(2*1024+5, 15, nodes)
	l.good("last-of-three", "the 5 groups of a third window", in(many, nodes, 2, raw(last)), WindowOut{2048, 5})
	few := hashes(42, 3)
	small := over(3, 5, few)
	l.good("lower-tree", "3 groups, whose tree ends below height 15", in(small, nil, 0, raw(few)), WindowOut{0, 3})
	one := hashes(43, 1)
	alone := over(1, 5, one)
	l.good("one-group", "one group, whose root is the blob's", in(alone, nil, 0, raw(one)), WindowOut{0, 1})
	full := hashes(44, 1024)
	whole := over(1024, 5, full)
	l.good("full", "1,024 groups, whose tree ends at height 15", in(whole, nil, 0, raw(full)), WindowOut{0, 1024})
	l.good("real", "the last groups of a blob that has slices, too", in(b.pair.Header, []reference.Hash{b.pair.Node(15, 0), b.pair.Node(15, 1)}, 1,
		raw([]reference.Hash{b.pair.Node(5, 1024), b.pair.Node(5, 1025), b.pair.Node(5, 1026)})), WindowOut{1024, 3})

	bad := func(name, rule, about string, roots [][]byte) {
		l.bad("last-of-three", name, rule, about, in(many, nodes, 2, roots))
	}
	roots := raw(last)
	empty5 := reference.Empty(5)
	bad("root-fewer", "window-size", "the last group root left out", roots[:4])
	bad("first-root-fewer", "window-size", "the first group root left out", roots[1:])
	bad("none", "window-size", "no group roots", nil)
	bad("root-more", "window-size", "a group root behind the last", slices.Concat(roots, raw(one)))
	bad("last-root-again", "window-size", "the last group root again in the place behind it", slices.Concat(roots, roots[4:]))
	bad("padding-root", "window-size", "empty(5) written into the place behind the last", slices.Concat(roots, [][]byte{empty5[:]}))
	bad("padding-for-root", "window-roots", "empty(5) for the last group root", replaced(roots, 4, empty5[:]))
	for i := range roots {
		bad("root-"+string(rune('0'+i))+"-bent", "window-roots", "a bit of a group root changed", replaced(roots, i, flip(roots[i], 7*i)))
	}
	bad("roots-swapped", "window-roots", "two group roots swapped", swapped(roots, 2, 3))
	bad("roots-reversed", "window-roots", "the group roots in descending order", reversed(roots))
	bad("root-repeated", "window-roots", "a group root in the place of its neighbour", replaced(roots, 1, roots[0]))
	up := reference.Join(last[0], last[1])
	bad("root-higher", "window-roots", "the node above for the first group root", replaced(roots, 0, up[:]))
	bad("root-zero", "window-roots", "zeros for a group root", replaced(roots, 3, make([]byte, 32)))
	bad("roots-of-another", "window-roots", "the group roots of another blob", raw(hashes(45, 5)))
	l.bad("last-of-three", "as-first-window", "window-size", "offered as the first window, which is full", in(many, nodes, 0, roots))
	bent := in(many, nodes, 2, roots)
	bent.Manifest = flip(bent.Manifest, len(bent.Manifest)-1)
	l.bad("last-of-three", "manifest-bent", "manifest-nodes", "a bit of the window's own node in the manifest changed", bent)
	bent = in(many, nodes, 2, roots)
	bent.Manifest = flip(bent.Manifest, 40)
	l.bad("last-of-three", "header-bent", "header-id", "a bit of the header in the manifest changed", bent)
	cut := in(many, nodes[:2], 2, roots)
	l.bad("last-of-three", "manifest-cut", "manifest-size", "the window's own node left out of the manifest", cut)

	l.bad("lower-tree", "root-fewer", "window-size", "the last group root left out", in(small, nil, 0, raw(few[:2])))
	l.bad("lower-tree", "padding-root", "window-size", "empty(5) written into the place behind the last", in(small, nil, 0, slices.Concat(raw(few), [][]byte{empty5[:]})))
	l.bad("lower-tree", "last-root-again", "window-size", "the last group root again in the place behind it", in(small, nil, 0, slices.Concat(raw(few), raw(few[2:]))))
	l.bad("lower-tree", "roots-swapped", "window-roots", "two group roots swapped", in(small, nil, 0, swapped(raw(few), 0, 1)))
	l.bad("lower-tree", "node-15", "window-size", "a node at height 15 for the group roots", in(small, nil, 0, raw([]reference.Hash{rooted5(few)})))
	l.bad("one-group", "root-bent", "window-roots", "a bit of the group root changed", in(alone, nil, 0, [][]byte{flip(one[0][:], 0)}))
	l.bad("one-group", "none", "window-size", "no group root", in(alone, nil, 0, nil))
	l.bad("full", "last-root-bent", "window-roots", "a bit of the last group root changed", in(whole, nil, 0, replaced(raw(full), 1023, flip(full[1023][:], 31))))
	l.bad("full", "root-fewer", "window-size", "the last group root left out", in(whole, nil, 0, raw(full[:1023])))
	return l
}
