package hostile

import (
	"fmt"

	"github.com/tapecommit/tapecommit/internal/reference"
)

// ChallengeIn is a challenge and, unless it is null, the header of the blob that it is to fit.
type ChallengeIn struct {
	Challenge Hex `json:"challenge"`
	Header    Hex `json:"header"`
}

// ChallengeOut is what an accepted challenge asks for: At where there is a header.
type ChallengeOut struct {
	Lanes uint32  `json:"lanes"`
	Count int     `json:"count"`
	At    []int64 `json:"at"`
}

// challengeParts are the fields of a challenge, with room for anything.
type challengeParts struct {
	magic        string
	id, seed     []byte
	lanes, count uint32
}

func (p challengeParts) bytes() []byte {
	b := append([]byte(p.magic), p.id...)
	b = append(b, p.seed...)
	return le32(le32(b, p.lanes), p.count)
}

func (p challengeParts) with(f func(*challengeParts)) challengeParts {
	f(&p)
	return p
}

// ask is a challenge for slices of a blob, and what the second model makes of it.
func ask(h reference.Header, seed uint64, lanes, count uint32) (challengeParts, reference.Challenge) {
	p := challengeParts{"TPC1", idOf(h.Bytes()), reference.Stream(seed, 32), lanes, count}
	return p, reference.Challenge{ID: reference.Hash(p.id), Seed: reference.Hash(p.seed), Lanes: lanes, Count: int(count)}
}

func samples(c reference.Challenge, h reference.Header) []int64 {
	at, err := c.Samples(h)
	if err != nil {
		panic(err)
	}
	return at
}

func challenges(b *blobs) *list[ChallengeIn, ChallengeOut] {
	l := &list[ChallengeIn, ChallengeOut]{}
	good := func(name, about string, h reference.Header, seed uint64, lanes, count uint32) challengeParts {
		p, c := ask(h, seed, lanes, count)
		l.good(name, about, ChallengeIn{p.bytes(), h.Bytes()}, ChallengeOut{lanes, int(count), samples(c, h)})
		return p
	}
	plain := good("plain", "6 of 9 slices: seeds draw some of them twice", b.plain.Header, 80, 0b10110, 6)
	good("all-slices", "as many as there are", b.plain.Header, 81, 0b11111, 15)
	good("one-lane", "two of the slices of one lane", b.wide.Header, 82, 1<<19, 2)
	good("power-of-two", "16 of 64 slices: no number is passed over", b.half.Header, 83, 0xffff, 16)
	good("one-slice", "the only slice of one lane", b.single.Header, 84, 1, 1)
	good("many-groups", "data lanes of 130 groups", b.runs.Header, 85, 0b11, 20)
	good("most-groups", "all lanes of 2^27 groups: positions up to 2^31 and above", b.huge, 86, 1<<20-1, 40)
	good("all-of-a-lane", "all slices of a lane of the only group", b.single.Header, 87, 0b100, 1)
	// The fourth number that this seed draws is one of the 2,683,988,176 from floor(2^64 / N) N on. Such a seed was
	// searched for: one in some 2^31 has one among its first four.
	rare := reference.Header{
		Params: reference.Params{K: 10, N: 20, SliceSize: 64},
		Length: 134216474 * 640,
		Root:   reference.Hash(reference.Stream(86, 32)),
	}
	passing := challengeParts{"TPC1", idOf(rare.Bytes()), le64(make([]byte, 27, 35), 9257394765)[:32], 1<<20 - 1, 4}
	asked := reference.Challenge{ID: reference.Hash(passing.id), Seed: reference.Hash(passing.seed), Lanes: passing.lanes, Count: 4}
	l.good("number-passed-over", "a seed whose fourth number is passed over, so that all are equally likely", ChallengeIn{passing.bytes(), rare.Bytes()},
		ChallengeOut{passing.lanes, 4, samples(asked, rare)})

	bare, _ := ask(b.plain.Header, 88, 0b11, 65536)
	l.good("bare", "the most samples that a challenge asks for, of a blob that is not at hand", ChallengeIn{bare.bytes(), nil}, ChallengeOut{0b11, 65536, nil})
	high, _ := ask(b.plain.Header, 89, 1<<19, 1)
	l.good("bare-lane-19", "the highest lane that there is, of a blob that is not at hand", ChallengeIn{high.bytes(), nil}, ChallengeOut{1 << 19, 1, nil})

	h := b.plain.Header.Bytes()
	bad := func(name, rule, about string, f func(*challengeParts)) {
		l.bad("plain", name, rule, about, ChallengeIn{plain.with(f).bytes(), h})
	}
	whole := plain.bytes()
	for _, n := range []int{0, 4, 36, 68, 72, 75} {
		l.bad("plain", fmt.Sprintf("cut-to-%d", n), "challenge-size", "the first bytes alone", ChallengeIn{whole[:n], h})
	}
	l.bad("plain", "trailing-byte", "challenge-size", "a zero byte behind", ChallengeIn{more(whole, 0), h})
	l.bad("plain", "trailing-zeros", "challenge-size", "four zero bytes behind, as if the count had 8", ChallengeIn{more(whole, 0, 0, 0, 0), h})
	l.bad("plain", "twice", "challenge-size", "the challenge twice", ChallengeIn{more(whole, whole...), h})
	bad("seed-of-31", "challenge-size", "a seed of 31 bytes", func(p *challengeParts) { p.seed = p.seed[:31] })
	bad("seed-of-33", "challenge-size", "a seed of 33 bytes", func(p *challengeParts) { p.seed = more(p.seed, 0) })
	for _, magic := range []string{"TPB1", "TPP1", "TPA1", "TPC2", "tpc1"} {
		bad("magic-"+magic, "challenge-magic", "another magic", func(p *challengeParts) { p.magic = magic })
	}
	for _, x := range []struct {
		name, about string
		lanes       uint32
	}{
		{"none", "no lane", 0},
		{"n", "lane n, of which there is no slice", 1<<5 | 0b10110},
		{"n-alone", "lane n alone", 1 << 5},
		{"19", "lane 19 of a blob of 5 lanes", 1<<19 | 0b10110},
		{"20", "lane 20, which no blob has", 1<<20 | 0b10110},
		{"31", "lane 31", 1<<31 | 0b10110},
		{"all-bits", "all 32 bits", 1<<32 - 1},
	} {
		bad("lanes-"+x.name, "challenge-lanes", x.about, func(p *challengeParts) { p.lanes = x.lanes })
	}
	l.bad("bare", "lane-20", "challenge-lanes", "lane 20, which no blob has", ChallengeIn{bare.with(func(p *challengeParts) { p.lanes = 1 << 20 }).bytes(), nil})
	l.bad("bare", "no-lane", "challenge-lanes", "no lane", ChallengeIn{bare.with(func(p *challengeParts) { p.lanes = 0 }).bytes(), nil})
	l.bad("bare", "count-65537", "challenge-count", "one sample too many for any blob", ChallengeIn{bare.with(func(p *challengeParts) { p.count++ }).bytes(), nil})
	l.bad("bare", "count-0", "challenge-count", "no sample", ChallengeIn{bare.with(func(p *challengeParts) { p.count = 0 }).bytes(), nil})
	for _, x := range []struct {
		about string
		count uint32
	}{
		{"no sample", 0},
		{"a sample more than slices", 10},
		{"as many samples as the blob has slices, of three lanes", 15},
		{"the most samples that a challenge may ask for", 65536},
		{"one sample too many for any blob", 65537},
		{"2^31 - 1 samples", 1<<31 - 1},
		{"2^31 samples", 1 << 31},
		{"2^32 - 1 samples", 1<<32 - 1},
		{"the count with its bytes reversed", 6 << 24},
	} {
		bad(fmt.Sprintf("count-%d", x.count), "challenge-count", x.about, func(p *challengeParts) { p.count = x.count })
	}
	bad("id-bent", "header-id", "a bit of the ID changed", func(p *challengeParts) { p.id = flip(p.id, 31) })
	bad("id-of-another", "header-id", "the ID of another blob", func(p *challengeParts) { p.id = idOf(b.wide.Header.Bytes()) })
	l.bad("plain", "header-of-another", "header-id", "the header of another blob", ChallengeIn{whole, b.wide.Header.Bytes()})
	shorter := b.plain.Header
	shorter.Length--
	l.bad("plain", "header-less-1", "header-id", "a length of a byte less in the header", ChallengeIn{whole, shorter.Bytes()})
	none, _ := ask(b.empty.Header, 80, 0b10110, 1)
	l.bad("plain", "of-an-empty-blob", "challenge-count", "a challenge to an empty blob, which has no slices to ask for", ChallengeIn{none.bytes(), b.empty.Header.Bytes()})
	l.bad("one-slice", "count-2", "challenge-count", "two of one slice", ChallengeIn{func() []byte { p, _ := ask(b.single.Header, 84, 1, 2); return p.bytes() }(), b.single.Header.Bytes()})
	return l
}
