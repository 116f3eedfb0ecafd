package remote_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
)

// TestWriteBundles compares bundles that came through a client with those of the second model.
func TestWriteBundles(t *testing.T) {
	s := blob.NewMem()
	plain := stream(19, 150*192+100)
	h := write(t, s, small, plain)
	truth := model(small, plain)
	srv := serve(t, handler(t, s))
	b := srv.open(t, h.ID())
	for name, set := range map[string]iter.Seq[commit.Pos]{
		"none":        slices.Values([]commit.Pos(nil)),
		"one":         slices.Values([]commit.Pos{{Group: 77, Lane: 4}}),
		"bytes":       h.Cover(100, 20000),
		"all bytes":   h.Cover(0, h.Length),
		"all":         all(h),
		"here, there": slices.Values([]commit.Pos{{}, {Lane: 4}, {Group: 63, Lane: 1}, {Group: 64, Lane: 1}, {Group: 150, Lane: 2}}),
	} {
		t.Run(name, func(t *testing.T) {
			var positions []int64
			for p := range set {
				positions = append(positions, h.Position(p))
			}
			srv.takeAsked()
			var got bytes.Buffer
			if err := b.WriteBundles(context.Background(), &got, set); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), truth.Bundles(positions)) {
				t.Errorf("%d bytes are other than the bundles of %d slices", got.Len(), len(positions))
			}
			if asked := srv.takeAsked(); len(asked) != len(truth.Runs(positions)) {
				t.Errorf("asked for %.200q", asked)
			}
		})
	}
}

// TestWriteBundlesRefused writes nothing of a bundle that is refused, and all before it.
func TestWriteBundlesRefused(t *testing.T) {
	s := blob.NewMem()
	plain := stream(20, 150*192)
	h := write(t, s, small, plain)
	truth := model(small, plain)
	lie := func(b []byte) []byte { return b }
	b := serve(t, tamper(handler(t, s), func(r *http.Request, body []byte) []byte {
		if strings.Contains(r.URL.RawQuery, "12288") { // in the second run
			return lie(body)
		}
		return body
	})).open(t, h.ID())
	for name, c := range map[string]struct {
		lie  func([]byte) []byte
		want commit.Rule
	}{
		"changed":     {func(b []byte) []byte { b[len(b)-1]++; return b }, commit.ProofRoot},
		"short":       {func(b []byte) []byte { return b[:len(b)-1] }, commit.BundleSize},
		"surplus":     {func(b []byte) []byte { return append(b, 0) }, commit.BundleSize},
		"another set": {func(b []byte) []byte { return truth.Bundle(from(0, 3)) }, commit.SetOther},
	} {
		t.Run(name, func(t *testing.T) {
			lie = c.lie
			var got bytes.Buffer
			err := b.WriteBundles(context.Background(), &got, h.Cover(0, h.Length))
			if !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), "remote: slices from 64:0 on: ") {
				t.Errorf("%v, want one that %v", err, c.want)
			}
			if !bytes.Equal(got.Bytes(), truth.Range(0, 12287)) {
				t.Errorf("%d bytes are other than the first bundle", got.Len())
			}
		})
	}
	lie = func(b []byte) []byte { return b }

	for name, c := range map[string]struct {
		set  []commit.Pos
		want string
	}{
		"outside":     {[]commit.Pos{{Group: 150}}, "slice 150:0 lies outside the blob"},
		"descending":  {[]commit.Pos{{Group: 1}, {Group: 0}}, "slice 0:0 after slice 1:0: breaks rule set-order"},
		"twice":       {[]commit.Pos{{Group: 64}, {Group: 64}}, "slice 64:0 after slice 64:0: breaks rule set-order"},
		"another run": {[]commit.Pos{{Group: 64}, {Group: 63}}, "slice 63:0 after slice 64:0: breaks rule set-order"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := b.WriteBundles(context.Background(), io.Discard, slices.Values(c.set)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}

	full := errors.New("full")
	if err := b.WriteBundles(context.Background(), failing{full}, h.Cover(0, 1)); err != full {
		t.Error(err)
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }
