//go:build purego || !amd64

package hashcore

const generic engine = 0

// width is how many lanes an engine has.
var width = [...]int{generic: genericLanes}

var (
	kernels   = common
	automatic plan // crypto/sha256
)

// advance takes the states of so many lanes over the first n blocks of their input.
func (p *plan) advance(h []state, in [][]byte, lanes, n int) {
	if p.watch != nil {
		p.watch(lanes, n)
	}
	compress(h[:lanes], in[:lanes], n)
}

// pairs is for kernels with an entry of their own for pairs.
func (engine) pairs(_, _ []Digest, _ []block2, _, _, _ int) int { return 0 }
