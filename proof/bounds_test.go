package proof_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof"
)

// most is what a false claim of many bytes may cost.
const most = 1 << 20

// hugeHeader is the header of the largest blob there is.
func hugeHeader() commit.Header {
	return commit.Header{Params: commit.Params{K: 10, N: 20, SliceSize: 4096}, Length: 10 * 4096 << 27}
}

// runHead is the begin of a bundle of all slices of a run of the largest blob, up to its
// nodes.
func runHead(t *testing.T, h commit.Header) []byte {
	b, err := h.AppendBinary([]byte("TPP1"))
	if err != nil {
		t.Fatal(err)
	}
	n := 64 * h.N
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	for i := range n {
		b = binary.LittleEndian.AppendUint64(b, uint64(i))
	}
	return b
}

// TestClaimsCostLittle gives each reader the begin of something large and no more, and
// measures what it allocates.
func TestClaimsCostLittle(t *testing.T) {
	h := hugeHeader()
	id := h.ID()
	header, err := h.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	counted := func(count uint32) []byte {
		return binary.LittleEndian.AppendUint32(append([]byte("TPP1"), header...), count)
	}
	challenge := proof.Challenge{ID: id, Lanes: 1<<20 - 1, Count: 1 << 16}
	open := func(b []byte, want iter.Seq[commit.Pos]) error {
		for _, err := range proof.Open(id, bytes.NewReader(b), want) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	for _, c := range []struct {
		name string
		rule commit.Rule
		most uint64
		f    func() error
	}{
		{"proof of 2^32 - 1 slices", commit.SetCount, most, func() error {
			return check(proof.Claim{ID: id, Proof: append(counted(math.MaxUint32), 0, 0, 0, 0)})
		}},
		{"proof of 65,536 slices", commit.ProofSize, most, func() error {
			return check(proof.Claim{ID: id, Proof: append(counted(1<<16), 0, 0, 0, 0)})
		}},
		{"bundle of 2^32 - 1 slices", commit.SetCount, most, func() error { return open(counted(math.MaxUint32), nil) }},
		{"bundle of 65,536 slices", commit.BundleRun, most, func() error { return open(counted(1<<16), nil) }},
		{"bundle of a run", commit.BundleSize, most, func() error { return open(counted(1280), nil) }},
		{"bundle of a run, without nodes", commit.BundleSize, most, func() error { return open(runHead(t, h), nil) }},
		{"bundle of a run, without slices", commit.BundleSize, most, func() error {
			return open(append(runHead(t, h), make([]byte, 32*21)...), nil)
		}},
		{"challenge for 2^32 - 1 slices", commit.ChallengeCount, most, func() error {
			_, err := proof.ParseChallenge(slices.Concat([]byte("TPC1"), id[:], make([]byte, 32), []byte{1, 0, 0, 0}, bytes.Repeat([]byte{0xff}, 4)))
			return err
		}},
		// The challenge is the judge's own, and its samples are drawn.
		{"answer of 65,536 samples", commit.AnswerSize, 16 << 20, func() error {
			_, err := challenge.Judge(bytes.NewReader(append([]byte("TPA1"), header...)))
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.f() // whatever is made once
			var err error
			n := allocated(func() { err = c.f() })
			wantRule(t, "it", err, c.rule)
			if n >= c.most {
				t.Errorf("%d bytes allocated", n)
			}
		})
	}
}

// TestOpenHoldsOneBundle reads a hundred bundles in the memory of a few.
func TestOpenHoldsOneBundle(t *testing.T) {
	const runs, size = 100, 1024
	p := reference.Params{K: 1, N: 2, SliceSize: size}
	all := make([][]byte, 2*64*runs)
	for i := range all {
		all[i] = binary.LittleEndian.AppendUint64(make([]byte, size-8), uint64(i))
	}
	b := reference.Commit(p, 64*runs*size, all) // its parity is of no interest
	in := b.Range(0, b.Length-1)
	cover := b.Cover(0, b.Length-1)
	read := func(r io.Reader, want iter.Seq[commit.Pos]) {
		n := 0
		for s, err := range proof.Open(b.ID(), r, want) {
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(s.Bytes(), b.Slices[cover[n]]) {
				t.Fatalf("slice %v is another", s.Pos())
			}
			n++
		}
		if n != len(cover) {
			t.Fatalf("%d slices of %d", n, len(cover))
		}
	}
	want := func(yield func(commit.Pos) bool) {
		for _, p := range cover {
			if !yield(commit.Pos{Group: int(p / 2), Lane: int(p % 2)}) {
				return
			}
		}
	}
	for name, want := range map[string]iter.Seq[commit.Pos]{"any": nil, "wanted": want} {
		before := live()
		held := before
		read(io.TeeReader(bytes.NewReader(in), &probe{len(in) - 1000, func() { held = live() }}), want)
		if held == before {
			t.Fatal("not measured")
		}
		if bundle := len(in) / runs; held > before+10*uint64(bundle) {
			t.Errorf("%s: %d bytes held of %d bundles of %d", name, held-before, runs, bundle)
		}
	}
}
