package gateway_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/blob/gateway"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof"
)

func model(plain []byte) *reference.Blob {
	return reference.Make(reference.Params{K: 10, N: 20, SliceSize: 4096}, plain)
}

func TestHeader(t *testing.T) {
	s := newStore(t)
	srv := serve(t, s, gateway.Options{})
	for _, plain := range [][]byte{nil, stream(1, 12345)} {
		h := s.write(t, plain)
		want := model(plain).Bytes()
		a := srv.get(t, pathOf(h)+"/header")
		a.wants(t, 200, want)
		if got := a.Header.Get("Content-Type"); got != "application/octet-stream" || a.ContentLength != 64 {
			t.Errorf("type %q, length %d", got, a.ContentLength)
		}
		srv.do(t, http.MethodHead, pathOf(h)+"/header", nil).wants(t, 200, nil)
		srv.get(t, pathOf(h)+"/header", "If-None-Match: "+a.Header.Get("ETag")).wants(t, 304, nil)
		srv.do(t, http.MethodPost, pathOf(h)+"/header", strings.NewReader("x")).refuses(t, 405)
	}
}

// checkBundles gets bundles of a range and reads them with nothing but the ID.
func checkBundles(t *testing.T, srv *server, h commit.Header, query string, plain []byte) {
	t.Helper()
	a := srv.get(t, pathOf(h)+"/bundles?"+query)
	if a.StatusCode != 200 || a.err != nil {
		t.Fatalf("%s: status %d, %v: %.200q", query, a.StatusCode, a.err, a.body)
	}
	var got []byte
	for s, err := range proof.Open(h.ID(), bytes.NewReader(a.body), nil) {
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		_, n := h.Span(s.Pos())
		got = append(got, s.Bytes()[:n]...)
	}
	if !bytes.Equal(got, plain) {
		t.Errorf("%s: %d bytes, want %d", query, len(got), len(plain))
	}
}

// TestBundles compares bundles with those of the second model, byte for byte.
func TestBundles(t *testing.T) {
	s := newStore(t)
	plain := stream(8, 66*group+77)
	h, m := s.write(t, plain), model(plain)
	srv := serve(t, s, gateway.Options{})
	for _, r := range [][2]int64{{0, 0}, {4095, 4096}, {100, 3 * group}, {63*group + 5, 64*group + 5}, {66*group + 70, 66*group + 76}, {0, h.Length - 1}} {
		a := srv.get(t, pathOf(h)+fmt.Sprintf("/bundles?range=%d-%d", r[0], r[1]))
		a.wants(t, 200, m.Range(r[0], r[1]))
		if got := a.Header.Get("Content-Type"); got != "application/vnd.tapecommit.bundles" {
			t.Errorf("type %q", got)
		}
		if got := a.Header.Get("ETag"); got != `"`+h.ID().String()+`"` || !strings.Contains(a.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("header %v", a.Header)
		}
	}
	srv.get(t, pathOf(h)+"/bundles?range=5-"+hugeText).wants(t, 200, m.Range(5, h.Length-1))
	for _, at := range [][]int64{{0}, {19}, {1339}, {0, 1, 19, 20, 700, 1279, 1280, 1339}} {
		var query []string
		for _, p := range at {
			query = append(query, fmt.Sprintf("at=%d:%d", p/20, p%20))
		}
		want := m.Bundles(at)
		srv.get(t, pathOf(h)+"/bundles?"+strings.Join(query, "&")).wants(t, 200, want)
		escaped := strings.ReplaceAll(strings.Join(query, "&"), ":", "%3A")
		srv.get(t, pathOf(h)+"/bundles?"+escaped).wants(t, 200, want)
	}
	all := make([]string, 1280)
	for i := range all {
		all[i] = fmt.Sprintf("at=%d:%d", i/20, i%20)
	}
	a := srv.get(t, pathOf(h)+"/bundles?"+strings.Join(all, "&"))
	got := 0
	for _, err := range proof.Open(h.ID(), bytes.NewReader(a.body), nil) {
		if err != nil {
			t.Fatal(err)
		}
		got++
	}
	if got != len(all) {
		t.Errorf("%d slices, want a whole run", got)
	}

	srv.do(t, http.MethodHead, pathOf(h)+"/bundles?range=0-0", nil).wants(t, 200, nil)
	srv.get(t, pathOf(h)+"/bundles?range=0-0", "If-None-Match: *").wants(t, 304, nil)
	// Bundles have no ranges: they are a form of their own.
	srv.get(t, pathOf(h)+"/bundles?range=0-0", "Range: bytes=0-0").wants(t, 200, m.Range(0, 0))
}

// TestBundlesRefused asks for what names no slices of the blob.
func TestBundlesRefused(t *testing.T) {
	s := newStore(t)
	h, empty := s.write(t, stream(9, 2*group)), s.write(t, nil)
	srv := serve(t, s, gateway.Options{})
	for _, query := range []string{
		"", "?", "?range", "?range=", "?range=0", "?range=0-", "?range=-1", "?range=a-b", "?range=1-0", "?range=00-1", "?range=0-0&range=1-1",
		"?range=0-0&at=0:0", "?range=0-0&x=1", "?x=1", "?range=0-0&", "?Range=0-0", "?range=+0-1", "?range=0-0%zz",
		fmt.Sprintf("?range=%d-%d", h.Length, h.Length), "?range=" + hugeText + "-" + hugeText,
		"?at", "?at=", "?at=0", "?at=0:", "?at=:0", "?at=a:b", "?at=-1:0", "?at=0:-1", "?at=00:1", "?at=0:20", "?at=2:0", "?at=" + hugeText + ":0",
		"?at=4294967296:0", "?at=0:1&at=0:1", "?at=0:1&at=0:0", "?at=1:0&at=0:0", "?at=0:0;at=0:1",
	} {
		srv.get(t, pathOf(h)+"/bundles"+query).refuses(t, 400)
	}
	if e := srv.last(t, 1); e.Refusal != "query" {
		t.Errorf("%+v", e)
	}
	srv.get(t, pathOf(empty)+"/bundles?range=0-0").refuses(t, 400)
	srv.get(t, pathOf(empty)+"/bundles?at=0:0").refuses(t, 400)
	srv.get(t, "/blobs/"+strings.Repeat("0", 64)+"/bundles?range=0-0").refuses(t, 404)
	srv.do(t, http.MethodPut, pathOf(h)+"/bundles?range=0-0", strings.NewReader("x")).refuses(t, 405)

	// One slice more than a proof holds, all of them in the blob but for that.
	many := strings.Join(slices.Repeat([]string{"at=0:0"}, 1<<16+1), "&")
	if a := srv.get(t, pathOf(h)+"/bundles?"+many); a.StatusCode != 400 || !strings.Contains(string(a.body), "at most 65536") {
		t.Errorf("status %d, %.100q", a.StatusCode, a.body)
	}
}
