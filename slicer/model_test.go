package slicer_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// The code as a literal model, without matrices: the data of a group at one byte
// are the values of a polynomial of degree < k at the points 0 to k-1, and slice i
// is its value at the point i.

// mul is the product in GF(2^8) of the polynomial 0x11d, bit by bit.
func mul(a, b byte) byte {
	var p byte
	for ; b != 0; b >>= 1 {
		if b&1 != 0 {
			p ^= a
		}
		carry := a & 0x80
		a <<= 1
		if carry != 0 {
			a ^= 0x1d
		}
	}
	return p
}

// inverse is the table of a^254, which is 1/a.
var inverse = func() (t [256]byte) {
	for a := range t {
		t[a] = 1
		for range 254 {
			t[a] = mul(t[a], byte(a))
		}
	}
	return t
}()

// modelLane is slice i of a group of data slices.
func modelLane(data [][]byte, i int) []byte {
	out := make([]byte, len(data[0]))
	for j, d := range data {
		weight := byte(1)
		for m := range data {
			if m != j {
				weight = mul(weight, mul(byte(i^m), inverse[j^m]))
			}
		}
		for at, v := range d {
			out[at] ^= mul(weight, v)
		}
	}
	return out
}

// checkModel compares 64 bytes of slice i of a group with the model.
func checkModel(t *testing.T, group [][]byte, k, i int) {
	t.Helper()
	var data [][]byte
	at := len(group[0]) - 64
	for _, d := range group[:k] {
		data = append(data, d[at:])
	}
	if !bytes.Equal(group[i][at:], modelLane(data, i)) {
		t.Fatalf("slice %d differs from the model", i)
	}
}

// stream is the byte stream of the test vectors.
func stream(seed uint64, n int) []byte {
	var in [16]byte
	binary.LittleEndian.PutUint64(in[:], seed)
	out := make([]byte, 0, n+sha256.Size)
	for i := uint64(0); len(out) < n; i++ {
		binary.LittleEndian.PutUint64(in[8:], i)
		sum := sha256.Sum256(in[:])
		out = append(out, sum[:]...)
	}
	return out[:n]
}

// random is n bytes without a zero among them, so that padding shows.
func random(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(1 + r.IntN(255))
	}
	return out
}
