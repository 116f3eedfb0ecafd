package evidence_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof/evidence"
)

// Positions in the blobs here: group 0 has 0 to 5, group 1 has 6 to 11, group 2, which is
// short, has 12 to 17. Slice 13 has 6 bytes of plaintext, slice 14 none.

// TestAppend makes evidence of badly coded groups from every choice of k lanes.
func TestAppend(t *testing.T) {
	encode := func(group int, data ...[]byte) func([][]byte) {
		return func(all [][]byte) { copy(all[6*group:], reference.EncodeGroup(6, data)) }
	}
	for _, c := range []struct {
		name   string
		group  int
		change func([][]byte)
		first  evidence.Finding // of the first k lanes
	}{
		{"parity wrong", 0, xor(4, 0, 1), evidence.Finding{Wrong: 1 << 4}},
		{"last byte of parity wrong", 1, xor(11, 127, 0x80), evidence.Finding{Wrong: 1 << 5}},
		{"all parity wrong", 1, both(xor(9, 3, 1), xor(10, 7, 2), xor(11, 9, 3)), evidence.Finding{Wrong: 0b111000}},
		{"parity swapped", 0, func(all [][]byte) { all[3], all[4] = all[4], all[3] }, evidence.Finding{Wrong: 0b011000}},
		{"parity of another group", 0, func(all [][]byte) { all[5] = all[11] }, evidence.Finding{Wrong: 1 << 5}},
		{"parity of zeros", 0, func(all [][]byte) { clear(all[3]) }, evidence.Finding{Wrong: 1 << 3}},
		{"data replaced", 0, xor(1, 100, 0xff), evidence.Finding{Wrong: 0b111000}},
		{"parity of the short group wrong", 2, xor(16, 63, 1), evidence.Finding{Wrong: 1 << 4}},
		{"padding not zero", 2, func(all [][]byte) {
			all[13][6] = 1 // the first byte behind the plaintext
			encode(2, all[12:15]...)(all)
		}, evidence.Finding{Padding: true}},
		{"last byte of padding not zero", 2, func(all [][]byte) {
			all[14][63] = 0x80
			encode(2, all[12:15]...)(all)
		}, evidence.Finding{Padding: true}},
		{"padding changed after coding", 2, xor(14, 5, 1), evidence.Finding{Wrong: 0b111000, Padding: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := bad(c.change)
			c.first.Group = c.group
			for _, lanes := range masks(tr.b.K, tr.b.N) {
				tr.lost = 0b111111 &^ lanes
				got, err := evidence.Append(t.Context(), []byte("before"), tr, c.group)
				want := tr.b.Evidence(int64(c.group), lanesOf(lanes))
				if err != nil || !bytes.Equal(got, append([]byte("before"), want...)) {
					t.Fatalf("lanes %#b: %d bytes, %v, want %d", lanes, len(got), err, len(want))
				}
				f, err := evidence.Check(tr.id(), want)
				rf, rerr := reference.CheckEvidence(tr.id(), want)
				if err != nil || rerr != nil || f != finding(rf) {
					t.Errorf("lanes %#b: %+v, %v, want %+v, %v", lanes, f, err, rf, rerr)
				}
				if lanes == 0b111 && f != c.first {
					t.Errorf("%+v, want %+v", f, c.first)
				}
				if f.Wrong&lanes != 0 {
					t.Errorf("lanes %#b do not follow from themselves: %+v", lanes, f)
				}
			}
			tr.lost = 0 // the first k of all
			if got, err := evidence.Append(t.Context(), nil, tr, c.group); err != nil || !bytes.Equal(got, tr.b.Evidence(int64(c.group), []int{0, 1, 2})) {
				t.Errorf("of all lanes: %d bytes, %v", len(got), err)
			}
			for g := range int(tr.b.Groups()) {
				if g == c.group {
					continue
				}
				if _, err := evidence.Append(t.Context(), nil, tr, g); !errors.Is(err, evidence.ErrHonest) {
					t.Errorf("group %d, which is well coded: %v", g, err)
				}
			}
		})
	}
}

func finding(f reference.Finding) evidence.Finding {
	return evidence.Finding{Group: int(f.Group), Wrong: commit.Lanes(f.Wrong), Padding: f.Padding}
}

// TestHonest makes no evidence against a well coded blob, from any lanes, and takes none.
func TestHonest(t *testing.T) {
	tr := honest()
	for g := range int(tr.b.Groups()) {
		for _, lanes := range masks(tr.b.K, tr.b.N) {
			tr.lost = 0b111111 &^ lanes
			b, err := evidence.Append(t.Context(), nil, tr, g)
			if !errors.Is(err, evidence.ErrHonest) || b != nil {
				t.Errorf("group %d, lanes %#b: %d bytes, %v", g, lanes, len(b), err)
			}
			_, err = evidence.Check(tr.id(), tr.b.Evidence(int64(g), lanesOf(lanes)))
			wantRule(t, "what would be evidence", err, commit.EvidenceHonest)
		}
	}
}

// TestFew accuses nobody with fewer than k slices, of a good group or a bad one.
func TestFew(t *testing.T) {
	for name, tr := range map[string]tree{"honest": honest(), "bad": bad(xor(4, 0, 1))} {
		for few := range tr.b.K {
			for _, lanes := range masks(few, tr.b.N) {
				tr.lost = 0b111111 &^ lanes
				if b, err := evidence.Append(t.Context(), nil, tr, 0); !errors.Is(err, evidence.ErrFew) || b != nil {
					t.Errorf("%s, lanes %#b: %d bytes, %v", name, lanes, len(b), err)
				}
			}
		}
	}
}

// TestAppendFails passes on what keeps Append from making evidence.
func TestAppendFails(t *testing.T) {
	tr := bad(xor(4, 0, 1))
	for _, g := range []int{-1, 3, 1 << 30} {
		_, err := evidence.Append(t.Context(), nil, tr, g)
		wantRule(t, "a group that is not there", err, commit.EvidenceGroup)
	}
	empty := tree{b: reference.Make(params, nil)}
	_, err := evidence.Append(t.Context(), nil, empty, 0)
	wantRule(t, "a group of the empty blob", err, commit.EvidenceGroup)

	tr.noHashes = errors.New("leaf hashes lost")
	if b, err := evidence.Append(t.Context(), nil, tr, 0); !errors.Is(err, tr.noHashes) || b != nil {
		t.Errorf("without hashes: %d bytes, %v", len(b), err)
	}
	tr.noHashes = nil
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if b, err := evidence.Append(ctx, nil, tr, 0); !errors.Is(err, context.Canceled) || b != nil {
		t.Errorf("cancelled: %d bytes, %v", len(b), err)
	}
}

// TestRandom bends a byte or none of each group of blobs of any code, and compares what
// is found with the second model.
func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 25 {
		n := 2 + rng.IntN(19)
		p := reference.Params{K: 1 + rng.IntN(n-1), N: n, SliceSize: 64 * (1 + rng.IntN(2))}
		group := p.K * p.SliceSize
		tr := tree{b: reference.Make(p, reference.Stream(rng.Uint64(), 3*group+1+rng.IntN(group)))}
		all := tr.b.Slices
		bent := make([]bool, tr.b.Groups())
		for g := range bent {
			if bent[g] = rng.IntN(2) == 0; bent[g] {
				s := all[g*n+rng.IntN(n)]
				s[rng.IntN(len(s))] ^= 1 << rng.IntN(8)
			}
		}
		tr.b = reference.Commit(p, tr.b.Length, all)
		for g := range bent {
			for lost := commit.Lanes(0); lost.Len() < n-p.K; { // one lane after the other
				tr.lost = lost
				b, err := evidence.Append(t.Context(), nil, tr, g)
				if !bent[g] {
					if !errors.Is(err, evidence.ErrHonest) {
						t.Errorf("%+v, group %d, without %#b: %v", p, g, lost, err)
					}
					break
				}
				f, cerr := evidence.Check(tr.id(), b)
				rf, rerr := reference.CheckEvidence(tr.id(), b)
				if err != nil || cerr != nil || rerr != nil || f != finding(rf) {
					t.Errorf("%+v, group %d, without %#b: %v, %v, %v: %+v, want %+v", p, g, lost, err, cerr, rerr, f, rf)
				}
				lost |= 1 << rng.IntN(n)
			}
		}
	}
}
