package reference

import (
	"crypto/sha256"
	"encoding/binary"
)

// Stream returns the first n bytes of SHA-256(le64 seed || le64 0) || SHA-256(le64 seed || le64 1) || ...,
// the generator that all test vectors draw their bytes from.
func Stream(seed uint64, n int) []byte {
	var out []byte
	for block := uint64(0); len(out) < n; block++ {
		in := binary.LittleEndian.AppendUint64(nil, seed)
		in = binary.LittleEndian.AppendUint64(in, block)
		sum := sha256.Sum256(in)
		out = append(out, sum[:]...)
	}
	return out[:n:n]
}
