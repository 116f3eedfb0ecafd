package proof_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof"
	"github.com/tapecommit/tapecommit/proof/evidence"
)

func randomSeed(rng *rand.Rand) (seed [32]byte) {
	for i := 0; i < len(seed); i += 8 {
		binary.LittleEndian.PutUint64(seed[i:], rng.Uint64())
	}
	return seed
}

// second is c for the second model.
func second(c proof.Challenge) reference.Challenge {
	return reference.Challenge{ID: c.ID, Seed: c.Seed, Lanes: uint32(c.Lanes), Count: c.Count}
}

// header is a header of some geometry and no real root.
func header(p commit.Params, groups int64) commit.Header {
	return commit.Header{Params: p, Length: groups * int64(p.K*p.SliceSize), Root: commit.Hash{byte(groups), 1}}
}

// compareSamples draws the samples of a challenge with both models.
func compareSamples(t *testing.T, h commit.Header, c proof.Challenge) {
	t.Helper()
	at, err := c.Samples(h)
	want, rerr := second(c).Samples(reference.Header{
		Params: reference.Params{K: h.K, N: h.N, SliceSize: h.SliceSize}, Length: h.Length, Root: h.Root,
	})
	if err != nil || rerr != nil {
		t.Fatalf("%d groups, lanes %#x, %d samples: %v, %v", h.Groups(), c.Lanes, c.Count, err, rerr)
	}
	got := make([]int64, len(at))
	for i, p := range at {
		got[i] = h.Position(p)
	}
	if len(got) != c.Count || !slices.Equal(got, want) {
		t.Errorf("%d groups, lanes %#x, %d samples: others than the second model's", h.Groups(), c.Lanes, c.Count)
	}
}

// falseHeader is a Tree whose Header is not valid.
type falseHeader struct {
	proof.Tree
	h commit.Header
}

func (f falseHeader) Header() commit.Header { return f.h }

// TestFalseHeaders wants an error, and no panic, where a caller's header is not valid.
func TestFalseHeaders(t *testing.T) {
	good := commit.Params{K: 1, N: 2, SliceSize: 64}
	for _, c := range []struct {
		h    commit.Header
		rule commit.Rule
	}{
		{commit.Header{}, commit.HeaderCode},
		{commit.Header{Length: 5}, commit.HeaderCode},
		{commit.Header{Params: commit.Params{K: 1, N: 33, SliceSize: 64}, Length: 5}, commit.HeaderCode},
		{commit.Header{Params: commit.Params{K: 1, N: 2}, Length: 5}, commit.HeaderSliceSize},
		{commit.Header{Params: good, Length: -1}, commit.HeaderLength},
		{commit.Header{Params: good, Length: math.MaxInt64}, commit.HeaderLength},
		{commit.Header{Params: good}, commit.HeaderRoot},
	} {
		asked := proof.Challenge{Lanes: 1, Count: 1}
		_, err := asked.Samples(c.h)
		wantRule(t, "Samples", err, c.rule)
		tr := falseHeader{h: c.h}
		wantRule(t, "Answer", asked.Answer(t.Context(), new(bytes.Buffer), tr), c.rule)
		_, err = proof.Append(t.Context(), nil, tr, []commit.Pos{{}})
		wantRule(t, "proof.Append", err, c.rule)
		_, err = evidence.Append(t.Context(), nil, tr, 0)
		wantRule(t, "evidence.Append", err, c.rule)
	}
}

// TestSamples draws samples of blobs of all sizes, from all lanes and from some.
func TestSamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 20))
	for range 100 {
		n := 2 + rng.IntN(19)
		h := header(commit.Params{K: 1 + rng.IntN(n-1), N: n, SliceSize: 64}, 1+rng.Int64N(1<<rng.IntN(28)))
		lanes := commit.Lanes(1 + rng.IntN(1<<n-1))
		total := lanes.Len() * h.Groups()
		c := proof.Challenge{ID: h.ID(), Seed: randomSeed(rng), Lanes: lanes, Count: 1 + rng.IntN(min(total, 300))}
		compareSamples(t, h, c)
	}
}

// TestSamplesAll asks for every slice there is, where that is a power of two and where
// not, up to the most that a challenge may ask for.
func TestSamplesAll(t *testing.T) {
	totals := []struct {
		lanes  commit.Lanes
		groups int64
	}{
		{1, 1}, {1 << 19, 1}, {0b11, 1}, {0b10, 2}, {0b111, 1}, {0b101, 512}, {0b1111, 333}, {1, 1 << 12}, {1<<16 - 1, 1 << 12},
	}
	if testing.Short() {
		totals = totals[:len(totals)-1]
	}
	for _, c := range totals {
		h := header(commit.Params{K: 10, N: 20, SliceSize: 64}, c.groups)
		compareSamples(t, h, proof.Challenge{ID: h.ID(), Seed: [32]byte{9}, Lanes: c.lanes, Count: c.lanes.Len() * int(c.groups)})
	}
}

// TestSamplesUniform draws from three lanes of a hundred groups many times: each slice
// comes about equally often, in samples of one and of many.
func TestSamplesUniform(t *testing.T) {
	h := header(commit.Params{K: 2, N: 4, SliceSize: 64}, 100)
	for _, count := range []int{1, 30} {
		total := 300
		runs := 12_000 / count
		rng := rand.New(rand.NewPCG(21, uint64(count)))
		hits := map[commit.Pos]int{}
		for range runs {
			at, err := proof.Challenge{ID: h.ID(), Seed: randomSeed(rng), Lanes: 0b1011, Count: count}.Samples(h)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range at {
				hits[p]++
			}
		}
		// The sum of (hits - mean)^2 / variance over all slices is about total - 1, give or
		// take sqrt(2 total); drawing without repeats takes the variance into account.
		share := float64(count) / float64(total)
		mean := float64(runs) * share
		chi := 0.0
		for g := range 100 {
			for _, lane := range []int{0, 1, 3} {
				d := float64(hits[commit.Pos{Group: g, Lane: lane}]) - mean
				chi += d * d / (mean * (1 - share))
			}
		}
		spread := 5 * math.Sqrt(2*float64(total))
		if chi < float64(total)-spread || chi > float64(total)+spread {
			t.Errorf("%d of %d at a time: chi-square %.0f, want %d give or take %.0f", count, total, chi, total, spread)
		}
		if len(hits) != total {
			t.Errorf("%d of %d at a time: %d slices were drawn", count, total, len(hits))
		}
	}
}

// TestSamplesDiffer changes one thing of a challenge at a time: other samples come.
func TestSamplesDiffer(t *testing.T) {
	h := header(commit.Params{K: 2, N: 4, SliceSize: 64}, 1000)
	base := proof.Challenge{ID: h.ID(), Lanes: 0b0111, Count: 20}
	samples := func(h commit.Header, c proof.Challenge) []commit.Pos {
		at, err := c.Samples(h)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	want := samples(h, base)
	seed, lanes, id := base, base, base
	seed.Seed[31] = 1
	lanes.Lanes = 0b1110
	other := h
	other.Root[0] ^= 1
	id.ID = other.ID()
	fewer := base
	fewer.Count = 10
	if slices.Equal(samples(h, seed), want) {
		t.Error("another seed, the same samples")
	}
	shifted := slices.Clone(want)
	for i := range shifted {
		shifted[i].Lane++
	}
	if slices.Equal(samples(h, lanes), shifted) {
		t.Error("other lanes, the same samples in them")
	}
	if slices.Equal(samples(other, id), want) {
		t.Error("another blob, the same samples")
	}
	for _, p := range samples(h, fewer) {
		if !slices.Contains(want, p) {
			t.Errorf("%v is among the first 10 samples and not among the first 20", p)
		}
	}
}

// TestChallengeRefuses bends a challenge in memory and as it is sent.
func TestChallengeRefuses(t *testing.T) {
	tr := smallTree(t) // 15 slices in 5 lanes
	h := tr.Header()
	base := proof.Challenge{ID: tr.id(), Seed: [32]byte{1, 2, 3}, Lanes: 0b10110, Count: 9}
	wire, err := base.AppendBinary([]byte("before"))
	if err != nil || len(wire) != 6+76 {
		t.Fatalf("%d bytes, %v", len(wire), err)
	}
	wire = wire[6:]
	le32 := binary.LittleEndian.PutUint32
	for _, c := range []struct {
		name  string
		parse commit.Rule // "": it fits some blob, and
		fit   commit.Rule // not this one
		bend  func(b []byte)
	}{
		{"magic", commit.ChallengeMagic, "", func(b []byte) { b[3] = '2' }},
		{"no lanes", commit.ChallengeLanes, "", func(b []byte) { le32(b[68:], 0) }},
		{"lane 20", commit.ChallengeLanes, "", func(b []byte) { le32(b[68:], 1<<20|1) }},
		{"lane 31", commit.ChallengeLanes, "", func(b []byte) { le32(b[68:], 1<<31) }},
		{"lane n", "", commit.ChallengeLanes, func(b []byte) { le32(b[68:], 1<<5|1) }},
		{"no samples", commit.ChallengeCount, "", func(b []byte) { le32(b[72:], 0) }},
		{"65,537 samples", commit.ChallengeCount, "", func(b []byte) { le32(b[72:], 1<<16+1) }},
		{"2^31 samples", commit.ChallengeCount, "", func(b []byte) { le32(b[72:], 1<<31) }},
		{"2^32 - 1 samples", commit.ChallengeCount, "", func(b []byte) { le32(b[72:], math.MaxUint32) }},
		{"one sample more than slices", "", commit.ChallengeCount, func(b []byte) { le32(b[72:], 10) }},
		{"65,536 samples", "", commit.ChallengeCount, func(b []byte) { le32(b[72:], 1<<16) }},
		{"another ID", "", commit.HeaderID, func(b []byte) { b[4] ^= 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := bytes.Clone(wire)
			c.bend(b)
			got, err := proof.ParseChallenge(b)
			if c.parse != "" {
				wantRule(t, "ParseChallenge", err, c.parse)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			_, err = got.Samples(h)
			wantRule(t, "Samples", err, c.fit)
			err = got.Answer(t.Context(), new(bytes.Buffer), tr)
			wantRule(t, "Answer", err, c.fit)
			if c.fit != commit.HeaderID {
				_, err = got.Judge(bytes.NewReader(tr.b.Answer(second(base), nil)))
				wantRule(t, "Judge", err, c.fit)
			}
		})
	}
	for n := range 80 {
		if n == 76 {
			continue
		}
		_, err := proof.ParseChallenge(append(bytes.Clone(wire), 0, 0, 0, 0)[:n])
		wantRule(t, "cut or stretched", err, commit.ChallengeSize)
	}
	for name, c := range map[string]struct {
		bend func(*proof.Challenge)
		rule commit.Rule
	}{
		"no lanes":         {func(c *proof.Challenge) { c.Lanes = 0 }, commit.ChallengeLanes},
		"lane 20":          {func(c *proof.Challenge) { c.Lanes = 1 << 20 }, commit.ChallengeLanes},
		"no samples":       {func(c *proof.Challenge) { c.Count = 0 }, commit.ChallengeCount},
		"samples below 0":  {func(c *proof.Challenge) { c.Count = -1 }, commit.ChallengeCount},
		"65,537 samples":   {func(c *proof.Challenge) { c.Count = 1<<16 + 1 }, commit.ChallengeCount},
		"the largest int":  {func(c *proof.Challenge) { c.Count = math.MaxInt }, commit.ChallengeCount},
		"the smallest int": {func(c *proof.Challenge) { c.Count = math.MinInt }, commit.ChallengeCount},
	} {
		bent := base
		c.bend(&bent)
		b, err := bent.AppendBinary(nil)
		wantRule(t, name+", AppendBinary", err, c.rule)
		if b != nil {
			t.Errorf("%s: %d bytes", name, len(b))
		}
		_, err = bent.Samples(h)
		wantRule(t, name+", Samples", err, c.rule)
	}

	empty := reference.Make(tr.b.Params, nil)
	eh := commit.Header{Params: h.Params, Root: empty.Root}
	_, err = proof.Challenge{ID: empty.ID(), Lanes: 1, Count: 1}.Samples(eh)
	wantRule(t, "of the empty blob", err, commit.ChallengeCount)
}
