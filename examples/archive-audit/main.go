// Command archive-audit audits three archives that say they store a blob: one that does, one
// that lost some slices, and one that keeps half of the lanes and makes the others when asked.
// The auditor holds the blob's ID, 32 bytes, and nothing else.
//
//	go run ./examples/archive-audit
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

func main() {
	// Whoever knows the seed before knows which slices suffice. So it is made now, and used once.
	var seed [32]byte
	rand.Read(seed[:])
	if err := run(context.Background(), seed, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "archive-audit:", err)
		os.Exit(1)
	}
}

// params make small slices, so that a blob of a megabyte has 1,024 groups.
var params = commit.Params{K: 4, N: 8, SliceSize: 256}

const (
	allLanes commit.Lanes = 1<<8 - 1
	ourLanes commit.Lanes = 1<<3 - 1 // lanes 0 to 2, what one host of several may be asked to keep
	samples               = 100
)

func run(ctx context.Context, seed [32]byte, out io.Writer) error {
	data := bytes.Repeat([]byte("sixteen bytes..\n"), 1<<16)
	for _, a := range []struct {
		name  string
		spoil func(blob.Repairable, commit.Header) error
		archive
		lanes commit.Lanes // asked about
	}{
		{"an archive that keeps everything", keepAll, archive{}, ourLanes},
		{"one that lost a tenth of lane 1", loseSome, archive{}, ourLanes},
		{"one that dropped lanes 4 to 7, and rebuilds", dropHalf, archive{rebuilds: true}, allLanes},
	} {
		a.store = blob.NewMem()
		id, err := write(ctx, a.store, data)
		if err != nil {
			return err
		}
		if err := change(ctx, a.store, id, a.spoil); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s:\n", a.name)
		c := proof.Challenge{ID: id, Seed: seed, Lanes: a.lanes, Count: samples}
		if err := audit(ctx, out, c, a.archive); err != nil {
			return err
		}
	}
	return nil
}

// audit is the auditor's part.
func audit(ctx context.Context, out io.Writer, c proof.Challenge, a archive) error {
	challenge, err := c.AppendBinary(nil) // 76 bytes
	if err != nil {
		return err
	}

	// The pipe stands for a network: the answer is judged while it comes, and nobody holds it.
	answer, w := io.Pipe()
	defer answer.Close()
	go func() { w.CloseWithError(a.answer(ctx, w, challenge)) }()
	in := bufio.NewReader(answer)

	// An answer begins with a magic and the blob's header, which the ID binds.
	head, err := in.Peek(4 + commit.HeaderLen)
	if err != nil {
		return err
	}
	h, err := commit.OpenHeader(c.ID, head[4:])
	if err != nil {
		return err
	}
	verdicts, err := c.Judge(in)
	if err != nil {
		return err // no answer to this challenge: nothing was learned
	}
	found := map[proof.Verdict]int{}
	for _, s := range verdicts {
		found[s.Verdict]++
	}
	fmt.Fprintf(out, "  of %d slices %d are good, %d wrong, %d absent, %d unproven\n", len(verdicts),
		found[proof.Good], found[proof.Wrong], found[proof.Absent], found[proof.Unproven])
	explain(out, c, h, found[proof.Good] == len(verdicts))
	return nil
}

// explain says what was learned, and no more.
func explain(out io.Writer, c proof.Challenge, h commit.Header, passed bool) {
	if !passed {
		// The archive may have lost them, or keep them back, or somebody changed its answer.
		fmt.Fprintln(out, "  the others were not shown, in this answer: reason to ask again, proof of nothing")
		return
	}
	const f = 0.05
	fmt.Fprintf(out, "  who cannot produce %.0f%% of these lanes passes with a chance of at most (1-f)^%d, about %.2g%%\n",
		100*f, c.Count, 100*math.Pow(1-f, float64(c.Count)))
	// Slices of one group go almost unseen, however many the audit asks for.
	fmt.Fprintf(out, "  who lost one group of %d, and nothing else, passes with a chance of about (1-1/G)^%d, %.3g%%\n",
		h.Groups(), c.Count, 100*math.Pow(1-1/float64(h.Groups()), float64(c.Count)))
	if lanes := c.Lanes.Len(); lanes < h.K {
		fmt.Fprintf(out, "  %d lanes are fewer than the %d that make a group: who produces them stores them, or fetches them from who does\n", lanes, h.K)
	} else {
		fmt.Fprintf(out, "  %d lanes of each group make the %d asked about: they need not all be stored\n", h.K, lanes)
	}
}

// archive is whoever stores the blob.
type archive struct {
	store    blob.Store
	rebuilds bool
}

// answer is the archive's part. It reads only the slices asked for and the hashes beside them.
func (a archive) answer(ctx context.Context, w io.Writer, challenge []byte) error {
	c, err := proof.ParseChallenge(challenge)
	if err != nil {
		return err
	}
	b, err := blob.Open(ctx, a.store, c.ID, blob.Options{})
	if err != nil {
		return err
	}
	defer b.Close()
	if a.rebuilds {
		return c.Answer(ctx, w, b)
	}
	return c.Answer(ctx, w, b.Stored()) // a slice that is missing or wrong is declared absent
}

func write(ctx context.Context, store blob.Store, data []byte) (commit.ID, error) {
	w, err := blob.NewWriter(ctx, store, blob.Options{Params: params})
	if err != nil {
		return commit.ID{}, err
	}
	defer w.Close()
	if _, err := w.Write(data); err != nil {
		return commit.ID{}, err
	}
	h, err := w.Commit()
	if err != nil {
		return commit.ID{}, err
	}
	return h.ID(), nil
}

// change changes what an archive stores.
func change(ctx context.Context, store blob.Store, id commit.ID, spoil func(blob.Repairable, commit.Header) error) error {
	h, err := blob.ReadHeader(ctx, store, id)
	if err != nil {
		return err
	}
	objects, err := store.Open(ctx, id)
	if err != nil {
		return err
	}
	defer objects.Close()
	return spoil(objects.(blob.Repairable), h)
}

func keepAll(blob.Repairable, commit.Header) error { return nil }

// loseSome overwrites every tenth slice of lane 1.
func loseSome(o blob.Repairable, h commit.Header) error {
	zeros := make([]byte, h.SliceSize)
	for group := 0; group < h.Groups(); group += 10 {
		if err := o.WriteAt(context.Background(), "lane-01", zeros, h.LaneOffset(group)); err != nil {
			return err
		}
	}
	return nil
}

// dropHalf empties lanes 4 to 7.
func dropHalf(o blob.Repairable, h commit.Header) error {
	for lane := h.K; lane < h.N; lane++ {
		if err := o.Truncate(context.Background(), fmt.Sprintf("lane-%02d", lane), 0); err != nil {
			return err
		}
	}
	return nil
}
