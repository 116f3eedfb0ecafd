package reference

import (
	"encoding/binary"
	"errors"
)

// cursor takes bytes of unknown origin from the front.
type cursor struct{ rest []byte }

func (c *cursor) take(n int) ([]byte, error) {
	if n > len(c.rest) {
		return nil, errors.New("missing bytes")
	}
	b := c.rest[:n:n]
	c.rest = c.rest[n:]
	return b, nil
}

func (c *cursor) magic(want string) error {
	b, err := c.take(len(want))
	if err == nil && string(b) != want {
		err = errors.New("another magic")
	}
	return err
}

func (c *cursor) header(id Hash) (Header, error) {
	b, err := c.take(64)
	if err != nil {
		return Header{}, err
	}
	return OpenHeader(id, b)
}

func (c *cursor) le32() (uint32, error) {
	b, err := c.take(4)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b), nil
}

func (c *cursor) le64() (uint64, error) {
	b, err := c.take(8)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}

func (c *cursor) hashes(n int) ([]Hash, error) {
	b, err := c.take(32 * n)
	if err != nil {
		return nil, err
	}
	hashes := make([]Hash, n)
	for i := range hashes {
		hashes[i] = Hash(b[32*i:])
	}
	return hashes, nil
}

// slices takes the slices of a set.
func (c *cursor) slices(h Header, set []int64) ([][]byte, error) {
	var pieces [][]byte
	for _, position := range set {
		b, err := c.take(h.SizeOf(position / int64(h.N)))
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, b)
	}
	return pieces, nil
}

// proof takes a proof, whose nodes are still to be checked.
func (c *cursor) proof(id Hash) (h Header, set []int64, nodes []Hash, err error) {
	if err = c.magic("TPP1"); err != nil {
		return
	}
	if h, err = c.header(id); err != nil {
		return
	}
	count, err := c.le32()
	if err != nil {
		return
	}
	for range count {
		position, err := c.le64()
		if err != nil {
			return h, nil, nil, err
		}
		set = append(set, int64(position)) // one that does not fit is negative, and refused as such
	}
	if err = h.checkSet(set); err != nil {
		return
	}
	nodes, err = c.hashes(len(h.NodesOf(set)))
	return
}

// bundle takes a bundle and checks it.
func (c *cursor) bundle(id Hash) (h Header, set []int64, pieces [][]byte, err error) {
	h, set, nodes, err := c.proof(id)
	if err != nil {
		return
	}
	if len(h.Runs(set)) != 1 {
		return h, nil, nil, errors.New("more than one run of groups")
	}
	if pieces, err = c.slices(h, set); err != nil {
		return
	}
	return h, set, pieces, h.lead(set, pieces, nodes)
}
