package hostile_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/hostile"
	"github.com/tapecommit/tapecommit/proof"
	"github.com/tapecommit/tapecommit/proof/evidence"
)

// judge compares what the verifier says of each vector of a kind with what the vector says.
func judge[I, R any](t *testing.T, kind string, verify func(*testing.T, I) (R, error)) {
	t.Run(kind, func(t *testing.T) {
		for _, v := range read[I, R](t, kind) {
			t.Run(v.Name, func(t *testing.T) {
				got, err := call(func() (R, error) { return verify(t, v.Input) })
				var rule commit.Rule
				switch {
				case v.Rule != "" && (!errors.As(err, &rule) || string(rule) != v.Rule):
					t.Errorf("%v, %v; want an error about %s", got, err, v.Rule)
				case v.Rule == "" && (err != nil || !reflect.DeepEqual(got, *v.Result)):
					t.Errorf("%v, %v; want %v", got, err, *v.Result)
				}
			})
		}
	})
}

// call makes a panic an error, so that the other vectors are still tried.
func call[R any](f func() (R, error)) (r R, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

// TestVectors gives each vector to the verifier of this repository.
func TestVectors(t *testing.T) {
	judge(t, "header", verifyHeader)
	judge(t, "manifest", verifyManifest)
	judge(t, "window", verifyWindow)
	judge(t, "group", verifyGroup)
	judge(t, "proof", verifyProof)
	judge(t, "bundles", verifyBundles)
	judge(t, "challenge", verifyChallenge)
	judge(t, "answer", verifyAnswer)
	judge(t, "evidence", verifyEvidence)
}

func verifyHeader(t *testing.T, in hostile.HeaderIn) (out hostile.HeaderOut, err error) {
	h, err := commit.OpenHeader(commit.ID(in.ID), in.Header)
	if err != nil {
		return out, err
	}
	out = hostile.HeaderOut{K: h.K, N: h.N, SliceSize: h.SliceSize, Length: h.Length, Groups: int64(h.Groups())}
	if h.Groups() > 0 {
		out.LastSlice = h.SizeOf(h.Groups() - 1)
	}
	return out, nil
}

func verifyManifest(t *testing.T, in hostile.ManifestIn) (out hostile.ManifestOut, err error) {
	m, err := commit.OpenManifest(commit.ID(in.ID), in.Manifest)
	if err != nil {
		return out, err
	}
	b, err := m.AppendBinary(nil)
	if err != nil || !bytes.Equal(b, in.Manifest) || m.ID() != commit.ID(in.ID) {
		t.Errorf("the manifest became %x of %v, %v", b, m.ID(), err)
	}
	h := m.Header()
	return hostile.ManifestOut{Groups: int64(h.Groups()), Nodes: int(h.ManifestLen()-commit.HeaderLen) / 32}, nil
}

func openWindow(id, manifest []byte, window int, roots []byte) (*commit.Window, error) {
	m, err := commit.OpenManifest(commit.ID(id), manifest)
	if err != nil {
		return nil, err
	}
	return m.OpenWindow(window, hashesOf(roots))
}

func hashesOf(b []byte) []commit.Hash {
	var all []commit.Hash
	for ; len(b) > 0; b = b[32:] {
		all = append(all, commit.Hash(b))
	}
	return all
}

func verifyWindow(t *testing.T, in hostile.WindowIn) (out hostile.WindowOut, err error) {
	w, err := openWindow(in.ID, in.Manifest, in.Window, in.Roots)
	if err != nil {
		return out, err
	}
	return hostile.WindowOut{First: int64(w.First()), Groups: len(w.Roots())}, nil
}

// reused are Leaves that hold one group after another, as a reader has them.
var reused, retried proof.Leaves

func verifyGroup(t *testing.T, in hostile.GroupIn) (out hostile.GroupOut, err error) {
	w, err := openWindow(in.ID, in.Manifest, in.Window, in.Roots)
	if err != nil {
		return out, err
	}
	h, group, hashes := w.Manifest().Header(), int(in.Group), hashesOf(in.Leaves)
	at, data := make([]commit.Pos, h.N), make([][]byte, h.N)
	for i := range at {
		at[i], data[i] = commit.Pos{Group: group, Lane: i}, in.Slices[i]
	}
	open := func(l *proof.Leaves) []string {
		dst := make([]proof.Slice, h.N)
		l.Open(dst, at, data)
		verdicts := make([]string, h.N)
		for i, s := range dst {
			_, known := l.Hash(at[i])
			switch {
			case !known:
				verdicts[i] = "unproven"
			case data[i] == nil:
				verdicts[i] = "absent"
			case s.Valid():
				verdicts[i] = "good"
			default:
				verdicts[i] = "wrong"
			}
		}
		return verdicts
	}

	bad := reused.Load(w, group, hashes)
	out.Verdicts = open(&reused)
	if proven := out.Verdicts[0] != "unproven"; proven == slices.Contains(bad, group) {
		t.Errorf("Load calls groups %v bad, and slice 0 is %s", bad, out.Verdicts[0])
	}

	// The same where the hashes come second, after others that lead nowhere. Offers for other groups than those
	// loaded, and of another number of hashes, are nothing.
	others := slices.Clone(hashes)
	others[0] = commit.Hash{}
	retried.Load(w, group, others)
	if retried.Retry(group-1, hashes) || retried.Retry(group+1, hashes) || retried.Retry(group, hashes[1:]) {
		t.Error("leaf hashes kept of a group that was not loaded, or of fewer slices")
	}
	retried.Retry(group, hashes)
	if second := open(&retried); !slices.Equal(second, out.Verdicts) {
		t.Errorf("%v after a second try, and %v at once", second, out.Verdicts)
	}
	return out, nil
}

// posAt is a position under the header at the beginning of a form; without a header that opens it does not matter.
func posAt(t *testing.T, id, form []byte, at []int64) []commit.Pos {
	n := int64(commit.MaxSlices)
	if len(form) >= 4+commit.HeaderLen {
		if h, err := commit.OpenHeader(commit.ID(id), form[4:][:commit.HeaderLen]); err == nil {
			n = int64(h.N)
		}
	}
	pos := make([]commit.Pos, len(at))
	for i, x := range at {
		if int64(int(x/n)) != x/n {
			t.Fatalf("position %d is of a group that no int holds here", x)
		}
		pos[i] = commit.Pos{Group: int(x / n), Lane: int(x % n)}
	}
	return pos
}

func positions(h commit.Header, at []commit.Pos) []int64 {
	all := []int64{}
	for _, p := range at {
		all = append(all, h.Position(p))
	}
	return all
}

func claimOf(t *testing.T, in hostile.ProofIn) proof.Claim {
	c := proof.Claim{ID: commit.ID(in.ID), At: posAt(t, in.ID, in.Proof, in.At), Proof: in.Proof}
	for _, b := range in.Slices {
		c.Slices = append(c.Slices, b)
	}
	return c
}

// nodesOf is the number of nodes of a proof that was accepted.
func nodesOf(c proof.Claim) hostile.ProofOut {
	return hostile.ProofOut{Nodes: (len(c.Proof) - 72 - 8*len(c.At)) / 32}
}

func verifyProof(t *testing.T, in hostile.ProofIn) (out hostile.ProofOut, err error) {
	claims := []proof.Claim{claimOf(t, in)}
	if err := proof.Check(claims); err != nil {
		return out, err
	}
	return nodesOf(claims[0]), nil
}

// TestTogether gives all proofs to one Check: none spoils another, or saves it.
func TestTogether(t *testing.T) {
	vectors := read[hostile.ProofIn, hostile.ProofOut](t, "proof")
	var claims []proof.Claim
	for _, v := range vectors {
		claims = append(claims, claimOf(t, v.Input))
	}
	first, err := call(func() (error, error) { return proof.Check(claims), nil })
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vectors {
		if v.Rule == "" && claims[i].Err != nil || v.Rule != "" && !errors.Is(claims[i].Err, commit.Rule(v.Rule)) {
			t.Errorf("%s: %v, want %q", v.Name, claims[i].Err, v.Rule)
		}
		if first != nil && claims[i].Err != nil {
			if first != claims[i].Err {
				t.Errorf("Check returned %v, the first error is %v", first, claims[i].Err)
			}
			first = nil
		}
	}
}

func verifyBundles(t *testing.T, in hostile.BundlesIn) (out hostile.BundlesOut, err error) {
	open := func(r io.Reader) (at []int64, data []byte, err error) {
		var want func(func(commit.Pos) bool)
		if in.Want != nil {
			want = slices.Values(posAt(t, in.ID, in.Bundles, in.Want))
		}
		for s, err := range proof.Open(commit.ID(in.ID), r, want) {
			if err != nil {
				return nil, nil, err
			}
			at = append(at, s.Header().Position(s.Pos()))
			data = append(data, s.Bytes()...)
		}
		return at, data, nil
	}
	at, data, err := open(bytes.NewReader(in.Bundles))
	slowAt, slowData, slowErr := open(iotest.OneByteReader(bytes.NewReader(in.Bundles)))
	if !slices.Equal(at, slowAt) || !bytes.Equal(data, slowData) || fmt.Sprint(err) != fmt.Sprint(slowErr) {
		t.Errorf("%v, %v, and byte by byte %v, %v", at, err, slowAt, slowErr)
	}
	return hostile.BundlesOut{At: at}, err
}

func verifyChallenge(t *testing.T, in hostile.ChallengeIn) (out hostile.ChallengeOut, err error) {
	c, err := proof.ParseChallenge(in.Challenge)
	if err != nil {
		return out, err
	}
	if b, err := c.AppendBinary(nil); err != nil || !bytes.Equal(b, in.Challenge) {
		t.Errorf("the challenge became %x, %v", b, err)
	}
	out = hostile.ChallengeOut{Lanes: uint32(c.Lanes), Count: c.Count}
	if in.Header == nil {
		return out, nil
	}
	// The header is opened under its own ID: it is for the challenge to see that it is of another blob.
	h, err := commit.OpenHeader(idOf(in.Header), in.Header)
	if err != nil {
		return out, err
	}
	at, err := c.Samples(h)
	if err != nil {
		return out, err
	}
	out.At = positions(h, at)
	return out, nil
}

func idOf(header []byte) commit.ID {
	return sha256.Sum256(append([]byte("BLOB"), header...))
}

func verifyAnswer(t *testing.T, in hostile.AnswerIn) (out hostile.AnswerOut, err error) {
	c, err := proof.ParseChallenge(in.Challenge)
	if err != nil {
		return out, err
	}
	samples, err := c.Judge(bytes.NewReader(in.Answer))
	slow, slowErr := c.Judge(iotest.OneByteReader(bytes.NewReader(in.Answer)))
	if !slices.Equal(samples, slow) || fmt.Sprint(err) != fmt.Sprint(slowErr) {
		t.Errorf("%v, %v, and byte by byte %v, %v", samples, err, slow, slowErr)
	}
	if err != nil {
		if samples != nil {
			t.Errorf("verdicts %v with an error", samples)
		}
		return out, err
	}
	h, err := commit.OpenHeader(c.ID, in.Answer[4:][:commit.HeaderLen])
	if err != nil {
		return out, err
	}
	for _, s := range samples {
		out.At = append(out.At, h.Position(s.Pos))
		out.Verdicts = append(out.Verdicts, s.Verdict.String())
	}
	return out, nil
}

func verifyEvidence(t *testing.T, in hostile.EvidenceIn) (out hostile.EvidenceOut, err error) {
	f, err := evidence.Check(commit.ID(in.ID), in.Evidence)
	if err != nil {
		return out, err
	}
	return hostile.EvidenceOut{Group: int64(f.Group), Wrong: uint32(f.Wrong), Padding: f.Padding}, nil
}

// fields are those of a header's bytes, whatever they say.
func fields(b []byte) commit.Header {
	return commit.Header{
		Params: commit.Params{K: int(b[6]), N: int(b[7]), SliceSize: int(binary.LittleEndian.Uint32(b[8:]))},
		Length: int64(binary.LittleEndian.Uint64(b[16:])),
		Root:   commit.Hash(b[32:]),
	}
}
