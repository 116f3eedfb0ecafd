// Package evidence makes and checks proofs that the writer of a blob coded a group
// wrongly.
//
// An ID commits to the leaf hashes of all slices of a group. Where k slices that match
// theirs are encoded again and give a slice with another leaf hash, or where the
// plaintext is followed by padding that is not zero, no honest writer made the group.
// Anybody who holds the ID can check that offline. Fewer than k matching slices are
// unavailability and accuse nobody.
package evidence

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
	"github.com/tapecommit/tapecommit/proof/internal/plan"
	"github.com/tapecommit/tapecommit/slicer"
)

const (
	magic   = "TPE1"
	headLen = len(magic) + commit.HeaderLen + 8
	hashLen = len(commit.Hash{})
)

// Errors of Append.
var (
	ErrHonest = errors.New("evidence: the group is well coded")
	ErrFew    = errors.New("evidence: too few slices of the group to show anything")
)

// Finding is what evidence shows of a group: the lanes whose leaf hashes do not follow
// from the slices shown, or padding that is not zero.
type Finding struct {
	Group   int
	Wrong   commit.Lanes
	Padding bool
}

// String returns the finding in a phrase.
func (f Finding) String() string {
	var lanes []string
	for l := f.Wrong; l != 0; l &= l - 1 {
		lanes = append(lanes, strconv.Itoa(bits.TrailingZeros32(uint32(l))))
	}
	var parts []string
	switch len(lanes) {
	case 0:
	case 1:
		parts = append(parts, "lane "+lanes[0]+" does not follow from the others")
	default:
		parts = append(parts, "lanes "+strings.Join(lanes, ", ")+" do not follow from the others")
	}
	if f.Padding {
		parts = append(parts, "padding is not zero")
	}
	return fmt.Sprintf("group %d is badly encoded: %s", f.Group, strings.Join(parts, "; "))
}

// Append appends evidence against a group, from the first k slices that t has of it. It
// fails with ErrHonest where the group is well coded and with ErrFew where t has too few
// slices. t may rebuild slices, as blob.Blob does: these match their leaf hashes too, and
// follow from the same slices as what they accuse.
func Append(ctx context.Context, dst []byte, t proof.Tree, group int) ([]byte, error) {
	h := t.Header()
	if err := h.Validate(); err != nil {
		return nil, err
	}
	if uint(group) >= uint(h.Groups()) {
		return nil, fmt.Errorf("evidence: group %d of %d: %w", group, h.Groups(), commit.EvidenceGroup)
	}
	g, at := newGroup(h, group), groupSet(h, group)
	for s, err := range t.Slices(ctx, slices.Values(at)) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && g.lanes.Len() < h.K {
			g.put(s.Pos().Lane, s.Bytes())
		}
	}
	if g.lanes.Len() < h.K {
		return nil, fmt.Errorf("%w: %d of group %d, want %d", ErrFew, g.lanes.Len(), group, h.K)
	}

	nodes := make([]commit.Node, 0, h.N+plan.Count(&h, at))
	for _, p := range at {
		nodes = append(nodes, commit.Node{Index: int64(p.Group)<<commit.GroupHeight | int64(p.Lane)})
	}
	plan.Outside(h, at, func(n commit.Node) { nodes = append(nodes, n) })
	hashes := make([]commit.Hash, len(nodes))
	if err := t.Hashes(ctx, hashes, nodes); err != nil {
		return nil, err
	}

	dst = append(dst, magic...)
	dst, err := h.AppendBinary(dst)
	if err != nil {
		return nil, err
	}
	dst = binary.LittleEndian.AppendUint64(dst, uint64(group))
	for _, x := range hashes {
		dst = append(dst, x[:]...)
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(g.lanes))
	for i := range h.N {
		if g.lanes.Has(i) {
			dst = append(dst, g.batch.Lane(i)...)
		}
	}
	_, ok, err := g.finding(hashes[:h.N])
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%w: group %d", ErrHonest, group)
	}
	return dst, nil
}

// Check checks evidence against the ID of a blob, offline, and returns what it shows.
// Evidence that shows nothing is refused.
func Check(id commit.ID, b []byte) (Finding, error) {
	if len(b) < headLen {
		return Finding{}, fmt.Errorf("evidence: %d bytes are no evidence: %w", len(b), commit.EvidenceSize)
	}
	if m := b[:len(magic)]; string(m) != magic {
		return Finding{}, fmt.Errorf("evidence: begins with %q: %w", m, commit.EvidenceMagic)
	}
	h, err := commit.OpenHeader(id, b[len(magic):][:commit.HeaderLen])
	if err != nil {
		return Finding{}, err
	}
	number := binary.LittleEndian.Uint64(b[headLen-8:])
	if number >= uint64(h.Groups()) {
		return Finding{}, fmt.Errorf("evidence: group %d of %d: %w", number, h.Groups(), commit.EvidenceGroup)
	}
	g, at := newGroup(h, int(number)), groupSet(h, int(number))
	outside, size := plan.Count(&h, at), h.SizeOf(g.number)
	b = b[headLen:]
	if want := hashLen*(h.N+outside) + 4 + h.K*size; len(b) != want {
		return Finding{}, fmt.Errorf("evidence: %d bytes behind the group's number, want %d: %w", len(b), want, commit.EvidenceSize)
	}

	var p plan.Plan
	part := p.Add(&h, at, outside)
	b = take(b, p.Leaves(part))
	b = take(b, p.Outside(part))
	mask := commit.Lanes(binary.LittleEndian.Uint32(b))
	b = b[4:]
	if mask.Len() != h.K || mask>>h.N != 0 {
		return Finding{}, fmt.Errorf("evidence: slices of lanes %#x, want %d of %d lanes: %w", uint32(mask), h.K, h.N, commit.EvidenceLanes)
	}
	p.Hash()
	if got := p.Root(part); got != h.Root {
		return Finding{}, fmt.Errorf("evidence: hashes lead to %x, not to the root %x: %w", got, h.Root, commit.EvidenceRoot)
	}
	leaves := p.Leaves(part)
	var shown [1]commit.Hash
	for i := range h.N {
		if !mask.Has(i) {
			continue
		}
		slice := b[:size]
		b = b[size:]
		if commit.HashLeaves(shown[:], [][]byte{slice}); shown[0] != leaves[i] {
			return Finding{}, fmt.Errorf("evidence: slice %d:%d does not match its leaf hash: %w", number, i, commit.EvidenceSlice)
		}
		g.put(i, slice)
	}
	f, ok, err := g.finding(leaves)
	if err == nil && !ok {
		err = fmt.Errorf("evidence: group %d is well coded: %w", number, commit.EvidenceHonest)
	}
	return f, err
}

// take fills dst from b and returns the rest.
func take(b []byte, dst []commit.Hash) []byte {
	for i := range dst {
		dst[i] = commit.Hash(b[i*hashLen:])
	}
	return b[len(dst)*hashLen:]
}

// groupSet is all slices of a group.
func groupSet(h commit.Header, number int) []commit.Pos {
	at := make([]commit.Pos, h.N)
	for i := range at {
		at[i] = commit.Pos{Group: number, Lane: i}
	}
	return at
}

// group is one group of which the slices of lanes are known to match their hashes.
type group struct {
	h      commit.Header
	number int
	batch  *slicer.Batch
	lanes  commit.Lanes
}

func newGroup(h commit.Header, number int) *group {
	batch, err := slicer.New(h.Params, 1)
	if err != nil {
		panic(err) // h was opened
	}
	batch.Reset(int(h.PlainLen(number, 1)))
	return &group{h: h, number: number, batch: batch}
}

func (g *group) put(lane int, b []byte) {
	copy(g.batch.Lane(lane), b)
	g.lanes |= 1 << lane
}

// finding encodes the group again from the k slices put, and reports whether that gives
// something else than the leaf hashes, or padding that is not zero.
func (g *group) finding(leaves []commit.Hash) (Finding, bool, error) {
	f := Finding{Group: g.number}
	rest := commit.Lanes(1<<g.h.N-1) &^ g.lanes
	if err := g.batch.Rebuild(slicer.Loss{Lo: 0, Hi: 1, Have: g.lanes, Want: rest}); err != nil {
		return f, false, err
	}
	again := make([]commit.Hash, g.h.N)
	commit.HashLeaves(again, g.batch.Slices())
	for i, x := range again {
		if x != leaves[i] {
			f.Wrong |= 1 << i
		}
	}
	for i := range g.h.K {
		_, n := g.h.Span(commit.Pos{Group: g.number, Lane: i})
		for _, x := range g.batch.Lane(i)[n:] {
			f.Padding = f.Padding || x != 0
		}
	}
	return f, f.Wrong != 0 || f.Padding, nil
}
