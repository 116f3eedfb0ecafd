package reference

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Finding is what evidence shows of a group: the lanes, bit i for lane i, whose leaf hashes are not those of
// the group encoded again from the slices shown, and whether its padding is not zero.
type Finding struct {
	Group   int64
	Wrong   uint32
	Padding bool
}

// Evidence is the evidence that k lanes of a group give, whether it accuses or not.
func (b *Blob) Evidence(group int64, lanes []int) []byte {
	if len(lanes) != b.K {
		panic("reference: evidence is k lanes")
	}
	first := int64(b.N) * group
	out := append([]byte("TPE1"), b.Header.Bytes()...)
	out = binary.LittleEndian.AppendUint64(out, uint64(group))
	for _, leaf := range b.Leaves[first : first+int64(b.N)] {
		out = appendHash(out, leaf)
	}
	for _, hash := range b.Nodes(b.groupSet(group)) {
		out = appendHash(out, hash)
	}
	var mask uint32
	for _, lane := range lanes {
		mask |= 1 << lane
	}
	out = binary.LittleEndian.AppendUint32(out, mask)
	for lane := range b.N {
		if mask>>lane&1 == 1 {
			out = append(out, b.Slices[first+int64(lane)]...)
		}
	}
	return out
}

// groupSet is the positions of a group.
func (h Header) groupSet(group int64) []int64 {
	var set []int64
	for lane := range int64(h.N) {
		set = append(set, int64(h.N)*group+lane)
	}
	return set
}

// CheckEvidence checks that b shows a group of the blob to be wrongly coded.
func CheckEvidence(id Hash, b []byte) (Finding, error) {
	finding, err := checkEvidence(id, &cursor{rest: b})
	if err != nil {
		return Finding{}, fmt.Errorf("reference: evidence: %w", err)
	}
	return finding, nil
}

func checkEvidence(id Hash, in *cursor) (Finding, error) {
	if err := in.magic("TPE1"); err != nil {
		return Finding{}, err
	}
	h, err := in.header(id)
	if err != nil {
		return Finding{}, err
	}
	number, err := in.le64()
	if err != nil {
		return Finding{}, err
	}
	if number >= uint64(h.Groups()) {
		return Finding{}, fmt.Errorf("group %d of %d", number, h.Groups())
	}
	group := int64(number)
	set := h.groupSet(group)
	leaves, err := in.hashes(h.N)
	if err != nil {
		return Finding{}, err
	}
	nodes, err := in.hashes(len(h.NodesOf(set)))
	if err != nil {
		return Finding{}, err
	}
	if err := h.leadLeaves(set, leaves, nodes); err != nil {
		return Finding{}, err
	}
	shown, err := in.lanes(h, group, leaves)
	if err != nil {
		return Finding{}, err
	}
	if len(in.rest) != 0 {
		return Finding{}, errors.New("surplus bytes")
	}

	finding := Finding{Group: group}
	data := DecodeGroup(h.K, shown)
	for lane, slice := range EncodeGroup(h.N, data) {
		if Leaf(slice) != leaves[lane] {
			finding.Wrong |= 1 << lane
		}
	}
	for lane, slice := range data {
		_, filled := h.Span(set[lane])
		for _, b := range slice[filled:] {
			finding.Padding = finding.Padding || b != 0
		}
	}
	if finding.Wrong == 0 && !finding.Padding {
		return Finding{}, errors.New("the group is well coded")
	}
	return finding, nil
}

// lanes takes a mask of k lanes and their slices, which it returns by lane, the others nil.
func (c *cursor) lanes(h Header, group int64, leaves []Hash) ([][]byte, error) {
	mask, err := c.le32()
	if err != nil {
		return nil, err
	}
	if mask>>h.N != 0 {
		return nil, fmt.Errorf("lanes %#x of %d", mask, h.N)
	}
	shown, count := make([][]byte, h.N), 0
	for lane := range shown {
		if mask>>lane&1 == 0 {
			continue
		}
		if shown[lane], err = c.take(h.SizeOf(group)); err != nil {
			return nil, err
		}
		if Leaf(shown[lane]) != leaves[lane] {
			return nil, fmt.Errorf("slice %d does not match its leaf hash", lane)
		}
		count++
	}
	if count != h.K {
		return nil, fmt.Errorf("%d lanes and not %d", count, h.K)
	}
	return shown, nil
}
