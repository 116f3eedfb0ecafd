package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// TestBlobClosed reads a Blob after Close, which was read before and which was not: its groups are not lost.
func TestBlobClosed(t *testing.T) {
	ctx := context.Background()
	dir, err := blob.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]blob.Store{"memory": blob.NewMem(), "folder": dir} {
		for _, before := range []bool{false, true} {
			h := write(t, s, blob.Options{Params: commit.Params{K: 3, N: 5, SliceSize: 64}}, make([]byte, 1000))
			b, err := blob.Open(ctx, s, h.ID(), blob.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := proof.NewReader(ctx, b)
			if before {
				if _, err := r.ReadAt(make([]byte, 1), 0); err != nil {
					t.Fatal(err)
				}
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			calls := map[string]error{}
			_, calls["WriteTo"] = r.WriteTo(new(bytes.Buffer))
			calls["Hashes"] = b.Hashes(ctx, make([]commit.Hash, 1), []commit.Node{{Index: 1}})
			_, calls["Stored"] = proof.NewReader(ctx, b.Stored()).ReadAt(make([]byte, 1), 0)
			for _, err := range b.Verify(ctx, 0) {
				calls["Verify"] = err
			}
			for _, err := range b.Repair(ctx, 0) {
				calls["Repair"] = err
			}
			if len(calls) != 5 {
				t.Errorf("%s: %d calls", name, len(calls))
			}
			for call, err := range calls {
				const want = "blob: Blob is closed: file already closed"
				if !errors.Is(err, fs.ErrClosed) || err.Error() != want {
					t.Errorf("%s: %s: %v, want %s", name, call, err, want)
				}
			}
		}
	}
}
