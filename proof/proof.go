package proof

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof/internal/plan"
)

const (
	proofMagic = "TPP1"

	// proofHead is the size of what stands before the positions.
	proofHead = len(proofMagic) + commit.HeaderLen + 4
)

// Append appends to dst the proof of a set of slices: 1 to 65,536, strictly
// ascending, all of the blob. It reads no slice.
func Append(ctx context.Context, dst []byte, t Tree, at []commit.Pos) ([]byte, error) {
	h := t.Header()
	if err := checkSet(h, at); err != nil {
		return nil, err
	}
	dst = append(dst, proofMagic...)
	dst, err := h.AppendBinary(dst)
	if err != nil {
		return nil, err
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(at)))
	for _, p := range at {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(h.Position(p)))
	}
	return appendOutside(ctx, dst, t, h, at)
}

// appendOutside appends the nodes that a set needs from outside.
func appendOutside(ctx context.Context, dst []byte, t Tree, h commit.Header, at []commit.Pos) ([]byte, error) {
	nodes := make([]commit.Node, 0, plan.Count(&h, at))
	plan.Outside(h, at, func(n commit.Node) { nodes = append(nodes, n) })
	hashes := make([]commit.Hash, len(nodes))
	if err := t.Hashes(ctx, hashes, nodes); err != nil {
		return nil, err
	}
	for _, x := range hashes {
		dst = append(dst, x[:]...)
	}
	return dst, nil
}

// Claim says: these are the slices At of blob ID, and Proof shows it. At is
// strictly ascending, Slices has one body for each.
type Claim struct {
	ID     commit.ID
	At     []commit.Pos
	Slices [][]byte
	Proof  []byte
	Err    error // set by Check: nil where the claim is proven
}

// Check sets the Err of each claim and returns the first that is not nil. A claim is
// proven only for the positions in At, which are the caller's: a proof of others is
// refused. All claims are hashed together, level by level, and none spoils another.
// Nothing is allocated but errors.
func Check(claims []Claim) error {
	c := checkers.Get().(*checker)
	defer checkers.Put(c)
	for i := range claims {
		c.add(&claims[i])
		if c.plan.Len() >= checkNodes {
			c.finish()
		}
	}
	c.finish()
	for i := range claims {
		if claims[i].Err != nil {
			return claims[i].Err
		}
	}
	return nil
}

// checkNodes bounds a checker's memory, give or take one claim: 512 KiB of nodes, which
// stay in the cache. A slice is a node, too, and is hashed where it lies.
const checkNodes = 1 << 14

var checkers = sync.Pool{New: func() any { return new(checker) }}

// checker checks claims, as many together as its bounds allow.
type checker struct {
	plan    plan.Plan
	parts   []claimPart
	bodies  [][]byte
	digests []commit.Hash
	header  commit.Header // of the claim that add is at
}

type claimPart struct {
	claim *Claim
	part  plan.Part
	root  commit.Hash // that the part must lead to
}

// add sets the claim's Err, or leaves the rest to finish.
func (c *checker) add(claim *Claim) {
	nodes, err := c.parse(claim)
	claim.Err = err
	if err != nil {
		return
	}
	part := c.plan.Add(&c.header, claim.At, len(nodes)/hashLen)
	copyHashes(c.plan.Outside(part), nodes)
	c.parts = append(c.parts, claimPart{claim, part, c.header.Root})
	c.bodies = append(c.bodies, claim.Slices...)
}

// parse sets c.header and returns the nodes of the claim's proof. It does
// everything that costs no hashing of slices and nodes.
func (c *checker) parse(claim *Claim) (nodes []byte, err error) {
	var count int
	rest := claim.Proof
	if len(rest) < proofHead {
		return nil, fmt.Errorf("proof: %d bytes are no proof: %w", len(rest), commit.ProofSize)
	}
	if c.header, count, err = parseHead(claim.ID, rest[:proofHead]); err != nil {
		return nil, err
	}
	rest = rest[proofHead:]
	if len(rest) < 8*count {
		return nil, fmt.Errorf("proof: %d bytes for %d positions: %w", len(rest), count, commit.ProofSize)
	}
	other := count != len(claim.At)
	err = parseSet(&c.header, rest[:8*count], func(i int, p commit.Pos) {
		other = other || claim.At[i] != p
	})
	if err != nil {
		return nil, err
	}
	if other {
		return nil, fmt.Errorf("proof: a proof of other slices than the %d asked for: %w", len(claim.At), commit.SetOther)
	}
	nodes = rest[8*count:]
	if want := plan.Count(&c.header, claim.At); len(nodes) != want*hashLen {
		return nil, fmt.Errorf("proof: %d bytes of nodes, want %d nodes: %w", len(nodes), want, commit.ProofSize)
	}
	if len(claim.Slices) != len(claim.At) {
		return nil, fmt.Errorf("proof: %d slices for %d positions: %w", len(claim.Slices), len(claim.At), commit.SetOther)
	}
	for i, p := range claim.At {
		if want := c.header.SizeOf(p.Group); len(claim.Slices[i]) != want {
			return nil, fmt.Errorf("proof: slice %v of %d bytes, want %d: %w", p, len(claim.Slices[i]), want, commit.SliceSize)
		}
	}
	return nodes, nil
}

// parseHead parses what stands before the positions of a proof.
func parseHead(id commit.ID, b []byte) (h commit.Header, count int, err error) {
	if m := b[:len(proofMagic)]; string(m) != proofMagic {
		return h, 0, fmt.Errorf("proof: begins with %q: %w", m, commit.ProofMagic)
	}
	b = b[len(proofMagic):]
	if h, err = commit.OpenHeader(id, b[:commit.HeaderLen]); err != nil {
		return h, 0, err
	}
	n := binary.LittleEndian.Uint32(b[commit.HeaderLen:])
	if n < 1 || n > maxSet {
		return h, 0, fmt.Errorf("proof: %d positions, want 1 to %d: %w", n, maxSet, commit.SetCount)
	}
	return h, int(n), nil
}

// finish hashes what add left, sets the claims' Err, and empties c.
func (c *checker) finish() {
	c.digests = resize(c.digests, len(c.bodies))
	commit.HashLeaves(c.digests, c.bodies)
	rest := c.digests
	for _, x := range c.parts {
		rest = rest[copy(c.plan.Leaves(x.part), rest):]
	}
	c.plan.Hash()
	for _, x := range c.parts {
		if got := c.plan.Root(x.part); got != x.root {
			x.claim.Err = fmt.Errorf("proof: slices and nodes lead to %x, not to the root %x: %w", got, x.root, commit.ProofRoot)
		}
	}
	clear(c.bodies)
	clear(c.parts)
	c.bodies, c.parts = c.bodies[:0], c.parts[:0]
	c.plan.Reset()
}
