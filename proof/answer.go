package proof

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof/internal/plan"
)

const answerMagic = "TPA1"

// Marks before each sample of an answer.
const (
	markAbsent  = 0
	markPresent = 1
)

// Answer writes the answer to c. A slice that t has an error for is declared absent;
// t should not rebuild, for an archive answers for what it stores: see blob.Blob's
// Stored. Answer fails where c does not fit the blob and where t cannot give the leaf
// hashes and nodes. It holds no slices.
func (c Challenge) Answer(ctx context.Context, w io.Writer, t Tree) error {
	h := t.Header()
	at, err := c.Samples(h)
	if err != nil {
		return err
	}
	head := append(make([]byte, 0, len(answerMagic)+commit.HeaderLen+hashLen*len(at)), answerMagic...)
	if head, err = h.AppendBinary(head); err != nil {
		return err
	}
	if head, err = appendLeaves(ctx, head, t, at); err != nil {
		return err
	}
	if head, err = appendOutside(ctx, head, t, h, at); err != nil {
		return err
	}
	buf := bufio.NewWriter(w)
	if _, err := buf.Write(head); err != nil {
		return err
	}
	for s, err := range t.Slices(ctx, slices.Values(at)) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			err = buf.WriteByte(markAbsent)
		} else if err = buf.WriteByte(markPresent); err == nil {
			_, err = buf.Write(s.Bytes())
		}
		if err != nil {
			return err
		}
	}
	return buf.Flush()
}

// appendLeaves appends the leaf hashes of the slices at.
func appendLeaves(ctx context.Context, dst []byte, t Tree, at []commit.Pos) ([]byte, error) {
	nodes := make([]commit.Node, len(at))
	for i, p := range at {
		nodes[i] = commit.Node{Index: int64(p.Group)<<commit.GroupHeight | int64(p.Lane)}
	}
	hashes := make([]commit.Hash, len(at))
	if err := t.Hashes(ctx, hashes, nodes); err != nil {
		return nil, err
	}
	for _, x := range hashes {
		dst = append(dst, x[:]...)
	}
	return dst, nil
}

// Sample is what an answer shows of one slice that was asked for.
type Sample struct {
	Pos     commit.Pos
	Verdict Verdict
}

// Verdict is what an answer shows of one sample. It speaks of this answer only: Good
// says that the slice is here, not that its group decodes, and anybody can make an
// answer that says Absent.
type Verdict uint8

const (
	Unproven Verdict = iota // the answer's hashes do not lead to the root
	Good                    // the slice is there and matches its leaf hash
	Wrong                   // a slice is there that does not match
	Absent                  // declared absent
)

// String returns the verdict in one lower-case word.
func (v Verdict) String() string {
	switch v {
	case Unproven:
		return "unproven"
	case Good:
		return "good"
	case Wrong:
		return "wrong"
	case Absent:
		return "absent"
	}
	return fmt.Sprintf("Verdict(%d)", uint8(v))
}

// MarshalText returns String.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Judge checks an answer to c while reading it, and returns a verdict for each sample
// that c asks for, in ascending order: all Unproven where the answer's leaf hashes and
// nodes do not lead to the root. A malformed answer gets no verdicts but an error that
// wraps a commit.Rule. Judge holds a few slices at a time.
func (c Challenge) Judge(r io.Reader) ([]Sample, error) {
	in := answerReader{r: bufio.NewReader(r)}
	head, err := in.next(len(answerMagic) + commit.HeaderLen)
	if err != nil {
		return nil, err
	}
	if m := head[:len(answerMagic)]; string(m) != answerMagic {
		return nil, fmt.Errorf("proof: answer begins with %q: %w", m, commit.AnswerMagic)
	}
	h, err := commit.OpenHeader(c.ID, head[len(answerMagic):])
	if err != nil {
		return nil, err
	}
	at, err := c.Samples(h)
	if err != nil {
		return nil, err
	}
	leaves, proven, err := in.leaves(h, at)
	if err != nil {
		return nil, err
	}
	samples := make([]Sample, len(at))
	for i, p := range at {
		samples[i].Pos = p
	}
	if err := in.judge(h, samples, leaves, proven); err != nil {
		return nil, err
	}
	return samples, nil
}

// answerReader reads the parts of an answer into memory that it reuses.
type answerReader struct {
	r   *bufio.Reader
	buf []byte
}

// next returns the next n bytes, which last until the next call.
func (a *answerReader) next(n int) (b []byte, err error) {
	a.buf, err = appendN(a.buf[:0], a.r, n)
	return a.buf, cutShort(err)
}

// cutShort makes the end of the input a broken rule, and leaves other errors alone.
func cutShort(err error) error {
	if err == io.EOF {
		return fmt.Errorf("proof: answer ends early: %w", commit.AnswerSize)
	}
	return err
}

// leaves reads leaf hashes and nodes, and reports whether they lead to the root.
func (a *answerReader) leaves(h commit.Header, at []commit.Pos) (leaves []commit.Hash, proven bool, err error) {
	outside := plan.Count(&h, at)
	b, err := a.next(hashLen * (len(at) + outside))
	if err != nil {
		return nil, false, err
	}
	var p plan.Plan
	part := p.Add(&h, at, outside)
	copyHashes(p.Leaves(part), b)
	copyHashes(p.Outside(part), b[hashLen*len(at):])
	p.Hash()
	return p.Leaves(part), p.Root(part) == h.Root, nil
}

// judge reads the slices and sets the verdicts.
func (a *answerReader) judge(h commit.Header, samples []Sample, leaves []commit.Hash, proven bool) error {
	const batch = 64
	data := make([]byte, min(batch, len(samples))*h.SliceSize)
	var (
		bodies  [batch][]byte
		which   [batch]int
		digests [batch]commit.Hash
		n       int
	)
	hash := func() {
		commit.HashLeaves(digests[:n], bodies[:n])
		for j, i := range which[:n] {
			samples[i].Verdict = Wrong
			if digests[j] == leaves[i] {
				samples[i].Verdict = Good
			}
		}
		n = 0
	}
	for i := range samples {
		mark, err := a.r.ReadByte()
		if err != nil {
			return cutShort(err)
		}
		switch mark {
		case markAbsent:
			samples[i].Verdict = Absent
		case markPresent:
			size := h.SizeOf(samples[i].Pos.Group)
			which[n] = i
			if bodies[n], err = appendN(data[n*h.SliceSize:][:0:size], a.r, size); err != nil {
				return cutShort(err)
			}
			if n++; n == batch {
				hash()
			}
		default:
			return fmt.Errorf("proof: answer marks slice %v with %d: %w", samples[i].Pos, mark, commit.AnswerMark)
		}
	}
	hash()
	switch _, err := a.r.ReadByte(); err {
	case io.EOF:
	case nil:
		return fmt.Errorf("proof: bytes behind the last sample of an answer: %w", commit.AnswerSize)
	default:
		return err
	}
	if !proven {
		for i := range samples {
			samples[i].Verdict = Unproven
		}
	}
	return nil
}
