package gateway_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/blob/gateway"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
)

const group = 10 * 4096 // bytes of plaintext

// A store is a folder with blobs, and what they should be.
type store struct {
	blob.Store
	folder string
}

func newStore(t testing.TB) *store {
	t.Helper()
	folder := t.TempDir()
	s, err := blob.OpenDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	return &store{s, folder}
}

// write stores plain.
func (s *store) write(t testing.TB, plain []byte) commit.Header {
	t.Helper()
	w, err := blob.NewWriter(context.Background(), s.Store, blob.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	h, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (s *store) path(id commit.ID, name string) string {
	return filepath.Join(s.folder, id.String(), name)
}

// lose removes objects.
func (s *store) lose(t testing.TB, id commit.ID, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.Remove(s.path(id, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// flip changes a byte of objects.
func (s *store) flip(t testing.TB, id commit.ID, off int64, names ...string) {
	t.Helper()
	for _, name := range names {
		f, err := os.OpenFile(s.path(id, name), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		var b [1]byte
		if _, err := f.ReadAt(b[:], off); err != nil {
			t.Fatal(err)
		}
		b[0] ^= 0x40
		if _, err := f.WriteAt(b[:], off); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// loseGroup spoils so many slices of a group that none of its plaintext can be had.
func (s *store) loseGroup(t testing.TB, id commit.ID, group int64) {
	t.Helper()
	s.flip(t, id, group*4096, lanes(0, 11)...)
}

// lanes are the names of lanes [lo, hi).
func lanes(lo, hi int) []string {
	var names []string
	for i := lo; i < hi; i++ {
		names = append(names, "lane-"+string([]byte{byte('0' + i/10), byte('0' + i%10)}))
	}
	return names
}

// A server serves a store on loopback.
type server struct {
	*httptest.Server
	handler *gateway.Handler
	mu      sync.Mutex
	seen    []gateway.Exchange
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// serve serves s until the test ends, and then looks for what was left behind.
func serve(t testing.TB, s blob.Store, o gateway.Options) *server {
	t.Helper()
	srv := &server{}
	o.Observe = func(e gateway.Exchange) {
		srv.mu.Lock()
		defer srv.mu.Unlock()
		srv.seen = append(srv.seen, e)
	}
	h, err := gateway.New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	srv.handler = h
	srv.Server = httptest.NewServer(h)
	srv.Config.ErrorLog = nil
	t.Cleanup(func() {
		srv.Close()
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		noneAtWork(t, h)
	})
	return srv
}

// noneAtWork waits until nothing that serves or reads is at work.
func noneAtWork(t testing.TB, h *gateway.Handler) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		requests, memory := h.Load()
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		busy := ""
		for stack := range bytes.SplitSeq(stacks, []byte("\n\n")) {
			if bytes.Contains(stack, []byte("tapecommit/blob.(*")) || bytes.Contains(stack, []byte("gateway.(*Handler).ServeHTTP")) {
				busy = string(stack)
			}
		}
		if requests == 0 && memory == 0 && busy == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d requests and %d bytes at work: %s", requests, memory, busy)
		}
		time.Sleep(time.Millisecond)
	}
}

// last returns the last exchange, when there are n.
func (s *server) last(t testing.TB, n int) gateway.Exchange {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		s.mu.Lock()
		seen := s.seen
		s.mu.Unlock()
		if len(seen) >= n {
			return seen[len(seen)-1]
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d exchanges, want %d", len(seen), n)
		}
		time.Sleep(time.Millisecond)
	}
}

// An answer is a response with its body, and why that is not whole.
type answer struct {
	*http.Response
	body []byte
	err  error
}

// do makes a request; header lines are "Name: value".
func (s *server) do(t testing.TB, method, path string, body io.Reader, header ...string) answer {
	t.Helper()
	req, err := http.NewRequest(method, s.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Add(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	a := answer{Response: res}
	a.body, a.err = io.ReadAll(res.Body)
	return a
}

func (s *server) get(t testing.TB, path string, header ...string) answer {
	t.Helper()
	return s.do(t, http.MethodGet, path, nil, header...)
}

// wants checks status and body.
func (a answer) wants(t testing.TB, status int, body []byte) {
	t.Helper()
	if a.err != nil {
		t.Fatalf("body: %v", a.err)
	}
	if a.StatusCode != status {
		t.Fatalf("status %d, want %d: %.200q", a.StatusCode, status, a.body)
	}
	if !bytes.Equal(a.body, body) {
		t.Fatalf("%d bytes %.60q, want %d bytes %.60q", len(a.body), a.body, len(body), body)
	}
}

// refuses checks an answer that is an error: status, type, and that it is not kept.
func (a answer) refuses(t testing.TB, status int) {
	t.Helper()
	if a.err != nil {
		t.Fatalf("body: %v", a.err)
	}
	if a.StatusCode != status {
		t.Fatalf("status %d, want %d: %.200q", a.StatusCode, status, a.body)
	}
	kind := a.Header.Get("Content-Type")
	if page := bytes.Contains(a.body, []byte("<h1>"+http.StatusText(status)+"</h1>")); page != (kind == "text/html; charset=utf-8") ||
		!page && kind != "text/plain; charset=utf-8" {
		t.Errorf("type %q: %q", kind, a.body)
	}
	for name, want := range map[string]string{
		"Cache-Control":          "no-store",
		"X-Content-Type-Options": "nosniff",
		"Etag":                   "",
	} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func pathOf(h commit.Header) string { return "/blobs/" + h.ID().String() }

func stream(seed uint64, n int) []byte { return reference.Stream(seed, n) }

func newMounted(h http.Handler) *httptest.Server {
	return httptest.NewServer(http.StripPrefix("/tape", h))
}
