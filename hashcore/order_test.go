package hashcore

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortByBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, prefix := range prefixes {
		p := newPrefix(prefix)
		for _, count := range []int{1, 2, 40, maxOrder} {
			msgs := make([][]byte, count)
			for i := range msgs {
				msgs[i] = make([]byte, mixedLength(rng))
			}
			order := make([]uint8, count)
			p.sortByBlocks(order, msgs)
			seen := make([]bool, count)
			most := int(^uint(0) >> 1)
			for _, i := range order {
				if seen[i] {
					t.Fatalf("message %d twice", i)
				}
				seen[i] = true
				blocks := blocksOf(p.n + len(msgs[i]))
				if blocks > most {
					t.Fatalf("%d blocks behind %d", blocks, most)
				}
				most = blocks
			}
		}
	}
}

// TestPlannerSorts has pairs of messages of as many blocks far apart: together they are one
// call each.
func TestPlannerSorts(t *testing.T) {
	lengths := slices.Concat(repeat(2, 1000), repeat(2, 300), repeat(2, 1000), repeat(2, 300), repeat(4, 2000))
	calls, done, room := watched(t, alone(generic), "LEAF", bodies(lengths...))
	if calls != 3 || done != room {
		t.Errorf("%d calls for %d of %d blocks, want 3 without an idle lane", calls, done, room)
	}
}
