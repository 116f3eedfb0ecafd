package proof

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/hashcore"
)

const (
	challengeMagic = "TPC1"
	challengeLen   = len(challengeMagic) + len(commit.ID{}) + 32 + 4 + 4
)

// Challenge asks for Count slices, which Seed chooses among the given lanes of all
// groups of blob ID. A seed that the archive could foresee is no audit.
type Challenge struct {
	ID    commit.ID
	Seed  [32]byte
	Lanes commit.Lanes
	Count int
}

// ParseChallenge parses the 76 bytes that AppendBinary makes. Whether they fit the
// blob shows with its header: see Samples.
func ParseChallenge(b []byte) (Challenge, error) {
	if len(b) != challengeLen {
		return Challenge{}, fmt.Errorf("proof: challenge of %d bytes, want %d: %w", len(b), challengeLen, commit.ChallengeSize)
	}
	if m := b[:len(challengeMagic)]; string(m) != challengeMagic {
		return Challenge{}, fmt.Errorf("proof: challenge begins with %q: %w", m, commit.ChallengeMagic)
	}
	c := Challenge{ID: commit.ID(b[4:]), Seed: [32]byte(b[36:])}
	c.Lanes = commit.Lanes(binary.LittleEndian.Uint32(b[68:]))
	count := binary.LittleEndian.Uint32(b[72:])
	c.Count = int(min(count, maxSet+1)) // fits an int of 32 bits
	return c, c.validate()
}

// AppendBinary appends the encoding of c; it fails where no blob fits c.
func (c Challenge) AppendBinary(b []byte) ([]byte, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	b = append(b, challengeMagic...)
	b = append(b, c.ID[:]...)
	b = append(b, c.Seed[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(c.Lanes))
	return binary.LittleEndian.AppendUint32(b, uint32(c.Count)), nil
}

// validate reports what of c fits no blob.
func (c Challenge) validate() error {
	if c.Lanes == 0 || c.Lanes>>commit.MaxSlices != 0 {
		return fmt.Errorf("proof: challenge for lanes %#x: %w", uint32(c.Lanes), commit.ChallengeLanes)
	}
	if c.Count < 1 || c.Count > maxSet {
		return fmt.Errorf("proof: challenge for %d or more samples, want 1 to %d: %w", c.Count, maxSet, commit.ChallengeCount)
	}
	return nil
}

// Samples returns the slices that c asks for, ascending. It fails where h is not
// valid and where c does not fit it.
func (c Challenge) Samples(h commit.Header) ([]commit.Pos, error) {
	if err := h.Validate(); err != nil {
		return nil, err
	}
	if id := h.ID(); id != c.ID {
		return nil, fmt.Errorf("proof: challenge is for %v, not for %v: %w", c.ID, id, commit.HeaderID)
	}
	if err := c.validate(); err != nil {
		return nil, err
	}
	if c.Lanes>>h.N != 0 {
		return nil, fmt.Errorf("proof: challenge for lanes %#x of a blob of %d: %w", uint32(c.Lanes), h.N, commit.ChallengeLanes)
	}
	lanes := make([]int, 0, commit.MaxSlices)
	for l := c.Lanes; l != 0; l &= l - 1 {
		lanes = append(lanes, bits.TrailingZeros32(uint32(l)))
	}
	total := uint64(len(lanes)) * uint64(h.Groups())
	if uint64(c.Count) > total {
		return nil, fmt.Errorf("proof: challenge for %d of %d slices: %w", c.Count, total, commit.ChallengeCount)
	}
	at := make([]commit.Pos, 0, c.Count)
	seen := make(map[uint64]struct{}, c.Count)
	for x := range c.values(total) {
		if _, ok := seen[x]; ok {
			continue
		}
		seen[x] = struct{}{}
		p := uint64(len(lanes))
		at = append(at, commit.Pos{Group: int(x / p), Lane: lanes[x%p]})
		if len(at) == c.Count {
			break
		}
	}
	slices.SortFunc(at, func(a, b commit.Pos) int {
		return cmp.Compare(h.Position(a), h.Position(b))
	})
	return at, nil
}

// values yields the seed's numbers below total, which is not 0, without end.
func (c Challenge) values(total uint64) func(yield func(uint64) bool) {
	// 2^64 mod total values at the top are skipped, so that all numbers are equally
	// likely; skip is 0 where total is a power of two.
	skip := -total % total
	prefix := append([]byte("AUDIT"), c.ID[:]...)
	prefix = append(prefix, c.Seed[:]...)
	prefix = binary.LittleEndian.AppendUint32(prefix, uint32(c.Lanes))
	return func(yield func(uint64) bool) {
		const batch = 16
		var (
			j      uint64
			blocks [batch]hashcore.Digest
			msgs   [batch][]byte
		)
		for {
			for i := range msgs {
				msgs[i] = binary.LittleEndian.AppendUint64(msgs[i][:0], j)
				j++
			}
			hashcore.Sum(blocks[:], string(prefix), msgs[:])
			for _, b := range blocks {
				for i := range 4 {
					v := binary.LittleEndian.Uint64(b[8*i:])
					if skip != 0 && v >= -skip {
						continue
					}
					if !yield(v % total) {
						return
					}
				}
			}
		}
	}
}
