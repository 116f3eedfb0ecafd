package remote_test

import (
	"bytes"
	"context"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/blob/gateway"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof"
	"github.com/tapecommit/tapecommit/proof/remote"
)

// small cuts a run of groups into few bytes.
var small = commit.Params{K: 3, N: 5, SliceSize: 64}

func stream(seed uint64, n int) []byte { return reference.Stream(seed, n) }

// model is the same blob as the second model makes it.
func model(p commit.Params, plain []byte) *reference.Blob {
	return reference.Make(reference.Params{K: p.K, N: p.N, SliceSize: p.SliceSize}, plain)
}

// write stores plain.
func write(t testing.TB, s blob.Store, p commit.Params, plain []byte) commit.Header {
	t.Helper()
	w, err := blob.NewWriter(context.Background(), s, blob.Options{Params: p})
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

// A folder is a store that can be damaged.
type folder struct {
	blob.Store
	path string
}

func newFolder(t testing.TB) folder {
	t.Helper()
	path := t.TempDir()
	s, err := blob.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	return folder{s, path}
}

func (f folder) remove(t testing.TB, id commit.ID, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.Remove(filepath.Join(f.path, id.String(), name)); err != nil {
			t.Fatal(err)
		}
	}
}

// flip changes a byte of objects.
func (f folder) flip(t testing.TB, id commit.ID, off int64, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(f.path, id.String(), name)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b[off] ^= 0x10
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// handler serves a store until the test ends.
func handler(t testing.TB, s blob.Store) http.Handler {
	t.Helper()
	h, err := gateway.New(s, gateway.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// A server serves a handler on loopback and counts what it is asked for.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func serve(t testing.TB, h http.Handler) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.String())
		s.mu.Unlock()
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.Close()
		nothingLeft(t)
	})
	return s
}

// takeAsked returns what was asked for since the last call.
func (s *server) takeAsked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// nothingLeft waits until nothing is at work for a client.
func nothingLeft(t testing.TB) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		left := ""
		for stack := range strings.SplitSeq(string(stacks), "\n\n") {
			if strings.Contains(stack, "tapecommit/proof/remote.") || strings.Contains(stack, "tapecommit/proof.Open") {
				left = stack
			}
		}
		if left == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("left at work: %s", left)
		}
		time.Sleep(time.Millisecond)
	}
}

func dial(t testing.TB, url string, client *http.Client) *remote.Gateway {
	t.Helper()
	g, err := remote.New(url, client)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// open opens a blob with a client of the server's.
func (s *server) open(t testing.TB, id commit.ID) *remote.Blob {
	t.Helper()
	return open(t, dial(t, s.URL, s.Client()), id)
}

func open(t testing.TB, g *remote.Gateway, id commit.ID) *remote.Blob {
	t.Helper()
	b, err := g.Open(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tamper serves what h answers about bundles after f changed it.
func tamper(h http.Handler, f func(r *http.Request, body []byte) []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/bundles") {
			h.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		w.WriteHeader(answer.Code)
		w.Write(f(r, answer.Body.Bytes()))
	})
}

// all yields every slice of a blob, parity too.
func all(h commit.Header) iter.Seq[commit.Pos] {
	return func(yield func(commit.Pos) bool) {
		for x := range int64(h.N) * int64(h.Groups()) {
			if !yield(h.PosAt(x)) {
				return
			}
		}
	}
}

// A result is what a loop over Slices saw of one slice.
type result struct {
	bytes []byte
	err   error
}

// collect gets the slices at, wants one result of each, and compares what is there with the blob itself.
func collect(t testing.TB, src proof.Source, truth *reference.Blob, at iter.Seq[commit.Pos]) []result {
	t.Helper()
	want := slices.Collect(at)
	var got []result
	for s, err := range src.Slices(context.Background(), slices.Values(want)) {
		i := len(got)
		if i == len(want) {
			t.Fatalf("more than %d slices; error %v", i, err)
		}
		got = append(got, result{bytes.Clone(s.Bytes()), err})
		switch {
		case err != nil && s.Valid():
			t.Fatalf("slice %v with error %v", s.Pos(), err)
		case err != nil:
		case s.Pos() != want[i] || s.Header() != src.Header():
			t.Fatalf("slice %v of %v, want %v", s.Pos(), s.Header(), want[i])
		case !bytes.Equal(s.Bytes(), truth.Slices[src.Header().Position(want[i])]):
			t.Fatalf("slice %v is wrong", want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d slices, want %d", len(got), len(want))
	}
	return got
}

// A counter counts the bytes that are taken of the bodies of answers.
type counter struct {
	http.RoundTripper
	mu    sync.Mutex
	bytes int64
}

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = &countedBody{resp.Body, c}
	}
	return resp, err
}

// take returns how many there were since the last call.
func (c *counter) take() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.bytes
	c.bytes = 0
	return n
}

type countedBody struct {
	io.ReadCloser
	c *counter
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.c.mu.Lock()
	b.c.bytes += int64(n)
	b.c.mu.Unlock()
	return n, err
}
