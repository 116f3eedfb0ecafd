package proof_test

import (
	"bytes"
	"context"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof"
)

const audits = 1000

// audit asks an archive and returns whether all samples are good.
func (tr *tree) audit(c proof.Challenge) bool {
	tr.t.Helper()
	samples, err := c.Judge(bytes.NewReader(tr.answer(c)))
	if err != nil || len(samples) != c.Count {
		tr.t.Fatalf("%d samples, %v", len(samples), err)
	}
	for _, s := range samples {
		switch s.Verdict {
		case proof.Good:
		case proof.Absent:
			return false
		default:
			tr.t.Fatalf("sample %v is %v", s.Pos, s.Verdict)
		}
	}
	return true
}

// passes counts the audits of count samples that an archive passes, each with a seed of
// its own.
func (tr *tree) passes(lanes commit.Lanes, count int) int {
	rng := rand.New(rand.NewPCG(30, 30))
	n := 0
	for range audits {
		if tr.audit(proof.Challenge{ID: tr.id(), Seed: randomSeed(rng), Lanes: lanes, Count: count}) {
			n++
		}
	}
	return n
}

// TestAuditLost audits an archive of one lane that lost one percent of its slices. It
// passes as often as drawing without repeats predicts, a bit less often than (1 - f)^c.
func TestAuditLost(t *testing.T) {
	const slices, lost, count = 1000, 10, 50
	tr := makeTree(t, commit.Params{K: 1, N: 2, SliceSize: 64}, 31, 64*slices)
	tr.lost = map[int64]bool{}
	for rng := rand.New(rand.NewPCG(32, 32)); len(tr.lost) < lost; {
		tr.lost[2*rng.Int64N(slices)+1] = true // of lane 1
	}
	chance := 1.0
	for i := range count {
		chance *= float64(slices-lost-i) / float64(slices-i)
	}
	if bound := math.Pow(1-float64(lost)/slices, count); chance > bound || chance < bound-0.03 {
		t.Fatalf("the chance to pass is %.3f, (1 - f)^c is %.3f", chance, bound)
	}
	got := float64(tr.passes(0b10, count))
	want, spread := audits*chance, 4*math.Sqrt(audits*chance*(1-chance))
	if math.Abs(got-want) > spread {
		t.Errorf("%.0f of %d audits passed, want %.0f give or take %.0f", got, audits, want, spread)
	}
	t.Logf("%.0f of %d audits passed, %.0f predicted", got, audits, want)
}

// TestAuditRebuilds audits an archive that kept k of n lanes and makes the others of them
// when asked: no audit of its answers tells it from one that has all. One more lane lost,
// and it fails.
func TestAuditRebuilds(t *testing.T) {
	const k, n, groups, count = 2, 4, 50, 20
	tr := makeTree(t, commit.Params{K: k, N: n, SliceSize: 64}, 33, 128*groups)
	tr.lost = map[int64]bool{}
	for g := range int64(groups) {
		tr.lost[n*g], tr.lost[n*g+3] = true, true
	}
	tr.rebuild = true
	if got := tr.passes(0b1111, count); got != audits {
		t.Errorf("%d of %d audits passed", got, audits)
	}
	tr.rebuild = false
	if got := tr.passes(0b0110, count); got != audits {
		t.Errorf("%d of %d audits of the lanes that are there passed", got, audits)
	}
	if got := tr.passes(0b1111, count); got > audits/100 {
		t.Errorf("%d of %d audits passed without rebuilding", got, audits)
	}
}

func TestAuditHonest(t *testing.T) {
	tr := makeTree(t, commit.Params{K: 2, N: 3, SliceSize: 64}, 34, 128*64+1)
	if got := tr.passes(0b111, 40); got != audits {
		t.Errorf("%d of %d audits passed", got, audits)
	}
}

// bigTree has slices of 4 KiB that need no memory of their own.
type bigTree struct {
	*tree
	slice []byte
}

func newBigTree(t *testing.T, groups int) *bigTree {
	all := make([][]byte, 2*groups)
	slice := make([]byte, 4096)
	for i := range all {
		all[i] = slice
	}
	p := reference.Params{K: 1, N: 2, SliceSize: 4096}
	return &bigTree{newTree(t, reference.Commit(p, int64(4096*groups), all)), slice}
}

// Slices yields one slice over and over: all are equal.
func (b *bigTree) Slices(_ context.Context, at iter.Seq[commit.Pos]) iter.Seq2[proof.Slice, error] {
	return func(yield func(proof.Slice, error) bool) {
		o := opener{tr: b.tree, buf: make([]byte, 4096)}
		first := o.open(commit.Pos{}, b.slice)
		for range at {
			if !yield(first, nil) {
				return
			}
		}
	}
}

// TestAuditStreams answers and judges as a stream: when all but the end of the answer has
// passed, neither side holds the slices, of which there are 16 MB.
func TestAuditStreams(t *testing.T) {
	const count = 4000
	const most = 4 << 20 // for samples and hashes, 32 bytes each, some times over
	tr := newBigTree(t, 2000)
	c := proof.Challenge{ID: tr.id(), Lanes: 0b11, Count: count}

	var answer bytes.Buffer
	if err := c.Answer(t.Context(), &answer, tr); err != nil {
		t.Fatal(err)
	}
	before := live()
	held := before
	watch := func() *probe { return &probe{answer.Len() - 100_000, func() { held = live() }} }
	if err := c.Answer(t.Context(), watch(), tr); err != nil || held == before {
		t.Fatal(err)
	}
	if held > before+most {
		t.Errorf("answering with %d bytes holds %d", answer.Len(), held-before)
	}

	held = before
	samples, err := c.Judge(io.TeeReader(bytes.NewReader(answer.Bytes()), watch()))
	if err != nil || len(samples) != count || held == before {
		t.Fatalf("%d samples, %v", len(samples), err)
	}
	if held > before+most {
		t.Errorf("judging an answer of %d bytes holds %d", answer.Len(), held-before)
	}
	for _, s := range samples {
		if s.Verdict != proof.Good {
			t.Fatalf("sample %v is %v", s.Pos, s.Verdict)
		}
	}
}
