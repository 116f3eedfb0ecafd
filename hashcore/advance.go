package hashcore

import (
	"slices"
	"unsafe"
)

// source is where a kernel reads the blocks of a lane.
type source = *byte

func sourceOf(blocks []byte) source { return &blocks[0] }

// behind is so many blocks on, within the same memory.
func behind(at source, blocks int) source {
	return (*byte)(unsafe.Add(unsafe.Pointer(at), blocks*blockSize))
}

// unseen returns p, and the compiler does not see that it does. What keeps p must lie on
// the stack and end before p does; then neither p nor it has to be allocated.
func unseen[T any](p *T) *T {
	address := uintptr(unsafe.Pointer(p))
	return *(**T)(unsafe.Pointer(&address))
}

// change places a lane. Kernels know the layout of it, and that of step.
type change = struct {
	at    source    // the next block
	ended *[32]byte // gets the digest of the message that has ended in the lane; another begins; or nil
	lane  int
}

// step is blocks that every lane takes where it stands, after changes.
type step = struct{ changes, blocks int }

const (
	// maxLanes is the most messages that any kernel takes side by side.
	maxLanes = 32

	// maxSteps is the most steps of one kernel call.
	maxSteps = 16

	// maxChanges is the most changes of one kernel call, for each lane with room.
	maxChanges = 6
)

// advance takes the states of so many lanes over steps. Their changes stand one behind the
// other, and the first step's place every lane. There are lanes beyond, up to p.room, which
// are placed too; what becomes of their states does not matter. Where a message begins the
// state is mid.
func (p *plan) advance(h []state, mid *state, lanes int, steps []step, changes []change) {
	if p.watch != nil {
		p.watch(lanes, slices.Clone(steps))
	}
	if e := p.by[lanes]; engines[e].lanes >= lanes {
		e.blocks(h[:lanes], mid, steps, changes)
	} else {
		p.advanceParts(h, mid, lanes, steps, changes)
	}
}

// advanceParts is advance with several kernels, one after the other.
//
//go:noinline
func (p *plan) advanceParts(h []state, mid *state, lanes int, steps []step, changes []change) {
	var ownSteps [maxSteps]step
	var ownChanges [maxChanges * maxLanes]change
	for first := 0; first < lanes; {
		e := p.by[lanes-first]
		width := engines[e].lanes
		s, c := ownSteps[:0], ownChanges[:0]
		rest := changes
		for _, all := range steps {
			before := len(c)
			for _, x := range rest[:all.changes] {
				if l := x.lane - first; l >= 0 && l < width {
					c = append(c, change{unseen(x.at), unseen(x.ended), l})
				}
			}
			rest = rest[all.changes:]
			if len(c) > before {
				s = append(s, step{len(c) - before, all.blocks})
			} else {
				s[len(s)-1].blocks += all.blocks
			}
		}
		e.blocks(h[first:min(first+width, lanes)], mid, s, c)
		first += width
	}
}

// blocksGeneric is the generic kernel, called like those in assembly, for the lanes of h.
func blocksGeneric(h []state, mid *state, steps []step, changes []change) {
	var at [genericLanes]source
	var done [genericLanes]int // blocks from there on; a pointer to what is behind the last is none
	for _, s := range steps {
		for _, c := range changes[:s.changes] {
			at[c.lane], done[c.lane] = c.at, 0
			if c.ended != nil {
				put((*Digest)(c.ended), &h[c.lane])
				h[c.lane] = *mid
			}
		}
		changes = changes[s.changes:]
		var in [genericLanes][]byte
		for l := range h {
			in[l] = unsafe.Slice(behind(at[l], done[l]), s.blocks*blockSize)
			done[l] += s.blocks
		}
		compress(h, in[:len(h)], s.blocks)
	}
}
