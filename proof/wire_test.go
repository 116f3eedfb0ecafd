package proof_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
)

// wire is a proof in parts, to be put together wrongly.
type wire struct {
	magic     string
	header    []byte
	count     uint32
	positions []uint64
	nodes     [][]byte
}

// cut takes the proof of a set apart.
func cut(b []byte) wire {
	w := wire{magic: string(b[:4]), header: bytes.Clone(b[4:68]), count: binary.LittleEndian.Uint32(b[68:])}
	b = b[72:]
	for range w.count {
		w.positions = append(w.positions, binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	for node := range slices.Chunk(b, 32) {
		w.nodes = append(w.nodes, bytes.Clone(node))
	}
	return w
}

func (w wire) bytes() []byte {
	b := append([]byte(w.magic), w.header...)
	b = binary.LittleEndian.AppendUint32(b, w.count)
	for _, p := range w.positions {
		b = binary.LittleEndian.AppendUint64(b, p)
	}
	return append(b, slices.Concat(w.nodes...)...)
}

// setPositions sets the positions and their count.
func (w *wire) setPositions(p ...uint64) { w.positions, w.count = p, uint32(len(p)) }

// idOf is the ID that a header has, right or not.
func idOf(header []byte) commit.ID {
	return commit.ID(sha256Of("BLOB", header))
}

// otherHeader is the header of another blob with the root of b.
func otherHeader(b *reference.Blob, change func(*reference.Header)) []byte {
	h := b.Header
	change(&h)
	return h.Bytes()
}

func sha256Of(prefix string, b []byte) [32]byte {
	return sha256.Sum256(append([]byte(prefix), b...))
}
