package hostile

import (
	"fmt"
	"slices"

	"github.com/tapecommit/tapecommit/internal/reference"
)

// BundlesIn is bundles in a row, the ID, and the positions that the verifier wants: null where it takes one bundle
// of any slices, or any range.
type BundlesIn struct {
	ID      Hex     `json:"id"`
	Want    []int64 `json:"want"`
	Bundles Hex     `json:"bundles"`
}

// BundlesOut is the positions of the slices that accepted bundles prove, in order.
type BundlesOut struct {
	At []int64 `json:"at"`
}

// row is bundles, in parts; the slices of each are what it ends with.
type row []proofParts

func (r row) in(id []byte, want []int64) BundlesIn {
	var b []byte
	for _, x := range r {
		b = append(b, x.bytes()...)
		b = append(b, slices.Concat(x.slices...)...)
	}
	return BundlesIn{id, want, append(Hex{}, b...)}
}

func (r row) with(i int, f func(*proofParts)) row { return replaced(r, i, r[i].with(f)) }

func bundles(b *blobs) *list[BundlesIn, BundlesOut] {
	l := &list[BundlesIn, BundlesOut]{}
	of := func(b *reference.Blob, sets ...[]int64) row {
		var r row
		for _, set := range sets {
			r = append(r, partsOfProof(b.Header, set, bodies(b, set), b.Nodes(set)))
		}
		return r
	}
	plain, runs := idOf(b.plain.Header.Bytes()), idOf(b.runs.Header.Bytes())
	good := func(name, about string, id []byte, want []int64, r row) {
		var at []int64
		for _, x := range r {
			at = append(at, x.at...)
		}
		l.good(name, about, r.in(id, want), BundlesOut{at})
	}
	bad := func(from, name, rule, about string, id []byte, want []int64, r row) {
		l.bad(from, name, rule, about, r.in(id, want))
	}

	one := of(b.plain, []int64{7})
	good("one", "one slice", plain, nil, one)
	good("one-wanted", "one slice that is wanted", plain, []int64{7}, one)
	three := of(b.plain, []int64{1, 4, 12})
	good("three", "slices of two groups, one of them parity", plain, nil, three)
	good("three-wanted", "the same where they are wanted", plain, []int64{1, 4, 12}, three)
	inner := of(b.plain, b.plain.Cover(100, 900))
	good("range", "the range of bytes 100 to 900", plain, nil, inner)
	whole := of(b.plain, from(0, 15))
	good("whole", "all slices of a blob", plain, nil, whole)
	two := of(b.runs, []int64{189, 190}, []int64{192, 193})
	good("two", "a range over the border of two runs", runs, nil, two)
	good("two-wanted", "the same where its slices are wanted", runs, []int64{189, 190, 192, 193}, two)
	scattered := of(b.runs, []int64{0, 191}, []int64{193}, []int64{388})
	good("scattered-wanted", "slices of three runs that are no range, as they are wanted", runs, []int64{0, 191, 193, 388}, scattered)
	end := of(b.runs, []int64{382}, []int64{384, 385, 387})
	good("end", "a range up to the last byte", runs, nil, end)
	filler := of(b.runs, []int64{387, 388})
	good("padding", "one bundle, with a slice that is nothing but padding", runs, nil, filler)
	three3 := of(b.runs, []int64{190}, b.runs.Cover(64*128, 128*128-1), []int64{384})
	good("run-between", "a range with a whole run in its middle", runs, nil, three3)

	// How bundles follow each other.
	no := func(from, name, rule, about string, sets ...[]int64) {
		bad(from, name, rule, about, runs, nil, of(b.runs, sets...))
	}
	no("two", "swapped", "bundle-range", "the second bundle first", []int64{192, 193}, []int64{189, 190})
	no("two", "first-twice", "bundle-range", "the first bundle twice", []int64{189, 190}, []int64{189, 190})
	no("two", "last-twice", "bundle-range", "the last bundle twice", []int64{189, 190}, []int64{192, 193}, []int64{192, 193})
	no("two", "gap-before-border", "bundle-range", "the last slice before the border left out", []int64{189}, []int64{192, 193})
	no("two", "gap-behind-border", "bundle-range", "the first slice behind the border left out", []int64{189, 190}, []int64{193})
	no("two", "gap-in-first", "bundle-range", "a slice within the first bundle left out", []int64{187, 190}, []int64{192, 193})
	no("two", "gap-in-last", "bundle-range", "a slice within the last bundle left out", []int64{189, 190}, []int64{192, 195})
	no("two", "parity-in-first", "bundle-range", "a parity slice in the first bundle", []int64{189, 190, 191}, []int64{192, 193})
	no("two", "parity-in-last", "bundle-range", "a parity slice in the last bundle", []int64{189, 190}, []int64{192, 193, 194})
	no("two", "parity-alone", "bundle-range", "the parity slice before the border for the data", []int64{191}, []int64{192, 193})
	no("two", "split", "bundle-range", "the first bundle cut in two", []int64{189}, []int64{190}, []int64{192, 193})
	no("two", "split-last", "bundle-range", "the last bundle cut in two", []int64{189, 190}, []int64{192}, []int64{193})
	no("two", "merged", "bundle-run", "both in one bundle", []int64{189, 190, 192, 193})
	no("two", "run-skipped", "bundle-range", "the run in the middle left out", []int64{189, 190}, []int64{384})
	no("two", "back-to-the-begin", "bundle-range", "the second bundle is of the first run", []int64{189, 190}, []int64{0, 1})
	no("run-between", "run-between-missing", "bundle-range", "the run in the middle left out", []int64{190}, []int64{384})
	no("run-between", "slice-missing", "bundle-range", "a slice of the run in the middle left out", []int64{190}, slices.Delete(b.runs.Cover(64*128, 128*128-1), 100, 101), []int64{384})
	no("end", "padding-behind", "bundle-range", "the slice of padding behind the last byte, too", []int64{382}, []int64{384, 385, 387, 388})
	no("end", "parity-behind", "bundle-range", "the parity slice behind the last byte, too", []int64{382}, []int64{384, 385, 387, 389})
	no("padding", "in-two-runs", "bundle-run", "a bundle from the second run to the third", []int64{382, 387})
	no("one", "first-and-last-run", "bundle-run", "a bundle of the first and the last slice of all", []int64{0, 389})

	// What is wanted.
	want := func(from, name, rule, about string, want []int64, sets ...[]int64) {
		id, blob := plain, b.plain
		if from == "two-wanted" || from == "scattered-wanted" {
			id, blob = runs, b.runs
		}
		bad(from, name, rule, about, id, want, of(blob, sets...))
	}
	want("one-wanted", "another", "set-other", "another slice is wanted", []int64{8}, []int64{7})
	want("one-wanted", "plus-32", "set-other", "the slice 32 positions behind is wanted", []int64{39}, []int64{7})
	want("one-wanted", "plus-2e32", "set-other", "position 7 + 2^32 is wanted", []int64{7 + 1<<32}, []int64{7})
	want("one-wanted", "more", "set-other", "a slice more is wanted", []int64{7, 8}, []int64{7})
	want("one-wanted", "less", "set-other", "the bundle has a slice more", []int64{7}, []int64{7, 8})
	want("one-wanted", "twice", "bundle-size", "the bundle twice", []int64{7}, []int64{7}, []int64{7})
	want("one-wanted", "none", "bundle-size", "no bundle", []int64{7})
	want("three-wanted", "subset", "set-other", "a slice of the bundle is not wanted", []int64{1, 12}, []int64{1, 4, 12})
	want("three-wanted", "missing", "set-other", "a wanted slice is not in the bundle", []int64{1, 4, 12}, []int64{1, 12})
	want("three-wanted", "split", "set-other", "the slices in two bundles", []int64{1, 4, 12}, []int64{1, 4}, []int64{12})
	want("three-wanted", "unsorted", "set-order", "the wanted slices in another order", []int64{4, 1, 12}, []int64{1, 4, 12})
	want("three-wanted", "unsorted-groups", "set-order", "a slice of the last group wanted before one of the first", []int64{1, 12, 4}, []int64{1, 4, 12})
	want("three-wanted", "repeated", "set-order", "a slice wanted twice", []int64{1, 4, 4, 12}, []int64{1, 4, 12})
	want("two-wanted", "unsorted-in-first", "set-order", "two slices of the first run wanted in another order", []int64{190, 189, 192, 193}, []int64{189, 190}, []int64{192, 193})
	want("two-wanted", "runs-descending", "set-order", "the slices of the second run wanted first, and the bundles swapped", []int64{192, 193, 189, 190}, []int64{192, 193}, []int64{189, 190})
	want("two-wanted", "last-missing", "bundle-size", "the last bundle left out", []int64{189, 190, 192, 193}, []int64{189, 190})
	want("two-wanted", "first-missing", "set-other", "the first bundle left out", []int64{189, 190, 192, 193}, []int64{192, 193})
	want("two-wanted", "swapped", "set-other", "the bundles swapped", []int64{189, 190, 192, 193}, []int64{192, 193}, []int64{189, 190})
	want("two-wanted", "last-slice-missing", "set-other", "the last slice left out", []int64{189, 190, 192, 193}, []int64{189, 190}, []int64{192})
	want("two-wanted", "merged", "bundle-run", "both in one bundle", []int64{189, 190, 192, 193}, []int64{189, 190, 192, 193})
	want("two-wanted", "less", "bundle-size", "the last bundle is not wanted", []int64{189, 190}, []int64{189, 190}, []int64{192, 193})
	want("two-wanted", "more", "bundle-size", "a third run is wanted, too", []int64{189, 190, 192, 193, 384}, []int64{189, 190}, []int64{192, 193})
	want("scattered-wanted", "rounded-to-a-range", "set-other", "a slice more than wanted, next to one that is", []int64{0, 191, 193, 388}, []int64{0, 191}, []int64{192, 193}, []int64{388})
	bad("scattered-wanted", "unwanted", "bundle-range", "the same where nothing certain is wanted", runs, nil, scattered)

	// Sizes.
	l.bad("one", "none", "bundle-size", "no bytes", BundlesIn{plain, nil, Hex{}})
	all := one.in(plain, nil).Bundles
	for _, n := range []int{1, 4, 68, 71, 72, 79, 80, 111, len(all) - 128, len(all) - 1} {
		l.bad("one", fmt.Sprintf("cut-to-%d", n), "bundle-size", "the first bytes alone", BundlesIn{plain, nil, all[:n]})
	}
	l.bad("one-wanted", "cut-by-1", "bundle-size", "the last byte cut off", BundlesIn{plain, []int64{7}, all[:len(all)-1]})
	for _, x := range []byte{0, 'T'} {
		l.bad("one", fmt.Sprintf("trailing-%d", x), "bundle-size", "a byte behind", BundlesIn{plain, nil, more(all, x)})
		l.bad("one-wanted", fmt.Sprintf("trailing-%d", x), "bundle-size", "a byte behind", BundlesIn{plain, []int64{7}, more(all, x)})
	}
	l.bad("one", "trailing-slice", "proof-magic", "the slice again behind, where a second bundle would begin", BundlesIn{plain, nil, more(all, one[0].slices[0]...)})
	l.bad("one-wanted", "trailing-slice", "bundle-size", "the slice again behind", BundlesIn{plain, []int64{7}, more(all, one[0].slices[0]...)})
	pairs := two.in(runs, nil).Bundles
	first := len(pairs) - len(two[1].bytes()) - 128
	l.bad("two", "cut-in-second", "bundle-size", "the second bundle cut behind its header", BundlesIn{runs, nil, pairs[:first+68]})
	l.bad("two", "cut-by-1", "bundle-size", "the last byte cut off", BundlesIn{runs, nil, pairs[:len(pairs)-1]})
	l.bad("two-wanted", "cut-in-second", "bundle-size", "the second bundle cut behind its header", BundlesIn{runs, []int64{189, 190, 192, 193}, pairs[:first+68]})
	l.bad("two", "byte-between", "proof-magic", "a zero byte between the bundles", BundlesIn{runs, nil, slices.Concat(pairs[:first], []byte{0}, pairs[first:])})

	// The parts of one bundle.
	part := func(name, rule, about string, f func(*proofParts)) {
		bad("three", name, rule, about, plain, nil, three.with(0, f))
	}
	last := len(three[0].nodes) - 1
	part("node-fewer", "bundle-size", "the last node left out", func(p *proofParts) { p.nodes = p.nodes[:last] })
	part("node-of-31", "bundle-size", "a node of 31 bytes", func(p *proofParts) { p.nodes = replaced(p.nodes, 1, p.nodes[1][:31]) })
	part("node-bent", "proof-root", "a bit of a node changed", func(p *proofParts) { p.nodes = replaced(p.nodes, 0, flip(p.nodes[0], 3)) })
	part("last-node-bent", "proof-root", "a bit of the last node changed", func(p *proofParts) { p.nodes = replaced(p.nodes, last, flip(p.nodes[last], 31)) })
	part("nodes-swapped", "proof-root", "two nodes swapped", func(p *proofParts) { p.nodes = swapped(p.nodes, 0, 1) })
	part("slice-bent", "proof-root", "a bit of a slice changed", func(p *proofParts) { p.slices = replaced(p.slices, 1, flip(p.slices[1], 127)) })
	part("last-slice-bent", "proof-root", "the last bit of all changed", func(p *proofParts) { p.slices = replaced(p.slices, 2, flip(p.slices[2], -1)) })
	part("slices-swapped", "proof-root", "two slices swapped", func(p *proofParts) { p.slices = swapped(p.slices, 0, 1) })
	part("slice-fewer", "bundle-size", "the last slice left out", func(p *proofParts) { p.slices = p.slices[:2] })
	part("slice-less-1", "bundle-size", "a slice a byte shorter", func(p *proofParts) { p.slices = replaced(p.slices, 0, p.slices[0][:127]) })
	part("slice-plus-1", "bundle-size", "the last slice a byte longer", func(p *proofParts) { p.slices = replaced(p.slices, 2, more(p.slices[2], 0)) })
	part("slice-over-long", "bundle-size", "the slice of the last group filled up to the size of the others", func(p *proofParts) {
		p.slices = replaced(p.slices, 2, more(p.slices[2], make([]byte, 64)...))[:3]
	})
	part("unsorted", "set-order", "two positions swapped, with their slices", func(p *proofParts) {
		p.positions, p.slices = []uint64{4, 1, 12}, swapped(p.slices, 0, 1)
	})
	part("repeated", "set-order", "a position and its slice twice", func(p *proofParts) {
		p.count, p.positions, p.slices = 4, []uint64{1, 4, 4, 12}, [][]byte{p.slices[0], p.slices[1], p.slices[1], p.slices[2]}
	})
	part("index-end", "set-range", "n G for the last position", func(p *proofParts) { p.positions = []uint64{1, 4, 15} })
	part("index-plus-32", "set-range", "a position plus 32, which is out of the blob", func(p *proofParts) { p.positions = []uint64{1, 4, 44} })
	part("index-plus-2e32", "set-range", "a position plus 2^32", func(p *proofParts) { p.positions = []uint64{1, 4 + 1<<32, 12} })
	part("index-plus-2e63", "set-range", "a position plus 2^63", func(p *proofParts) { p.positions = []uint64{1 + 1<<63, 4, 12} })
	part("index-padding", "set-range", "the place behind the last slice, with no bytes", func(p *proofParts) {
		p.positions, p.slices = []uint64{1, 4, 15}, [][]byte{p.slices[0], p.slices[1]}
	})
	for _, x := range []struct {
		count uint32
		rule  string
	}{{0, "set-count"}, {320, "bundle-size"}, {321, "bundle-run"}, {65536, "bundle-run"}, {65537, "set-count"}, {1<<31 - 1, "set-count"}, {1 << 31, "set-count"}, {1<<32 - 1, "set-count"}} {
		part(fmt.Sprintf("count-%d", x.count), x.rule, fmt.Sprintf("%d positions announced", x.count), func(p *proofParts) { p.count = x.count })
	}
	for _, magic := range []string{"TPB1", "TPA1", "TPP2", "tpp1"} {
		part("magic-"+magic, "proof-magic", "another magic", func(p *proofParts) { p.magic = magic })
	}
	inForms(b.plain.Header, func(name, rule, about string, id, header []byte) {
		bad("three", name, rule, about, id, nil, three.with(0, func(p *proofParts) { p.header = header }))
	})
	h := b.plain.Header
	h.Length++
	bad("three", "length-plus-1-own-id", "bundle-size", "a length of a byte more, with which the last group has longer slices; the ID is made for it",
		idOf(h.Bytes()), nil, three.with(0, func(p *proofParts) { p.header = h.Bytes() }))
	bent := partsOfHeader(b.runs.Header)
	bent.length--
	second := func(name, rule, about string, f func(*proofParts)) {
		bad("two", name, rule, about, runs, nil, two.with(1, f))
	}
	second("second-header-bent", "header-id", "a length of a byte less in the second bundle's header", func(p *proofParts) { p.header = bent.bytes() })
	second("second-magic", "proof-magic", "another magic of the second bundle", func(p *proofParts) { p.magic = "TPP2" })
	second("second-slice-bent", "proof-root", "a bit of the second bundle's last slice changed", func(p *proofParts) { p.slices = replaced(p.slices, 1, flip(p.slices[1], 0)) })
	second("second-node-bent", "proof-root", "a bit of the second bundle's first node changed", func(p *proofParts) { p.nodes = replaced(p.nodes, 0, flip(p.nodes[0], 0)) })
	second("second-count-0", "set-count", "no position announced in the second bundle", func(p *proofParts) { p.count = 0 })
	other := makeBlob(2, 3, 64, 70, 129*128+58)
	strangers := of(other, []int64{192, 193})
	bad("two", "second-of-another-blob", "header-id", "the second bundle is of another blob", runs, nil, replaced(two, 1, strangers[0]))
	return l
}
