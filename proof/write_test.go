package proof_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// TestWrite writes what the second model writes, over any number of runs.
func TestWrite(t *testing.T) {
	tr := runTree(t, 3)
	for _, set := range [][]int64{
		nil, {0}, {2}, {191}, {192}, {191, 192}, {0, 200, 400, 598}, {0, 598}, {576, 577, 578}, headOf(tr, 0, 300),
	} {
		var b bytes.Buffer
		if err := proof.Write(t.Context(), &b, tr, slices.Values(tr.at(set...))); err != nil {
			t.Errorf("set %v: %v", set, err)
		}
		if !bytes.Equal(b.Bytes(), tr.b.Bundles(set)) {
			t.Errorf("set %v: %d bytes, want %d", set, b.Len(), len(tr.b.Bundles(set)))
		}
	}
}

// TestWriteLost writes nothing of the bundle that has a lost slice, and nothing behind. A
// bundle goes out once the next one's first slice is there.
func TestWriteLost(t *testing.T) {
	tr := runTree(t, 3)
	set := []int64{0, 5, 200, 201, 203, 400}
	for i, lost := range set {
		tr.lost = map[int64]bool{lost: true}
		var b bytes.Buffer
		err := proof.Write(t.Context(), &b, tr, slices.Values(tr.at(set...)))
		whole := []int{0, 0, 0, 2, 2, 2}[i] // slices in the bundles before
		if !errors.Is(err, errLost) || !bytes.Equal(b.Bytes(), tr.b.Bundles(set[:whole])) {
			t.Errorf("without %d: %v and %d bytes, want the bundles of %v", lost, err, b.Len(), set[:whole])
		}
	}
}

// TestWriteHashes wants the hashes from the tree alone, and nothing written without.
func TestWriteHashes(t *testing.T) {
	tr := runTree(t, 2)
	tr.noHashes = errors.New("no hashes")
	var b bytes.Buffer
	if err := proof.Write(t.Context(), &b, tr, slices.Values(tr.at(0, 200))); !errors.Is(err, tr.noHashes) || b.Len() > 0 {
		t.Errorf("%v and %d bytes", err, b.Len())
	}
}

// TestWriteRefuses gives Write slices that are in no order, or not there.
func TestWriteRefuses(t *testing.T) {
	tr := runTree(t, 2)
	for _, c := range []struct {
		name string
		set  []int64
	}{
		{"repeated", []int64{4, 4}},
		{"descending", []int64{5, 4}},
		{"runs in descending order", []int64{192, 4}},
		{"a run again", []int64{4, 192, 5}},
	} {
		err := proof.Write(t.Context(), new(bytes.Buffer), tr, slices.Values(tr.at(c.set...)))
		wantRule(t, c.name, err, commit.SetOrder)
	}
	var b bytes.Buffer
	if err := proof.Write(t.Context(), &b, tr, slices.Values(tr.at(0, tr.b.Positions()))); err == nil || b.Len() > 0 {
		t.Errorf("a slice behind the end: %v and %d bytes", err, b.Len())
	}
}

// failingWriter takes n bytes and then fails.
type failingWriter struct {
	n   int
	err error
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.n -= len(p); w.n < 0 {
		return len(p) + w.n, w.err
	}
	return len(p), nil
}

func TestWriteWriterErrors(t *testing.T) {
	tr := runTree(t, 2)
	set := []int64{0, 1, 200}
	whole := len(tr.b.Bundles(set))
	own := errors.New("disk full")
	for n := 0; n < whole; n += 50 {
		if err := proof.Write(t.Context(), &failingWriter{n, own}, tr, slices.Values(tr.at(set...))); !errors.Is(err, own) {
			t.Errorf("%d of %d bytes: %v", n, whole, err)
		}
	}
}

func TestWriteCancelled(t *testing.T) {
	tr := runTree(t, 2)
	ctx, cancel := context.WithCancel(t.Context())
	var b bytes.Buffer
	err := proof.Write(ctx, &b, tr, func(yield func(commit.Pos) bool) {
		for _, p := range tr.at(0, 1, 200) {
			if p.Lane == 1 {
				cancel()
			}
			if !yield(p) {
				return
			}
		}
	})
	if !errors.Is(err, context.Canceled) || b.Len() > 0 {
		t.Errorf("%v and %d bytes", err, b.Len())
	}
}
