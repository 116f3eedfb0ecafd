package remote_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof/remote"
)

// TestLost loses groups behind a gateway: what is left of them is delivered, and all of the others.
func TestLost(t *testing.T) {
	f := newFolder(t)
	plain := stream(10, 150*192)
	h := write(t, f, small, plain)
	lost := func(p commit.Pos) bool { return p.Lane < 3 && (p.Group == 1 || p.Group == 64 || p.Group == 127) }
	for _, group := range []int64{1, 64, 127} {
		f.flip(t, h.ID(), group*64+9, "lane-00", "lane-01", "lane-02")
	}
	srv := serve(t, handler(t, f))
	b := srv.open(t, h.ID())
	for name, at := range map[string][]commit.Pos{
		"all":   slices.Collect(all(h)),
		"plain": slices.Collect(h.Cover(0, h.Length)),
		"one":   {{Group: 64, Lane: 1}},
		"left":  {{Group: 64, Lane: 3}, {Group: 64, Lane: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			for i, r := range collect(t, b, model(small, plain), slices.Values(at)) {
				var status *remote.StatusError
				switch {
				case !lost(at[i]):
					if r.err != nil {
						t.Errorf("slice %v: %v", at[i], r.err)
					}
				case !errors.As(r.err, &status) || status.Status != 500 || !strings.Contains(r.err.Error(), fmt.Sprintf("group %d ", at[i].Group)):
					t.Errorf("slice %v: %v", at[i], r.err)
				}
			}
		})
	}
	if got := len(srv.takeAsked()); got > 200 {
		t.Errorf("%d requests", got)
	}
}

// TestAllLost asks a gateway that has but the header: no request is made twice.
func TestAllLost(t *testing.T) {
	truth := model(small, stream(11, 64*192))
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/header") {
			w.Write(truth.Header.Bytes())
		} else {
			http.Error(w, "lost", http.StatusInternalServerError)
		}
	}))
	b := srv.open(t, commit.ID(truth.ID()))
	srv.takeAsked()
	for _, r := range collect(t, b, truth, b.Header().Cover(0, truth.Length)) {
		if r.err == nil {
			t.Fatal("no error")
		}
	}
	asked := srv.takeAsked()
	slices.Sort(asked)
	if n := len(slices.Compact(slices.Clone(asked))); len(asked) != 2*192-1 || n != len(asked) {
		t.Errorf("%d requests, %d of them different", len(asked), n)
	}
}
