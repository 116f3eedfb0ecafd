package reference

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// Challenge asks for Count slices of a blob, which Seed chooses from the lanes asked: bit i is lane i.
type Challenge struct {
	ID, Seed Hash
	Lanes    uint32
	Count    int
}

// Bytes is the challenge as it is sent.
func (c Challenge) Bytes() []byte {
	b := []byte("TPC1")
	b = appendHash(b, c.ID)
	b = appendHash(b, c.Seed)
	b = binary.LittleEndian.AppendUint32(b, c.Lanes)
	return binary.LittleEndian.AppendUint32(b, uint32(c.Count))
}

// ParseChallenge parses a challenge that some blob may fit.
func ParseChallenge(b []byte) (Challenge, error) {
	if len(b) != 76 || string(b[:4]) != "TPC1" {
		return Challenge{}, errors.New("reference: not a challenge")
	}
	lanes, count := binary.LittleEndian.Uint32(b[68:]), binary.LittleEndian.Uint32(b[72:])
	if lanes == 0 || lanes >= 1<<20 {
		return Challenge{}, fmt.Errorf("reference: challenge: lanes %#x", lanes)
	}
	if count < 1 || count > maxSet {
		return Challenge{}, fmt.Errorf("reference: challenge: %d samples", count)
	}
	return Challenge{Hash(b[4:]), Hash(b[36:]), lanes, int(count)}, nil
}

// Samples is the positions that the challenge asks for, sorted.
func (c Challenge) Samples(h Header) ([]int64, error) {
	var asked []int64
	for lane := range int64(32) {
		if c.Lanes>>lane&1 == 1 {
			asked = append(asked, lane)
		}
	}
	switch {
	case c.ID != h.ID():
		return nil, errors.New("reference: challenge: for another blob")
	case len(asked) == 0 || asked[len(asked)-1] >= int64(h.N):
		return nil, fmt.Errorf("reference: challenge: lanes %#x of %d", c.Lanes, h.N)
	}
	p := int64(len(asked))
	all := p * h.Groups()
	if c.Count < 1 || int64(c.Count) > min(all, maxSet) {
		return nil, fmt.Errorf("reference: challenge: %d samples of %d slices", c.Count, all)
	}

	limit := new(big.Int).Lsh(big.NewInt(1), 64) // floor(2^64 / N) N
	limit.Div(limit, big.NewInt(all)).Mul(limit, big.NewInt(all))

	var lanes [4]byte
	binary.LittleEndian.PutUint32(lanes[:], c.Lanes)
	var set []int64
	seen := map[int64]bool{}
	for j := uint64(0); ; j++ {
		block := sum([]byte("AUDIT"), c.ID[:], c.Seed[:], lanes[:], binary.LittleEndian.AppendUint64(nil, j))
		for i := range 4 {
			value := binary.LittleEndian.Uint64(block[8*i:])
			if new(big.Int).SetUint64(value).Cmp(limit) >= 0 {
				continue
			}
			x := int64(value % uint64(all))
			if seen[x] {
				continue
			}
			seen[x] = true
			set = append(set, int64(h.N)*(x/p)+asked[x%p])
			if len(set) == c.Count {
				slices.Sort(set)
				return set, nil
			}
		}
	}
}

// Answer is the answer to a challenge that fits the blob. What instead has for a position is answered in
// place of the slice there: nil that it is absent.
func (b *Blob) Answer(c Challenge, instead map[int64][]byte) []byte {
	set, err := c.Samples(b.Header)
	if err != nil {
		panic(err)
	}
	out := append([]byte("TPA1"), b.Header.Bytes()...)
	for _, position := range set {
		out = appendHash(out, b.Leaves[position])
	}
	for _, hash := range b.Nodes(set) {
		out = appendHash(out, hash)
	}
	for _, position := range set {
		slice, ok := instead[position]
		if !ok {
			slice = b.Slices[position]
		}
		if slice == nil {
			out = append(out, 0)
			continue
		}
		out = append(append(out, 1), slice...)
	}
	return out
}

// Verdict is what an answer shows of a sample.
type Verdict string

const (
	Unproven Verdict = "unproven"
	Good     Verdict = "good"
	Wrong    Verdict = "wrong"
	Absent   Verdict = "absent"
)

// Judge returns a verdict for each sample of a challenge, in order, or an error where the answer is malformed.
func Judge(c Challenge, answer []byte) ([]Verdict, error) {
	verdicts, err := judge(c, &cursor{rest: answer})
	if err != nil {
		return nil, fmt.Errorf("reference: answer: %w", err)
	}
	return verdicts, nil
}

func judge(c Challenge, in *cursor) ([]Verdict, error) {
	if err := in.magic("TPA1"); err != nil {
		return nil, err
	}
	h, err := in.header(c.ID)
	if err != nil {
		return nil, err
	}
	set, err := c.Samples(h)
	if err != nil {
		return nil, err
	}
	leaves, err := in.hashes(len(set))
	if err != nil {
		return nil, err
	}
	nodes, err := in.hashes(len(h.NodesOf(set)))
	if err != nil {
		return nil, err
	}
	var verdicts []Verdict
	for i, position := range set {
		there, err := in.take(1)
		if err != nil {
			return nil, err
		}
		switch there[0] {
		case 0:
			verdicts = append(verdicts, Absent)
			continue
		case 1:
		default:
			return nil, fmt.Errorf("a slice is there or not, and not %d", there[0])
		}
		slice, err := in.take(h.SizeOf(position / int64(h.N)))
		if err != nil {
			return nil, err
		}
		if Leaf(slice) == leaves[i] {
			verdicts = append(verdicts, Good)
		} else {
			verdicts = append(verdicts, Wrong)
		}
	}
	if len(in.rest) != 0 {
		return nil, errors.New("surplus bytes")
	}
	if h.leadLeaves(set, leaves, nodes) != nil {
		for i := range verdicts {
			verdicts[i] = Unproven
		}
	}
	return verdicts, nil
}
