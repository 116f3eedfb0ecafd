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

// TestPlannerSorts has pairs of messages of as many blocks far apart: together no lane has
// to wait for another.
func TestPlannerSorts(t *testing.T) {
	lengths := slices.Concat(repeat(2, 1000), repeat(2, 300), repeat(2, 1000), repeat(2, 300), repeat(4, 2000))
	_, done, room := watched(t, alone(generic), "LEAF", bodies(lengths...))
	want := 0
	for _, n := range lengths {
		want += blocksOf(4 + n)
	}
	if done != want || done != room {
		t.Errorf("%d of %d blocks, want %d without an idle lane", done, room, want)
	}
}
