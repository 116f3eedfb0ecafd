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
	p.watch = func(lanes int, steps []step) {
		blocks := 0
		for _, s := range steps {
			if s.changes < 1 || s.blocks < 1 {
				t.Errorf("a step of %d changes and %d blocks", s.changes, s.blocks)
			}
			blocks += s.blocks
		}
		if lanes < 1 || lanes > p.lanes || blocks < 1 || blocks > p.most(lanes) || len(steps) > maxSteps {
			t.Errorf("a call of %d lanes and %v steps", lanes, steps)
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

// TestPlanner counts calls, and blocks of lanes that idle within one. The generic kernel
// stands in for all: the planner is the same.
func TestPlanner(t *testing.T) {
	four := alone(generic)
	most := four.most(4)
	for _, c := range []struct {
		name        string
		prefix      string
		lengths     []int
		calls, idle int
	}{
		{"none", "LEAF", nil, 0, 0},
		{"short", "LEAF", []int{1}, 1, 0},
		{"two blocks in one piece", "LEAF", []int{115}, 1, 0},
		{"head and end", "LEAF", []int{116}, 1, 0},
		{"head, body, end", "LEAF", []int{4096}, 1, 0},
		{"no prefix, no head", "", []int{4096}, 1, 0},
		{"no prefix, short", "", []int{119}, 1, 0},
		{"a group in five waves", "LEAF", repeat(20, 4096), 3, 0},
		{"a wave not full", "LEAF", repeat(18, 4096), 3, 0},
		{"one long body", "", []int{3 * most * blockSize}, 3 + 1, 0},
		{"four long bodies", "", repeat(4, most*blockSize), 1 + 1, 0},
		{"ends at different times", "", []int{300, 400, 500, 600}, 1, 5 + 3 + 2},
		{"ends at different times, with heads", "LEAF", []int{300, 400, 500, 600}, 1, 5 + 3 + 1},
		{"more changes than a call has", "LEAF", []int{300, 364, 428, 600, 700, 800, 900, 1000, 1100}, 2, 4 + 3 + 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls, done, _ := watched(t, four, c.prefix, bodies(c.lengths...))
			want := c.idle
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

// TestParts has a plan that takes its lanes on with several kernels.
func TestParts(t *testing.T) {
	t.Cleanup(func() { Pin("") })
	p := plan{lanes: 3*genericLanes + 1}
	for n := 1; n <= p.lanes; n++ {
		p.by[n] = generic
	}
	current.Store(&p)
	data := random(5000)
	for size := range 2*p.lanes + 2 {
		rng := rand.New(rand.NewPCG(2, uint64(size)))
		equal, mixed := make([][]byte, size), make([][]byte, size)
		for i := range size {
			equal[i] = data[i:][:200]
			mixed[i] = data[rng.IntN(500):][:mixedLength(rng)]
		}
		checkSum(t, "LEAF", equal)
		checkSum(t, "LEAF", mixed)
	}
}

// TestIdle: what lanes without a message read is as long as a call may be.
func TestIdle(t *testing.T) {
	for e, c := range engines {
		if c.lanes > 1 && c.blocks > maxIdle {
			t.Errorf("engine %d: %d blocks in a call, but %d for lanes that idle", e, c.blocks, maxIdle)
		}
	}
}
