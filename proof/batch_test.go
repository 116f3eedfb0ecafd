package proof_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// spoil makes a claim that holds one that does not, in one of spoilings ways, and
// returns the rule that it breaks. It leaves what the claim shares with others alone.
func spoil(c *proof.Claim, way int) commit.Rule {
	c.Proof, c.Slices = bytes.Clone(c.Proof), slices.Clone(c.Slices)
	switch way % spoilings {
	case 0:
		c.Slices[0] = bytes.Clone(c.Slices[0])
		c.Slices[0][5] ^= 1
		return commit.ProofRoot
	case 1:
		c.Proof[len(c.Proof)-1] ^= 1 // of the last node, or position
		if len(c.Proof) == 72+8*len(c.At) {
			return commit.SetRange
		}
		return commit.ProofRoot
	case 2:
		c.Proof = append(c.Proof, make([]byte, 32)...)
		return commit.ProofSize
	case 3:
		c.Slices[len(c.Slices)-1] = nil
		return commit.SliceSize
	case 4:
		c.At = slices.Clone(c.At)
		c.At[0].Group += 32
		return commit.SetOther
	case 5:
		c.ID[0] ^= 1
		return commit.HeaderID
	case 6:
		c.Proof = nil
		return commit.ProofSize
	}
	panic("not so many ways")
}

const spoilings = 7

// someClaims are claims that hold, of blobs of many shapes.
func someClaims(t testing.TB, rng *rand.Rand, blobs, each int) []proof.Claim {
	var claims []proof.Claim
	for range blobs {
		tr := randomTree(t, rng, 1+rng.IntN(12))
		for range each {
			claims = append(claims, tr.claim(tr.positions(tr.randomSet(rng, 1+rng.IntN(30)))...))
		}
	}
	rng.Shuffle(len(claims), func(i, j int) { claims[i], claims[j] = claims[j], claims[i] })
	return claims
}

// checkVerdicts checks claims together and compares each with the rule it breaks, or "".
func checkVerdicts(t *testing.T, claims []proof.Claim, broken []commit.Rule) {
	t.Helper()
	var first error
	err := proof.Check(claims)
	for i, c := range claims {
		if first == nil {
			first = c.Err
		}
		var got commit.Rule
		if errors.As(c.Err, &got); got != broken[i] || (c.Err == nil) != (got == "") {
			t.Errorf("claim %d of %d: %v, want %q", i, len(claims), c.Err, broken[i])
		}
	}
	if err != first {
		t.Errorf("Check returned %v, the first is %v", err, first)
	}
}

// TestCheckBatch mixes claims of many blobs, good and bad: each gets its own verdict.
func TestCheckBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 5 {
		claims := someClaims(t, rng, 8, 5)
		broken := make([]commit.Rule, len(claims))
		checkVerdicts(t, claims, broken)
		for i := range claims {
			if rng.IntN(3) == 0 {
				broken[i] = spoil(&claims[i], rng.IntN(spoilings))
			}
		}
		checkVerdicts(t, claims, broken)
	}
}

// TestCheckOneBad puts one bad claim, of each kind, at each place of a batch.
func TestCheckOneBad(t *testing.T) {
	claims := someClaims(t, rand.New(rand.NewPCG(2, 2)), 3, 7)
	for i := range claims {
		for way := range spoilings {
			bent := slices.Clone(claims)
			broken := make([]commit.Rule, len(claims))
			broken[i] = spoil(&bent[i], way)
			checkVerdicts(t, bent, broken)
		}
	}
}

// TestCheckAllBad leaves no claim that holds.
func TestCheckAllBad(t *testing.T) {
	claims := someClaims(t, rand.New(rand.NewPCG(3, 3)), 3, 7)
	broken := make([]commit.Rule, len(claims))
	for i := range claims {
		broken[i] = spoil(&claims[i], i)
	}
	checkVerdicts(t, claims, broken)
}

// TestCheckLargeBatch is some times as many nodes as are hashed together, 16,384, in
// claims of one slice and in claims of a whole run.
func TestCheckLargeBatch(t *testing.T) {
	tr := runTree(t, 3)
	run := make([]int64, 3*64)
	for i := range run {
		run[i] = int64(i)
	}
	for _, c := range []struct {
		name   string
		claims int
		sets   [][]int64
	}{
		{"single slices", 3000, [][]int64{{0}, {77}, {191}, {192}, {596}, {599}}},
		{"whole runs", 130, [][]int64{run, run[:100]}},
		{"both", 300, [][]int64{run, {1}, {2, 595}, run[50:60], {13}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			good := make([]proof.Claim, len(c.sets))
			for i, set := range c.sets {
				good[i] = tr.claim(set...)
			}
			claims := make([]proof.Claim, c.claims)
			broken := make([]commit.Rule, c.claims)
			for i := range claims {
				claims[i] = good[i%len(good)]
				if i%13 == 0 {
					broken[i] = spoil(&claims[i], i)
				}
			}
			checkVerdicts(t, claims, broken)
		})
	}
}

// TestCheckSame checks one claim against itself: batches share memory and nothing else.
func TestCheckSame(t *testing.T) {
	c := smallTree(t).claim(1, 4, 12)
	claims := slices.Repeat([]proof.Claim{c}, 50)
	checkVerdicts(t, claims, make([]commit.Rule, len(claims)))
}

// TestCheckParallel checks from many goroutines at once.
func TestCheckParallel(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	claims := someClaims(t, rng, 4, 10)
	for i := range 8 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			for n := 1; n < len(claims); n += 3 {
				bent := slices.Clone(claims[:n])
				broken := make([]commit.Rule, n)
				broken[n/2] = spoil(&bent[n/2], i+n)
				checkVerdicts(t, bent, broken)
			}
		})
	}
}

func TestCheckAllocatesNothing(t *testing.T) {
	claims := someClaims(t, rand.New(rand.NewPCG(5, 5)), 5, 5)
	for _, n := range []int{1, len(claims)} {
		if got := fewestAllocs(func() {
			if err := proof.Check(claims[:n]); err != nil {
				t.Fatal(err)
			}
		}); got != 0 {
			t.Errorf("%v allocations for %d claims", got, n)
		}
	}
}
