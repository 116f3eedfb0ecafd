package reference_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/internal/reference"
)

// small is a blob of three groups, the last of them short.
func small() *reference.Blob {
	return reference.Make(reference.Params{K: 3, N: 5, SliceSize: 192}, reference.Stream(1, 1252))
}

// wrong yields b with each byte changed, cut at each length, and with a byte more.
func wrong(b []byte, yield func(what string, b []byte)) {
	for i := range b {
		other := bytes.Clone(b)
		other[i] ^= 0x41
		yield(fmt.Sprintf("byte %d of %d changed", i, len(b)), other)
		yield(fmt.Sprintf("%d bytes of %d", i, len(b)), b[:i:i])
	}
	yield("a byte more", append(bytes.Clone(b), 0))
}

func TestWrongBytes(t *testing.T) {
	b := small()
	id := b.ID()
	set := []int64{1, 4, 12}
	pieces := [][]byte{b.Slices[1], b.Slices[4], b.Slices[12]}
	c := reference.Challenge{ID: id, Seed: reference.Hash{7}, Lanes: 0b10110, Count: 6}
	off := bytes.Clone(b.Slices[9])
	off[0]++
	bad := reference.Commit(b.Params, b.Length, slices.Concat(b.Slices[:9], [][]byte{off}, b.Slices[10:]))

	for _, form := range []struct {
		name  string
		bytes []byte
		check func([]byte) error
	}{
		{"header", b.Header.Bytes(), func(in []byte) error {
			_, err := reference.OpenHeader(id, in)
			return err
		}},
		{"proof", b.Proof(set), func(in []byte) error {
			return reference.CheckProof(id, set, pieces, in)
		}},
		{"bundle", b.Bundle(set), func(in []byte) error {
			_, _, err := reference.OpenBundles(id, in, set)
			return err
		}},
		{"range", b.Range(100, 900), func(in []byte) error {
			_, _, err := reference.OpenBundles(id, in, nil)
			return err
		}},
		{"answer", b.Answer(c, nil), func(in []byte) error {
			verdicts, err := reference.Judge(c, in)
			if err == nil && !slices.Equal(verdicts, slices.Repeat([]reference.Verdict{reference.Good}, c.Count)) {
				err = fmt.Errorf("verdicts %v", verdicts)
			}
			return err
		}},
		{"evidence", bad.Evidence(1, []int{0, 1, 4}), func(in []byte) error {
			_, err := reference.CheckEvidence(bad.ID(), in)
			return err
		}},
	} {
		t.Run(form.name, func(t *testing.T) {
			if err := form.check(form.bytes); err != nil {
				t.Fatal(err)
			}
			wrong(form.bytes, func(what string, in []byte) {
				if form.check(in) == nil {
					t.Errorf("accepted: %s", what)
				}
			})
		})
	}
}

// TestHeaders refuses headers that are well hashed but break a rule.
func TestHeaders(t *testing.T) {
	le32, le64 := binary.LittleEndian.PutUint32, binary.LittleEndian.PutUint64
	for name, change := range map[string]func(b []byte){
		"magic":                 func(b []byte) { b[3] = '2' },
		"scheme":                func(b []byte) { b[4] = 2 },
		"codec":                 func(b []byte) { b[5] = 0 },
		"k 0":                   func(b []byte) { b[6] = 0 },
		"k = n":                 func(b []byte) { b[6] = 5 },
		"n over 20":             func(b []byte) { b[7] = 21 },
		"slices of 0":           func(b []byte) { le32(b[8:], 0) },
		"slices of 4160":        func(b []byte) { le32(b[8:], 4160) },
		"slices of 100":         func(b []byte) { le32(b[8:], 100) },
		"slices of 2^31+192":    func(b []byte) { le32(b[8:], 1<<31+192) },
		"not zero":              func(b []byte) { b[15] = 1 },
		"a group less":          func(b []byte) { le64(b[24:], 2) },
		"a group more":          func(b []byte) { le64(b[24:], 4) },
		"length of 4 groups":    func(b []byte) { le64(b[16:], 3*576+1) },
		"length 2^64-1":         func(b []byte) { le64(b[16:], math.MaxUint64) },
		"length 2^64-1, no g":   func(b []byte) { le64(b[16:], math.MaxUint64); le64(b[24:], 0) },
		"more than 2^27 groups": func(b []byte) { le64(b[16:], 576<<27+1); le64(b[24:], 1<<27+1) },
		"empty, with a root":    func(b []byte) { le64(b[16:], 0); le64(b[24:], 0) },
	} {
		t.Run(name, func(t *testing.T) {
			header := small().Header.Bytes()
			change(header)
			if h, err := reference.OpenHeader(named(header), header); err == nil {
				t.Errorf("accepted: %+v", h)
			}
		})
	}
	most := small().Header.Bytes()
	le64(most[16:], 576<<27)
	le64(most[24:], 1<<27)
	if h, err := reference.OpenHeader(named(most), most); err != nil || h.Height() != 32 {
		t.Errorf("2^27 groups: height %d, %v", h.Height(), err)
	}
}

// TestSets refuses sets that no blob has, beside all that proves the part of them that one has.
func TestSets(t *testing.T) {
	b := small()
	for name, set := range map[string][]int64{
		"none":           {},
		"descending":     {4, 1},
		"repeated":       {4, 4},
		"beyond":         {4, 15},
		"2^32 beyond":    {4, 1<<32 + 4},
		"negative":       {-1, 4},
		"2^63 and above": {math.MinInt64, 4},
	} {
		t.Run(name, func(t *testing.T) {
			there := slices.DeleteFunc(slices.Clone(set), func(p int64) bool { return p < 0 || p >= b.Positions() })
			slices.Sort(there)
			if there = slices.Compact(there); len(there) == 0 {
				there = []int64{0}
			}
			var pieces [][]byte
			for i := range set {
				pieces = append(pieces, b.Slices[there[min(i, len(there)-1)]])
			}
			if err := reference.CheckProof(b.ID(), set, pieces, proofOf(b, set, b.Nodes(there))); err == nil {
				t.Error("accepted")
			}
		})
	}
}

// proofOf is a proof of any positions by any nodes.
func proofOf(b *reference.Blob, set []int64, nodes []reference.Hash) []byte {
	proof := append([]byte("TPP1"), b.Header.Bytes()...)
	proof = binary.LittleEndian.AppendUint32(proof, uint32(len(set)))
	for _, position := range set {
		proof = binary.LittleEndian.AppendUint64(proof, uint64(position))
	}
	for _, hash := range nodes {
		proof = append(proof, hash[:]...)
	}
	return proof
}

// TestLargestSet takes 65,536 positions and refuses one more.
func TestLargestSet(t *testing.T) {
	const groups = 3277
	b := reference.Make(reference.Params{K: 1, N: 20, SliceSize: 64}, reference.Stream(3, 64*groups))
	set := make([]int64, 65536)
	for i := range set {
		set[i] = int64(i)
	}
	nodes := b.Nodes(set)
	if err := reference.CheckProof(b.ID(), set, b.Slices[:65536], proofOf(b, set, nodes)); err != nil {
		t.Error(err)
	}
	set = append(set, 65536) // slice 16 of the last group, so that 17 is left, and 18 and 19 together
	nodes = []reference.Hash{b.Leaves[65537], reference.Join(b.Leaves[65538], b.Leaves[65539])}
	if err := reference.CheckProof(b.ID(), set, b.Slices[:65537], proofOf(b, set, nodes)); err == nil {
		t.Error("65,537 positions accepted")
	}
}

// TestSeveralBundles takes a range in several bundles, and nothing else of several.
func TestSeveralBundles(t *testing.T) {
	b := reference.Make(reference.Params{K: 1, N: 2, SliceSize: 64}, reference.Stream(2, 64*64+65))
	if _, _, err := reference.OpenBundles(b.ID(), b.Range(0, b.Length-1), nil); err != nil {
		t.Error(err)
	}
	for name, sets := range map[string][][]int64{
		"a gap":           {{0, 2}, {128}},
		"parity":          {{125, 126}, {128}},
		"two of one run":  {{0}, {2}},
		"the same twice":  {{0}, {0}},
		"backwards":       {{128}, {126}},
		"parity at start": {{127}, {128}},
	} {
		var in []byte
		for _, set := range sets {
			in = append(in, b.Bundle(set)...)
		}
		if at, _, err := reference.OpenBundles(b.ID(), in, nil); err == nil {
			t.Errorf("%s accepted: %v", name, at)
		}
	}
	set := []int64{0, 128}
	both := append(b.Proof(set), slices.Concat(b.Slices[0], b.Slices[128])...)
	for _, want := range [][]int64{nil, set} {
		if _, _, err := reference.OpenBundles(b.ID(), both, want); err == nil {
			t.Error("one bundle of two runs accepted")
		}
	}
	if _, _, err := reference.OpenBundles(b.ID(), nil, nil); err == nil {
		t.Error("no bundle accepted")
	}
	if _, _, err := reference.OpenBundles(b.ID(), b.Bundle([]int64{0, 2}), []int64{0}); err == nil {
		t.Error("more than wanted accepted")
	}
}

// TestVerdicts tells a wrong slice from an answer that proves nothing.
func TestVerdicts(t *testing.T) {
	b := small()
	c := reference.Challenge{ID: b.ID(), Lanes: 0b11111, Count: 15}
	off := bytes.Clone(b.Slices[3])
	off[5] ^= 1
	verdicts, err := reference.Judge(c, b.Answer(c, map[int64][]byte{3: off, 14: nil}))
	for i, got := range verdicts {
		want := map[int]reference.Verdict{3: reference.Wrong, 14: reference.Absent}[i]
		if want == "" {
			want = reference.Good
		}
		if got != want {
			t.Errorf("slice %d is %s, want %s", i, got, want)
		}
	}
	if err != nil || len(verdicts) != 15 {
		t.Errorf("%d verdicts, %v", len(verdicts), err)
	}
	answer := b.Answer(c, nil)
	answer[4+64] ^= 1 // the first leaf hash
	verdicts, err = reference.Judge(c, answer)
	if err != nil || !slices.Equal(verdicts, slices.Repeat([]reference.Verdict{reference.Unproven}, 15)) {
		t.Errorf("verdicts %v, %v", verdicts, err)
	}
}

// TestEvidenceLanes refuses evidence from more lanes than k, though they all match.
func TestEvidenceLanes(t *testing.T) {
	good := small()
	off := bytes.Clone(good.Slices[8])
	off[0]++
	b := reference.Commit(good.Params, good.Length, slices.Concat(good.Slices[:8], [][]byte{off}, good.Slices[9:]))
	evidence := b.Evidence(1, []int{0, 1, 2})
	if _, err := reference.CheckEvidence(b.ID(), evidence); err != nil {
		t.Fatal(err)
	}
	evidence[len(evidence)-3*192-4] |= 1 << 4
	evidence = append(evidence, b.Slices[9]...)
	if _, err := reference.CheckEvidence(b.ID(), evidence); err == nil {
		t.Error("four lanes of three accepted")
	}
}

// TestDecode rebuilds a group from every k of its slices.
func TestDecode(t *testing.T) {
	const k, n = 3, 7
	data := [][]byte{reference.Stream(1, 64), reference.Stream(2, 64), reference.Stream(3, 64)}
	group := reference.EncodeGroup(n, data)
	for mask := range uint(1 << n) {
		if bits.OnesCount(mask) < k {
			continue
		}
		lossy := make([][]byte, n)
		for i := range lossy {
			if mask>>i&1 == 1 {
				lossy[i] = group[i]
			}
		}
		if got := reference.DecodeGroup(k, lossy); !slices.EqualFunc(got, data, bytes.Equal) {
			t.Errorf("slices %07b give other data", mask)
		}
	}
}

// named is the ID that a header has, right or not.
func named(header []byte) reference.Hash {
	return sha256.Sum256(append([]byte("BLOB"), header...))
}
