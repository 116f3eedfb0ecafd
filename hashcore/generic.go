package hashcore

import (
	"encoding/binary"
	"math/bits"
)

// genericLanes is the number of messages that compress takes side by side.
const genericLanes = 4

// roundConstants are those of FIPS 180-4, 4.2.2.
var roundConstants = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}

// compress is the readable kernel: it takes h[l] over the first n blocks of in[l], for up to
// four lanes l in lock step, each step of the algorithm for all lanes before the next
// step (FIPS 180-4, 6.2.2).
func compress(h []state, in [][]byte, n int) {
	for block := range n {
		var w [64][genericLanes]uint32
		for l := range h {
			b := in[l][block*blockSize:][:blockSize]
			for t := range 16 {
				w[t][l] = binary.BigEndian.Uint32(b[4*t:])
			}
		}
		for t := 16; t < 64; t++ {
			for l := range h {
				x, y := w[t-15][l], w[t-2][l]
				s0 := bits.RotateLeft32(x, -7) ^ bits.RotateLeft32(x, -18) ^ x>>3
				s1 := bits.RotateLeft32(y, -17) ^ bits.RotateLeft32(y, -19) ^ y>>10
				w[t][l] = w[t-16][l] + s0 + w[t-7][l] + s1
			}
		}

		var v [genericLanes]state
		copy(v[:], h)
		for t := range 64 {
			for l := range h {
				a, b, c, d, e, f, g, h := v[l][0], v[l][1], v[l][2], v[l][3], v[l][4], v[l][5], v[l][6], v[l][7]
				s0 := bits.RotateLeft32(a, -2) ^ bits.RotateLeft32(a, -13) ^ bits.RotateLeft32(a, -22)
				s1 := bits.RotateLeft32(e, -6) ^ bits.RotateLeft32(e, -11) ^ bits.RotateLeft32(e, -25)
				t1 := h + s1 + (e&f ^ ^e&g) + roundConstants[t] + w[t][l]
				t2 := s0 + (a&b ^ a&c ^ b&c)
				v[l] = state{t1 + t2, a, b, c, d + t1, e, f, g}
			}
		}
		for l := range h {
			for i := range h[l] {
				h[l][i] += v[l][i]
			}
		}
	}
}
