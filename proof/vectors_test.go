package proof_test

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference/vectors"
	"github.com/tapecommit/tapecommit/proof"
)

// TestVectors makes and checks every proof, bundle, range and audit of blob.json.
func TestVectors(t *testing.T) {
	cases, _ := vectors.ReadBlobs(t)
	var sets, ranges, audits int
	for _, c := range cases {
		if len(c.Sets)+len(c.Ranges)+len(c.Audits) == 0 {
			continue
		}
		tr := makeTree(t, commit.Params{K: c.K, N: c.N, SliceSize: c.SliceSize}, c.Seed, c.Len)
		id := commit.ID(c.ID)
		if tr.Header().ID() != id {
			t.Fatalf("case %v has another ID", c.ID)
		}
		for _, s := range c.Sets {
			sets++
			checkSetVector(t, tr, s)
		}
		for _, r := range c.Ranges {
			ranges++
			var b bytes.Buffer
			cover := tr.Header().Cover(r.First, r.Last-r.First+1)
			if err := proof.Write(t.Context(), &b, tr, cover); err != nil {
				t.Fatal(err)
			}
			if b.Len() != r.Len || sha256.Sum256(b.Bytes()) != r.SHA256 {
				t.Errorf("%v, range %d-%d: other bytes", c.ID, r.First, r.Last)
			}
			for _, want := range []func(func(commit.Pos) bool){cover, nil} {
				n := 0
				for s, err := range proof.Open(id, bytes.NewReader(b.Bytes()), want) {
					if err != nil {
						t.Fatalf("%v, range %d-%d: %v", c.ID, r.First, r.Last, err)
					}
					if !bytes.Equal(s.Bytes(), tr.b.Slices[tr.Header().Position(s.Pos())]) {
						t.Errorf("%v, range %d-%d: slice %v is another", c.ID, r.First, r.Last, s.Pos())
					}
					n++
				}
				if n != len(slices.Collect(cover)) {
					t.Errorf("%v, range %d-%d: %d slices", c.ID, r.First, r.Last, n)
				}
			}
		}
		for _, a := range c.Audits {
			audits++
			checkAuditVector(t, tr, a)
		}
	}
	if sets != 220 || ranges != 176 || audits != 322 {
		t.Errorf("%d sets, %d ranges and %d audits, want 220, 176 and 322", sets, ranges, audits)
	}
	t.Logf("%d sets, %d ranges, %d audits", sets, ranges, audits)
}

func checkSetVector(t *testing.T, tr *tree, s vectors.Set) {
	t.Helper()
	at := tr.at(s.Positions...)
	b := tr.prove(at)
	if sha256.Sum256(b) != s.ProofSHA256 || s.Proof != nil && !bytes.Equal(b, s.Proof) {
		t.Errorf("%v: the proof of %v has other bytes", tr.m.ID(), s.Positions)
	}
	if nodes := (len(b) - 72 - 8*len(at)) / 32; nodes != s.Nodes {
		t.Errorf("%v: the proof of %v has %d nodes, want %d", tr.m.ID(), s.Positions, nodes, s.Nodes)
	}
	if err := proof.Check([]proof.Claim{{ID: tr.m.ID(), At: at, Slices: tr.bodies(at), Proof: b}}); err != nil {
		t.Errorf("%v: the proof of %v: %v", tr.m.ID(), s.Positions, err)
	}
	if s.BundleSHA256 == nil {
		return
	}
	var w bytes.Buffer
	if err := proof.Write(t.Context(), &w, tr, slices.Values(at)); err != nil {
		t.Fatal(err)
	}
	if sha256.Sum256(w.Bytes()) != *s.BundleSHA256 {
		t.Errorf("%v: the bundle of %v has other bytes", tr.m.ID(), s.Positions)
	}
	for _, want := range []func(func(commit.Pos) bool){slices.Values(at), nil} {
		var got []commit.Pos
		for s, err := range proof.Open(tr.m.ID(), &w, want) {
			if err != nil {
				t.Fatalf("%v: the bundle of %v: %v", tr.m.ID(), at, err)
			}
			got = append(got, s.Pos())
		}
		if !slices.Equal(got, at) {
			t.Errorf("%v: the bundle of %v gives %v", tr.m.ID(), at, got)
		}
		if err := proof.Write(t.Context(), &w, tr, slices.Values(at)); err != nil { // once more, for the next way
			t.Fatal(err)
		}
	}
}

func checkAuditVector(t *testing.T, tr *tree, a vectors.Audit) {
	t.Helper()
	c := proof.Challenge{ID: tr.m.ID(), Seed: a.Seed, Lanes: commit.Lanes(a.Lanes), Count: a.Count}
	b, err := c.AppendBinary(nil)
	if err != nil || sha256.Sum256(b) != a.ChallengeSHA256 {
		t.Errorf("%v: the challenge has other bytes: %v", tr.m.ID(), err)
	}
	if got, err := proof.ParseChallenge(b); err != nil || got != c {
		t.Errorf("%v: the challenge is parsed as %+v, %v", tr.m.ID(), got, err)
	}
	at, err := c.Samples(tr.Header())
	if err != nil || !slices.Equal(at, tr.at(a.Positions...)) {
		t.Fatalf("%v: samples %v, %v, want %v", tr.m.ID(), at, err, a.Positions)
	}
	for _, without := range []bool{false, true} {
		want := [32]byte(a.AnswerSHA256)
		if without {
			want = a.WithoutFirstSHA256
			tr.lost = map[int64]bool{a.Positions[0]: true}
		}
		var w bytes.Buffer
		err := c.Answer(t.Context(), &w, tr)
		tr.lost = nil
		if err != nil || sha256.Sum256(w.Bytes()) != want {
			t.Errorf("%v: the answer has other bytes: %v", tr.m.ID(), err)
		}
		samples, err := c.Judge(&w)
		if err != nil || len(samples) != len(at) {
			t.Fatalf("%v: %d verdicts, %v", tr.m.ID(), len(samples), err)
		}
		for i, s := range samples {
			want := proof.Good
			if without && i == 0 {
				want = proof.Absent
			}
			if s.Pos != at[i] || s.Verdict != want {
				t.Errorf("%v: sample %d is %v %v, want %v %v", tr.m.ID(), i, s.Pos, s.Verdict, at[i], want)
			}
		}
	}
}
