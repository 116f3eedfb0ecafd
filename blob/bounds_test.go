package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
)

// TestFalseHeaders opens blobs whose headers claim more than headers can. They have the ID, for anybody can hash anything,
// and are refused before they cost anything.
func TestFalseHeaders(t *testing.T) {
	ctx := context.Background()
	right, err := commit.Header{Params: commit.Params{K: 10, N: 20, SliceSize: 4096}, Length: 1, Root: commit.Hash{1}}.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		bend func(b []byte)
		rule commit.Rule
	}{
		{"2^62 bytes", func(b []byte) { binary.LittleEndian.PutUint64(b[16:], 1<<62) }, commit.HeaderLength},
		{"2^64 - 1 bytes", func(b []byte) { binary.LittleEndian.PutUint64(b[16:], math.MaxUint64) }, commit.HeaderLength},
		{"2^62 groups", func(b []byte) { binary.LittleEndian.PutUint64(b[24:], 1<<62) }, commit.HeaderGroups},
		{"slices of 2^31 bytes", func(b []byte) { binary.LittleEndian.PutUint32(b[8:], 1<<31) }, commit.HeaderSliceSize},
		{"255 slices", func(b []byte) { b[7] = 255 }, commit.HeaderCode},
	} {
		t.Run(c.name, func(t *testing.T) {
			head := bytes.Clone(right)
			c.bend(head)
			id := commit.ID(sha256.Sum256(slices.Concat([]byte("BLOB"), head)))
			for _, name := range []string{"manifest", lane(0)} {
				s := blob.NewMem()
				u, err := s.Create(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(u.Append(ctx, name, head), u.Commit(ctx, id)); err != nil {
					t.Fatal(err)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, openErr := blob.Open(ctx, s, id, blob.Options{})
				_, headErr := blob.ReadHeader(ctx, s, id)
				runtime.ReadMemStats(&after)
				for _, err := range []error{openErr, headErr} {
					if !errors.Is(err, blob.ErrNoHeader) || !errors.Is(err, c.rule) {
						t.Errorf("in %s: %v, want %v because of %s", name, err, blob.ErrNoHeader, c.rule)
					}
				}
				if cost := after.TotalAlloc - before.TotalAlloc; cost >= 1<<20 {
					t.Errorf("in %s: %d bytes allocated", name, cost)
				}
			}
		})
	}
	if _, err := commit.OpenHeader(commit.ID(sha256.Sum256(slices.Concat([]byte("BLOB"), right))), right); err != nil {
		t.Error(fmt.Errorf("the header that was bent: %w", err))
	}
}
