package hostile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/hostile"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof"
	"github.com/tapecommit/tapecommit/proof/evidence"
)

// What a verifier refuses, the other side refuses to make, by the same rule: the functions that make headers,
// challenges, proofs and evidence get the numbers of the vectors that are about numbers.

// refuses wants err to be about a rule, or nil where rule is "".
func refuses(t *testing.T, what, name, rule string, err error) {
	t.Helper()
	if rule == "" && err != nil || rule != "" && !errors.Is(err, commit.Rule(rule)) {
		t.Errorf("%s of %s: %v, want %q", what, name, err, rule)
	}
}

func TestHeadersAreNotMade(t *testing.T) {
	made := []string{"", "header-code", "header-slice-size", "header-length", "header-root"}
	refused := 0
	for _, v := range read[hostile.HeaderIn, hostile.HeaderOut](t, "header") {
		if !slices.Contains(made, v.Rule) {
			continue
		}
		h := fields(v.Input.Header)
		b, err := call(func() ([]byte, error) { return h.AppendBinary(nil) })
		refuses(t, "a header", v.Name, v.Rule, err)
		if v.Rule != "" {
			refused++
		} else if !bytes.Equal(b, v.Input.Header) || h.ID() != commit.ID(v.Input.ID) {
			t.Errorf("%s was made as %x", v.Name, b)
		}
	}
	if refused < 30 {
		t.Errorf("only %d headers were refused", refused)
	}
}

func TestChallengesAreNotMade(t *testing.T) {
	refused := 0
	for _, v := range read[hostile.ChallengeIn, hostile.ChallengeOut](t, "challenge") {
		b := v.Input.Challenge
		if v.Rule != "" && v.Rule != "challenge-lanes" && v.Rule != "challenge-count" {
			continue
		}
		count := binary.LittleEndian.Uint32(b[72:])
		c := proof.Challenge{ID: commit.ID(b[4:]), Seed: [32]byte(b[36:]), Lanes: commit.Lanes(binary.LittleEndian.Uint32(b[68:])), Count: int(count)}
		if uint32(c.Count) != count {
			continue // an int of 32 bits cannot ask for as many
		}
		if _, err := proof.ParseChallenge(b); err != nil {
			_, made := c.AppendBinary(nil)
			refuses(t, "a challenge", v.Name, v.Rule, made)
			refused++
		}
		if v.Input.Header != nil {
			h, err := commit.OpenHeader(idOf(v.Input.Header), v.Input.Header)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Samples(h)
			refuses(t, "samples", v.Name, v.Rule, err)
			err = c.Answer(context.Background(), new(bytes.Buffer), blank{h})
			refuses(t, "an answer", v.Name, v.Rule, err)
		}
	}
	if refused < 10 {
		t.Errorf("only %d challenges were refused", refused)
	}
}

func TestProofsAreNotMade(t *testing.T) {
	refused := 0
	for _, v := range read[hostile.ProofIn, hostile.ProofOut](t, "proof") {
		b := v.Input.Proof
		if v.Rule != "" && v.Rule != "set-count" && v.Rule != "set-order" && v.Rule != "set-range" || len(b) < 68 {
			continue
		}
		h, err := commit.OpenHeader(commit.ID(v.Input.ID), b[4:68])
		if err != nil {
			t.Fatal(err)
		}
		// Those whose own set is what breaks the rule, and not the bytes alone.
		at := posAt(t, v.Input.ID, b, v.Input.At)
		if v.Rule != "" && !slices.Equal(v.Input.At, written(b)) {
			continue
		}
		made, err := proof.Append(context.Background(), nil, blank{h}, at)
		refuses(t, "a proof", v.Name, v.Rule, err)
		if v.Rule != "" {
			refused++
		} else if len(made) != len(b) || !bytes.HasPrefix(b, made[:72+8*len(at)]) {
			t.Errorf("%s was made as %x", v.Name, made)
		}
	}
	if refused < 10 {
		t.Errorf("only %d sets were refused", refused)
	}
	// A Tree with a header that nobody opened.
	for _, v := range read[hostile.HeaderIn, hostile.HeaderOut](t, "header") {
		if v.Rule == "header-length" {
			_, err := proof.Append(context.Background(), nil, blank{fields(v.Input.Header)}, []commit.Pos{{}})
			refuses(t, "a proof", v.Name, v.Rule, err)
		}
	}
	// No vector is so long.
	h := commit.Header{Params: commit.Params{K: 1, N: 2, SliceSize: 64}, Length: 64 * 40000}
	var at []commit.Pos
	for g := range 40000 {
		at = append(at, commit.Pos{Group: g}, commit.Pos{Group: g, Lane: 1})
	}
	_, err := proof.Append(context.Background(), nil, blank{h}, at[:65536])
	refuses(t, "a proof", "65,536 slices", "", err)
	_, err = proof.Append(context.Background(), nil, blank{h}, at[:65537])
	refuses(t, "a proof", "65,537 slices", "set-count", err)
}

// written are the positions of a proof whose count is honest, else nil.
func written(b []byte) []int64 {
	at := []int64{}
	for i := range int(binary.LittleEndian.Uint32(b[68:])) {
		if len(b) < 72+8*i+8 {
			return nil
		}
		at = append(at, int64(binary.LittleEndian.Uint64(b[72+8*i:])))
	}
	return at
}

func TestEvidenceIsNotMade(t *testing.T) {
	refused := 0
	for _, v := range read[hostile.EvidenceIn, hostile.EvidenceOut](t, "evidence") {
		b := v.Input.Evidence
		if v.Rule != "evidence-group" {
			continue
		}
		h, err := commit.OpenHeader(commit.ID(v.Input.ID), b[4:68])
		if err != nil {
			t.Fatal(err)
		}
		group := int64(binary.LittleEndian.Uint64(b[68:]))
		if int64(int(group)) != group {
			continue // an int of 32 bits has no such group
		}
		_, err = evidence.Append(context.Background(), nil, blank{h}, int(group))
		refuses(t, "evidence", v.Name, v.Rule, err)
		refused++
	}
	if refused < 4 {
		t.Errorf("only %d groups were refused", refused)
	}
}

func TestBundlesAreNotMade(t *testing.T) {
	blobs := map[commit.ID]*reference.Blob{}
	for _, b := range []*reference.Blob{
		reference.Make(reference.Params{K: 3, N: 5, SliceSize: 128}, reference.Stream(1, 960)),
		reference.Make(reference.Params{K: 2, N: 3, SliceSize: 64}, reference.Stream(6, 129*128+58)),
	} {
		blobs[b.ID()] = b
	}
	refused := 0
	for _, v := range read[hostile.BundlesIn, hostile.BundlesOut](t, "bundles") {
		if v.Rule != "" && v.Rule != "set-order" || v.Input.Want == nil {
			continue
		}
		tree := stored{t, blobs[commit.ID(v.Input.ID)]}
		var made bytes.Buffer
		err := proof.Write(context.Background(), &made, tree, slices.Values(posAt(t, v.Input.ID, v.Input.Bundles, v.Input.Want)))
		refuses(t, "bundles", v.Name, v.Rule, err)
		if v.Rule != "" {
			refused++
		} else if !bytes.Equal(made.Bytes(), v.Input.Bundles) {
			t.Errorf("%s was made as %x", v.Name, made.Bytes())
		}
	}
	if refused < 3 {
		t.Errorf("only %d sets were refused", refused)
	}
}

// stored is a proof.Tree over a blob of the second model.
type stored struct {
	t *testing.T
	b *reference.Blob
}

func (s stored) Header() commit.Header {
	h, err := commit.OpenHeader(s.b.ID(), s.b.Header.Bytes())
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

func (s stored) Slices(_ context.Context, at iter.Seq[commit.Pos]) iter.Seq2[proof.Slice, error] {
	h, objects := s.Header(), s.b.Objects()
	w, err := openWindow(idBytes(s.b), objects["manifest"], 0, objects["roots"])
	if err != nil {
		s.t.Fatal(err)
	}
	var l proof.Leaves
	if bad := l.Load(w, 0, hashesOf(objects["leaves"])); bad != nil {
		s.t.Fatalf("groups %v have leaf hashes of no use", bad)
	}
	return func(yield func(proof.Slice, error) bool) {
		for p := range at {
			var one [1]proof.Slice
			l.Open(one[:], []commit.Pos{p}, [][]byte{s.b.Slices[h.Position(p)]})
			if !yield(one[0], nil) {
				return
			}
		}
	}
}

func (s stored) Hashes(_ context.Context, dst []commit.Hash, at []commit.Node) error {
	for i, n := range at {
		dst[i] = s.b.Node(n.Height, n.Index)
	}
	return nil
}

func idBytes(b *reference.Blob) []byte {
	id := b.ID()
	return id[:]
}

// blank is a proof.Tree of nothing but a header: its hashes are zeros and it has no slices.
type blank struct{ h commit.Header }

func (b blank) Header() commit.Header { return b.h }

func (b blank) Slices(_ context.Context, at iter.Seq[commit.Pos]) iter.Seq2[proof.Slice, error] {
	return func(yield func(proof.Slice, error) bool) {
		for range at {
			if !yield(proof.Slice{}, errors.New("no slice")) {
				return
			}
		}
	}
}

func (b blank) Hashes(_ context.Context, dst []commit.Hash, _ []commit.Node) error {
	clear(dst)
	return nil
}
