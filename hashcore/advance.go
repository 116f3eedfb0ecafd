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

func unseenBytes(b []byte) []byte { return unsafe.Slice(unseen(unsafe.SliceData(b)), len(b)) }

// advance takes the states of so many lanes over steps of n[i] blocks. What lane l reads in
// step i begins at in[i len(h)+l]. Both slices have room for all lanes of the kernels that
// run; what stands beyond lanes is overwritten.
func (p *plan) advance(h []state, in []source, lanes int, n *[maxSteps]int, steps int) {
	if p.watch != nil {
		p.watch(lanes, slices.Clone(n[:steps]))
	}
	for first := 0; lanes > 0; {
		e := p.by[lanes]
		width := engines[e].lanes
		for l := lanes; l < width; l++ {
			for i := range steps {
				row := in[i*len(h)+first:]
				row[l] = row[0]
			}
		}
		e.blocks(h[first:][:min(lanes, width)], in[first:], len(h), n, steps)
		first, lanes = first+width, lanes-width
	}
}

// blocksGeneric is the generic kernel, called like those in assembly.
func blocksGeneric(h []state, in []source, stride int, n *[maxSteps]int, steps int) {
	for i, blocks := range n[:steps] {
		var row [genericLanes][]byte
		for l := range h {
			row[l] = unsafe.Slice(in[i*stride+l], blocks*blockSize)
		}
		compress(h, row[:len(h)], blocks)
	}
}
