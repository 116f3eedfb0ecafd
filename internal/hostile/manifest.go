package hostile

import (
	"slices"

	"github.com/tapecommit/tapecommit/internal/reference"
)

// ManifestIn is a manifest and the ID that it is to be of.
type ManifestIn struct {
	ID       Hex `json:"id"`
	Manifest Hex `json:"manifest"`
}

// ManifestOut is what an accepted manifest holds.
type ManifestOut struct {
	Groups int64 `json:"groups"`
	Nodes  int   `json:"nodes"` // at height 15
}

// over is a header of that many groups of 64 bytes whose root the given nodes, from first at a height on, lead to.
// What lies below the nodes is not known to anybody.
func over(groups int64, height int, nodes []reference.Hash) reference.Header {
	h := reference.Header{Params: reference.Params{K: 1, N: 2, SliceSize: 64}, Length: 64 * groups}
	known := map[reference.Node]reference.Hash{}
	for i, x := range nodes {
		known[reference.Node{Height: height, Index: int64(i)}] = x
	}
	h.Root = fold(h.Height(), known)
	return h
}

// manifest is a manifest of a header and nodes.
func manifest(h []byte, nodes [][]byte) []byte {
	return append(slices.Clone(h), slices.Concat(nodes...)...)
}

func manifests() *list[ManifestIn, ManifestOut] {
	l := &list[ManifestIn, ManifestOut]{}
	good := func(name, about string, h reference.Header, nodes []reference.Hash) {
		l.good(name, about, ManifestIn{idOf(h.Bytes()), manifest(h.Bytes(), raw(nodes))}, ManifestOut{h.Groups(), len(nodes)})
	}
	empty := over(0, 5, nil)
	empty.Root = reference.Empty(5)
	good("no-group", "an empty blob: the header alone", empty, nil)
	one := over(1, 5, hashes(30, 1))
	good("one-group", "one group: the header alone", one, nil)
	window := over(1024, 15, hashes(31, 1))
	good("one-window", "1,024 groups: the header alone", window, nil)
	nodes2 := hashes(32, 2)
	two := over(1025, 15, nodes2)
	good("two-windows", "1,025 groups: two nodes", two, nodes2)
	nodes3 := hashes(33, 3)
	three := over(2500, 15, nodes3)
	good("three-windows", "2,500 groups: three nodes, and an empty place behind them", three, nodes3)
	nodes4 := hashes(34, 4)
	four := over(4096, 15, nodes4)
	good("four-windows", "4,096 groups: four nodes, no place empty", four, nodes4)
	nodes5 := hashes(35, 5)
	five := over(5000, 15, nodes5)
	good("five-windows", "5,000 groups: five nodes, the last three places empty", five, nodes5)

	h, id, nodes := three.Bytes(), idOf(three.Bytes()), raw(nodes3)
	whole := manifest(h, nodes)
	bad := func(from, name, rule, about string, id, b []byte) {
		l.bad(from, name, rule, about, ManifestIn{id, b})
	}
	size := func(name, about string, b []byte) { bad("three-windows", name, "manifest-size", about, id, b) }
	size("node-fewer", "the last node left out", manifest(h, nodes[:2]))
	size("first-node-fewer", "the first node left out", manifest(h, nodes[1:]))
	size("header-alone", "all nodes left out", h)
	size("node-more", "a node behind the last", manifest(h, slices.Concat(nodes, raw(hashes(36, 1)))))
	size("last-node-again", "the last node again in the empty place", manifest(h, slices.Concat(nodes, nodes[2:])))
	empty15 := reference.Empty(15)
	size("padding-node", "empty(15) written into the empty place", manifest(h, slices.Concat(nodes, [][]byte{empty15[:]})))
	size("trailing-byte", "a zero byte behind", more(whole, 0))
	size("trailing-header", "a header behind, as lanes have it", more(whole, h...))
	size("cut", "the last byte cut off", whole[:len(whole)-1])
	size("node-of-31", "a node of 31 bytes in the middle", without(whole, 64+32, 1))
	size("node-of-33", "a node of 33 bytes in the middle", slices.Concat(whole[:64+32], []byte{0}, whole[64+32:]))
	size("twice", "the manifest twice", more(whole, whole...))

	root := func(name, about string, nodes [][]byte) {
		bad("three-windows", name, "manifest-nodes", about, id, manifest(h, nodes))
	}
	for i := range nodes {
		root("node-"+string(rune('0'+i))+"-bent", "a bit of a node changed", replaced(nodes, i, flip(nodes[i], 9*i)))
	}
	root("nodes-swapped", "two nodes swapped", swapped(nodes, 0, 1))
	root("last-nodes-swapped", "the last two nodes swapped", swapped(nodes, 1, 2))
	root("nodes-reversed", "the nodes in descending order", reversed(nodes))
	root("node-repeated", "a node in the place of its neighbour", replaced(nodes, 1, nodes[0]))
	root("node-padding", "empty(15) for the last node", replaced(nodes, 2, empty15[:]))
	root("node-zero", "zeros for the last node", replaced(nodes, 2, make([]byte, 32)))
	up := reference.Join(nodes3[0], nodes3[1])
	root("node-higher", "the node above for the first node", replaced(nodes, 0, up[:]))
	root("node-of-another", "the node of another blob", replaced(nodes, 1, raw(nodes4)[1]))

	// The root of four equal windows where the last is not there, and is a copy of the one before: one root in
	// trees that pair an odd node with itself.
	paired := partsOfHeader(three)
	paired.root = reference.Join(up, reference.Join(nodes3[2], nodes3[2]))
	bad("three-windows", "root-over-a-pair", "manifest-nodes", "the root of a tree in which the last node stands in the empty place too; the ID is made for it",
		idOf(paired.bytes()), manifest(paired.bytes(), nodes))
	bent := partsOfHeader(three)
	bent.root[5] ^= 1
	bad("three-windows", "root-bent", "manifest-nodes", "a bit of the root changed; the ID is made for it", idOf(bent.bytes()), manifest(bent.bytes(), nodes))
	low := partsOfHeader(three)
	low.root = reference.Join(up, nodes3[2])
	bad("three-windows", "root-unbalanced", "manifest-nodes", "the root of a tree in which the last node moves up alone; the ID is made for it",
		idOf(low.bytes()), manifest(low.bytes(), nodes))
	grown := partsOfHeader(three)
	grown.length, grown.groups = 64*4000, 4000
	bad("three-windows", "more-groups", "manifest-size", "more groups, which take another node; the ID is made for it", idOf(grown.bytes()), manifest(grown.bytes(), nodes))

	bad("one-window", "with-its-node", "manifest-size", "the root as the node of the one window", idOf(window.Bytes()), manifest(window.Bytes(), raw([]reference.Hash{window.Root})))
	bad("one-window", "with-zeros", "manifest-size", "32 zero bytes behind", idOf(window.Bytes()), manifest(window.Bytes(), [][]byte{make([]byte, 32)}))
	bad("two-windows", "header-alone", "manifest-size", "the nodes left out of the smallest manifest that has some", idOf(two.Bytes()), two.Bytes())
	bad("two-windows", "node-bent", "manifest-nodes", "a bit of the last node changed", idOf(two.Bytes()), manifest(two.Bytes(), raw([]reference.Hash{nodes2[0], nodes2[0]})))
	bad("no-group", "with-a-node", "manifest-size", "a node for a blob without groups", idOf(empty.Bytes()), manifest(empty.Bytes(), raw(hashes(37, 1))))
	bad("four-windows", "node-fewer", "manifest-size", "the last node left out", idOf(four.Bytes()), manifest(four.Bytes(), raw(nodes4[:3])))
	bad("four-windows", "padding-node", "manifest-nodes", "empty(15) for the last node", idOf(four.Bytes()), manifest(four.Bytes(), replaced(raw(nodes4), 3, empty15[:])))
	bad("five-windows", "padding-nodes", "manifest-size", "empty(15) written into all empty places", idOf(five.Bytes()),
		manifest(five.Bytes(), slices.Concat(raw(nodes5), [][]byte{empty15[:], empty15[:], empty15[:]})))
	bad("five-windows", "last-node-bent", "manifest-nodes", "a bit of the last node changed", idOf(five.Bytes()), manifest(five.Bytes(), replaced(raw(nodes5), 4, flip(raw(nodes5)[4], 31))))

	most := partsOfHeader(one)
	most.length, most.groups = 64<<27, 1<<27
	bad("one-group", "claims-2e27-groups", "manifest-size", "a header of 2^27 groups, which takes 4 MiB of nodes, alone; the ID is made for it", idOf(most.bytes()), most.bytes())
	bad("one-group", "cut-to-0", "header-size", "no bytes", idOf(one.Bytes()), []byte{})
	bad("one-group", "cut-to-63", "header-size", "the last byte cut off", idOf(one.Bytes()), one.Bytes()[:63])
	bad("one-group", "trailing-byte", "manifest-size", "a zero byte behind", idOf(one.Bytes()), more(one.Bytes(), 0))
	for _, x := range fewBends(three) {
		p := partsOfHeader(three)
		x.bend(&p)
		bad("three-windows", "header-"+x.name, "header-id", "in the header: "+x.about, id, manifest(p.bytes(), nodes))
		bad("three-windows", "header-"+x.name+"-own-id", x.rule, "in the header, for which the ID is made: "+x.about, idOf(p.bytes()), manifest(p.bytes(), nodes))
	}
	return l
}
