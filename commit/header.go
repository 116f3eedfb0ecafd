package commit

import (
	"encoding/binary"
	"fmt"
)

// HeaderLen is the size of an encoded header in bytes.
const HeaderLen = 64

const (
	magic  = "TPB1"
	scheme = 1 // the tape tree
	codec  = 1 // Reed-Solomon over GF(2^8), 0x11d, systematic Vandermonde
)

// Header is what an ID binds. Length is the length of the plaintext in bytes.
// The rest of a blob's geometry follows from it and is its methods; they want a
// header that was opened or that Validate finds no fault with.
type Header struct {
	Params
	Length int64
	Root   Hash
}

// OpenHeader parses the one header that id names.
func OpenHeader(id ID, b []byte) (Header, error) {
	if len(b) != HeaderLen {
		return Header{}, fmt.Errorf("commit: header of %d bytes, want %d: %w", len(b), HeaderLen, HeaderSize)
	}
	if got := hashHeader(b); got != id {
		return Header{}, fmt.Errorf("commit: header belongs to %v, not to %v: %w", got, id, HeaderID)
	}
	switch {
	case string(b[:4]) != magic:
		return Header{}, fmt.Errorf("commit: header begins with %q: %w", b[:4], HeaderMagic)
	case b[4] != scheme:
		return Header{}, fmt.Errorf("commit: header has scheme %d: %w", b[4], HeaderScheme)
	case b[5] != codec:
		return Header{}, fmt.Errorf("commit: header has codec %d: %w", b[5], HeaderCodec)
	}
	p := Params{K: int(b[6]), N: int(b[7])}
	size := binary.LittleEndian.Uint32(b[8:])
	p.SliceSize = int(min(size, MaxSliceSize+1)) // fits an int of 32 bits
	if err := p.Validate(); err != nil {
		return Header{}, err
	}
	if z := binary.LittleEndian.Uint32(b[12:]); z != 0 {
		return Header{}, fmt.Errorf("commit: header has %#x at byte 12: %w", z, HeaderReserved)
	}
	h := Header{Params: p, Length: int64(binary.LittleEndian.Uint64(b[16:])), Root: Hash(b[32:])}
	if err := h.checkLength(); err != nil {
		return Header{}, err
	}
	if g := binary.LittleEndian.Uint64(b[24:]); g != uint64(h.Groups()) {
		return Header{}, fmt.Errorf("commit: header has %d groups, %d bytes fill %d: %w", g, h.Length, h.Groups(), HeaderGroups)
	}
	return h, h.checkRoot()
}

// Validate reports the first rule that h breaks.
func (h Header) Validate() error {
	if err := h.Params.Validate(); err != nil {
		return err
	}
	if err := h.checkLength(); err != nil {
		return err
	}
	return h.checkRoot()
}

func (h Header) checkLength() error {
	if h.Length < 0 || h.Length > h.groupLen()*MaxGroups {
		return fmt.Errorf("commit: length of %d bytes, want 0 to %d: %w", uint64(h.Length), h.groupLen()*MaxGroups, HeaderLength)
	}
	return nil
}

func (h Header) checkRoot() error {
	if h.Length == 0 && h.Root != Empty(GroupHeight) {
		return fmt.Errorf("commit: empty blob with root %x: %w", h.Root, HeaderRoot)
	}
	return nil
}

// AppendBinary appends the HeaderLen bytes of h; it fails where h is not valid.
func (h Header) AppendBinary(b []byte) ([]byte, error) {
	if err := h.Validate(); err != nil {
		return nil, err
	}
	b = append(b, magic...)
	b = append(b, scheme, codec, byte(h.K), byte(h.N))
	b = binary.LittleEndian.AppendUint32(b, uint32(h.SliceSize))
	b = append(b, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.Length))
	b = binary.LittleEndian.AppendUint64(b, uint64(h.Groups()))
	return append(b, h.Root[:]...), nil
}

// ID returns the ID of h. It panics where h is not valid.
func (h Header) ID() ID {
	b, err := h.AppendBinary(make([]byte, 0, HeaderLen))
	if err != nil {
		panic(err)
	}
	return hashHeader(b)
}
