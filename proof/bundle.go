package proof

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof/internal/plan"
)

// A bundle is a proof and its slices, of one run of groups.

func runOf(p commit.Pos) int { return p.Group / commit.RunGroups }

// Write writes bundles of the slices at, one for each run of commit.RunGroups groups
// that at touches: the form that Open reads. at is strictly ascending. A bundle is
// written whole or not at all; one is held at a time.
func Write(ctx context.Context, w io.Writer, t Tree, at iter.Seq[commit.Pos]) error {
	b := bundleWriter{ctx: ctx, w: w, t: t}
	for s, err := range t.Slices(ctx, at) {
		if err != nil {
			return err
		}
		// A slice of a run before stays in the bundle, which is then in no order.
		if len(b.at) > 0 && runOf(s.Pos()) > runOf(b.at[0]) {
			if err := b.flush(); err != nil {
				return err
			}
		}
		b.at = append(b.at, s.Pos())
		b.slices = append(b.slices, s.Bytes()...)
	}
	return b.flush()
}

type bundleWriter struct {
	ctx    context.Context
	w      io.Writer
	t      Tree
	at     []commit.Pos
	proof  []byte
	slices []byte
}

func (b *bundleWriter) flush() (err error) {
	if len(b.at) == 0 {
		return nil
	}
	if b.proof, err = Append(b.ctx, b.proof[:0], b.t, b.at); err != nil {
		return err
	}
	if _, err = b.w.Write(b.proof); err != nil {
		return err
	}
	_, err = b.w.Write(b.slices)
	b.at, b.slices = b.at[:0], b.slices[:0]
	return err
}

// Open reads the bundles of a blob and yields their slices, each checked and each
// lasting until the next is yielded or the loop ends. It holds one bundle.
//
// With want, which is strictly ascending, the bundles must hold those slices, all of
// them and no others, one bundle for each run. Without want they may hold any set in
// one bundle, or one range in several. The first error ends the loop; it wraps a
// commit.Rule, or is the reader's own. What was yielded before it is nevertheless
// true.
func Open(id commit.ID, r io.Reader, want iter.Seq[commit.Pos]) iter.Seq2[Slice, error] {
	return func(yield func(Slice, error) bool) {
		b := bundleReader{id: id, r: r}
		expect := anything
		if want != nil {
			next, stop := iter.Pull(want)
			defer stop()
			expect = expectSet(next)
		}
		for {
			at, err := expect(&b)
			if err == io.EOF {
				return
			}
			if err == nil {
				err = b.read(at)
			}
			if err != nil {
				yield(Slice{}, err)
				return
			}
			for i, p := range b.claim.At {
				if !yield(Slice{h: &b.h, at: p, b: b.claim.Slices[i]}, nil) {
					return
				}
			}
		}
	}
}

// anything lets b hold one bundle of any set, or several that are one range, and
// returns io.EOF where they end.
func anything(b *bundleReader) ([]commit.Pos, error) {
	more, err := b.more()
	if err != nil {
		return nil, err
	}
	if !more && b.bundles == 0 {
		return nil, fmt.Errorf("proof: no bundle: %w", commit.BundleSize)
	}
	if !more {
		return nil, io.EOF
	}
	return nil, nil
}

// expectSet returns a function that returns which slices the next bundle must hold,
// and io.EOF where it must not be there and is not.
func expectSet(next func() (commit.Pos, bool)) func(*bundleReader) ([]commit.Pos, error) {
	var at []commit.Pos
	last := commit.Pos{Group: -1}
	p, ok := next()
	return func(b *bundleReader) ([]commit.Pos, error) {
		if !ok {
			more, err := b.more()
			if err == nil && more {
				err = fmt.Errorf("proof: bytes behind the last bundle: %w", commit.BundleSize)
			}
			if err == nil {
				err = io.EOF
			}
			return nil, err
		}
		at = at[:0]
		for run := runOf(p); ok && runOf(p) == run; p, ok = next() {
			if p.Group < last.Group || p.Group == last.Group && p.Lane <= last.Lane {
				return nil, fmt.Errorf("proof: slice %v wanted after slice %v: %w", p, last, commit.SetOrder)
			}
			at, last = append(at, p), p
		}
		return at, nil
	}
}

// bundleReader reads bundle after bundle into memory that it reuses.
type bundleReader struct {
	id      commit.ID
	r       io.Reader
	peeked  []byte // the first byte of the next bundle, where more found one
	bundles int

	h     commit.Header
	buf   []byte // the proof
	data  []byte // the slices
	claim Claim

	// The slice that would go on with the range that all bundles were so far, if
	// they were one and it ended where its run ends.
	next   commit.Pos
	goesOn bool
}

// more reports whether a byte follows.
func (b *bundleReader) more() (bool, error) {
	if len(b.peeked) > 0 {
		return true, nil
	}
	var err error
	if b.peeked, err = appendN(b.peeked, b.r, 1); err == io.EOF {
		return false, nil
	}
	return err == nil, err
}

// fill appends n bytes to dst.
func (b *bundleReader) fill(dst []byte, n int) ([]byte, error) {
	end := len(dst) + n
	if n > 0 {
		dst = append(dst, b.peeked...)
		b.peeked = b.peeked[:0]
	}
	dst, err := appendN(dst, b.r, end-len(dst))
	if err == io.EOF {
		err = fmt.Errorf("proof: bundle %d ends early: %w", b.bundles, commit.BundleSize)
	}
	return dst, err
}

// read reads and checks one bundle, of the slices want unless that is nil.
func (b *bundleReader) read(want []commit.Pos) (err error) {
	if b.buf, err = b.fill(b.buf[:0], proofHead); err != nil {
		return err
	}
	h, count, err := parseHead(b.id, b.buf)
	if err != nil {
		return err
	}
	b.h = h
	if count > commit.RunGroups*h.N {
		return fmt.Errorf("proof: bundle of %d slices, a run has %d: %w", count, commit.RunGroups*h.N, commit.BundleRun)
	}
	if b.buf, err = b.fill(b.buf, 8*count); err != nil {
		return err
	}
	at := b.claim.At[:0]
	if err := parseSet(&h, b.buf[proofHead:], func(_ int, p commit.Pos) { at = append(at, p) }); err != nil {
		return err
	}
	if first, last := at[0], at[count-1]; runOf(first) != runOf(last) {
		return fmt.Errorf("proof: bundle from slice %v to slice %v: %w", first, last, commit.BundleRun)
	}
	if want == nil {
		if err := b.follow(at); err != nil {
			return err
		}
	}
	b.claim.ID, b.claim.At = b.id, at
	if want != nil {
		// Refused here, before a slice is read.
		if err := sameSet(want, at); err != nil {
			return err
		}
	}
	if b.buf, err = b.fill(b.buf, hashLen*plan.Count(&h, at)); err != nil {
		return err
	}
	total := 0
	for _, p := range at {
		total += h.SizeOf(p.Group)
	}
	if b.data, err = b.fill(b.data[:0], total); err != nil {
		return err
	}
	b.claim.Proof = b.buf
	b.claim.Slices = b.claim.Slices[:0]
	for rest := b.data; len(rest) > 0; {
		size := h.SizeOf(at[len(b.claim.Slices)].Group)
		b.claim.Slices = append(b.claim.Slices, rest[:size:size])
		rest = rest[size:]
	}
	b.bundles++
	return Check([]Claim{b.claim})
}

func sameSet(want, got []commit.Pos) error {
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			return fmt.Errorf("proof: bundle of other slices than the %d from %v on: %w", len(want), want[0], commit.SetOther)
		}
	}
	return nil
}

// follow checks that a bundle of slices at goes on where the bundles before it, if
// any, ended.
func (b *bundleReader) follow(at []commit.Pos) error {
	isRange := b.bundles == 0 || b.goesOn && at[0] == b.next
	next := at[0]
	for _, p := range at {
		_, plain := b.h.Span(p)
		isRange = isRange && p == next && plain > 0
		if next = (commit.Pos{Group: p.Group, Lane: p.Lane + 1}); next.Lane == b.h.K {
			next = commit.Pos{Group: p.Group + 1}
		}
	}
	if b.bundles > 0 && !isRange {
		return fmt.Errorf("proof: bundle from slice %v on does not go on with the one before: %w", at[0], commit.BundleRange)
	}
	b.next, b.goesOn = next, isRange && runOf(next) != runOf(at[0])
	return nil
}
