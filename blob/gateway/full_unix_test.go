//go:build unix

package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
)

// TestUploadFull uploads to a store that has no room, or none left for its owner.
func TestUploadFull(t *testing.T) {
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		s := newStore(t)
		srv := serve(t, fullStore{s, cause}, uploads(0))
		a := srv.do(t, http.MethodPost, "/blobs", bytes.NewReader(stream(1, 70*group)), bearer)
		a.refuses(t, http.StatusInsufficientStorage)
		if !strings.Contains(string(a.body), "the store is full") {
			t.Errorf("body %q", a.body)
		}
		if e := srv.last(t, 1); e.Refusal != "full" {
			t.Errorf("refused for %q", e.Refusal)
		}
		nothingStored(t, s)
	}
}

type fullStore struct {
	*store
	cause error
}

func (s fullStore) Create(ctx context.Context) (blob.Upload, error) {
	u, err := s.store.Create(ctx)
	return fullUpload{u, s.cause}, err
}

type fullUpload struct {
	blob.Upload
	cause error
}

func (u fullUpload) Append(_ context.Context, name string, _ []byte) error {
	return fmt.Errorf("%s: %w", name, u.cause)
}
