package proof_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof"
)

// The fuzz targets compare verdicts with the second model's. With own, the ID is that of
// the header in the input, so that the fuzzer gets past it with headers of all shapes.

func fuzzTrees(f *testing.F) []*tree { return []*tree{smallTree(f), runTree(f, 1)} }

// inputID is the ID that an input is checked against.
func inputID(tr *tree, own bool, b []byte) commit.ID {
	if own && len(b) >= 68 {
		return idOf(b[4:68])
	}
	return tr.id()
}

// inputHeader is the header that the ID names, or the tree's.
func inputHeader(tr *tree, id commit.ID, b []byte) commit.Header {
	if len(b) >= 68 {
		if h, err := commit.OpenHeader(id, b[4:68]); err == nil {
			return h
		}
	}
	return tr.Header()
}

func parsePositions(b []byte) []int64 {
	var p []int64
	for ; len(b) >= 8; b = b[8:] {
		p = append(p, int64(binary.LittleEndian.Uint64(b)))
	}
	return p
}

func positionBytes(p ...int64) []byte {
	var b []byte
	for _, x := range p {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return b
}

// positionsOf is where the slices of a blob of header h stand. It does not take a place
// that the blob does not have for one that it has.
func positionsOf(h commit.Header, positions []int64) (at []commit.Pos) {
	for _, p := range positions {
		pos := h.PosAt(p)
		if p < 0 || h.Position(pos) != p {
			pos = commit.Pos{Group: -1}
		}
		at = append(at, pos)
	}
	return at
}

func FuzzCheck(f *testing.F) {
	trees := fuzzTrees(f)
	add := func(which int, own bool, b []byte, set []int64) {
		var bodies []byte
		for _, p := range set {
			bodies = append(bodies, trees[which].b.Slices[p]...)
		}
		f.Add(which, own, b, positionBytes(set...), bodies)
	}
	for which, tr := range trees {
		for _, set := range [][]int64{{0}, {1, 4, 12}, {2, 3, 14}, {tr.b.Positions() - 1}} {
			w := cut(tr.b.Proof(set))
			add(which, false, w.bytes(), set)
			add(which, true, w.bytes(), set)
			bent := w
			bent.nodes = append(slices.Clone(w.nodes[:1]), w.nodes...)
			add(which, false, bent.bytes(), set)
			bent = w
			bent.positions = append(slices.Clone(w.positions[1:]), w.positions[0]+32)
			add(which, false, bent.bytes(), set)
			for _, change := range []func(*reference.Header){
				func(h *reference.Header) { h.N++ }, func(h *reference.Header) { h.K-- }, func(h *reference.Header) { h.Length++ },
			} {
				bent = w
				bent.header = otherHeader(tr.b, change)
				add(which, true, bent.bytes(), set)
			}
		}
	}
	f.Fuzz(func(t *testing.T, which int, own bool, b, set, bodies []byte) {
		tr := trees[uint(which)%uint(len(trees))]
		id := inputID(tr, own, b)
		h := inputHeader(tr, id, b)
		positions := parsePositions(set)
		if len(positions) > 1000 {
			return
		}
		at := positionsOf(h, positions)
		var cuts [][]byte // as long as they must be, as far as bodies go
		for _, p := range at {
			n := 64
			if h.Has(p) {
				n = h.SizeOf(p.Group)
			}
			n = min(n, len(bodies))
			cuts = append(cuts, bodies[:n:n])
			bodies = bodies[n:]
		}
		claim := proof.Claim{ID: id, At: at, Slices: cuts, Proof: b}
		err := check(claim)
		if rerr := reference.CheckProof(id, positions, cuts, b); (err == nil) != (rerr == nil) {
			t.Fatalf("%v, the second model says %v", err, rerr)
		}
		// The same among others.
		good := tr.claim(0)
		claims := []proof.Claim{good, claim, good}
		proof.Check(claims)
		if claims[0].Err != nil || (claims[1].Err == nil) != (err == nil) || claims[2].Err != nil {
			t.Fatalf("among others: %v, %v, %v", claims[0].Err, claims[1].Err, claims[2].Err)
		}
		if err != nil || id != tr.id() {
			return
		}
		if again, err := proof.Append(t.Context(), nil, tr, at); err != nil || !bytes.Equal(again, b) {
			t.Fatalf("proof %x is accepted, %x is the proof, %v", b, again, err)
		}
	})
}

func FuzzOpenBundles(f *testing.F) {
	trees := fuzzTrees(f)
	for which, tr := range trees {
		end := tr.b.Length
		for _, in := range [][]byte{
			nil, tr.b.Bundle([]int64{1, 4}), tr.b.Range(0, 0), tr.b.Range(end/2, end-1), tr.b.Range(0, end-1),
			append(tr.b.Bundle([]int64{1}), tr.b.Bundle([]int64{3})...),
		} {
			for _, set := range [][]int64{nil, {1, 4}, {1, 3}, tr.b.Cover(0, end-1)} {
				f.Add(which, false, in, set != nil, positionBytes(set...))
			}
			f.Add(which, true, in, false, []byte{})
		}
	}
	f.Fuzz(func(t *testing.T, which int, own bool, b []byte, given bool, set []byte) {
		tr := trees[uint(which)%uint(len(trees))]
		id := inputID(tr, own, b)
		h := inputHeader(tr, id, b)
		var want func(func(commit.Pos) bool)
		var positions []int64
		if given {
			positions = parsePositions(set)
			if len(positions) == 0 || len(positions) > 2000 {
				return
			}
			want = slices.Values(positionsOf(h, positions))
		}
		var got []int64
		var bodies [][]byte
		var err error
		for s, e := range proof.Open(id, bytes.NewReader(b), want) {
			if err = e; err != nil {
				if s.Valid() {
					t.Fatalf("slice %v with %v", s.Pos(), err)
				}
				continue
			}
			if id == tr.id() && !tr.isSlice(s) {
				t.Fatalf("slice %v is not the blob's", s.Pos())
			}
			if s.Header() != h {
				t.Fatalf("slice %v of %+v", s.Pos(), s.Header())
			}
			got = append(got, h.Position(s.Pos()))
			bodies = append(bodies, bytes.Clone(s.Bytes()))
		}
		rgot, rbodies, rerr := reference.OpenBundles(id, b, positions)
		if (err == nil) != (rerr == nil) {
			t.Fatalf("%v, the second model says %v", err, rerr)
		}
		if err != nil {
			return
		}
		if !slices.Equal(got, rgot) || !slices.EqualFunc(bodies, rbodies, bytes.Equal) {
			t.Fatalf("slices %v, the second model has %v", got, rgot)
		}
		if id == tr.id() && !bytes.Equal(tr.b.Bundles(got), b) {
			t.Fatal("accepted, and not what is written of these slices")
		}
	})
}

func FuzzParseChallenge(f *testing.F) {
	for _, c := range []reference.Challenge{
		{Lanes: 1, Count: 1}, {ID: [32]byte{1}, Seed: [32]byte{2}, Lanes: 1<<20 - 1, Count: 1 << 16}, {Lanes: 1 << 20, Count: 1}, {Lanes: 3},
	} {
		f.Add(c.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := proof.ParseChallenge(b)
		want, rerr := reference.ParseChallenge(b)
		if (err == nil) != (rerr == nil) {
			t.Fatalf("%v, the second model says %v", err, rerr)
		}
		if err != nil {
			return
		}
		if second(c) != want {
			t.Fatalf("%+v, the second model has %+v", c, want)
		}
		if again, err := c.AppendBinary(nil); err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%x, %v, from %x", again, err, b)
		}
	})
}

func FuzzJudge(f *testing.F) {
	trees := fuzzTrees(f)
	for which, tr := range trees {
		for _, c := range []proof.Challenge{
			{ID: tr.id(), Lanes: 0b1, Count: 1}, {ID: tr.id(), Lanes: 0b111, Count: 7}, {ID: tr.id(), Seed: [32]byte{3}, Lanes: 0b110, Count: 4},
		} {
			b, err := c.AppendBinary(nil)
			if err != nil {
				f.Fatal(err)
			}
			answer := tr.answer(c)
			f.Add(which, false, b, answer)
			f.Add(which, true, b, answer)
			at, err := c.Samples(tr.Header())
			if err != nil {
				f.Fatal(err)
			}
			f.Add(which, false, b, tr.b.Answer(second(c), map[int64][]byte{tr.positions(at)[0]: nil}))
			for _, i := range []int{70, len(answer) - 1, len(answer) / 2} {
				bent := bytes.Clone(answer)
				bent[i] ^= 2
				f.Add(which, false, b, bent)
			}
		}
	}
	f.Fuzz(func(t *testing.T, which int, own bool, challenge, b []byte) {
		tr := trees[uint(which)%uint(len(trees))]
		c, err := proof.ParseChallenge(challenge)
		if err != nil || c.Count > 500 { // the second model is slow
			return
		}
		c.ID = inputID(tr, own, b)
		samples, err := c.Judge(bytes.NewReader(b))
		want, rerr := reference.Judge(second(c), b)
		if (err == nil) != (rerr == nil) || !slices.Equal(verdicts(samples), want) {
			t.Fatalf("%v, %v, the second model says %v, %v", samples, err, want, rerr)
		}
		if err != nil || c.ID != tr.id() {
			return
		}
		at, err := c.Samples(tr.Header())
		if err != nil || len(at) != len(samples) {
			t.Fatalf("%d verdicts on %d samples, %v", len(samples), len(at), err)
		}
		good := true
		for i, s := range samples {
			if s.Pos != at[i] {
				t.Fatalf("verdict %d is on %v, the sample is %v", i, s.Pos, at[i])
			}
			good = good && s.Verdict == proof.Good
		}
		var again bytes.Buffer
		if err := c.Answer(t.Context(), &again, tr); err != nil || good != bytes.Equal(b, again.Bytes()) {
			t.Fatalf("all good: %t, of an answer that is not the archive's, %v", good, err)
		}
	})
}
