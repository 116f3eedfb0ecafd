package hostile

import (
	"fmt"
	"slices"

	"github.com/tapecommit/tapecommit/internal/reference"
)

// EvidenceIn is evidence and the ID of the blob that it is against.
type EvidenceIn struct {
	ID       Hex `json:"id"`
	Evidence Hex `json:"evidence"`
}

// EvidenceOut is what accepted evidence shows: bit i of Wrong is lane i.
type EvidenceOut struct {
	Group   int64  `json:"group"`
	Wrong   uint32 `json:"wrong"`
	Padding bool   `json:"padding"`
}

// evidenceParts are the parts of evidence, with room for anything.
type evidenceParts struct {
	id     []byte
	magic  string
	header []byte
	group  uint64
	leaves [][]byte
	nodes  [][]byte
	lanes  uint32
	slices [][]byte
	tail   []byte
}

func (p evidenceParts) in() EvidenceIn {
	b := le64(append([]byte(p.magic), p.header...), p.group)
	b = slices.Concat(b, slices.Concat(p.leaves...), slices.Concat(p.nodes...))
	b = slices.Concat(le32(b, p.lanes), slices.Concat(p.slices...), p.tail)
	return EvidenceIn{p.id, b}
}

func (p evidenceParts) with(f func(*evidenceParts)) evidenceParts {
	f(&p)
	return p
}

// against is evidence from some lanes of a group, whether it accuses or not.
func against(b *reference.Blob, group int64, lanes ...int) evidenceParts {
	first := group * int64(b.N)
	set := from(first, first+int64(b.N))
	return show(b.Header, group, bodies(b, set), b.Nodes(set), lanes)
}

func show(h reference.Header, group int64, all [][]byte, nodes []reference.Hash, lanes []int) evidenceParts {
	p := evidenceParts{id: idOf(h.Bytes()), magic: "TPE1", header: h.Bytes(), group: uint64(group), leaves: raw(leaves(all)), nodes: raw(nodes)}
	for _, lane := range lanes {
		p.lanes |= 1 << lane
		p.slices = append(p.slices, all[lane])
	}
	return p
}

// spoiled is a blob of which some slices are not what they ought to be.
func spoiled(b *reference.Blob, bend func(all [][]byte)) *reference.Blob {
	all := slices.Clone(b.Slices)
	bend(all)
	return reference.Commit(b.Params, b.Length, all)
}

func accusations(b *blobs) *list[EvidenceIn, EvidenceOut] {
	l := &list[EvidenceIn, EvidenceOut]{}
	good := func(name, about string, p evidenceParts, wrong uint32, padding bool) evidenceParts {
		l.good(name, about, p.in(), EvidenceOut{int64(p.group), wrong, padding})
		return p
	}
	bad := func(from, name, rule, about string, p evidenceParts) { l.bad(from, name, rule, about, p.in()) }

	// Slice 4 of group 1 of five, three of them data, is off by a bit.
	bent := spoiled(b.plain, func(all [][]byte) { all[9] = flip(all[9], 60) })
	parity := good("parity", "a parity slice that does not follow from the data", against(bent, 1, 0, 1, 2), 1<<4, false)
	good("parity-shown", "the same, with that slice among those shown: another that does not follow from them", against(bent, 1, 1, 2, 4), 1<<0|1<<3, false)
	good("parity-and-data", "the same, from slices 0, 2 and 3", against(bent, 1, 0, 2, 3), 1<<4, false)
	bentData := spoiled(b.plain, func(all [][]byte) { all[5] = flip(all[5], 0) })
	good("data", "a data slice that the parity does not know, from parity and data", against(bentData, 1, 2, 3, 4), 1<<0, false)
	good("data-shown", "the same, with that slice shown: both parity slices are off", against(bentData, 1, 0, 1, 2), 1<<3|1<<4, false)
	shortBent := spoiled(b.plain, func(all [][]byte) { all[13] = flip(all[13], 63) })
	short := good("short", "a parity slice of the last group, whose slices are shorter", against(shortBent, 2, 0, 1, 2), 1<<3, false)
	mess := spoiled(b.wide, func(all [][]byte) {
		for i := 60; i < 80; i++ {
			all[i] = reference.Stream(uint64(1000+i), 64)
		}
	})
	good("no-code", "a group of 20 unrelated slices, from the first ten", against(mess, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9), 0b1111111111<<10, false)
	wide := good("no-code-mixed", "the same, from every other slice", against(mess, 3, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18), 0b10101010101010101010, false)
	pair := spoiled(b.pair, func(all [][]byte) { all[2051] = flip(all[2051], 1) })
	good("copies", "a code of one slice in two, which are not the same; behind 1,024 groups", against(pair, 1025, 0), 1<<1, false)

	// padded is single with byte i of the plaintext's padding set, and the group encoded from that.
	padded := func(i int, parityToo bool) *reference.Blob {
		return spoiled(b.single, func(all [][]byte) {
			data := [][]byte{all[0], slices.Clone(all[1])}
			data[1][36+i] = 7
			copy(all, reference.EncodeGroup(3, data))
			if !parityToo {
				all[2] = b.single.Slices[2]
			}
		})
	}
	padding := good("padding", "the first byte of padding is not zero, and the group encoded from that", against(padded(0, true), 0, 0, 1), 0, true)
	good("padding-last", "the last byte of padding is not zero, shown from the parity", against(padded(27, true), 0, 0, 2), 0, true)
	good("padding-and-parity", "padding that is not zero, which the parity does not know", against(padded(5, false), 0, 0, 1), 1<<2, true)
	filler := spoiled(b.runs, func(all [][]byte) {
		data := [][]byte{all[387], flip(all[388], 63)}
		copy(all[387:], reference.EncodeGroup(3, data))
	})
	good("padding-slice", "a bit of a slice that is nothing but padding", against(filler, 129, 0, 2), 0, true)

	good("lengths", "leaf hashes of bodies that are no slices: a byte shorter than those, a byte longer, and empty", show(b.liar.header, 0, b.liar.bodies, nil, []int{0, 2}), 0b11010, true)

	// Evidence against groups of the largest blob, all of whose other nodes are made up.
	far := func(seed uint64, group int64) evidenceParts {
		var all [][]byte
		for i := range uint64(20) {
			all = append(all, reference.Stream(seed+i, 64))
		}
		set := from(20*group, 20*group+20)
		nodes := hashes(seed+100, len(b.huge.NodesOf(set)))
		return show(rooted(b.huge, set, leaves(all), nodes), group, all, nodes, []int{10, 11, 12, 13, 14, 15, 16, 17, 18, 19})
	}
	huge := good("huge-last", "the last group of the largest blob, from its parity", far(2000, 1<<27-1), 0b1111111111, false)
	good("huge-middle", "group 2^26 of the largest blob", far(3000, 1<<26), 0b1111111111, false)

	// Who is not to be accused.
	bad("parity", "honest", "evidence-honest", "the group of a blob that is well coded", against(b.plain, 1, 0, 1, 2))
	bad("parity", "honest-neighbour", "evidence-honest", "a group that is well coded in a blob that has one that is not", against(bent, 0, 0, 1, 2))
	bad("parity", "honest-from-parity", "evidence-honest", "a group that is well coded, from its last slices", against(bent, 0, 2, 3, 4))
	bad("short", "honest", "evidence-honest", "a last group that is well coded, with padding of zeros", against(b.plain, 2, 1, 2, 4))
	bad("padding", "honest", "evidence-honest", "a group with padding of zeros", against(b.single, 0, 0, 1))
	bad("padding-slice", "honest", "evidence-honest", "a slice of padding that is all zeros", against(b.runs, 129, 0, 1))
	bad("copies", "honest", "evidence-honest", "two copies that are the same", against(b.pair, 1025, 0))
	bad("no-code", "honest", "evidence-honest", "a group of 20 that is well coded", against(b.wide, 3, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19))

	// The slices.
	slice := func(name, rule, about string, i int, s []byte) {
		bad("parity", name, rule, about, parity.with(func(p *evidenceParts) { p.slices = replaced(p.slices, i, s) }))
	}
	slice("slice-bent", "evidence-slice", "a bit of a slice changed", 1, flip(parity.slices[1], 5))
	slice("last-slice-bent", "evidence-slice", "the last bit of the last slice changed", 2, flip(parity.slices[2], -1))
	slice("slice-of-another-group", "evidence-slice", "the slice of another group", 0, bent.Slices[0])
	slice("slice-of-another-lane", "evidence-slice", "a slice twice", 1, parity.slices[0])
	slice("slice-less-1", "evidence-size", "a slice a byte shorter", 1, parity.slices[1][:127])
	slice("slice-plus-1", "evidence-size", "a slice a byte longer", 1, more(parity.slices[1], 0))
	bad("parity", "slices-swapped", "evidence-slice", "two slices swapped", parity.with(func(p *evidenceParts) { p.slices = swapped(p.slices, 0, 1) }))
	bad("parity", "slices-descending", "evidence-slice", "the slices in descending order", parity.with(func(p *evidenceParts) { p.slices = reversed(p.slices) }))
	bad("parity", "slice-fewer", "evidence-size", "the last slice left out", parity.with(func(p *evidenceParts) { p.slices = p.slices[:2] }))
	bad("parity", "slice-more", "evidence-size", "a slice more than lanes", parity.with(func(p *evidenceParts) { p.slices = slices.Concat(p.slices, [][]byte{bent.Slices[8]}) }))
	bad("short", "slice-over-long", "evidence-size", "a slice of the last group filled up to the size of the others", short.with(func(p *evidenceParts) {
		p.slices = replaced(p.slices, 2, more(p.slices[2], make([]byte, 64)...))
	}))
	bad("padding", "padding-elsewhere", "evidence-slice", "another byte of padding changed, too, in the evidence alone", padding.with(func(p *evidenceParts) {
		p.slices = replaced(p.slices, 1, flip(p.slices[1], 50))
	}))
	bad("padding", "padding-zeroed", "evidence-slice", "the padding set to zero in the evidence", padding.with(func(p *evidenceParts) { p.slices = replaced(p.slices, 1, b.single.Slices[1]) }))

	// The lanes.
	for _, x := range []struct {
		name, about string
		lanes       uint32
	}{
		{"none", "no lane", 0},
		{"fewer", "a lane less than slices", 0b011},
		{"more", "a lane more than slices", 0b1111},
		{"all", "all lanes of the group", 0b11111},
		{"n", "lane n for the last", 0b100011},
		{"n-too", "lane n, too", 0b100111},
		{"20", "lane 20 for the last", 1<<20 | 0b011},
		{"31", "lane 31 for the last", 1<<31 | 0b011},
		{"31-too", "lane 31, too", 1<<31 | 0b111},
		{"all-bits", "all 32 bits", 1<<32 - 1},
	} {
		bad("parity", "lanes-"+x.name, "evidence-lanes", x.about, parity.with(func(p *evidenceParts) { p.lanes = x.lanes }))
	}
	bad("parity", "lanes-others", "evidence-slice", "another lane for the last", parity.with(func(p *evidenceParts) { p.lanes = 0b10011 }))
	bad("parity", "lane-and-slice-fewer", "evidence-size", "a lane and its slice left out: fewer than k show nothing", parity.with(func(p *evidenceParts) { p.lanes, p.slices = 0b011, p.slices[:2] }))
	bad("parity", "lane-and-slice-more", "evidence-size", "a lane and its slice more than k", parity.with(func(p *evidenceParts) {
		p.lanes, p.slices = 0b1111, slices.Concat(p.slices, [][]byte{bent.Slices[8]})
	}))
	bad("no-code-mixed", "lanes-shifted", "evidence-slice", "each lane's number one higher", wide.with(func(p *evidenceParts) { p.lanes <<= 1 }))

	// The group.
	for _, x := range []struct {
		name, about string
		group       uint64
	}{
		{"G", "the first behind the last group", 3},
		{"plus-1024", "the group plus 1,024", 1 + 1024},
		{"plus-2e27", "the group plus 2^27", 1 + 1<<27},
		{"plus-2e31", "the group plus 2^31", 1 + 1<<31},
		{"plus-2e32", "the group plus 2^32", 1 + 1<<32},
		{"plus-2e59", "the group plus 2^59, whose positions are the same in the low 64 bits of the tree", 1 + 1<<59},
		{"plus-2e62", "the group plus 2^62", 1 + 1<<62},
		{"plus-2e63", "the group plus 2^63", 1 + 1<<63},
		{"minus-1", "2^64 - 1", 1<<64 - 1},
		{"minus-2", "2^64 - 2", 1<<64 - 2},
	} {
		bad("parity", "group-"+x.name, "evidence-group", x.about, parity.with(func(p *evidenceParts) { p.group = x.group }))
	}
	bad("parity", "group-0", "evidence-root", "another group of the blob", parity.with(func(p *evidenceParts) { p.group = 0 }))
	bad("parity", "group-2", sizeOf(bent.Header, 2, parity), "the last group, which is of another size", parity.with(func(p *evidenceParts) { p.group = 2 }))
	bad("huge-last", "group-behind", "evidence-group", "the first behind the last group of the largest blob", huge.with(func(p *evidenceParts) { p.group++ }))
	bad("huge-last", "group-before", "evidence-root", "the group before the last of the largest blob", huge.with(func(p *evidenceParts) { p.group-- }))
	bad("huge-last", "group-plus-2e32", "evidence-group", "the group plus 2^32", huge.with(func(p *evidenceParts) { p.group += 1 << 32 }))
	l.bad("parity", "group-missing", "evidence-group", "the number of the group left out, so that a piece of a leaf hash is read as one",
		EvidenceIn{parity.id, without(parity.in().Evidence, 68, 8)})

	// Leaf hashes and nodes.
	leaf := func(name, rule, about string, leaves [][]byte) {
		bad("parity", name, rule, about, parity.with(func(p *evidenceParts) { p.leaves = leaves }))
	}
	for i := range parity.leaves {
		leaf(fmt.Sprintf("leaf-%d-bent", i), "evidence-root", "a bit of a leaf hash changed", replaced(parity.leaves, i, flip(parity.leaves[i], 7*i)))
	}
	honest := b.plain.Leaves[9]
	leaf("leaf-honest", "evidence-root", "the leaf hash that an honest writer would have made, for that of the wrong slice", replaced(parity.leaves, 4, honest[:]))
	leaf("leaves-swapped", "evidence-root", "two leaf hashes swapped", swapped(parity.leaves, 3, 4))
	leaf("leaf-fewer", "evidence-size", "the last leaf hash left out", parity.leaves[:4])
	leaf("leaf-more", "evidence-size", "a leaf hash more", slices.Concat(parity.leaves, parity.leaves[4:]))
	empty0 := reference.Empty(0)
	leaf("leaf-padding", "evidence-size", "empty(0) behind the leaf hashes", slices.Concat(parity.leaves, [][]byte{empty0[:]}))
	leaf("leaf-of-31", "evidence-size", "a leaf hash of 31 bytes", replaced(parity.leaves, 2, parity.leaves[2][:31]))
	node := func(name, rule, about string, nodes [][]byte) {
		bad("parity", name, rule, about, parity.with(func(p *evidenceParts) { p.nodes = nodes }))
	}
	for i := range parity.nodes {
		node(fmt.Sprintf("node-%d-bent", i), "evidence-root", "a bit of a node changed", replaced(parity.nodes, i, flip(parity.nodes[i], 31)))
	}
	node("nodes-swapped", "evidence-root", "two nodes swapped", swapped(parity.nodes, 0, 1))
	node("node-fewer", "evidence-size", "the last node left out", parity.nodes[:1])
	node("node-more", "evidence-size", "a node more", slices.Concat(parity.nodes, parity.nodes[1:]))
	node("node-of-33", "evidence-size", "a node of 33 bytes", replaced(parity.nodes, 0, more(parity.nodes[0], 0)))
	bad("parity", "leaf-and-node-swapped", "evidence-root", "the last leaf hash and the first node swapped", parity.with(func(p *evidenceParts) {
		p.leaves, p.nodes = replaced(p.leaves, 4, p.nodes[0]), replaced(p.nodes, 0, p.leaves[4])
	}))
	bad("huge-last", "last-node-bent", "evidence-root", "a bit of the last node changed", huge.with(func(p *evidenceParts) {
		p.nodes = replaced(p.nodes, len(p.nodes)-1, flip(p.nodes[len(p.nodes)-1], 0))
	}))

	// Sizes, the magic and the header.
	whole := parity.in().Evidence
	for _, n := range []int{0, 3, 4, 67, 68, 75, 76, 77, 76 + 32*5, 76 + 32*7, 76 + 32*7 + 4} {
		l.bad("parity", fmt.Sprintf("cut-to-%d", n), "evidence-size", "the first bytes alone", EvidenceIn{parity.id, whole[:n]})
	}
	l.bad("parity", "cut-by-1", "evidence-size", "the last byte cut off", EvidenceIn{parity.id, whole[:len(whole)-1]})
	l.bad("parity", "trailing-0", "evidence-size", "a zero byte behind", EvidenceIn{parity.id, more(whole, 0)})
	l.bad("parity", "twice", "evidence-size", "the evidence twice", EvidenceIn{parity.id, more(whole, whole...)})
	for _, magic := range []string{"TPB1", "TPP1", "TPA1", "TPE2", "tpe1"} {
		bad("parity", "magic-"+magic, "evidence-magic", "another magic", parity.with(func(p *evidenceParts) { p.magic = magic }))
	}
	inForms(bent.Header, func(name, rule, about string, id, header []byte) {
		bad("parity", name, rule, about, parity.with(func(p *evidenceParts) { p.id, p.header = id, header }))
	})
	bad("parity", "header-of-the-honest", "evidence-root", "the header and ID of the blob as it ought to be", parity.with(func(p *evidenceParts) {
		p.header, p.id = b.plain.Header.Bytes(), idOf(b.plain.Header.Bytes())
	}))
	bad("parity", "id-of-the-honest", "header-id", "the ID of the blob as it ought to be", parity.with(func(p *evidenceParts) { p.id = idOf(b.plain.Header.Bytes()) }))
	h := bent.Header
	h.N = 6
	bad("parity", "n-6", "evidence-size", "a slice more in a group than there is; the ID is made for it", parity.with(func(p *evidenceParts) { p.id, p.header = idOf(h.Bytes()), h.Bytes() }))
	h = shortBent.Header
	h.Length++
	bad("short", "length-plus-1", "evidence-size", "a length of a byte more, with which the last group has longer slices; the ID is made for it",
		short.with(func(p *evidenceParts) { p.id, p.header = idOf(h.Bytes()), h.Bytes() }))
	h = b.single.Header
	h.Length = 128
	h.Root = padded(0, true).Root
	bad("padding", "length-with-padding", "evidence-honest", "a length that makes the padding plaintext: another blob, and a well coded one",
		padding.with(func(p *evidenceParts) { p.id, p.header = idOf(h.Bytes()), h.Bytes() }))
	return l
}

// sizeOf is the rule that evidence breaks where it is offered against another group.
func sizeOf(h reference.Header, group int64, p evidenceParts) string {
	first := group * int64(h.N)
	if len(h.NodesOf(from(first, first+int64(h.N)))) != len(p.nodes) || h.SizeOf(group) != len(p.slices[0]) {
		return "evidence-size"
	}
	return "evidence-root"
}
