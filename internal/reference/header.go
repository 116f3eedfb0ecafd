package reference

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Params say how a blob is cut: groups of N slices of SliceSize bytes, of which K hold the plaintext.
type Params struct{ K, N, SliceSize int }

// Header is what the ID of a blob binds.
type Header struct {
	Params
	Length int64 // of the plaintext, in bytes
	Root   Hash
}

const maxGroups = 1 << 27

func (p Params) mustCheck() {
	if err := p.check(); err != nil {
		panic("reference: " + err.Error())
	}
}

func (p Params) check() error {
	switch {
	case p.K < 1 || p.K >= p.N || p.N > 20:
		return fmt.Errorf("%d of %d slices", p.K, p.N)
	case p.SliceSize < 64 || p.SliceSize > 4096 || p.SliceSize%64 != 0:
		return fmt.Errorf("slices of %d bytes", p.SliceSize)
	}
	return nil
}

// Bytes is the header as it is stored and hashed.
func (h Header) Bytes() []byte {
	b := []byte("TPB1")
	b = append(b, 1, 1, byte(h.K), byte(h.N))
	b = binary.LittleEndian.AppendUint32(b, uint32(h.SliceSize))
	b = append(b, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.Length))
	b = binary.LittleEndian.AppendUint64(b, uint64(h.Groups()))
	return append(b, h.Root[:]...)
}

// ID is the name of the blob.
func (h Header) ID() Hash {
	return sum([]byte("BLOB"), h.Bytes())
}

// Groups is how many groups the blob has.
func (h Header) Groups() int64 {
	return roundUp(h.Length, h.groupBytes()) / h.groupBytes()
}

// Positions is how many slices the blob has.
func (h Header) Positions() int64 {
	return int64(h.N) * h.Groups()
}

// Height is that of the blob's tree.
func (h Header) Height() int {
	height := 5
	for int64(1)<<(height-5) < h.Groups() {
		height++
	}
	return height
}

// SizeOf is the size of the slices of a group.
func (h Header) SizeOf(group int64) int {
	if group < h.Groups()-1 {
		return h.SliceSize
	}
	rest := h.Length - group*h.groupBytes()
	k := int64(h.K)
	return int(roundUp(roundUp(rest, k)/k, 64))
}

// Span is the plaintext that a slice holds, n bytes from off on; n is 0 for parity and mere padding.
func (h Header) Span(position int64) (off, n int64) {
	group, lane := position/int64(h.N), position%int64(h.N)
	if lane >= int64(h.K) {
		return 0, 0
	}
	size := int64(h.SizeOf(group))
	off = group*h.groupBytes() + lane*size
	return off, max(0, min(size, h.Length-off))
}

// groupBytes is the plaintext that a full group holds.
func (h Header) groupBytes() int64 {
	return int64(h.K) * int64(h.SliceSize)
}

func roundUp(x, unit int64) int64 {
	return (x + unit - 1) / unit * unit
}

// OpenHeader parses the one header that id names.
func OpenHeader(id Hash, b []byte) (Header, error) {
	if len(b) != 64 || sum([]byte("BLOB"), b) != id {
		return Header{}, errors.New("reference: not the header of this blob")
	}
	h, err := parseHeader(b)
	if err != nil {
		return Header{}, fmt.Errorf("reference: header: %w", err)
	}
	return h, nil
}

// parseHeader takes any header that is one, of 64 bytes.
func parseHeader(b []byte) (Header, error) {
	if string(b[:6]) != "TPB1\x01\x01" || string(b[12:16]) != "\x00\x00\x00\x00" {
		return Header{}, errors.New("magic, scheme, codec or zero bytes")
	}
	h := Header{
		Params: Params{int(b[6]), int(b[7]), int(binary.LittleEndian.Uint32(b[8:]))},
		Root:   Hash(b[32:]),
	}
	if err := h.check(); err != nil {
		return Header{}, err
	}
	length, groups := binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])
	if length > maxGroups*uint64(h.groupBytes()) {
		return Header{}, errors.New("length")
	}
	h.Length = int64(length)
	if groups != uint64(h.Groups()) {
		return Header{}, errors.New("number of groups")
	}
	if length == 0 && h.Root != Empty(5) {
		return Header{}, errors.New("root of an empty blob")
	}
	return h, nil
}
