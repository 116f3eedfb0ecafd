package hashcore

import (
	"math/rand/v2"
	"testing"
)

// blocksOf is how many blocks a message has with its padding.
func blocksOf(size int) int { return (size + 1 + lengthSize + blockSize - 1) / blockSize }

// watched runs a batch by a plan, and returns the kernel calls, the blocks that were asked
// for, and the blocks that calls would have had room for.
func watched(t *testing.T, p plan, prefix string, msgs [][]byte) (calls, done, room int) {
	p.watch = func(lanes int, n []int) {
		blocks := 0
		for _, step := range n {
			if step < 1 {
				t.Errorf("a step of %d blocks", step)
			}
			blocks += step
		}
		if lanes < 1 || lanes > p.lanes || blocks < 1 || blocks > p.most(lanes) || len(n) > maxSteps {
			t.Errorf("a call of %d lanes and %v blocks", lanes, n)
		}
		calls++
		done += lanes * blocks
		room += p.lanes * blocks
	}
	pre := newPrefix(prefix)
	sumLanes(&p, make([]Digest, len(msgs)), &pre, msgs)
	return calls, done, room
}

func bodies(lengths ...int) [][]byte {
	msgs := make([][]byte, len(lengths))
	for i, n := range lengths {
		msgs[i] = make([]byte, n)
	}
	return msgs
}

func repeat(n, length int) []int {
	lengths := make([]int, n)
	for i := range lengths {
		lengths[i] = length
	}
	return lengths
}

// TestPlanner counts calls. The generic kernel stands in for all: the planner is the same.
func TestPlanner(t *testing.T) {
	four := alone(generic)
	most := four.most(4)
	for _, c := range []struct {
		name    string
		prefix  string
		lengths []int
		calls   int
	}{
		{"none", "LEAF", nil, 0},
		{"short", "LEAF", []int{1}, 1},
		{"two blocks in one piece", "LEAF", []int{115}, 1},
		{"head and end", "LEAF", []int{116}, 1},
		{"head, body, end", "LEAF", []int{4096}, 1},
		{"no prefix, no head", "", []int{4096}, 1},
		{"no prefix, short", "", []int{119}, 1},
		{"a group in five waves", "LEAF", repeat(20, 4096), 5},
		{"a wave not full", "LEAF", repeat(18, 4096), 5},
		{"one long body", "", []int{3 * most * blockSize}, 3 + 1},
		{"four long bodies", "", repeat(4, most*blockSize), 1 + 1},
		{"ends at different times", "", []int{300, 400, 500, 600}, 4},
		{"ends at different times, with heads", "LEAF", []int{300, 400, 500, 600}, 4},
		{"more changes of pieces than steps", "LEAF", []int{300, 364, 428, 4096}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls, done, _ := watched(t, four, c.prefix, bodies(c.lengths...))
			want := 0
			for _, n := range c.lengths {
				want += blocksOf(len(c.prefix) + n)
			}
			if calls != c.calls || done != want {
				t.Errorf("%d calls for %d blocks, want %d for %d", calls, done, c.calls, want)
			}
		})
	}
}

// TestPlannerRefills has short messages beside one long: they must run beside it, in the
// lanes that become free, and not behind it.
func TestPlannerRefills(t *testing.T) {
	lengths := append([]int{90 * blockSize}, repeat(3*29, 2*blockSize)...)
	_, done, room := watched(t, alone(generic), "", bodies(lengths...))
	if idle := room - done; idle > 16 {
		t.Errorf("%d of %d blocks idle", idle, room)
	}
}

// TestPlannerMixed has batches of random lengths: lanes stay full but for the last messages.
func TestPlannerMixed(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, size := range []int{20, 64, 160} {
		lengths := make([]int, size)
		longest := 0
		for i := range lengths {
			lengths[i] = rng.IntN(8192)
			longest = max(longest, blocksOf(lengths[i]+4))
		}
		_, done, room := watched(t, alone(generic), "LEAF", bodies(lengths...))
		// When the queue is empty every other lane has less to do than a message.
		if idle := room - done; idle > (genericLanes-1)*longest {
			t.Errorf("%d messages: %d of %d blocks idle", size, idle, room)
		}
	}
}
