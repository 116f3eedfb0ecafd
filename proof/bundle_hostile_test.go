package proof_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof"
)

// TestOpenSeveral puts bundles in a row that are each right and together no range.
func TestOpenSeveral(t *testing.T) {
	// Of a group, 0 and 1 are data and 2 is parity. A run is 192 positions. The last
	// group holds one byte, in slice 597; 598 is padding.
	tr := runTree(t, 3)
	last := tr.b.Positions() - 3
	between := slices.Collect(tr.Header().Cover(64*128, 64*128)) // the data slices of the second run
	second := tr.positions(between)
	for _, c := range []struct {
		name string
		sets [][]int64
		good bool
	}{
		{"the end of one run and the begin of the next", [][]int64{{190}, {192}}, true},
		{"three runs", [][]int64{{189, 190}, second, {384, 385}}, true},
		{"up to the last byte", [][]int64{tailOf(second, 3), headOf(tr, 384, 128), headOf(tr, 576, 15)}, true},

		{"a set, then another", [][]int64{{0, 3}, {6}}, false},
		{"a gap in the first", [][]int64{{186, 190}, {192}}, false},
		{"a gap in the second", [][]int64{{190}, {192, 195}}, false},
		{"the second begins late", [][]int64{{190}, {193}}, false},
		{"the first ends early", [][]int64{{189}, {192}}, false},
		{"cut inside a run", [][]int64{{186, 187}, {189, 190}}, false},
		{"overlap", [][]int64{{189, 190}, {190}}, false},
		{"the same twice", [][]int64{{190}, {190}}, false},
		{"the second twice", [][]int64{{190}, {192}, {192}}, false},
		{"backwards", [][]int64{{192}, {190}}, false},
		{"a run left out", [][]int64{{190}, {384}}, false},
		{"a run of which one slice is missing", [][]int64{{190}, second[:len(second)-1], {384}}, false},
		{"goes on behind a gap", [][]int64{{190}, second[1:], {384}}, false},
		{"parity at the begin", [][]int64{{191}, {192}}, false},
		{"parity in the middle", [][]int64{{189, 190, 191}, {192}}, false},
		{"parity at the end", [][]int64{{190}, {192, 193, 194}}, false},
		{"parity alone behind", [][]int64{{190}, {194}}, false},
		{"padding at the end", [][]int64{headOf(tr, 384, 128), append(headOf(tr, 576, 14), last, last+1)}, false},
		{"padding alone behind", [][]int64{headOf(tr, 384, 128), {last + 1}}, false},
		{"behind the end of the blob", [][]int64{{last}, {0}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var in []byte
			var at []int64
			for _, set := range c.sets {
				in = append(in, tr.b.Bundle(set)...)
				at = append(at, set...)
			}
			got, err := tr.open(bytes.NewReader(in), nil)
			if _, _, rerr := reference.OpenBundles(tr.id(), in, nil); (rerr == nil) != c.good {
				t.Errorf("the second model: %v", rerr)
			}
			if c.good {
				if err != nil || !slices.Equal(got, tr.at(at...)) {
					t.Errorf("%d slices, %v", len(got), err)
				}
				return
			}
			wantRule(t, "Open", err, commit.BundleRange)
			if !slices.Equal(got, tr.at(at[:len(got)]...)) {
				t.Errorf("slices %v came first", got)
			}
		})
	}
}

// headOf is the first n data slices from a position on, which is a multiple of 3.
func headOf(tr *tree, from int64, n int) []int64 {
	var set []int64
	for p := from; len(set) < n; p++ {
		if p%3 < 2 {
			set = append(set, p)
		}
	}
	return set
}

func tailOf(set []int64, n int) []int64 { return set[len(set)-n:] }

// TestOpenRefuses gives Open bundles that are wrong in themselves.
func TestOpenRefuses(t *testing.T) {
	tr := runTree(t, 2)
	other := makeTree(t, commit.Params{K: 2, N: 3, SliceSize: 64}, 99, int(tr.b.Length))
	set := []int64{189, 190, 192, 193}
	bundle := tr.b.Bundle
	bend := func(set []int64, f func(w *wire)) []byte {
		w := cut(tr.b.Proof(set))
		f(&w)
		b := w.bytes()
		for _, p := range set {
			b = append(b, tr.b.Slices[p]...)
		}
		return b
	}
	many := make([]uint64, 193)
	for i := range many {
		many[i] = uint64(i)
	}
	for _, c := range []struct {
		name string
		in   []byte
		want []int64
		rule commit.Rule
	}{
		{"another blob's", other.b.Bundle([]int64{190}), []int64{190}, commit.HeaderID},
		{"another blob's behind", slices.Concat(bundle([]int64{190}), other.b.Bundle([]int64{192})), []int64{190, 192}, commit.HeaderID},
		{"a proof with no slices", tr.b.Proof([]int64{190}), []int64{190}, commit.BundleSize},
		{"an answer", tr.b.Answer(reference.Challenge{ID: tr.b.ID(), Lanes: 1, Count: 1}, nil), []int64{0}, commit.ProofMagic},
		{"garbage", reference.Stream(1, 500), []int64{190}, commit.ProofMagic},

		{"two runs in one", bend(set, func(*wire) {}), set, commit.BundleRun},
		{"a run and the next one's first", bend([]int64{191, 192}, func(*wire) {}), []int64{191, 192}, commit.BundleRun},
		{"more than a run has", bend([]int64{0}, func(w *wire) { w.setPositions(many...) }), []int64{0}, commit.BundleRun},
		{"count 0", bend([]int64{0}, func(w *wire) { w.setPositions() }), []int64{0}, commit.SetCount},
		{"count 2^32 - 1", bend([]int64{0}, func(w *wire) { w.count = math.MaxUint32 }), []int64{0}, commit.SetCount},
		{"repeated", bend([]int64{0, 1}, func(w *wire) { w.setPositions(0, 0) }), []int64{0, 1}, commit.SetOrder},
		{"unsorted", bend([]int64{0, 1}, func(w *wire) { w.setPositions(1, 0) }), []int64{0, 1}, commit.SetOrder},
		{"padding position", bend([]int64{0}, func(w *wire) { w.setPositions(uint64(tr.b.Positions())) }), []int64{0}, commit.SetRange},
		{"index + 2^32", bend([]int64{0}, func(w *wire) { w.setPositions(1 << 32) }), []int64{0}, commit.SetRange},
		{"index + 2^63", bend([]int64{0}, func(w *wire) { w.setPositions(1 << 63) }), []int64{0}, commit.SetRange},

		{"a node fewer", bend([]int64{0}, func(w *wire) { w.nodes = w.nodes[1:] }), []int64{0}, commit.BundleSize},
		{"nodes swapped", bend([]int64{0}, func(w *wire) { w.nodes[0], w.nodes[1] = w.nodes[1], w.nodes[0] }), []int64{0}, commit.ProofRoot},
		{"slices swapped", slices.Concat(tr.b.Proof([]int64{0, 1}), tr.b.Slices[1], tr.b.Slices[0]), []int64{0, 1}, commit.ProofRoot},
		{"another slice", slices.Concat(tr.b.Proof([]int64{0}), tr.b.Slices[3]), []int64{0}, commit.ProofRoot},
		{"a slice fewer", slices.Concat(tr.b.Proof([]int64{0, 1}), tr.b.Slices[0]), []int64{0, 1}, commit.BundleSize},
		{"a slice a byte short", bundle([]int64{0})[:len(bundle([]int64{0}))-1], []int64{0}, commit.BundleSize},
		{"a byte behind", append(bundle([]int64{0}), 0), []int64{0}, commit.BundleSize},
		{"a slice behind", append(bundle([]int64{0}), tr.b.Slices[1]...), []int64{0}, commit.BundleSize},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, want := range []iter.Seq[commit.Pos]{slices.Values(tr.at(c.want...)), nil} {
				_, err := tr.open(bytes.NewReader(c.in), want)
				wantRule(t, fmt.Sprintf("wanted: %t", want != nil), err, c.rule)
			}
		})
	}
}

// TestOpenOthers gives bundles, each right, of other slices than those wanted, and of
// those wanted, cut into other bundles.
func TestOpenOthers(t *testing.T) {
	tr := runTree(t, 2)
	all := []int64{1, 190, 192, 200}
	for _, c := range []struct {
		name string
		sets [][]int64
		want []int64
		rule commit.Rule
	}{
		{"one less", [][]int64{{1}, {192, 200}}, all, commit.SetOther},
		{"one more", [][]int64{{1, 2, 190}, {192, 200}}, all, commit.SetOther},
		{"another", [][]int64{{1, 189}, {192, 200}}, all, commit.SetOther},
		{"the last is another", [][]int64{{1, 190}, {192, 201}}, all, commit.SetOther},
		{"the last is missing", [][]int64{{1, 190}, {192}}, all, commit.SetOther},
		{"a run missing", [][]int64{{1, 190}}, all, commit.BundleSize},
		{"a run more", [][]int64{{1, 190}, {192, 200}, {384}}, all, commit.BundleSize},
		{"a bundle twice", [][]int64{{1, 190}, {1, 190}}, all, commit.SetOther},
		{"the last twice", [][]int64{{1, 190}, {192, 200}, {192, 200}}, all, commit.BundleSize},
		{"other order", [][]int64{{192, 200}, {1, 190}}, all, commit.SetOther},
		{"a run in two", [][]int64{{1}, {190}, {192, 200}}, all, commit.SetOther},
		{"a lane that is padding", [][]int64{{3}}, nil, commit.SetOther},
	} {
		t.Run(c.name, func(t *testing.T) {
			var in []byte
			for _, set := range c.sets {
				in = append(in, tr.b.Bundle(set)...)
			}
			want := tr.at(c.want...)
			if c.want == nil {
				want = []commit.Pos{{Group: 0, Lane: 3}} // the position of 1:0
			}
			_, err := tr.open(bytes.NewReader(in), slices.Values(want))
			wantRule(t, "Open", err, c.rule)
		})
	}
	_, err := tr.open(bytes.NewReader(tr.b.Bundle([]int64{3, 4})), slices.Values(tr.at(4, 3)))
	wantRule(t, "wanted in descending order", err, commit.SetOrder)
}

// TestOpenOthersEarly wants a bundle of other slices refused before any of it is read
// but its positions.
func TestOpenOthersEarly(t *testing.T) {
	tr := runTree(t, 2)
	first := tr.b.Bundle([]int64{1, 190})
	second := tr.b.Bundle([]int64{192, 193, 200})
	r := bytes.NewReader(slices.Concat(first, second))
	got, err := tr.open(r, slices.Values(tr.at(1, 190, 192, 193, 201)))
	wantRule(t, "Open", err, commit.SetOther)
	if len(got) != 2 {
		t.Errorf("%d slices before it", len(got))
	}
	if read := r.Size() - int64(r.Len()); read != int64(len(first)+72+3*8) {
		t.Errorf("%d bytes read, want the first bundle's %d and %d", read, len(first), 72+3*8)
	}
}

// TestOpenCut cuts a range at every length.
func TestOpenCut(t *testing.T) {
	tr := runTree(t, 2)
	in := tr.b.Range(64*128-1, 64*128+100)
	set := tr.positions(slices.Collect(tr.Header().Cover(64*128-1, 102)))
	first := len(tr.b.Bundle(set[:1]))
	for n := range in {
		_, err := tr.open(bytes.NewReader(in[:n]), slices.Values(tr.at(set...)))
		wantRule(t, fmt.Sprintf("%d of %d bytes, wanted", n, len(in)), err, commit.BundleSize)
		if _, err = tr.open(bytes.NewReader(in[:n]), nil); n == first {
			if err != nil {
				t.Errorf("the first bundle alone: %v", err)
			}
			continue
		}
		wantRule(t, fmt.Sprintf("%d of %d bytes", n, len(in)), err, commit.BundleSize)
	}
}

// TestOpenEveryByte changes each byte of a range. What is yielded before is right.
func TestOpenEveryByte(t *testing.T) {
	tr := runTree(t, 2)
	in := tr.b.Range(64*128-1, 64*128+100)
	cover := slices.Collect(tr.Header().Cover(64*128-1, 102))
	for i := range in {
		for _, want := range []iter.Seq[commit.Pos]{nil, slices.Values(cover)} {
			bent := bytes.Clone(in)
			bent[i] ^= 0x41
			got, err := tr.open(bytes.NewReader(bent), want)
			var r commit.Rule
			if !errors.As(err, &r) {
				t.Errorf("byte %d of %d changed: %v", i, len(in), err)
			}
			if len(got) > 0 && !slices.Equal(got, cover[:1]) {
				t.Errorf("byte %d of %d changed: slices %v came first", i, len(in), got)
			}
		}
	}
}

// TestOpenEmptyBlob finds no bundle that the empty blob could have.
func TestOpenEmptyBlob(t *testing.T) {
	b := reference.Make(reference.Params{K: 2, N: 3, SliceSize: 64}, nil)
	w := wire{magic: "TPP1", header: b.Bytes()}
	w.setPositions(0)
	for s, err := range proof.Open(b.ID(), bytes.NewReader(w.bytes()), nil) {
		if s.Valid() {
			t.Errorf("slice %v", s.Pos())
		}
		wantRule(t, "slice 0", err, commit.SetRange)
	}
}
