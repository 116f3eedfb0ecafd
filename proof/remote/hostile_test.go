package remote_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof/remote"
)

// A liar is a gateway that answers requests for bundles with what lie makes of the truth.
type liar struct {
	*server
	h     commit.Header
	plain []byte
	truth *reference.Blob
	lie   atomic.Pointer[func([]byte) []byte]
	b     *remote.Blob
}

func newLiar(t *testing.T, p commit.Params, length int) *liar {
	t.Helper()
	s := blob.NewMem()
	l := &liar{plain: stream(4, length)}
	l.h = write(t, s, p, l.plain)
	l.truth = model(p, l.plain)
	l.server = serve(t, tamper(handler(t, s), func(_ *http.Request, body []byte) []byte { return (*l.lie.Load())(body) }))
	l.b = l.open(t, l.h.ID())
	return l
}

// tell makes f the lie from now on.
func (l *liar) tell(f func([]byte) []byte) { l.lie.Store(&f) }

// refused asks for a set, which is one request, and wants an error for each slice of it.
func (l *liar) refused(t *testing.T, set []commit.Pos, want commit.Rule) {
	t.Helper()
	for i, r := range collect(t, l.b, l.truth, slices.Values(set)) {
		if !errors.Is(r.err, want) || !strings.HasPrefix(r.err.Error(), fmt.Sprintf("remote: slice %v: ", set[i])) {
			t.Fatalf("slice %v: %v, want one that %v", set[i], r.err, want)
		}
	}
}

// TestFlip changes every byte of a bundle in turn, and some bytes of each part of a bundle of full slices.
func TestFlip(t *testing.T) {
	for _, c := range []struct {
		params commit.Params
		length int
		set    []commit.Pos
		step   int
	}{
		{small, 3*192 + 10, []commit.Pos{{Lane: 1}, {Lane: 4}, {Group: 2, Lane: 2}, {Group: 3}}, 1},
		{commit.Params{K: 10, N: 20, SliceSize: 4096}, 5 * 40960, []commit.Pos{{Group: 2, Lane: 3}, {Group: 2, Lane: 4}}, 37},
	} {
		l := newLiar(t, c.params, c.length)
		size := 0
		l.tell(func(b []byte) []byte {
			size = len(b)
			return b
		})
		for _, r := range collect(t, l.b, l.truth, slices.Values(c.set)) {
			if r.err != nil {
				t.Fatal(r.err)
			}
		}
		for at := 0; at < size; at += c.step {
			l.tell(func(b []byte) []byte {
				b[at] ^= 1 << (at % 8)
				return b
			})
			for i, r := range collect(t, l.b, l.truth, slices.Values(c.set)) {
				var rule commit.Rule
				if !errors.As(r.err, &rule) {
					t.Fatalf("byte %d of %d: slice %v: %v", at, size, c.set[i], r.err)
				}
			}
		}
	}
}

// TestLies tells whole untruths.
func TestLies(t *testing.T) {
	l := newLiar(t, small, 150*192)
	other := model(small, stream(5, 150*192))
	set := []commit.Pos{{Group: 64, Lane: 2}, {Group: 65}, {Group: 65, Lane: 1}}
	positions := []int64{322, 325, 326}
	honest := l.truth.Bundle(positions)
	patched := func(at int, with ...byte) []byte {
		return append(append(bytes.Clone(honest[:at]), with...), honest[at+len(with):]...)
	}
	for _, c := range []struct {
		name string
		body []byte
		want commit.Rule
	}{
		{"nothing", nil, commit.BundleSize},
		{"a byte short", honest[:len(honest)-1], commit.BundleSize},
		{"a slice short", honest[:len(honest)-64], commit.BundleSize},
		{"the proof alone", l.truth.Proof(positions), commit.BundleSize},
		{"half a header", honest[:50], commit.BundleSize},
		{"a byte more", append(bytes.Clone(honest), 0), commit.BundleSize},
		{"twice", append(bytes.Clone(honest), honest...), commit.BundleSize},
		{"the next bundle too", append(bytes.Clone(honest), l.truth.Bundle([]int64{640})...), commit.BundleSize},
		{"another blob", other.Bundle(positions), commit.HeaderID},
		{"another set of the same size", l.truth.Bundle([]int64{322, 325, 327}), commit.SetOther},
		{"another run", l.truth.Bundle([]int64{2, 5, 6}), commit.SetOther},
		{"fewer slices", l.truth.Bundle(positions[:2]), commit.SetOther},
		{"more slices", l.truth.Bundle([]int64{322, 325, 326, 327}), commit.SetOther},
		{"all slices of the run", l.truth.Bundle(from(320, 640)), commit.SetOther},
		{"of several runs", l.truth.Bundles([]int64{2, 325, 640}), commit.SetOther},
		{"no positions", patched(68, 0, 0, 0, 0), commit.SetCount},
		{"positions without end", patched(68, 0xff, 0xff, 0xff, 0xff), commit.SetCount},
		{"more positions than a run has", patched(68, 0, 2, 0, 0), commit.BundleRun},
		{"a position twice", patched(80, honest[72:80]...), commit.SetOrder},
		{"positions swapped", patched(72, append(bytes.Clone(honest[80:88]), honest[72:80]...)...), commit.SetOrder},
		{"a position of another blob", patched(88, binary.LittleEndian.AppendUint64(nil, 326+1<<32)...), commit.SetRange},
		{"slices swapped", append(append(bytes.Clone(honest[:len(honest)-128]), honest[len(honest)-64:]...), honest[len(honest)-128:len(honest)-64]...), commit.ProofRoot},
		{"text", []byte(strings.Repeat("<html>", 100)), commit.ProofMagic},
	} {
		t.Run(c.name, func(t *testing.T) {
			l.tell(func([]byte) []byte { return c.body })
			l.refused(t, set, c.want)
		})
	}
}

func from(first, end int64) (positions []int64) {
	for p := first; p < end; p++ {
		positions = append(positions, p)
	}
	return positions
}

// TestOneLie has one of several bundles changed: nothing of it arrives, and all of the others.
func TestOneLie(t *testing.T) {
	l := newLiar(t, small, 150*192)
	l.tell(func(b []byte) []byte {
		if first := binary.LittleEndian.Uint64(b[72:]); first == 64*5 {
			b[len(b)-1]++
		}
		return b
	})
	at := slices.Collect(l.h.Cover(0, l.h.Length))
	for i, r := range collect(t, l.b, l.truth, slices.Values(at)) {
		if inRun := at[i].Group/64 == 1; inRun != errors.Is(r.err, commit.ProofRoot) || !inRun && r.err != nil {
			t.Fatalf("slice %v: %v", at[i], r.err)
		}
	}
}

// TestTaken counts what a client takes of answers that it refuses: up to what it refuses them for, whatever else they hold.
func TestTaken(t *testing.T) {
	s := blob.NewMem()
	plain := stream(6, 150*192)
	h := write(t, s, small, plain)
	truth := model(small, plain)
	positions := []int64{322, 325, 326}
	set := []commit.Pos{{Group: 64, Lane: 2}, {Group: 65}, {Group: 65, Lane: 1}}
	head := 4 + 64 + 4 + 8*len(set)
	var header, bundle []byte
	real := handler(t, s)
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := bundle
		if strings.HasSuffix(r.URL.Path, "/header") {
			if body = header; body == nil {
				real.ServeHTTP(w, r)
				return
			}
		}
		for _, err := w.Write(body); err == nil && r.Context().Err() == nil; { // then without end
			_, err = w.Write(make([]byte, 4096))
		}
	}))
	taken := &counter{RoundTripper: srv.Client().Transport}
	g := dial(t, srv.URL, &http.Client{Transport: taken})
	b := open(t, g, h.ID())

	for _, c := range []struct {
		name string
		body []byte
		most int
	}{
		{"another blob", model(small, stream(7, 192)).Bundle([]int64{0, 1, 2}), 72},
		{"another set", truth.Bundle([]int64{322, 325, 327}), head},
		{"a run", truth.Bundle(from(320, 640)), 72 + 8*320},
		{"more than a run", append(bytes.Clone(truth.Proof(positions)[:68]), 0xff, 0xff, 0, 0), 72},
		{"without end", truth.Bundle(positions), len(truth.Bundle(positions)) + 1},
		{"zeros", make([]byte, 1<<20), 72},
	} {
		t.Run(c.name, func(t *testing.T) {
			bundle = c.body
			taken.take()
			for _, r := range collect(t, b, truth, slices.Values(set)) {
				if rule := commit.Rule(""); !errors.As(r.err, &rule) {
					t.Fatal(r.err)
				}
			}
			if n := taken.take(); n > int64(c.most) {
				t.Errorf("%d bytes taken, %d tell", n, c.most)
			}
		})
	}

	header = truth.Header.Bytes()
	if _, err := g.Open(context.Background(), h.ID()); !errors.Is(err, commit.HeaderSize) {
		t.Errorf("header without end: %v", err)
	}
	if n := taken.take(); n > 65 {
		t.Errorf("%d bytes taken of a header of 64", n)
	}
	header = model(small, stream(7, 192)).Header.Bytes()
	if _, err := g.Open(context.Background(), h.ID()); err == nil {
		t.Error("opened with the header of another blob")
	}
}

// TestHeader changes each byte of the header, and its length.
func TestHeader(t *testing.T) {
	h := model(small, stream(8, 1000)).Header
	id := commit.ID(h.ID())
	var body []byte
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(body) }))
	g := dial(t, srv.URL, srv.Client())
	refused := func(b []byte, want commit.Rule) {
		t.Helper()
		body = b
		if opened, err := g.Open(context.Background(), id); opened != nil || !errors.Is(err, want) || !strings.HasPrefix(err.Error(), "remote: header of "+id.String()) {
			t.Fatalf("%v, want one that %v", err, want)
		}
	}
	for i := range h.Bytes() {
		b := h.Bytes()
		b[i] ^= 0x80
		refused(b, commit.HeaderID)
	}
	for _, b := range [][]byte{nil, h.Bytes()[:63], append(h.Bytes(), 0), make([]byte, 1<<16)} {
		refused(b, commit.HeaderSize)
	}
	srv.takeAsked()
	body = h.Bytes()
	open(t, g, id)
	if asked := srv.takeAsked(); !slices.Equal(asked, []string{"/blobs/" + id.String() + "/header"}) {
		t.Errorf("asked for %q", asked)
	}
}

// TestStatus answers with what is not asked for in other ways than with a wrong body.
func TestStatus(t *testing.T) {
	plain := stream(9, 192)
	truth := model(small, plain)
	id := commit.ID(truth.ID())
	var answer http.HandlerFunc
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r) }))
	var stranger atomic.Int32
	elsewhere := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stranger.Add(1) }))
	g := dial(t, srv.URL, nil) // whose own client it is about
	body := func(r *http.Request) []byte {
		if strings.HasSuffix(r.URL.Path, "/header") {
			return truth.Header.Bytes()
		}
		return truth.Bundle(from(0, 5))
	}
	right := func(w http.ResponseWriter, r *http.Request) { w.Write(body(r)) }
	packed := func(coding string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Accept-Encoding"); got != "identity" {
				t.Errorf("asked for coding %q", got)
			}
			w.Header().Set("Content-Encoding", coding)
			z := gzip.NewWriter(w)
			z.Write(body(r))
			z.Close()
		}
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(code)
			if code != 204 && code != 304 {
				w.Write(body(r))
			}
		}
	}
	redirect := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL+r.URL.Path, code) }
	}
	cut := func(n int) http.HandlerFunc { // breaks the connection
		return func(w http.ResponseWriter, r *http.Request) {
			b := body(r)
			w.Write(b[:len(b)-n])
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	}
	declared := func(w http.ResponseWriter, r *http.Request) { // sends less than it says
		w.Header().Set("Content-Length", fmt.Sprint(len(body(r))))
		w.Write(body(r)[:40])
	}
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"gzip", packed("gzip"), `answered in content coding "gzip"`},
		{"unknown coding", packed("rot13"), `answered in content coding "rot13"`},
		{"created", status(201), "201 Created"},
		{"no content", status(204), "204 No Content"},
		{"partial", status(206), "206 Partial Content"},
		{"moved", redirect(301), `301 Moved Permanently: "to ` + elsewhere.URL},
		{"redirect", redirect(307), `307 Temporary Redirect: "to ` + elsewhere.URL},
		{"not modified", status(304), "304 Not Modified"},
		{"bad request", status(400), "400 Bad Request"},
		{"not there", status(404), "404 Not Found"},
		{"gone", status(410), "410 Gone"},
		{"failed", status(500), "500 Internal Server Error"},
		{"bad gateway", status(502), "502 Bad Gateway"},
		{"unknown status", status(799), ": 799: "},
		{"cut", cut(1), "unexpected EOF"},
		{"cut behind the end", cut(0), "unexpected EOF"},
		{"declared longer", declared, "unexpected EOF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer = c.answer
			if _, err := g.Open(context.Background(), id); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("header: %v, want %q", err, c.want)
			}
			answer = right
			b := open(t, g, id)
			answer = c.answer
			for _, r := range collect(t, b, truth, all(b.Header())) {
				if r.err == nil || !strings.Contains(r.err.Error(), c.want) {
					t.Errorf("slice: %v, want %q", r.err, c.want)
				}
			}
			for _, err := range g.IDs(context.Background()) {
				if err == nil {
					t.Error("a list")
				}
			}
		})
	}
	if n := stranger.Load(); n > 0 {
		t.Errorf("%d requests went elsewhere", n)
	}
}

// TestMessage shows a gateway's words, few of them and on one line.
func TestMessage(t *testing.T) {
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, "\n\x1b[31mno\xff \"entry\"\nsecond line"+strings.Repeat("!", 1<<20))
	}))
	_, err := dial(t, srv.URL, nil).Open(context.Background(), commit.ID{})
	var status *remote.StatusError
	if !errors.As(err, &status) || status.Message != "\x1b[31mno? \"entry\"" {
		t.Errorf("%#v", status)
	}
	if s := err.Error(); strings.ContainsAny(s, "\n\x1b") || !strings.HasSuffix(s, `/header: 400 Bad Request: "\x1b[31mno? \"entry\""`) {
		t.Errorf("%q", s)
	}
}

// TestEndlessHead sends a response header without end, to the package's own client.
func TestEndlessHead(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sent := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			sent <- err
			return
		}
		defer c.Close()
		io.WriteString(c, "HTTP/1.1 200 OK\r\n")
		line := []byte("X-Filler: " + strings.Repeat("x", 1000) + "\r\n")
		for n := 0; err == nil; n++ {
			if n > 1<<16 {
				sent <- errors.New("64 MiB of header were taken")
				return
			}
			_, err = c.Write(line)
		}
		sent <- nil
	}()
	if _, err := dial(t, "http://"+l.Addr().String(), nil).Open(context.Background(), commit.ID{}); err == nil {
		t.Error("opened")
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
	l.Close()
	nothingLeft(t)
}
