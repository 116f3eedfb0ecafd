package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof"
	"github.com/tapecommit/tapecommit/proof/evidence"
)

// times is how often a test does something: few times under -short, and many where TAPECOMMIT_LONG is set and tests may
// take minutes.
func times(few, usual, many int) int {
	switch {
	case testing.Short():
		return few
	case os.Getenv("TAPECOMMIT_LONG") != "":
		return many
	}
	return usual
}

// A draft is a blob on its way from a dishonest writer: 3 groups of any code, the last short. Nothing of it need fit.
type draft struct {
	commit.Params
	length int64
	slices [][]byte         // as they are stored, entry n g + i
	places []reference.Hash // of the tree, entry 32 g + i, four groups of them
}

// badGroup is the group that the writers of this file lie about, unless it is about padding.
const badGroup = 1

func newDraft(p commit.Params) *draft {
	d := &draft{Params: p, length: int64(2*p.K*p.SliceSize + 70)}
	d.slices = reference.Make(reference.Params(p), reference.Stream(7, int(d.length))).Slices
	return d
}

// slice is slice i of a group.
func (d *draft) slice(group, i int) []byte { return d.slices[d.N*group+i] }

// recode codes a group again after a change of its data.
func (d *draft) recode(group int) {
	all := d.slices[d.N*group:][:d.N]
	copy(all, reference.EncodeGroup(d.N, all[:d.K]))
}

// grow fills the tree with the leaves of the slices.
func (d *draft) grow() {
	d.places = slices.Repeat([]reference.Hash{reference.Empty(0)}, 4*32)
	for g := range 3 {
		for i := range d.N {
			d.places[32*g+i] = reference.Leaf(d.slice(g, i))
		}
	}
}

func (d *draft) header() commit.Header {
	return commit.Header{Params: d.Params, Length: d.length, Root: reference.TapeRoot(7, d.places)}
}

// store stores what the writer made, and returns the ID that he hands out.
func (d *draft) store(t *testing.T, s blob.Store) commit.ID {
	t.Helper()
	h := reference.Header{Params: reference.Params(d.Params), Length: d.length, Root: d.header().Root}
	objects := map[string][]byte{"manifest": h.Bytes()}
	for g := range 3 {
		root := reference.TapeRoot(5, d.places[32*g:32*g+32])
		objects["roots"] = append(objects["roots"], root[:]...)
		for i := range d.N {
			objects["leaves"] = append(objects["leaves"], d.places[32*g+i][:]...)
			objects[lane(i)] = append(objects[lane(i)], d.slice(g, i)...)
		}
	}
	ctx := context.Background()
	u, err := s.Create(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	for name, b := range objects {
		if name != "manifest" && name != "roots" && name != "leaves" {
			b = append(b, h.Bytes()...)
		}
		if err := u.Append(ctx, name, b); err != nil {
			t.Fatal(err)
		}
	}
	if err := u.Commit(ctx, h.ID()); err != nil {
		t.Fatal(err)
	}
	return h.ID()
}

// A lie is what a writer does to a draft, and what whoever has all that he stored sees of it.
type lie struct {
	name   string
	before func(d *draft) // to the slices
	after  func(d *draft) // to the tree

	sees string       // of the group that is lied about: "nothing", "evidence" or "loss"; of all groups: "no roots"
	bad  commit.Lanes // that the evidence names of 3 of 6
	pad  bool         // it is about padding, in group 2
}

// noise is n bytes that nobody knows a preimage for.
func noise(seed uint64) (h reference.Hash) {
	copy(h[:], reference.Stream(seed, len(h)))
	return h
}

// randomLeaves commits to hashes of nothing in the lanes [lo, hi).
func randomLeaves(d *draft, lo, hi int) {
	for i := lo; i < hi; i++ {
		d.places[32*badGroup+i] = noise(uint64(i))
	}
}

// leafOf commits to another body in the place of slice i.
func leafOf(i int, body func([]byte) []byte) func(*draft) {
	return func(d *draft) { d.places[32*badGroup+i] = reference.Leaf(body(bytes.Clone(d.slice(badGroup, i)))) }
}

var lies = []lie{
	{name: "none", sees: "nothing"},
	{name: "parity wrong", before: func(d *draft) { d.slice(badGroup, d.N-1)[3] ^= 1 }, sees: "evidence", bad: 1 << 5},
	{name: "all parity wrong", before: func(d *draft) {
		for i := d.K; i < d.N; i++ {
			d.slice(badGroup, i)[i] ^= 0x80
		}
	}, sees: "evidence", bad: 0b111000},
	{name: "parity of zeros", before: func(d *draft) { clear(d.slice(badGroup, d.K)) }, sees: "evidence", bad: 1 << 3},
	{name: "data replaced", before: func(d *draft) { d.slice(badGroup, 0)[0] ^= 1 }, sees: "evidence", bad: 0b111000},
	{name: "two codewords", before: func(d *draft) {
		// Whoever has the data reads one plaintext, whoever trusted the parity would read another.
		data := slices.Repeat([][]byte{reference.Stream(99, d.SliceSize)}, d.K)
		copy(d.slices[d.N*badGroup+d.K:], reference.EncodeGroup(d.N, data)[d.K:])
	}, sees: "evidence", bad: 0b111000},
	{name: "slices swapped", before: func(d *draft) {
		all := d.slices[d.N*badGroup:]
		all[0], all[d.N-1] = all[d.N-1], all[0]
	}, sees: "evidence", bad: 0b111000},
	{name: "leaf hashes swapped", after: func(d *draft) {
		all := d.places[32*badGroup:]
		all[0], all[d.N-1] = all[d.N-1], all[0]
	}, sees: "evidence", bad: 1 | 1<<5},
	{name: "padding not zero", before: func(d *draft) {
		last := d.slice(2, d.K-1)
		last[len(last)-1] = 7
		d.recode(2)
	}, sees: "evidence", pad: true},
	{name: "padding changed after coding", before: func(d *draft) {
		last := d.slice(2, d.K-1)
		last[len(last)-1] = 7
	}, sees: "evidence", bad: 0b111000, pad: true},
	{name: "leaf hashes of nothing, of n - k lanes", after: func(d *draft) { randomLeaves(d, 0, d.N-d.K) }, sees: "evidence", bad: 0b000111},
	{name: "leaf hashes of nothing, of n - k + 1 lanes", after: func(d *draft) { randomLeaves(d, 0, d.N-d.K+1) }, sees: "loss"},
	{name: "leaf hashes of nothing, of the last n - k + 1 lanes", after: func(d *draft) { randomLeaves(d, d.K-1, d.N) }, sees: "loss"},
	{name: "leaf hashes of nothing, of all lanes", after: func(d *draft) { randomLeaves(d, 0, d.N) }, sees: "loss"},
	{name: "leaf of a body that is a byte longer", after: leafOf(0, func(b []byte) []byte { return append(b, 0) }), sees: "evidence", bad: 1},
	{name: "leaf of a body that is a byte shorter", after: leafOf(1, func(b []byte) []byte { return b[:len(b)-1] }), sees: "evidence", bad: 1 << 1},
	{name: "leaf of an empty body", after: leafOf(0, func([]byte) []byte { return nil }), sees: "evidence", bad: 1},
	{name: "leaf of a join", after: leafOf(0, func([]byte) []byte {
		return slices.Concat([]byte("LEFT"), make([]byte, 32), []byte("RIGHT"), make([]byte, 32))
	}), sees: "evidence", bad: 1},
	{name: "junk behind the slices of a group", after: func(d *draft) { d.places[32*badGroup+d.N] = noise(1) }, sees: "loss"},
	{name: "junk in the last place of a group", after: func(d *draft) { d.places[32*badGroup+31] = noise(1) }, sees: "loss"},
	{name: "junk behind the groups", after: func(d *draft) { d.places[32*3] = noise(1) }, sees: "no roots"},
}

// tell writes a blob with the lie.
func (l lie) tell(t *testing.T, s blob.Store, p commit.Params) (*draft, commit.ID) {
	t.Helper()
	d := newDraft(p)
	if l.before != nil {
		l.before(d)
	}
	d.grow()
	if l.after != nil {
		l.after(d)
	}
	return d, d.store(t, s)
}

func (l lie) group() int {
	if l.pad {
		return 2
	}
	return badGroup
}

// TestDishonestWriters has all that a writer stored, and says what its users see: a reader, one who verifies, and one
// who is shown what that found.
func TestDishonestWriters(t *testing.T) {
	ctx := context.Background()
	for _, l := range lies {
		t.Run(l.name, func(t *testing.T) {
			s := newBad()
			d, id := l.tell(t, s, commit.Params{K: 3, N: 6, SliceSize: 64})
			b := open(t, s, id)
			var lost, bad []int
			var wrong *blob.EncodingError
			noRoots := 0
			for run, err := range b.Verify(ctx, 0) {
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range run.Faults {
					var few *blob.LostError
					switch {
					case errors.As(f.Err, &few):
						lost = append(lost, few.Group)
					case errors.As(f.Err, &wrong):
						bad = append(bad, wrong.Group)
						if wrong.Evidence != nil {
							t.Error("a fault holds evidence")
						}
					case errors.Is(f.Err, blob.ErrNoRoots):
						noRoots++
					}
				}
			}
			shown, err := evidence.Append(ctx, nil, b, l.group())
			plain, readErr := io.ReadAll(proof.NewReader(ctx, b))
			if want := d.plain()[:len(plain)]; !bytes.Equal(plain, want) {
				t.Error("read gives other bytes than the data slices have")
			}
			switch l.sees {
			case "nothing":
				if len(lost)+len(bad) > 0 || !errors.Is(err, evidence.ErrHonest) || readErr != nil {
					t.Errorf("lost %v, bad %v; evidence: %v; read: %v", lost, bad, err, readErr)
				}
			case "evidence":
				if len(lost) > 0 || !slices.Equal(bad, []int{l.group()}) || wrong.Wrong != l.bad || wrong.Padding != l.pad {
					t.Fatalf("lost %v, bad %v: %+v", lost, bad, wrong)
				}
				found, cerr := evidence.Check(id, shown)
				model, merr := reference.CheckEvidence(id, shown)
				want := evidence.Finding{Group: l.group(), Wrong: l.bad, Padding: l.pad}
				if err != nil || cerr != nil || merr != nil || found != want || commit.Lanes(model.Wrong) != l.bad || model.Padding != l.pad {
					t.Errorf("%v, %v, %v: found %+v, %+v", err, cerr, merr, found, model)
				}
			case "loss":
				if !slices.Equal(lost, []int{l.group()}) || len(bad) > 0 || err == nil || shown != nil {
					t.Errorf("lost %v, bad %v; evidence: %d bytes, %v", lost, bad, len(shown), err)
				}
				if !errors.As(readErr, new(*blob.LostError)) {
					t.Errorf("read: %v", readErr)
				}
			case "no roots":
				if len(lost) != 3 || len(bad) > 0 || noRoots == 0 || !errors.Is(err, blob.ErrNoRoots) && !errors.Is(err, evidence.ErrFew) || shown != nil || readErr == nil {
					t.Errorf("lost %v, bad %v, %d times no roots; evidence: %v; read: %v", lost, bad, noRoots, err, readErr)
				}
			}
		})
	}
}

// plain is the plaintext as the data slices have it.
func (d *draft) plain() (plain []byte) {
	for g := range 3 {
		for i := range d.K {
			plain = append(plain, d.slice(g, i)...)
		}
	}
	return plain[:d.length]
}

// pinned returns slice p as the tree has it, if it has one of that size.
func (d *draft) pinned(p commit.Pos) ([]byte, bool) {
	s := d.slice(p.Group, p.Lane)
	return s, reference.Leaf(s) == d.places[32*p.Group+p.Lane]
}

// TestNoTwoAnswers reads blobs of liars under all losses of two small codes, and many of 10 of 20, with and without the
// caches. A reader gets a slice that matches its leaf hash, which two slices cannot, or an error that says why not; where
// the first k right slices do not give the slice, that is the error, with evidence, whatever others would give.
func TestNoTwoAnswers(t *testing.T) {
	sampled := times(5, 30, 5000)
	total := 0
	for _, p := range []commit.Params{{K: 2, N: 4, SliceSize: 64}, {K: 3, N: 6, SliceSize: 64}, {K: 10, N: 20, SliceSize: 64}} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			for _, l := range lies {
				rng := newRand(uint64(p.N))
				patterns := sampled
				if p.N < 20 {
					patterns = 1 << p.N
				}
				step := 1
				if p.N == 6 {
					step = times(7, 1, 1)
				}
				s := newBad()
				d, id := l.tell(t, s, p)
				seen := answers{lie: l, draft: d, id: id, slices: map[commit.Pos][]byte{},
					coded: map[commit.Lanes][][]byte{}, shown: map[string]evidence.Finding{}}
				for i := 0; i < patterns; i += step {
					lost := commit.Lanes(i)
					if p.N == 20 && i > 0 {
						lost = samplePattern(rng, p)
					}
					for j, without := range [][]string{nil, {"leaves"}, {"leaves", "roots"}, caches} {
						if p.N > 4 && j > 0 && j != 1+i%3 {
							continue
						}
						seen.read(t, s, rng, lost, without)
						total++
					}
				}
				seen.check(t)
			}
		})
	}
	t.Logf("%d patterns of loss", total)
}

// samplePattern draws how many lanes are lost, most often about as many as can be borne, and which.
func samplePattern(rng *rand.Rand, p commit.Params) (lost commit.Lanes) {
	n := rng.IntN(p.N + 1)
	if rng.IntN(2) == 0 {
		n = p.N - p.K - 1 + rng.IntN(3)
	}
	for _, i := range someLanes(rng, p, n) {
		lost |= 1 << i
	}
	return lost
}

// answers are what readers of one blob got.
type answers struct {
	lie
	*draft
	id     commit.ID
	slices map[commit.Pos][]byte       // each as the first reader got it
	coded  map[commit.Lanes][][]byte   // the bad group as k of its slices give it
	shown  map[string]evidence.Finding // evidence that was checked

	given, accused, refused int
}

// read reads all slices without some objects and the lanes lost, each of which is missing or wrong in the group that is
// lied about, and then the plaintext.
func (a *answers) read(t *testing.T, s *bad, rng *rand.Rand, lost commit.Lanes, without []string) {
	t.Helper()
	ctx := context.Background()
	group, off := a.group(), a.header().LaneOffset(a.group())
	s.gone = map[string]bool{}
	s.lose(without...)
	for rest := lost; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(uint32(rest))
		if rng.IntN(2) == 0 {
			s.lose(lane(i))
			continue
		}
		at := off + rng.Int64N(int64(a.header().SizeOf(group)))
		s.flip(t, a.id, lane(i), at, 1)
		defer s.flip(t, a.id, lane(i), at, 1)
	}
	where := fmt.Sprintf("%s: lanes %#b lost, without %v", a.name, lost, without)
	b, err := blob.Open(ctx, s, a.id, blob.Options{Workers: 1})
	if err != nil {
		if !errors.Is(err, blob.ErrNoHeader) && !errors.Is(err, blob.ErrNoRoots) || without == nil {
			t.Fatalf("%s: %v", where, err)
		}
		a.refused++
		return
	}
	defer b.Close()

	at := everything(b.Header())
	bodies, errs := slicesOf(ctx, b, at)
	for i, p := range at {
		a.answer(t, where, p, bodies[i], errs[i])
		if p.Group == group && without == nil {
			a.oracle(t, where, p, lost, errs[i])
		}
	}
	var plain bytes.Buffer
	if _, err := proof.NewReader(ctx, b).WriteTo(&plain); err != nil {
		a.explain(t, where, err)
	} else if int64(plain.Len()) != a.length {
		t.Fatalf("%s: %d bytes of %d, and no error", where, plain.Len(), a.length)
	}
	if !bytes.Equal(plain.Bytes(), a.plain()[:plain.Len()]) {
		t.Fatalf("%s: read gives other bytes", where)
	}
}

// answer looks at one slice that a reader got, or did not.
func (a *answers) answer(t *testing.T, where string, p commit.Pos, got []byte, err error) {
	t.Helper()
	if err != nil {
		a.explain(t, where, err)
		return
	}
	a.given++
	first, ok := a.slices[p]
	if !ok {
		a.slices[p] = got
		first = got
		if len(got) != a.header().SizeOf(p.Group) || reference.Leaf(got) != a.places[32*p.Group+p.Lane] {
			t.Fatalf("%s: slice %v does not match its leaf hash", where, p)
		}
	}
	if !bytes.Equal(got, first) {
		t.Fatalf("%s: slice %v is another than before", where, p)
	}
}

// explain wants an error to be a loss, or to come with evidence that holds.
func (a *answers) explain(t *testing.T, where string, err error) {
	t.Helper()
	var few *blob.LostError
	var wrong *blob.EncodingError
	switch {
	case errors.As(err, &wrong):
		a.accused++
		found, ok := a.shown[string(wrong.Evidence)]
		if !ok {
			var err error
			if found, err = evidence.Check(a.id, wrong.Evidence); err != nil {
				t.Fatalf("%s: %v: evidence: %v", where, wrong, err)
			}
			if _, err := reference.CheckEvidence(a.id, wrong.Evidence); err != nil {
				t.Fatalf("%s: the second model: %v", where, err)
			}
			a.shown[string(wrong.Evidence)] = found
		}
		if wrong.Group != a.group() || found.Group != a.group() || found.Wrong&wrong.Wrong != wrong.Wrong {
			t.Fatalf("%s: %v, evidence of %+v", where, wrong, found)
		}
	case errors.As(err, &few):
		a.refused++
	default:
		t.Fatalf("%s: %v", where, err)
	}
}

// oracle says what the answer about slice p of the bad group has to be, if all caches are there.
func (a *answers) oracle(t *testing.T, where string, p commit.Pos, lost commit.Lanes, err error) {
	t.Helper()
	if a.sees == "no roots" || a.places[32*p.Group+31] != reference.Empty(0) || a.places[32*p.Group+a.N] != reference.Empty(0) {
		if !errors.As(err, new(*blob.LostError)) {
			t.Fatalf("%s: slice %v beside junk: %v", where, p, err)
		}
		return
	}
	right := make([][]byte, a.N) // the first k that are
	var first commit.Lanes
	count := 0
	for i := range a.N {
		if body, ok := a.pinned(commit.Pos{Group: p.Group, Lane: i}); ok && !lost.Has(i) {
			if i == p.Lane {
				if err != nil {
					t.Fatalf("%s: slice %v, which is there: %v", where, p, err)
				}
				return
			}
			if count < a.K {
				right[i] = body
				first |= 1 << i
			}
			count++
		}
	}
	if count >= a.K && a.coded[first] == nil {
		a.coded[first] = reference.EncodeGroup(a.N, reference.DecodeGroup(a.K, right))
	}
	switch {
	case count < a.K:
		if !errors.As(err, new(*blob.LostError)) {
			t.Fatalf("%s: slice %v with %d right ones: %v", where, p, count, err)
		}
	case reference.Leaf(a.coded[first][p.Lane]) == a.places[32*p.Group+p.Lane]:
		if err != nil {
			t.Fatalf("%s: slice %v, which the first right ones give: %v", where, p, err)
		}
	default:
		if !errors.As(err, new(*blob.EncodingError)) {
			t.Fatalf("%s: slice %v, which the first right ones do not give: %v", where, p, err)
		}
	}
}

// check wants each kind of answer to have been seen where the lie makes for it.
func (a *answers) check(t *testing.T) {
	t.Helper()
	accused := a.sees == "evidence" && a.lie.name != "padding not zero" // which no read looks at
	if (a.given > 0) != (a.sees != "no roots") || (a.accused > 0) != accused || a.refused == 0 {
		t.Errorf("%s: %d slices read, %d accusations, %d refusals", a.name, a.given, a.accused, a.refused)
	}
}

// TestEvidenceLater reads a bad group when the hashes beside it cannot be read: the error comes without evidence, which
// can be made later.
func TestEvidenceLater(t *testing.T) {
	ctx := context.Background()
	p := commit.Params{K: 1, N: 2, SliceSize: 64}
	s := newBad()
	// The last window is not full, so that evidence against a group of the first takes roots of it.
	h := forge(t, s, p, randomBytes(newRand(50), 64*(2*1024+5)), nil, func(g int, s [][]byte) {
		if g == 5 {
			s[1][0] ^= 1
		}
	})
	s.lose(lane(1))
	far := int64(2 * 1024 * 32)
	s.hook = func(_ context.Context, op, name string, off int64, _ int) error {
		if op == "read" && off >= far/32*64 && name != "manifest" || op == "read" && name == "roots" && off >= far {
			return errEnough
		}
		return nil
	}
	b := open(t, s, h.ID())
	read := func() *blob.EncodingError {
		var bad *blob.EncodingError
		if _, errs := slicesOf(ctx, b, []commit.Pos{{Group: 5, Lane: 1}}); !errors.As(errs[0], &bad) {
			t.Fatal(errs)
		}
		return bad
	}
	if bad := read(); bad.Evidence != nil {
		t.Error("evidence without the hashes that it takes")
	}
	s.hook = nil
	later, err := evidence.Append(ctx, nil, b, 5)
	if bad := read(); err != nil || !bytes.Equal(bad.Evidence, later) {
		t.Errorf("%d bytes of evidence, %d by Append, %v", len(bad.Evidence), len(later), err)
	}
	if found, err := evidence.Check(h.ID(), later); err != nil || found != (evidence.Finding{Group: 5, Wrong: 1 << 1}) {
		t.Errorf("%+v, %v", found, err)
	}
}
