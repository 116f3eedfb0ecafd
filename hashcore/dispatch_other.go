//go:build purego || !amd64

package hashcore

const generic engine = 0

var engines = [...]capacity{generic: {genericLanes, 256, true}}

var (
	cpuName   = ""
	kernels   = common
	automatic plan // crypto/sha256
)

func (engine) blocks(h []state, mid *state, steps []step, changes []change) {
	blocksGeneric(h, mid, steps, changes)
}

func prefetch(_, _ *byte) {}

// pairs is for kernels with an entry of their own for pairs.
func (engine) pairs(_, _ []Digest, _ []block2, _, _, _, _ int) int { return 0 }
