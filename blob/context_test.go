package blob_test

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// TestCause ends the context of each call in one of its questions to the store, for a reason that is told: the error is
// that of the context and the reason, too.
func TestCause(t *testing.T) {
	reason := errors.New("enough")
	contexts := map[string]struct {
		make func() (ctx context.Context, end func())
		want []error
	}{
		"cancelled": {func() (context.Context, func()) {
			ctx, end := context.WithCancel(t.Context())
			return ctx, end
		}, []error{context.Canceled}},
		"cancelled for a reason": {func() (context.Context, func()) {
			ctx, end := context.WithCancelCause(t.Context())
			return ctx, func() { end(reason) }
		}, []error{context.Canceled, reason}},
		"late for a reason": {func() (context.Context, func()) {
			ctx, end := context.WithDeadlineCause(t.Context(), time.Now(), reason)
			return ctx, end
		}, []error{context.DeadlineExceeded, reason}},
	}
	calls := map[string]func(ctx context.Context, s *bad, b *blob.Blob, id commit.ID) error{
		"Open": func(ctx context.Context, s *bad, _ *blob.Blob, id commit.ID) error {
			_, err := blob.Open(ctx, s, id, blob.Options{})
			return err
		},
		"ReadHeader": func(ctx context.Context, s *bad, _ *blob.Blob, id commit.ID) error {
			_, err := blob.ReadHeader(ctx, s, id)
			return err
		},
		"Writer": func(ctx context.Context, s *bad, _ *blob.Blob, _ commit.ID) error {
			w, err := blob.NewWriter(ctx, s, blob.Options{Params: small})
			if err != nil {
				return err
			}
			defer w.Close()
			if _, err := w.Write(make([]byte, 100*192)); err != nil {
				return err
			}
			_, err = w.Commit()
			return err
		},
		"Slices": func(ctx context.Context, _ *bad, b *blob.Blob, _ commit.ID) error {
			_, errs := slicesOf(ctx, b, []commit.Pos{{Group: 3}})
			return errs[0]
		},
		"Reader": func(ctx context.Context, _ *bad, b *blob.Blob, _ commit.ID) error {
			_, err := proof.NewReader(ctx, b).WriteTo(new(bytes.Buffer))
			return err
		},
		"Hashes": func(ctx context.Context, _ *bad, b *blob.Blob, _ commit.ID) error {
			return b.Hashes(ctx, make([]commit.Hash, 1), []commit.Node{{Height: 5, Index: 1}})
		},
		"Verify": func(ctx context.Context, _ *bad, b *blob.Blob, _ commit.ID) (err error) {
			for _, err = range b.Verify(ctx, 0) {
			}
			return err
		},
		"Repair": func(ctx context.Context, _ *bad, b *blob.Blob, _ commit.ID) (err error) {
			for _, err = range b.Repair(ctx, 0) {
			}
			return err
		},
	}
	for call, do := range calls {
		for name, c := range contexts {
			for n := range 40 { // the question that it ends in
				s := newBad()
				h := write(t, s, blob.Options{Params: small}, make([]byte, 100*192))
				s.lose("roots", "manifest", lane(0))
				b := open(t, s, h.ID())
				ctx, end := c.make()
				var asked atomic.Int32
				s.hook = func(ctx context.Context, _, _ string, _ int64, _ int) error {
					if int(asked.Add(1)) == n+1 {
						end()
					}
					return ctx.Err()
				}
				err := do(ctx, s, b, h.ID())
				end()
				if err == nil { // it asks for less
					if n == 0 {
						t.Errorf("%s, %s: no error", call, name)
					}
					break
				}
				for _, want := range c.want {
					if !errors.Is(err, want) {
						t.Errorf("%s, %s in question %d: %v, want %v", call, name, n, err, want)
					}
				}
			}
		}
	}
}
