package proof_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof"
)

func check(c proof.Claim) error {
	claims := []proof.Claim{c}
	err := proof.Check(claims)
	if err != claims[0].Err {
		panic("Check returned another error than the claim has")
	}
	return err
}

// TestCheckRefuses bends one thing of a claim that holds: slices 0:1, 0:4 and 2:2 of a
// blob of three groups of five.
func TestCheckRefuses(t *testing.T) {
	tr := smallTree(t)
	if err := check(tr.claim(1, 4, 12)); err != nil {
		t.Fatal(err)
	}
	type claim = proof.Claim
	for _, c := range []struct {
		name string
		rule commit.Rule
		bend func(c *claim, w *wire)
	}{
		{"magic of a header", commit.ProofMagic, func(c *claim, w *wire) { w.magic = "TPB1" }},
		{"magic of a later form", commit.ProofMagic, func(c *claim, w *wire) { w.magic = "TPP2" }},

		{"another ID", commit.HeaderID, func(c *claim, w *wire) { c.ID[31] ^= 1 }},
		{"no ID", commit.HeaderID, func(c *claim, w *wire) { c.ID = commit.ID{} }},
		{"the root as ID", commit.HeaderID, func(c *claim, w *wire) { c.ID = tr.b.Root }},
		{"header with another root", commit.HeaderID, func(c *claim, w *wire) { w.header[63] ^= 1 }},

		{"count 0", commit.SetCount, func(c *claim, w *wire) { w.count = 0 }},
		{"count 65,537", commit.SetCount, func(c *claim, w *wire) { w.count = 1<<16 + 1 }},
		{"count 2^31", commit.SetCount, func(c *claim, w *wire) { w.count = 1 << 31 }},
		{"count 2^32 - 1", commit.SetCount, func(c *claim, w *wire) { w.count = math.MaxUint32 }},
		{"count 65,536", commit.ProofSize, func(c *claim, w *wire) { w.count = 1 << 16 }},
		{"count too small", commit.SetOther, func(c *claim, w *wire) { w.count = 2 }},
		{"count too large", commit.SetRange, func(c *claim, w *wire) { w.count = 4 }}, // a hash is no position

		{"empty set", commit.SetCount, func(c *claim, w *wire) { w.setPositions(); c.At, c.Slices = nil, nil }},
		{"empty set, with nodes of none", commit.SetCount, func(c *claim, w *wire) {
			w.setPositions()
			w.nodes = [][]byte{tr.b.Root[:]}
			c.At, c.Slices = nil, nil
		}},
		{"first position behind the last", commit.SetRange, func(c *claim, w *wire) { w.setPositions(1, 4, 15) }},
		{"index + 32", commit.SetRange, func(c *claim, w *wire) { w.setPositions(1, 4, 12+32) }},
		{"index + 2^31", commit.SetRange, func(c *claim, w *wire) { w.setPositions(1, 4, 12+1<<31) }},
		{"index + 2^32", commit.SetRange, func(c *claim, w *wire) { w.setPositions(1, 4, 12+1<<32) }},
		{"index + 2^62", commit.SetRange, func(c *claim, w *wire) { w.setPositions(1, 4, 12+1<<62) }},
		{"index + 2^63", commit.SetRange, func(c *claim, w *wire) { w.setPositions(1, 4, 12+1<<63) }},
		{"index -1", commit.SetRange, func(c *claim, w *wire) { w.setPositions(1, 4, math.MaxUint64) }},
		{"first index + 2^32", commit.SetRange, func(c *claim, w *wire) { w.positions[0] += 1 << 32 }},
		{"leaf index in place of position", commit.SetRange, func(c *claim, w *wire) { w.setPositions(1, 4, 32*2+2) }},
		{"repeated", commit.SetOrder, func(c *claim, w *wire) { w.setPositions(1, 4, 4) }},
		{"unsorted", commit.SetOrder, func(c *claim, w *wire) { w.setPositions(4, 1, 12) }},
		{"repeated by both sides", commit.SetOrder, func(c *claim, w *wire) {
			w.setPositions(1, 1, 4, 12)
			c.At, c.Slices = tr.at(1, 1, 4, 12), tr.bodies(tr.at(1, 1, 4, 12))
		}},
		{"repeated with another slice", commit.SetOrder, func(c *claim, w *wire) {
			w.setPositions(1, 1, 4, 12)
			c.At, c.Slices = tr.at(1, 1, 4, 12), tr.bodies(tr.at(2, 1, 4, 12))
		}},
		{"unsorted by both sides", commit.SetOrder, func(c *claim, w *wire) {
			w.setPositions(4, 1, 12)
			c.At, c.Slices = tr.at(4, 1, 12), tr.bodies(tr.at(4, 1, 12))
		}},

		{"proof of one slice less", commit.SetOther, func(c *claim, w *wire) { *w = cut(tr.b.Proof([]int64{1, 12})) }},
		{"proof of one slice more", commit.SetOther, func(c *claim, w *wire) { *w = cut(tr.b.Proof([]int64{1, 4, 9, 12})) }},
		{"proof of another lane", commit.SetOther, func(c *claim, w *wire) { *w = cut(tr.b.Proof([]int64{1, 3, 12})) }},
		{"proof of another group", commit.SetOther, func(c *claim, w *wire) { *w = cut(tr.b.Proof([]int64{6, 9, 12})) }},
		{"other positions before the same nodes", commit.SetOther, func(c *claim, w *wire) { w.setPositions(1, 3, 12) }},
		{"other slices meant", commit.SetOther, func(c *claim, w *wire) { c.At = tr.at(1, 3, 12) }},
		{"no slices meant", commit.SetOther, func(c *claim, w *wire) { c.At = nil }},
		{"a lane that is padding", commit.SetOther, func(c *claim, w *wire) {
			// 0:7 has the position of 1:2.
			*w = cut(tr.b.Proof([]int64{1, 4, 7}))
			c.At = []commit.Pos{{Group: 0, Lane: 1}, {Group: 0, Lane: 4}, {Group: 0, Lane: 7}}
			c.Slices = tr.bodies(tr.at(1, 4, 7))
		}},
		{"a lane of the group before", commit.SetOther, func(c *claim, w *wire) { c.At[2] = commit.Pos{Group: 1, Lane: 7} }},
		{"a lane below zero", commit.SetOther, func(c *claim, w *wire) { c.At[2] = commit.Pos{Group: 3, Lane: -3} }},
		{"a group below zero", commit.SetOther, func(c *claim, w *wire) { c.At[0] = commit.Pos{Group: -1, Lane: 6} }},
		{"the largest numbers", commit.SetOther, func(c *claim, w *wire) { c.At[2] = commit.Pos{Group: math.MaxInt, Lane: math.MaxInt} }},
		{"the smallest numbers", commit.SetOther, func(c *claim, w *wire) { c.At[2] = commit.Pos{Group: math.MinInt, Lane: math.MinInt} }},
		{"padding slice, empty", commit.SetRange, func(c *claim, w *wire) {
			w.setPositions(1, 4, 12, 15)
			c.At, c.Slices = tr.at(1, 4, 12, 15), append(c.Slices, nil)
		}},

		{"one node fewer", commit.ProofSize, func(c *claim, w *wire) { w.nodes = w.nodes[1:] }},
		{"last node missing", commit.ProofSize, func(c *claim, w *wire) { w.nodes = w.nodes[:len(w.nodes)-1] }},
		{"no nodes", commit.ProofSize, func(c *claim, w *wire) { w.nodes = nil }},
		{"one node more", commit.ProofSize, func(c *claim, w *wire) { w.nodes = append(w.nodes, make([]byte, 32)) }},
		{"padding node sent", commit.ProofSize, func(c *claim, w *wire) {
			e := reference.Empty(5)
			w.nodes = append(w.nodes, e[:])
		}},
		{"mixed node sent for its parts", commit.ProofSize, func(c *claim, w *wire) { *w = sendMixed(tr) }},
		{"node of 31 bytes", commit.ProofSize, func(c *claim, w *wire) { w.nodes[0] = w.nodes[0][:31] }},
		{"node of 33 bytes", commit.ProofSize, func(c *claim, w *wire) { w.nodes[0] = append(w.nodes[0], 0) }},
		{"node of 20 bytes", commit.ProofSize, func(c *claim, w *wire) { w.nodes[len(w.nodes)-1] = w.nodes[len(w.nodes)-1][:20] }},
		{"a byte behind", commit.ProofSize, func(c *claim, w *wire) { w.nodes = append(w.nodes, []byte{0}) }},
		{"a slice behind", commit.ProofSize, func(c *claim, w *wire) { w.nodes = append(w.nodes, c.Slices[0]) }},
		{"nodes swapped", commit.ProofRoot, func(c *claim, w *wire) { w.nodes[0], w.nodes[1] = w.nodes[1], w.nodes[0] }},
		{"nodes lowest first", commit.ProofRoot, func(c *claim, w *wire) { slices.Reverse(w.nodes) }},
		{"a node twice", commit.ProofRoot, func(c *claim, w *wire) { w.nodes[1] = w.nodes[0] }},

		{"one slice fewer", commit.SetOther, func(c *claim, w *wire) { c.Slices = c.Slices[:2] }},
		{"one slice more", commit.SetOther, func(c *claim, w *wire) { c.Slices = append(c.Slices, c.Slices[2]) }},
		{"no slices", commit.SetOther, func(c *claim, w *wire) { c.Slices = nil }},
		{"slice nil", commit.SliceSize, func(c *claim, w *wire) { c.Slices[1] = nil }},
		{"slice empty", commit.SliceSize, func(c *claim, w *wire) { c.Slices[1] = []byte{} }},
		{"slice a byte short", commit.SliceSize, func(c *claim, w *wire) { c.Slices[1] = c.Slices[1][:191] }},
		{"slice a byte long", commit.SliceSize, func(c *claim, w *wire) { c.Slices[1] = append(slices.Clip(c.Slices[1]), 0) }},
		{"last slice of full size", commit.SliceSize, func(c *claim, w *wire) {
			c.Slices[2] = append(slices.Clip(c.Slices[2]), make([]byte, 128)...)
		}},
		{"first slice of the last one's size", commit.SliceSize, func(c *claim, w *wire) { c.Slices[0] = c.Slices[0][:64] }},
		{"slices swapped", commit.ProofRoot, func(c *claim, w *wire) { c.Slices[0], c.Slices[1] = c.Slices[1], c.Slices[0] }},
		{"another slice", commit.ProofRoot, func(c *claim, w *wire) { c.Slices[0] = tr.b.Slices[2] }},
		{"slice of another group", commit.ProofRoot, func(c *claim, w *wire) { c.Slices[0] = tr.b.Slices[6] }},
		{"slice of zeros", commit.ProofRoot, func(c *claim, w *wire) { c.Slices[1] = make([]byte, 192) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			claim := tr.claim(1, 4, 12)
			w := cut(claim.Proof)
			c.bend(&claim, &w)
			claim.Proof = w.bytes()
			wantRule(t, "Check", check(claim), c.rule)
			if _, err := reference.OpenHeader(claim.ID, w.header); err != nil {
				return
			}
			if reference.CheckProof(claim.ID, tr.positions(claim.At), claim.Slices, claim.Proof) == nil && !oddPos(tr, claim.At) {
				t.Error("the second model accepts it")
			}
		})
	}
}

// oddPos reports whether positions do not stand for at.
func oddPos(tr *tree, at []commit.Pos) bool {
	return !slices.Equal(at, tr.at(tr.positions(at)...))
}

// sendMixed is the proof of 1, 4 and 12 where the node above 0:4 and three places of
// padding is sent in place of what it has of the set: as if 4 were not in it.
func sendMixed(tr *tree) wire {
	w := cut(tr.b.Proof([]int64{1, 4, 12}))
	mixed := tr.b.Node(2, 1)
	w.nodes = slices.Insert(w.nodes, 2, mixed[:])
	return w
}

// TestCheckEveryByte changes each byte of a proof and of its slices.
func TestCheckEveryByte(t *testing.T) {
	tr := smallTree(t)
	whole := tr.claim(1, 4, 12)
	positions := 72
	nodes := positions + 3*8
	for i := range whole.Proof {
		for _, x := range []byte{1, 0x80, 0xff} {
			c := whole
			c.Proof = bytes.Clone(whole.Proof)
			c.Proof[i] ^= x
			err := check(c)
			name := fmt.Sprintf("byte %d ^ %#x", i, x)
			switch {
			case i < 4:
				wantRule(t, name, err, commit.ProofMagic)
			case i < 68:
				wantRule(t, name, err, commit.HeaderID)
			case i < nodes:
				var r commit.Rule
				if !errors.As(err, &r) || !slices.Contains([]commit.Rule{
					commit.SetCount, commit.SetRange, commit.SetOrder, commit.SetOther, commit.ProofSize,
				}, r) {
					t.Errorf("%s: %v, want an error about the set", name, err)
				}
			default:
				wantRule(t, name, err, commit.ProofRoot)
			}
		}
	}
	for j, s := range whole.Slices {
		for i := range s {
			c := whole
			c.Slices = slices.Clone(whole.Slices)
			c.Slices[j] = bytes.Clone(s)
			c.Slices[j][i] ^= 1 << (i % 8)
			wantRule(t, fmt.Sprintf("byte %d of slice %v", i, c.At[j]), check(c), commit.ProofRoot)
		}
	}
}

// TestCheckCut cuts a proof at every length.
func TestCheckCut(t *testing.T) {
	c := smallTree(t).claim(1, 4, 12)
	whole := c.Proof
	for n := range whole {
		c.Proof = whole[:n]
		wantRule(t, fmt.Sprintf("%d of %d bytes", n, len(whole)), check(c), commit.ProofSize)
	}
}

// TestCheckNothing gives Check nothing, and claims that are mostly nil.
func TestCheckNothing(t *testing.T) {
	if err := proof.Check(nil); err != nil {
		t.Errorf("no claims: %v", err)
	}
	tr := smallTree(t)
	whole := tr.claim(1, 4, 12)
	for mask := range 1 << 4 {
		var c proof.Claim
		want := commit.ProofSize
		if mask&1 != 0 {
			c.ID = whole.ID
		}
		if mask&2 != 0 {
			c.At = whole.At
		}
		if mask&4 != 0 {
			c.Slices = whole.Slices
		}
		if mask&8 != 0 {
			c.Proof = whole.Proof
			want = commit.SetOther
			if mask&1 == 0 {
				want = commit.HeaderID
			}
		}
		if mask == 15 {
			continue
		}
		wantRule(t, fmt.Sprintf("parts %04b", mask), check(c), want)
	}
	empty := newTree(t, reference.Make(reference.Params{K: 3, N: 5, SliceSize: 192}, nil))
	w := wire{magic: "TPP1", header: empty.b.Bytes()}
	w.setPositions(0)
	c := proof.Claim{ID: empty.id(), At: []commit.Pos{{}}, Slices: [][]byte{nil}, Proof: w.bytes()}
	wantRule(t, "a slice of the empty blob", check(c), commit.SetRange)
}

// TestCheckErr wants the error of an earlier Check gone.
func TestCheckErr(t *testing.T) {
	c := smallTree(t).claim(0)
	c.Err = errLost
	if err := check(c); err != nil {
		t.Errorf("the claim kept %v", err)
	}
}

// TestCheckInnerNode passes an inner node off as a leaf: what was hashed to it is not
// what a leaf is hashed from.
func TestCheckInnerNode(t *testing.T) {
	// Slices as long as two hashes.
	tr := makeTree(t, commit.Params{K: 4, N: 8, SliceSize: 64}, 3, 256)
	l, r := tr.b.Leaves[0], tr.b.Leaves[1]
	pair := slices.Concat(l[:], r[:])
	preimage := slices.Concat([]byte("LEFT"), l[:], []byte("RIGHT"), r[:])
	short := cut(tr.b.Proof([]int64{0}))
	short.nodes = short.nodes[:len(short.nodes)-1] // of a tree one lower, as if the pair were the leaf
	for _, c := range []struct {
		name  string
		slice []byte
		proof []byte
		rule  commit.Rule
	}{
		{"l || r, path of the pair", pair, short.bytes(), commit.ProofSize},
		{"l || r, path of the leaf", pair, tr.b.Proof([]int64{0}), commit.ProofRoot},
		{"preimage, path of the pair", preimage, short.bytes(), commit.ProofSize},
		{"preimage, path of the leaf", preimage, tr.b.Proof([]int64{0}), commit.SliceSize},
		{"leaf preimage", slices.Concat([]byte("LEAF"), tr.b.Slices[0]), tr.b.Proof([]int64{0}), commit.SliceSize},
		{"leaf hash", l[:], tr.b.Proof([]int64{0}), commit.SliceSize},
	} {
		err := check(proof.Claim{ID: tr.id(), At: tr.at(0), Slices: [][]byte{c.slice}, Proof: c.proof})
		wantRule(t, c.name, err, c.rule)
	}
}

// TestCheckOtherBlob holds a proof against blobs that differ in one thing, whose IDs are
// right for what they say: a proof is of one ID, and of one shape.
func TestCheckOtherBlob(t *testing.T) {
	tr := makeTree(t, commit.Params{K: 3, N: 6, SliceSize: 192}, 4, 3*192*6)
	whole := tr.claim(2, 17)
	for _, c := range []struct {
		name   string
		change func(h *reference.Header)
		rule   commit.Rule // of the same proof with the other header, under the other ID
	}{
		{"k and n swapped", func(h *reference.Header) { h.K, h.N = h.N, h.K }, commit.HeaderCode},
		{"n - 1", func(h *reference.Header) { h.N-- }, commit.SetOther},
		{"n + 1", func(h *reference.Header) { h.N++ }, commit.SetOther},
		{"k - 1, a higher tree", func(h *reference.Header) { h.K-- }, commit.ProofSize},
		{"k + 1", func(h *reference.Header) { h.K++ }, commit.ProofRoot},
		{"slice size - 64, a higher tree", func(h *reference.Header) { h.SliceSize -= 64 }, commit.ProofSize},
		{"slice size + 64", func(h *reference.Header) { h.SliceSize += 64 }, commit.SliceSize},
		{"length of one group more", func(h *reference.Header) { h.Length += 576 }, commit.ProofSize},
		{"length of a group less", func(h *reference.Header) { h.Length -= 576 }, commit.ProofRoot},
		{"another root", func(h *reference.Header) { h.Root[0] ^= 1 }, commit.ProofRoot},
	} {
		t.Run(c.name, func(t *testing.T) {
			header := otherHeader(tr.b, c.change)

			claim := whole
			claim.ID = idOf(header)
			wantRule(t, "the proof as it is", check(claim), commit.HeaderID)

			w := cut(whole.Proof)
			w.header = header
			claim.Proof = w.bytes()
			wantRule(t, "the other header", check(claim), c.rule)

			claim.ID = whole.ID
			wantRule(t, "the other header for the blob", check(claim), commit.HeaderID)
		})
	}

	// Another length that leaves the shape alone gives the same tree; it is the ID that
	// keeps the two apart.
	for _, d := range []int64{-1, 1} {
		p := reference.Params{K: 3, N: 6, SliceSize: 192}
		a := reference.Make(p, make([]byte, 1000))
		b := reference.Make(p, make([]byte, 1000+d))
		if a.Root != b.Root {
			t.Fatal("blobs of zeros with other roots")
		}
		c := newTree(t, a).claim(3)
		c.ID = b.ID()
		wantRule(t, fmt.Sprintf("length %+d", d), check(c), commit.HeaderID)
	}
}

// TestCheckOtherPlace moves proofs within a blob of several runs.
func TestCheckOtherPlace(t *testing.T) {
	tr := runTree(t, 2)
	for _, from := range []int64{0, 7, 200} {
		for _, add := range []int64{1, 3, 32, 96, 192} { // a lane, a group, the places of one, 32 groups, a run
			c := tr.claim(from)
			c.At = tr.at(from + add)
			wantRule(t, fmt.Sprintf("%d as %d", from, from+add), check(c), commit.SetOther)

			w := cut(c.Proof)
			w.setPositions(uint64(from + add))
			c.Proof = w.bytes()
			if err := check(c); !errors.Is(err, commit.ProofRoot) && !errors.Is(err, commit.ProofSize) {
				t.Errorf("%d passed off as %d: %v", from, from+add, err)
			}
		}
	}
}

// TestCheckPieces puts pieces of valid proofs together, as a fuzzer seldom does.
func TestCheckPieces(t *testing.T) {
	tr := smallTree(t)
	rng := rand.New(rand.NewPCG(40, 40))
	sets := [][]int64{{0}, {1}, {1, 4, 12}, {0, 1, 2, 3, 4}, {5, 6}, {10, 14}, {3, 8, 13}}
	var pieces [][]byte
	for _, set := range sets {
		b := tr.b.Proof(set)
		for ; len(b) > 0; b = b[min(len(b), 8):] {
			pieces = append(pieces, b[:min(len(b), 8)])
		}
	}
	accepted := 0
	for range 5_000 {
		set := sets[rng.IntN(len(sets))]
		b := tr.b.Proof(set)
		for range rng.IntN(3) {
			piece := pieces[rng.IntN(len(pieces))]
			at := 68 + 4*rng.IntN((len(b)-68)/4)
			switch rng.IntN(3) {
			case 0:
				copy(b[at:], piece)
			case 1:
				b = slices.Insert(b, at, piece...)
			case 2:
				b = slices.Delete(b, at, min(len(b), at+8))
			}
		}
		at := tr.at(set...)
		claim := proof.Claim{ID: tr.id(), At: at, Slices: tr.bodies(at), Proof: b}
		err := check(claim)
		if rerr := reference.CheckProof(tr.id(), set, claim.Slices, b); (err == nil) != (rerr == nil) {
			t.Fatalf("%x: %v, the second model says %v", b, err, rerr)
		}
		if err == nil {
			accepted++
			if !bytes.Equal(b, tr.b.Proof(set)) {
				t.Fatalf("%x is accepted for %v", b, set)
			}
		}
	}
	t.Logf("%d accepted, all of them the proof", accepted)
}
