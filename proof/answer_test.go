package proof_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof"
)

// verdicts are those of samples, for comparison with the second model's.
func verdicts(samples []proof.Sample) []reference.Verdict {
	var v []reference.Verdict
	for _, s := range samples {
		v = append(v, reference.Verdict(s.Verdict.String()))
	}
	return v
}

// answer is what c is answered with.
func (tr *tree) answer(c proof.Challenge) []byte {
	tr.t.Helper()
	var b bytes.Buffer
	if err := c.Answer(tr.t.Context(), &b, tr); err != nil {
		tr.t.Fatal(err)
	}
	return b.Bytes()
}

// TestAnswerRandom answers random challenges over blobs that have lost slices, and
// compares answers and verdicts with the second model's.
func TestAnswerRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 22))
	for range 40 {
		tr := randomTree(t, rng, 1+rng.IntN(40))
		h := tr.Header()
		lanes := commit.Lanes(1 + rng.IntN(1<<h.N-1))
		c := proof.Challenge{ID: tr.id(), Seed: randomSeed(rng), Lanes: lanes, Count: 1 + rng.IntN(min(200, lanes.Len()*h.Groups()))}
		tr.lost = map[int64]bool{}
		instead := map[int64][]byte{}
		for p := range tr.b.Positions() {
			if rng.IntN(10) == 0 {
				tr.lost[p], instead[p] = true, nil
			}
		}
		b := tr.answer(c)
		if !bytes.Equal(b, tr.b.Answer(second(c), instead)) {
			t.Errorf("%+v, %d samples: other bytes", h, c.Count)
		}
		samples, err := c.Judge(iotest.HalfReader(bytes.NewReader(b)))
		want, rerr := reference.Judge(second(c), b)
		if err != nil || rerr != nil || !slices.Equal(verdicts(samples), want) {
			t.Errorf("%+v, %d samples: %v, %v, want %v, %v", h, c.Count, samples, err, want, rerr)
		}
		for _, s := range samples {
			if want := tr.lost[h.Position(s.Pos)]; want != (s.Verdict == proof.Absent) || !want && s.Verdict != proof.Good {
				t.Errorf("slice %v, lost %t: %v", s.Pos, want, s.Verdict)
			}
		}
	}
}

// TestAnswerFails passes on what keeps an archive from answering at all.
func TestAnswerFails(t *testing.T) {
	tr := smallTree(t)
	c := proof.Challenge{ID: tr.id(), Lanes: 0b11111, Count: 10}
	tr.noHashes = errors.New("leaf hashes lost")
	var b bytes.Buffer
	if err := c.Answer(t.Context(), &b, tr); !errors.Is(err, tr.noHashes) || b.Len() > 0 {
		t.Errorf("without hashes: %v and %d bytes", err, b.Len())
	}
	tr.noHashes = nil
	own := errors.New("disk full")
	for n := range len(tr.answer(c)) {
		if err := c.Answer(t.Context(), &failingWriter{n, own}, tr); !errors.Is(err, own) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Answer(ctx, new(bytes.Buffer), tr); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// A cancelled archive has not lost its slices.
	stop := &stoppingTree{tree: tr}
	stop.ctx, stop.cancel = context.WithCancel(t.Context())
	if err := c.Answer(stop.ctx, new(bytes.Buffer), stop); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled on the way: %v", err)
	}
}

// stoppingTree cancels once it has given its hashes.
type stoppingTree struct {
	*tree
	ctx    context.Context
	cancel context.CancelFunc
	calls  int
}

func (s *stoppingTree) Hashes(ctx context.Context, dst []commit.Hash, at []commit.Node) error {
	err := s.tree.Hashes(ctx, dst, at)
	if s.calls++; s.calls == 2 {
		s.cancel()
	}
	return err
}

// parts are an answer taken apart.
type parts struct {
	head   []byte // magic and header
	leaves [][]byte
	nodes  [][]byte
	marks  []byte
	bodies [][]byte
}

// cutAnswer takes an answer of whole slices of one size apart.
func cutAnswer(b []byte, count, size int) parts {
	p := parts{head: bytes.Clone(b[:68])}
	rest := b[68:]
	for range count {
		p.leaves = append(p.leaves, bytes.Clone(rest[:32]))
		rest = rest[32:]
	}
	for len(rest) > count*(1+size) {
		p.nodes = append(p.nodes, bytes.Clone(rest[:32]))
		rest = rest[32:]
	}
	for range count {
		p.marks = append(p.marks, rest[0])
		p.bodies = append(p.bodies, bytes.Clone(rest[1:1+size]))
		rest = rest[1+size:]
	}
	return p
}

func (p parts) bytes() []byte {
	b := slices.Concat(p.head, slices.Concat(p.leaves...), slices.Concat(p.nodes...))
	for i, mark := range p.marks {
		b = append(append(b, mark), p.bodies[i]...)
	}
	return b
}

// TestJudgeHostile bends one thing of an answer at a time. An answer that is malformed
// gets no verdicts; where its hashes do not lead to the root, all samples are unproven.
func TestJudgeHostile(t *testing.T) {
	tr := makeTree(t, commit.Params{K: 3, N: 5, SliceSize: 192}, 23, 576*12)
	other := makeTree(t, tr.Header().Params, 24, int(tr.b.Length))
	c := proof.Challenge{ID: tr.id(), Seed: [32]byte{5}, Lanes: 0b01101, Count: 8}
	whole := tr.answer(c)
	answerTo := func(count int, seed byte, lanes commit.Lanes) []byte {
		o := c
		o.Count, o.Seed[0], o.Lanes = count, seed, lanes
		return tr.answer(o)
	}
	ofOther := c
	ofOther.ID = other.id()
	for _, x := range []struct {
		name string
		rule commit.Rule // or
		want [8]proof.Verdict
		bend func(p *parts)
		in   []byte // in place of a bent answer
	}{
		{name: "as it is", want: all(proof.Good), bend: func(p *parts) {}},

		{name: "magic", rule: commit.AnswerMagic, bend: func(p *parts) { p.head[0] = 'X' }},
		{name: "a proof", rule: commit.AnswerMagic, in: tr.b.Proof([]int64{1})},
		{name: "nothing", rule: commit.AnswerSize, in: []byte{}},
		{name: "another header", rule: commit.HeaderID, bend: func(p *parts) { p.head[67] ^= 1 }},
		{name: "another blob's answer", rule: commit.HeaderID, in: other.answer(ofOther)},
		{name: "another blob's answer with this header", rule: commit.AnswerMark, in: slices.Concat(whole[:68], other.answer(ofOther)[68:])},

		{name: "answer to one sample less", rule: commit.AnswerMark, in: answerTo(7, 5, c.Lanes)},
		{name: "answer to one sample more", rule: commit.AnswerMark, in: answerTo(9, 5, c.Lanes)},
		{name: "last sample missing", rule: commit.AnswerSize, bend: func(p *parts) { p.marks, p.bodies = p.marks[:7], p.bodies[:7] }},
		{name: "all samples missing", rule: commit.AnswerSize, bend: func(p *parts) { p.marks, p.bodies = nil, nil }},
		{name: "a sample more", rule: commit.AnswerSize, bend: func(p *parts) {
			p.marks, p.bodies = append(p.marks, 1), append(p.bodies, p.bodies[7])
		}},
		{name: "an absent sample more", rule: commit.AnswerSize, bend: func(p *parts) {
			p.marks, p.bodies = append(p.marks, 0), append(p.bodies, nil)
		}},
		{name: "a byte short", rule: commit.AnswerSize, in: whole[:len(whole)-1]},
		{name: "a byte more", rule: commit.AnswerSize, in: append(bytes.Clone(whole), 0)},
		{name: "last body a byte short", rule: commit.AnswerSize, bend: func(p *parts) { p.bodies[7] = p.bodies[7][1:] }},
		{name: "last body a byte long", rule: commit.AnswerSize, bend: func(p *parts) { p.bodies[7] = append(p.bodies[7], 0) }},
		{name: "first body empty", rule: commit.AnswerMark, bend: func(p *parts) { p.bodies[0] = nil }},
		{name: "mark without a body", rule: commit.AnswerSize, bend: func(p *parts) { p.bodies[7] = nil }},
		{name: "body behind absent", rule: commit.AnswerMark, bend: func(p *parts) { p.marks[3] = 0; p.bodies[3][0] = 9 }},
		{name: "mark 2", rule: commit.AnswerMark, bend: func(p *parts) { p.marks[0] = 2 }},
		{name: "mark 255", rule: commit.AnswerMark, bend: func(p *parts) { p.marks[7] = 255 }},
		{name: "a node fewer", rule: commit.AnswerMark, bend: func(p *parts) { p.nodes = p.nodes[1:] }},
		{name: "a node more", rule: commit.AnswerMark, bend: func(p *parts) { p.nodes = append(p.nodes, bytes.Repeat([]byte{3}, 32)) }},
		{name: "a node more, of absence", rule: commit.AnswerSize, bend: func(p *parts) { p.nodes = append(p.nodes, make([]byte, 32)) }},
		{name: "a leaf hash fewer", rule: commit.AnswerMark, bend: func(p *parts) { p.leaves = p.leaves[:7] }},
		{name: "a node of 31 bytes", rule: commit.AnswerMark, bend: func(p *parts) { p.nodes[0], p.bodies[0][0] = p.nodes[0][:31], 7 }},

		{name: "leaf hash bent", want: all(proof.Unproven), bend: func(p *parts) { p.leaves[2][0] ^= 1 }},
		{name: "leaf hashes swapped", want: all(proof.Unproven), bend: func(p *parts) { p.leaves[0], p.leaves[1] = p.leaves[1], p.leaves[0] }},
		{name: "samples swapped, leaf hashes too", want: all(proof.Unproven), bend: func(p *parts) {
			p.leaves[0], p.leaves[1] = p.leaves[1], p.leaves[0]
			p.bodies[0], p.bodies[1] = p.bodies[1], p.bodies[0]
		}},
		{name: "a sample repeated", want: all(proof.Unproven), bend: func(p *parts) { p.leaves[1], p.bodies[1] = p.leaves[0], p.bodies[0] }},
		{name: "node bent", want: all(proof.Unproven), bend: func(p *parts) { p.nodes[len(p.nodes)-1][31] ^= 0x80 }},
		{name: "nodes swapped", want: all(proof.Unproven), bend: func(p *parts) { p.nodes[0], p.nodes[1] = p.nodes[1], p.nodes[0] }},
		{name: "leaf hash of the slice made up", want: all(proof.Unproven), bend: func(p *parts) {
			p.bodies[4][0] ^= 1
			x := reference.Leaf(p.bodies[4])
			p.leaves[4] = x[:]
		}},
		{name: "unproven, and one absent", want: all(proof.Unproven), bend: func(p *parts) {
			p.nodes[0][0] ^= 1
			p.marks[5], p.bodies[5] = 0, nil
		}},

		{name: "a slice wrong", want: allBut(4, proof.Wrong), bend: func(p *parts) { p.bodies[4][191] ^= 1 }},
		{name: "a slice of zeros", want: allBut(0, proof.Wrong), bend: func(p *parts) { clear(p.bodies[0]) }},
		{name: "a slice absent", want: allBut(7, proof.Absent), bend: func(p *parts) { p.marks[7], p.bodies[7] = 0, nil }},
		{name: "all absent", want: all(proof.Absent), bend: func(p *parts) {
			p.marks, p.bodies = make([]byte, 8), make([][]byte, 8)
		}},
		{name: "slices swapped", want: func() [8]proof.Verdict {
			v := all(proof.Good)
			v[1], v[2] = proof.Wrong, proof.Wrong
			return v
		}(), bend: func(p *parts) { p.bodies[1], p.bodies[2] = p.bodies[2], p.bodies[1] }},
	} {
		t.Run(x.name, func(t *testing.T) {
			in := x.in
			if in == nil {
				p := cutAnswer(whole, 8, 192)
				x.bend(&p)
				in = p.bytes()
			}
			samples, err := c.Judge(bytes.NewReader(in))
			want, rerr := reference.Judge(second(c), in)
			if (err == nil) != (rerr == nil) || !slices.Equal(verdicts(samples), want) {
				t.Errorf("%v, %v, the second model says %v, %v", samples, err, want, rerr)
			}
			if x.rule != "" {
				wantRule(t, "Judge", err, x.rule)
				if samples != nil {
					t.Errorf("verdicts on a malformed answer: %v", samples)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range samples {
				if s.Verdict != x.want[i] {
					t.Errorf("sample %d is %v, want %v", i, s.Verdict, x.want[i])
				}
			}
		})
	}
}

func all(v proof.Verdict) (a [8]proof.Verdict) { return [8]proof.Verdict{v, v, v, v, v, v, v, v} }

// allBut is good but for one.
func allBut(i int, v proof.Verdict) [8]proof.Verdict {
	a := all(proof.Good)
	a[i] = v
	return a
}

// TestJudgeOtherSeed gives answers to other challenges of the same size.
func TestJudgeOtherSeed(t *testing.T) {
	tr := makeTree(t, commit.Params{K: 3, N: 5, SliceSize: 192}, 23, 576*16)
	c := proof.Challenge{ID: tr.id(), Lanes: 0b00001, Count: 1}
	at, err := c.Samples(tr.Header())
	if err != nil {
		t.Fatal(err)
	}
	others := 0
	for i := range 50 {
		o := c
		o.Seed[7] = byte(i)
		to, err := o.Samples(tr.Header())
		if err != nil {
			t.Fatal(err)
		}
		samples, err := c.Judge(bytes.NewReader(tr.answer(o)))
		if err != nil || len(samples) != 1 {
			t.Fatalf("seed %d: %v, %v", i, samples, err)
		}
		want := proof.Unproven
		if to[0] == at[0] {
			want = proof.Good // another question for the same slice
		} else {
			others++
		}
		if samples[0].Pos != at[0] || samples[0].Verdict != want {
			t.Errorf("answer with slice %v to a question for %v: %v", to[0], at[0], samples[0])
		}
	}
	if others < 30 {
		t.Errorf("only %d answers to other questions", others)
	}
}

// TestJudgeEveryByte changes each byte of an answer, and cuts it at each length.
func TestJudgeEveryByte(t *testing.T) {
	tr := smallTree(t)
	c := proof.Challenge{ID: tr.id(), Seed: [32]byte{1}, Lanes: 0b11111, Count: 7}
	tr.lost = map[int64]bool{12: true}
	whole := tr.answer(c)
	for i := range whole {
		for _, x := range []byte{1, 0x40, 0xff} {
			bent := bytes.Clone(whole)
			bent[i] ^= x
			samples, err := c.Judge(bytes.NewReader(bent))
			want, rerr := reference.Judge(second(c), bent)
			if (err == nil) != (rerr == nil) || !slices.Equal(verdicts(samples), want) {
				t.Errorf("byte %d ^ %#x: %v, %v, the second model says %v, %v", i, x, samples, err, want, rerr)
			}
			if err == nil && !slices.ContainsFunc(samples, func(s proof.Sample) bool {
				return s.Verdict == proof.Wrong || s.Verdict == proof.Unproven
			}) {
				t.Errorf("byte %d ^ %#x: nothing found: %v", i, x, samples)
			}
		}
		_, err := c.Judge(bytes.NewReader(whole[:i]))
		wantRule(t, fmt.Sprintf("%d of %d bytes", i, len(whole)), err, commit.AnswerSize)
	}
}

// TestJudgeReaderErrors passes on what the reader says, as no broken rule.
func TestJudgeReaderErrors(t *testing.T) {
	tr := smallTree(t)
	c := proof.Challenge{ID: tr.id(), Seed: [32]byte{1}, Lanes: 0b11111, Count: 7}
	whole := tr.answer(c)
	for _, own := range []error{
		errors.New("connection reset"), io.ErrUnexpectedEOF, fmt.Errorf("body: %w", io.ErrUnexpectedEOF),
	} {
		for n := range len(whole) + 1 {
			_, err := c.Judge(io.MultiReader(bytes.NewReader(whole[:n]), iotest.ErrReader(own)))
			var r commit.Rule
			if !errors.Is(err, own) || errors.As(err, &r) {
				t.Fatalf("%v after %d of %d bytes: %v", own, n, len(whole), err)
			}
		}
	}
	for _, r := range []io.Reader{
		iotest.OneByteReader(bytes.NewReader(whole)), iotest.DataErrReader(bytes.NewReader(whole)),
	} {
		if samples, err := c.Judge(r); err != nil || len(samples) != 7 {
			t.Errorf("%v, %v", samples, err)
		}
	}
}

func TestVerdictText(t *testing.T) {
	for v, want := range map[proof.Verdict]string{
		proof.Unproven: "unproven", proof.Good: "good", proof.Wrong: "wrong", proof.Absent: "absent", 9: "Verdict(9)",
	} {
		if got, err := v.MarshalText(); string(got) != want || err != nil {
			t.Errorf("verdict %d: %q, %v, want %q", uint8(v), got, err, want)
		}
	}
}
