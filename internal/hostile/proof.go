package hostile

import (
	"fmt"
	"slices"

	"github.com/tapecommit/tapecommit/internal/reference"
)

// ProofIn is a proof, the ID, the positions that the verifier means, and a slice for each.
type ProofIn struct {
	ID     Hex     `json:"id"`
	At     []int64 `json:"at"`
	Slices []Hex   `json:"slices"`
	Proof  Hex     `json:"proof"`
}

// ProofOut is how many nodes an accepted proof has.
type ProofOut struct {
	Nodes int `json:"nodes"`
}

// proofParts are the parts of a proof, with room for anything, and what it is offered with.
type proofParts struct {
	id        []byte
	at        []int64
	slices    [][]byte
	magic     string
	header    []byte
	count     uint32
	positions []uint64
	nodes     [][]byte
	tail      []byte
}

func partsOfProof(h reference.Header, set []int64, bodies [][]byte, nodes []reference.Hash) proofParts {
	p := proofParts{id: idOf(h.Bytes()), at: set, slices: bodies, magic: "TPP1", header: h.Bytes(), count: uint32(len(set)), nodes: raw(nodes)}
	for _, at := range set {
		p.positions = append(p.positions, uint64(at))
	}
	return p
}

func (p proofParts) bytes() []byte {
	b := append([]byte(p.magic), p.header...)
	b = le32(b, p.count)
	for _, at := range p.positions {
		b = le64(b, at)
	}
	return append(append(b, slices.Concat(p.nodes...)...), p.tail...)
}

func (p proofParts) in() ProofIn {
	return ProofIn{p.id, append([]int64{}, p.at...), asHex(p.slices), p.bytes()}
}

// with is a changed copy; f replaces what it changes and writes into nothing.
func (p proofParts) with(f func(*proofParts)) proofParts {
	f(&p)
	return p
}

// cut is the proof with its first n bytes alone.
func (p proofParts) cut(n int) ProofIn {
	in := p.in()
	in.Proof = in.Proof[:n]
	return in
}

// moved is the rule that is broken where slices and nodes of one set are offered for another of the blob.
func moved(h reference.Header, to []int64, nodes int) string {
	if len(h.NodesOf(to)) != nodes {
		return "proof-size"
	}
	return "proof-root"
}

func proofs(b *blobs) *list[ProofIn, ProofOut] {
	l := &list[ProofIn, ProofOut]{}
	good := func(name, about string, p proofParts) proofParts {
		l.good(name, about, p.in(), ProofOut{len(p.nodes)})
		return p
	}
	of := func(b *reference.Blob, set ...int64) proofParts {
		return partsOfProof(b.Header, set, bodies(b, set), b.Nodes(set))
	}
	// far is a proof of slices of the largest blob, all of whose other nodes are made up.
	far := func(seed uint64, set ...int64) proofParts {
		var made [][]byte
		for i := range set {
			made = append(made, reference.Stream(seed+uint64(i), 64))
		}
		nodes := hashes(seed+100, len(b.huge.NodesOf(set)))
		return partsOfProof(rooted(b.huge, set, leaves(made), nodes), set, made, nodes)
	}

	seven := good("seven", "slice 7 of the first group of five", of(b.wide, 7))
	good("first", "the first slice", of(b.plain, 0))
	good("parity", "a parity slice", of(b.plain, 9))
	short := good("short", "a slice of the last group, whose slices are shorter", of(b.plain, 11))
	last := good("last", "the last slice of all", of(b.plain, 14))
	lone := good("lone", "a slice of the only group", of(b.single, 1))
	good("half", "a slice of a group of 16, one half of whose places is padding", of(b.half, 15))
	tail := good("odd", "the 19th slice of a group of 19, the last", of(b.odd, 37))
	good("two-windows", "a slice behind 1,024 groups", of(b.pair, 2049))
	end := good("huge-end", "the last slice of the largest blob", far(50, 20<<27-1))
	good("huge-begin", "the first slice of the largest blob", far(51, 0))
	good("huge-2e31-less-1", "position 2^31 - 1", far(52, 1<<31-1))
	past := good("huge-2e31", "position 2^31", far(53, 1<<31))

	three := good("three", "slices 1, 4 and 12: of the first group and the last", of(b.plain, 1, 4, 12))
	group := good("group", "all slices of a group", of(b.plain, 5, 6, 7, 8, 9))
	whole := good("whole", "all slices of the blob: no nodes", of(b.plain, from(0, 15)...))
	good("ends", "the first slice and the last", of(b.wide, 0, 99))
	good("data", "the data slices of two groups", of(b.wide, slices.Concat(from(20, 30), from(40, 50))...))
	runs := good("runs", "slices of three runs of groups", of(b.runs, 0, 191, 192, 386))
	good("neighbours", "slices 2^31 - 1 and 2^31", far(54, 1<<31-1, 1<<31))
	spread := good("spread", "the first slice and the last of the largest blob", far(56, 0, 20<<27-1))

	// Two blobs of one tree: only the header tells them apart.
	other := b.single.Header
	other.Length--
	good("lone-shorter", "the same tree under a length of a byte less: another blob, whose proof this is",
		partsOfProof(other, []int64{1}, lone.slices, b.single.Nodes([]int64{1})))

	bad := func(from, name, rule, about string, p proofParts) { l.bad(from, name, rule, about, p.in()) }

	// The index.
	for _, x := range []struct {
		name, about string
		at          uint64
	}{
		{"plus-2e31", "plus 2^31", 7 + 1<<31},
		{"plus-2e32", "plus 2^32", 7 + 1<<32},
		{"plus-2e62", "plus 2^62", 7 + 1<<62},
		{"plus-2e63", "plus 2^63", 7 + 1<<63},
		{"negative", "2^64 - 7, which is -7 as a signed number", 1<<64 - 7},
		{"minus-1", "2^64 - 1", 1<<64 - 1},
		{"end", "n G, the first behind the last slice", 100},
		{"end-of-places", "32 G, behind the last place of the tree's groups", 160},
	} {
		p := seven.with(func(p *proofParts) { p.positions = []uint64{x.at} })
		bad("seven", "index-"+x.name, "set-range", "the position written in the proof is "+x.about, p)
		if x.at < 1<<53 {
			p.at = []int64{int64(x.at)}
			bad("seven", "index-"+x.name+"-meant", "set-range", "the position, in the proof and as the verifier means it, is "+x.about, p)
			p.positions = seven.positions
			bad("seven", "index-"+x.name+"-only-meant", "set-other", "the verifier means position "+x.about, p)
		}
	}
	for _, to := range []int64{6, 8, 27, 39} {
		p := seven.with(func(p *proofParts) { p.positions = []uint64{uint64(to)} })
		name := fmt.Sprintf("as-%d", to)
		bad("seven", name, "set-other", fmt.Sprintf("position %d written in the proof", to), p)
		p.at = []int64{to}
		bad("seven", name+"-meant", moved(b.wide.Header, p.at, len(p.nodes)), fmt.Sprintf("offered, in the proof too, as slice %d", to), p)
		p.positions = seven.positions
		bad("seven", name+"-only-meant", "set-other", fmt.Sprintf("the verifier means slice %d", to), p)
	}
	// Places that are no slice, with the body that padding has.
	padding := func(from, name, about string, p proofParts, at int64) {
		p.at, p.positions, p.slices = []int64{at}, []uint64{uint64(at)}, [][]byte{{}}
		bad(from, name, "set-range", about, p)
	}
	padding("last", "padding-slice", "the place behind the last slice, with an empty body", last, 15)
	padding("last", "padding-group", "the first place of a group behind the last, with an empty body", last, 20)
	padding("odd", "padding-slice", "the 20th place of a group of 19, with an empty body", tail, 38)
	padding("huge-end", "padding", "the place behind the last slice of the largest blob, with an empty body", end, 20<<27)
	padding("seven", "padding-place", "leaf 20 of the last group, counted as the tree counts, with an empty body", seven, 32*4+20)
	bad("huge-2e31", "signed", "set-range", "position 2^31 with its sign extended",
		past.with(func(p *proofParts) { p.positions = []uint64{0xffffffff80000000} }))
	bad("huge-2e31", "low-bits", "set-other", "position 2^31 cut to 31 bits",
		past.with(func(p *proofParts) { p.positions = []uint64{0} }))
	bad("huge-end", "plus-2e32", "set-range", "the position plus 2^32",
		end.with(func(p *proofParts) { p.positions = []uint64{p.positions[0] + 1<<32} }))

	// The count.
	for _, x := range []struct {
		name, rule string
		count      uint32
	}{
		{"0", "set-count", 0},
		{"65536", "proof-size", 65536},
		{"65537", "set-count", 65537},
		{"2e31-less-1", "set-count", 1<<31 - 1},
		{"2e31", "set-count", 1 << 31},
		{"2e31-plus-1", "set-count", 1<<31 + 1},
		{"2e32-less-1", "set-count", 1<<32 - 1},
		{"big-endian", "set-count", 1 << 24},
	} {
		bad("seven", "count-"+x.name, x.rule, fmt.Sprintf("%d positions announced", x.count),
			seven.with(func(p *proofParts) { p.count = x.count }))
	}
	bad("seven", "count-2", "set-range", "two positions announced, of which the second is a piece of a node", seven.with(func(p *proofParts) { p.count = 2 }))
	bad("seven", "empty-set", "set-count", "no position, and the verifier means none", seven.with(func(p *proofParts) {
		p.count, p.positions, p.at, p.slices, p.nodes = 0, nil, nil, nil, nil
	}))
	bad("seven", "none-meant", "set-other", "the verifier means no slice", seven.with(func(p *proofParts) { p.at, p.slices = nil, nil }))
	bad("three", "count-0", "set-count", "no positions announced", three.with(func(p *proofParts) { p.count = 0 }))
	bad("three", "count-4", "set-range", "a position more announced, which is a piece of a node", three.with(func(p *proofParts) { p.count = 4 }))

	// The set.
	set := func(name, rule, about string, at []int64, meant bool, order ...int) {
		bad("three", name, rule, about, three.with(func(p *proofParts) {
			p.positions, p.count = nil, uint32(len(at))
			for _, x := range at {
				p.positions = append(p.positions, uint64(x))
			}
			if meant {
				p.at, p.slices = at, nil
				for _, i := range order {
					p.slices = append(p.slices, three.slices[i])
				}
			}
		}))
	}
	set("unsorted", "set-order", "two positions swapped", []int64{4, 1, 12}, false)
	set("unsorted-meant", "set-order", "two positions swapped, also where the verifier means them, with their slices", []int64{4, 1, 12}, true, 1, 0, 2)
	set("descending-meant", "set-order", "the positions in descending order, with their slices", []int64{12, 4, 1}, true, 2, 1, 0)
	set("repeated", "set-order", "a position in the place of its neighbour", []int64{1, 1, 12}, false)
	set("repeated-meant", "set-order", "a position and its slice twice, also where the verifier means them", []int64{1, 4, 4, 12}, true, 0, 1, 1, 2)
	set("repeated-last-meant", "set-order", "the last position and its slice twice", []int64{1, 4, 12, 12}, true, 0, 1, 2, 2)
	set("missing", "set-other", "the last position left out", []int64{1, 4}, false)
	set("missing-first", "set-other", "the first position left out", []int64{4, 12}, false)
	set("surplus", "set-other", "a position more", []int64{1, 4, 12, 13}, false)
	set("other", "set-other", "another position", []int64{1, 5, 12}, false)
	bad("three", "range-in-middle", "set-range", "a position plus 2^32, with others behind it", three.with(func(p *proofParts) { p.positions = []uint64{1, 4 + 1<<32, 12} }))
	bad("three", "range-first", "set-range", "the first position plus 2^63", three.with(func(p *proofParts) { p.positions = []uint64{1 + 1<<63, 4, 12} }))
	bad("three", "range-last", "set-range", "n G for the last position", three.with(func(p *proofParts) { p.positions = []uint64{1, 4, 15} }))
	bad("three", "fewer-meant", "set-other", "the verifier means the first two alone", three.with(func(p *proofParts) { p.at, p.slices = p.at[:2], p.slices[:2] }))
	bad("three", "more-meant", "set-other", "the verifier means a fourth slice, too", three.with(func(p *proofParts) {
		p.at, p.slices = []int64{1, 4, 12, 13}, slices.Concat(p.slices, [][]byte{b.plain.Slices[13]})
	}))
	bad("three", "unsorted-only-meant", "set-other", "the verifier means the positions in another order", three.with(func(p *proofParts) {
		p.at, p.slices = []int64{4, 1, 12}, swapped(p.slices, 0, 1)
	}))
	bad("three", "repeated-only-meant", "set-other", "the verifier means a slice twice", three.with(func(p *proofParts) {
		p.at, p.slices = []int64{1, 4, 4, 12}, [][]byte{p.slices[0], p.slices[1], p.slices[1], p.slices[2]}
	}))
	bad("whole", "as-the-last-missing", moved(b.plain.Header, from(0, 14), 0), "the last position left out, also where the verifier means them", whole.with(func(p *proofParts) {
		p.count, p.positions, p.at, p.slices = 14, p.positions[:14], p.at[:14], p.slices[:14]
	}))
	bad("runs", "shifted", moved(b.runs.Header, []int64{1, 192, 193, 387}, len(runs.nodes)), "all positions one higher, also where the verifier means them", runs.with(func(p *proofParts) {
		p.positions, p.at = []uint64{1, 192, 193, 387}, []int64{1, 192, 193, 387}
	}))
	bad("spread", "second-plus-2e32", "set-range", "the second position plus 2^32", spread.with(func(p *proofParts) { p.positions = []uint64{0, 20<<27 - 1 + 1<<32} }))

	// The nodes.
	for _, x := range []struct {
		of   string
		p    proofParts
		last int // of the nodes
	}{{"seven", seven, len(seven.nodes) - 1}, {"three", three, len(three.nodes) - 1}, {"huge-end", end, len(end.nodes) - 1}} {
		nodes := func(name, rule, about string, nodes [][]byte) {
			bad(x.of, name, rule, about, x.p.with(func(p *proofParts) { p.nodes = nodes }))
		}
		nodes("node-fewer", "proof-size", "the last node left out", x.p.nodes[:x.last])
		nodes("first-node-fewer", "proof-size", "the first node left out", x.p.nodes[1:])
		nodes("no-nodes", "proof-size", "all nodes left out", nil)
		nodes("node-more", "proof-size", "the last node twice", slices.Concat(x.p.nodes, x.p.nodes[x.last:]))
		nodes("node-more-in-front", "proof-size", "the first node twice", slices.Concat(x.p.nodes[:1], x.p.nodes))
		nodes("node-of-31", "proof-size", "a node of 31 bytes", replaced(x.p.nodes, 1, x.p.nodes[1][:31]))
		nodes("node-of-33", "proof-size", "a node of 33 bytes", replaced(x.p.nodes, 1, more(x.p.nodes[1], 0)))
		nodes("nodes-swapped", "proof-root", "the first two nodes swapped", swapped(x.p.nodes, 0, 1))
		nodes("nodes-reversed", "proof-root", "the nodes from the leaf up", reversed(x.p.nodes))
		nodes("node-repeated", "proof-root", "a node in the place of its neighbour", replaced(x.p.nodes, 1, x.p.nodes[0]))
		nodes("node-zero", "proof-root", "zeros for a node", replaced(x.p.nodes, x.last, make([]byte, 32)))
		for i, node := range x.p.nodes {
			if i < 8 || i == x.last {
				nodes(fmt.Sprintf("node-%d-bent", i), "proof-root", "a bit of a node changed", replaced(x.p.nodes, i, flip(node, 5*i)))
			}
		}
		for _, tail := range []byte{0, 255} {
			bad(x.of, fmt.Sprintf("trailing-%d", tail), "proof-size", fmt.Sprintf("a byte of %d behind", tail), x.p.with(func(p *proofParts) { p.tail = []byte{tail} }))
		}
		bad(x.of, "trailing-zeros", "proof-size", "32 zero bytes behind", x.p.with(func(p *proofParts) { p.tail = make([]byte, 32) }))
		bad(x.of, "trailing-slice", "proof-size", "the first slice behind, as in a bundle", x.p.with(func(p *proofParts) { p.tail = p.slices[0] }))
	}
	bad("whole", "node-more", "proof-size", "a node where there is none", whole.with(func(p *proofParts) { p.nodes = raw(hashes(60, 1)) }))
	bad("whole", "root-as-node", "proof-size", "the root as a node", whole.with(func(p *proofParts) { p.nodes = [][]byte{b.plain.Root[:]} }))
	// Tape's own path: the siblings of all heights, padding too, from the leaf up.
	var path [][]byte
	for h := range b.wide.Height() {
		node := b.wide.Node(h, 7>>h^1)
		path = append(path, node[:])
	}
	bad("seven", "whole-path", "proof-root", "the sibling of each height from the leaf up, as a path of the plain tree has them", seven.with(func(p *proofParts) { p.nodes = path }))
	// A node over real places and padding is not taken whole.
	mixed := b.wide.Node(4, 1)
	i := slices.IndexFunc(seven.nodes, func(x []byte) bool { node := b.wide.Node(2, 4); return string(x) == string(node[:]) })
	bad("seven", "mixed-node", "proof-root", "the node over slices 16 to 31, of which four are real, in the place of the node over those four",
		seven.with(func(p *proofParts) { p.nodes = replaced(p.nodes, i, mixed[:]) }))
	high := b.wide.Node(7, 1)
	j := slices.IndexFunc(seven.nodes, func(x []byte) bool { node := b.wide.Node(5, 4); return string(x) == string(node[:]) })
	bad("seven", "mixed-groups", "proof-root", "the node over groups 4 to 7, of which one is real, in the place of that group's root",
		seven.with(func(p *proofParts) { p.nodes = replaced(p.nodes, j, high[:]) }))
	empty0 := reference.Empty(0)
	bad("odd", "padding-node", "proof-size", "empty(0) as the sibling of the last slice of 19, which nobody sends", tail.with(func(p *proofParts) {
		p.nodes = slices.Concat(p.nodes, [][]byte{empty0[:]})
	}))
	leaf := reference.Leaf(seven.slices[0])
	bad("seven", "own-leaf-as-node", "proof-root", "the leaf hash of the slice itself for its sibling", seven.with(func(p *proofParts) {
		sibling := b.wide.Leaves[6]
		p.nodes = replaced(p.nodes, slices.IndexFunc(p.nodes, func(x []byte) bool { return string(x) == string(sibling[:]) }), leaf[:])
	}))
	bad("seven", "node-for-leaf", "proof-root", "the node above slices 4 and 5 for the leaf hash of slice 6", seven.with(func(p *proofParts) {
		sibling, node := b.wide.Leaves[6], b.wide.Node(1, 2)
		p.nodes = replaced(p.nodes, slices.IndexFunc(p.nodes, func(x []byte) bool { return string(x) == string(sibling[:]) }), node[:])
	}))
	bad("seven", "leaf-and-node-swapped", "proof-root", "the leaf hash of slice 6 and the node beside its parent swapped", seven.with(func(p *proofParts) {
		sibling, node := b.wide.Leaves[6], b.wide.Node(1, 2)
		at := func(h []byte) int {
			return slices.IndexFunc(p.nodes, func(x []byte) bool { return string(x) == string(h) })
		}
		p.nodes = swapped(p.nodes, at(sibling[:]), at(node[:]))
	}))

	// The slices.
	slice := func(from, name, rule, about string, p proofParts, i int, body []byte) {
		bad(from, name, rule, about, p.with(func(p *proofParts) { p.slices = replaced(p.slices, i, body) }))
	}
	l6, l7 := b.wide.Leaves[6], b.wide.Leaves[7]
	slice("seven", "slice-first-bit", "proof-root", "a bit of the slice's first byte changed", seven, 0, flip(seven.slices[0], 0))
	slice("seven", "slice-last-bit", "proof-root", "a bit of the slice's last byte changed", seven, 0, flip(seven.slices[0], -1))
	slice("seven", "slice-of-8", "proof-root", "slice 8 for slice 7", seven, 0, b.wide.Slices[8])
	slice("seven", "slice-of-27", "proof-root", "slice 7 of the next group", seven, 0, b.wide.Slices[27])
	slice("seven", "slice-is-join", "proof-root", "the two hashes that the node above is made of for the slice, which has their size", seven, 0, slices.Concat(l6[:], l7[:]))
	slice("seven", "slice-is-join-labelled", "slice-size", "the 73 bytes that the node above is the hash of for the slice", seven, 0, slices.Concat([]byte("LEFT"), l6[:], []byte("RIGHT"), l7[:]))
	slice("seven", "slice-is-leaf", "slice-size", "the leaf hash for the slice", seven, 0, l7[:])
	slice("seven", "slice-labelled", "slice-size", "the label LEAF in front of the slice", seven, 0, slices.Concat([]byte("LEAF"), seven.slices[0]))
	slice("seven", "slice-less-1", "slice-size", "the slice a byte shorter", seven, 0, seven.slices[0][:63])
	slice("seven", "slice-plus-1", "slice-size", "the slice a byte longer", seven, 0, more(seven.slices[0], 0))
	slice("seven", "slice-empty", "slice-size", "no bytes for the slice", seven, 0, []byte{})
	slice("seven", "slice-twice", "slice-size", "the slice twice in a row", seven, 0, slices.Concat(seven.slices[0], seven.slices[0]))
	slice("short", "slice-over-long", "slice-size", "the slice of the last group filled up with zeros to the size of the others", short, 0, more(short.slices[0], make([]byte, 64)...))
	slice("short", "slice-less-1", "slice-size", "the slice of the last group a byte shorter", short, 0, short.slices[0][:63])
	slice("three", "last-slice-over-long", "slice-size", "the last slice filled up with zeros to the size of the others", three, 2, more(three.slices[2], make([]byte, 64)...))
	slice("three", "slice-short", "slice-size", "a slice cut to the size that those of the last group have", three, 1, three.slices[1][:64])
	slice("three", "slice-bent", "proof-root", "a bit of the last slice changed", three, 2, flip(three.slices[2], 10))
	slice("group", "slice-bent", "proof-root", "a bit of a parity slice changed", group, 3, flip(group.slices[3], 99))
	slice("whole", "slice-bent", "proof-root", "a bit of one of all slices changed", whole, 8, flip(whole.slices[8], 1))
	slice("lone", "padding-bent", "proof-root", "a byte of the padding changed, which the tree binds as well", lone, 0, flip(lone.slices[0], -1))
	// The writer who committed to bodies of other lengths: they lead to the root, and are no slices.
	told := func(at int64) proofParts {
		return partsOfProof(b.liar.header, []int64{at}, [][]byte{b.liar.bodies[at]}, b.liar.nodes([]int64{at}))
	}
	good("liar", "a slice of a group whose writer committed to leaf hashes of bodies of other lengths", told(0))
	bad("liar", "slice-1", "slice-size", "the body of slice 1 that the writer committed to, a byte shorter than a slice", told(1))
	bad("liar", "slice-3", "slice-size", "the body of slice 3 that the writer committed to, a byte longer than a slice", told(3))
	bad("liar", "slice-4", "slice-size", "the body of slice 4 that the writer committed to, empty as padding is", told(4))
	bad("group", "slices-swapped", "proof-root", "two slices swapped", group.with(func(p *proofParts) { p.slices = swapped(p.slices, 1, 2) }))
	bad("seven", "no-slice", "set-other", "no slice for the position", seven.with(func(p *proofParts) { p.slices = nil }))
	bad("seven", "two-slices", "set-other", "two slices for one position", seven.with(func(p *proofParts) { p.slices = slices.Concat(p.slices, p.slices) }))
	bad("three", "slice-fewer", "set-other", "a slice less than positions", three.with(func(p *proofParts) { p.slices = p.slices[:2] }))

	// Sizes and the magic.
	for _, n := range []int{0, 3, 4, 67, 68, 71, 72, 73, 79, 81} {
		l.bad("seven", fmt.Sprintf("cut-to-%d", n), "proof-size", "the first bytes alone", seven.cut(n))
	}
	l.bad("seven", "cut-by-1", "proof-size", "the last byte cut off", seven.cut(len(seven.bytes())-1))
	l.bad("seven", "count-0-alone", "set-count", "nothing behind the number of positions, which is 0", seven.with(func(p *proofParts) {
		p.count, p.positions, p.nodes = 0, nil, nil
	}).in())
	for _, magic := range []string{"TPB1", "TPC1", "TPA1", "TPE1", "TPP2", "tpp1", "1PPT", "\x00\x00\x00\x00"} {
		bad("seven", fmt.Sprintf("magic-%x", magic), "proof-magic", "another magic", seven.with(func(p *proofParts) { p.magic = magic }))
	}
	bad("seven", "no-magic", "proof-magic", "no magic", seven.with(func(p *proofParts) { p.magic = "" }))

	// The header and what it binds.
	inForms(b.wide.Header, func(name, rule, about string, id, header []byte) {
		bad("seven", name, rule, about, seven.with(func(p *proofParts) { p.id, p.header = id, header }))
	})
	// under is the proof with a header that is valid, and the ID that it has.
	under := func(from, name, rule, about string, p proofParts, h reference.Header) {
		bad(from, name, rule, about, p.with(func(p *proofParts) { p.id, p.header = idOf(h.Bytes()), h.Bytes() }))
	}
	h := b.wide.Header
	h.Root[0] ^= 1
	under("seven", "another-root", "proof-root", "another root; the ID is made for it", seven, h)
	h = b.wide.Header
	h.Root = b.wide.Node(5, 0)
	under("seven", "root-of-group", "proof-root", "the root of the slice's group for that of the blob; the ID is made for it", seven, h)
	h = b.odd.Header
	h.N = 20
	under("odd", "n-20", moved(h, tail.at, len(tail.nodes)), "another n, and with it another place; the ID is made for it", tail, h)
	// 19 slices, and the same with an empty one behind them, are one tree: with the padding beside it the 20th
	// place leads to the root, with the body that padding has.
	padded := []int64{39}
	var beside []reference.Hash
	for _, at := range h.NodesOf(padded) {
		beside = append(beside, b.odd.Node(at.Height, at.Index))
	}
	bad("odd", "n-20-empty-slice", "slice-size", "under a header of 20 slices the place behind the 19th, empty; the ID is made for it",
		partsOfProof(h, padded, [][]byte{{}}, beside))
	h = b.single.Header
	h.N = 4
	under("lone", "n-4", moved(h, lone.at, len(lone.nodes)), "a slice more in the group than there is; the ID is made for it", lone, h)
	h = b.plain.Header
	h.Length++
	under("short", "length-plus-1", "slice-size", "a length of a byte more, with which the last group has longer slices; the ID is made for it", short, h)
	under("last", "length-plus-1", "slice-size", "a length of a byte more, with which the last group has longer slices; the ID is made for it", last, h)
	h = b.half.Header
	h.Length++
	half := of(b.half, 15)
	under("half", "length-plus-1", moved(h, half.at, len(half.nodes)), "a length of a byte more, which takes another group; the ID is made for it", half, h)
	h = b.plain.Header
	h.Length -= 192
	under("last", "length-less-a-group", "set-range", "a length that ends a group earlier; the ID is made for it", last, h)
	h = b.odd.Header
	h.SliceSize, h.Length = 128, 2560
	under("odd", "slice-size-128", "slice-size", "slices of twice the size; the ID is made for it", tail, h)
	h = b.plain.Header
	h.N = 6
	under("last", "n-6", moved(h, last.at, len(last.nodes)), "a slice more in each group, and so another place; the ID is made for it", last, h)
	tall := makeBlob(3, 5, 128, 63, 250)
	high4 := good("tall", "a slice of a group of 250 bytes in three", of(tall, 2))
	h = tall.Header
	h.K = 4
	under("tall", "k-4", "slice-size", "another k, with which slices are shorter; the ID is made for it", high4, h)

	otherBlob := makeBlob(10, 20, 64, 62, 3000)
	stranger := of(otherBlob, 7)
	bad("seven", "of-another-blob", "header-id", "the proof and slice of another blob of the same shape", seven.with(func(p *proofParts) {
		p.header, p.nodes, p.slices = stranger.header, stranger.nodes, stranger.slices
	}))
	bad("seven", "nodes-of-another-blob", "proof-root", "the nodes of another blob of the same shape", seven.with(func(p *proofParts) { p.nodes = stranger.nodes }))
	bad("seven", "slice-of-another-blob", "proof-root", "the slice of another blob of the same shape", seven.with(func(p *proofParts) { p.slices = stranger.slices }))
	bad("seven", "header-of-another-blob", "proof-root", "the header and ID of another blob of the same shape", seven.with(func(p *proofParts) { p.id, p.header = stranger.id, stranger.header }))
	return l
}
