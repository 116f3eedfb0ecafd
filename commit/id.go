package commit

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/tapecommit/tapecommit/hashcore"
)

// ID names a blob: it is SHA-256("BLOB" || header).
type ID [32]byte

// ErrID is the error of text that is no ID.
var ErrID = errors.New("commit: an ID is 64 lower-case hex digits")

// ParseID takes 64 lower-case hex digits and nothing else.
func ParseID(s string) (ID, error) {
	var id ID
	if len(s) != 2*len(id) {
		return ID{}, fmt.Errorf("%w, not %d bytes", ErrID, len(s))
	}
	for i := range len(s) {
		// hex.Decode takes capitals too, but one ID has one spelling.
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return ID{}, fmt.Errorf("%w, not %q at %d", ErrID, c, i)
		}
	}
	if _, err := hex.Decode(id[:], []byte(s)); err != nil {
		return ID{}, fmt.Errorf("%w: %v", ErrID, err)
	}
	return id, nil
}

// String returns id as ParseID takes it.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// MarshalText returns id as ParseID takes it.
func (id ID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// UnmarshalText is ParseID.
func (id *ID) UnmarshalText(b []byte) error {
	v, err := ParseID(string(b))
	if err != nil {
		return err
	}
	*id = v
	return nil
}

func hashHeader(b []byte) ID {
	var d [1]Hash
	hashcore.Sum(d[:], "BLOB", [][]byte{b})
	return ID(d[0])
}
