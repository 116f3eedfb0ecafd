package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

func Example() {
	if err := run(context.Background(), [32]byte{}, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// an archive that keeps everything:
	//   of 100 slices 100 are good, 0 wrong, 0 absent, 0 unproven
	//   who cannot produce 5% of these lanes passes with a chance of at most (1-f)^100, about 0.59%
	//   who lost one group of 1024, and nothing else, passes with a chance of about (1-1/G)^100, 90.7%
	//   3 lanes are fewer than the 4 that make a group: who produces them stores them, or fetches them from who does
	// one that lost a tenth of lane 1:
	//   of 100 slices 97 are good, 0 wrong, 3 absent, 0 unproven
	//   the others were not shown, in this answer: reason to ask again, proof of nothing
	// one that dropped lanes 4 to 7, and rebuilds:
	//   of 100 slices 100 are good, 0 wrong, 0 absent, 0 unproven
	//   who cannot produce 5% of these lanes passes with a chance of at most (1-f)^100, about 0.59%
	//   who lost one group of 1024, and nothing else, passes with a chance of about (1-1/G)^100, 90.7%
	//   4 lanes of each group make the 8 asked about: they need not all be stored
}

// TestRun audits with seeds that nobody chose.
func TestRun(t *testing.T) {
	const rounds = 20
	found := 0
	for range rounds {
		var seed [32]byte
		for i := range seed {
			seed[i] = byte(rand.Uint32())
		}
		var out bytes.Buffer
		if err := run(t.Context(), seed, &out); err != nil {
			t.Fatal(err)
		}
		// The first and the third pass whatever is asked.
		if n := strings.Count(out.String(), "of 100 slices 100 are good"); n == 2 {
			found++
		} else if n != 3 {
			t.Fatalf("printed %s", &out)
		}
	}
	// The second lost one slice in 30 of those asked about, and passes one time in 30.
	if found < rounds/2 {
		t.Errorf("the loss was found %d times of %d", found, rounds)
	}
}
