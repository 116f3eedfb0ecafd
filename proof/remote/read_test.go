package remote_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
	"github.com/tapecommit/tapecommit/proof/remote"
)

// TestReader reads plaintext through a gateway: whole, in pieces, by many at once.
func TestReader(t *testing.T) {
	const runLen = 64 * 10 * 4096
	standard := commit.Params{K: 10, N: 20, SliceSize: 4096}
	for _, c := range []struct {
		name   string
		params commit.Params
		length int
		damage func(f folder, id commit.ID)
	}{
		{"empty", standard, 0, nil},
		{"a byte", standard, 1, nil},
		{"a run and a bit", standard, runLen + 12345, nil},
		{"small slices", small, 150*192 + 100, nil},
		{"lanes lost and damaged", standard, runLen + 12345, func(f folder, id commit.ID) {
			f.remove(t, id, "lane-00", "lane-07", "lane-13", "roots", "manifest")
			for group := range int64(65) {
				f.flip(t, id, 4096*group+group, "lane-03")
			}
		}},
		{"as few lanes as can be", small, 150*192 + 100, func(f folder, id commit.ID) {
			f.remove(t, id, "lane-00", "lane-02", "roots", "leaves")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFolder(t)
			plain := stream(1, c.length)
			id := write(t, f, c.params, plain).ID()
			if c.damage != nil {
				c.damage(f, id)
			}
			checkReader(t, serve(t, handler(t, f)).open(t, id), plain)
		})
	}
}

func checkReader(t *testing.T, src proof.Source, plain []byte) {
	ctx := context.Background()
	size := int64(len(plain))
	var got bytes.Buffer
	if n, err := proof.NewReader(ctx, src).WriteTo(&got); n != size || err != nil {
		t.Fatalf("WriteTo: %d, %v", n, err)
	}
	if !bytes.Equal(got.Bytes(), plain) {
		t.Fatal("WriteTo wrote something else")
	}
	if b, err := io.ReadAll(proof.NewReader(ctx, src)); err != nil || !bytes.Equal(b, plain) {
		t.Fatalf("ReadAll: %d bytes, %v", len(b), err)
	}

	r := proof.NewReader(ctx, src)
	var wg sync.WaitGroup
	for seed := range uint64(8) {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(seed, 0))
			for range 8 {
				off := rnd.Int64N(size + 2)
				p := make([]byte, rnd.Int64N(min(size+2, 300_000)))
				want := plain[min(off, size):min(off+int64(len(p)), size)]
				n, err := r.ReadAt(p, off)
				if !bytes.Equal(p[:n], want) || (err == nil) != (n == len(p)) || err != nil && err != io.EOF {
					t.Errorf("ReadAt(%d bytes, %d): %d, %v", len(p), off, n, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestSlices compares slices with those of the second model, in any order and more than once.
func TestSlices(t *testing.T) {
	s := blob.NewMem()
	plain := stream(2, 150*192+100) // the last slice of the last group has but padding
	h := write(t, s, small, plain)
	truth := model(small, plain)
	b := serve(t, handler(t, s)).open(t, h.ID())
	if b.Header() != h {
		t.Fatalf("header %v, want %v", b.Header(), h)
	}
	order := slices.Collect(all(h))
	rand.New(rand.NewPCG(2, 2)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for name, at := range map[string][]commit.Pos{
		"none":     nil,
		"all":      slices.Collect(all(h)),
		"shuffled": order[:100],
		"again":    slices.Repeat([]commit.Pos{{Group: 3, Lane: 1}}, 5),
		"backward": {{Group: 150, Lane: 4}, {Group: 150, Lane: 2}, {Group: 64}, {Group: 63, Lane: 4}, {}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range collect(t, b, truth, slices.Values(at)) {
				if r.err != nil {
					t.Error(r.err)
				}
			}
		})
	}
}

// TestOutside asks for slices that the blob does not have among others that it has.
func TestOutside(t *testing.T) {
	s := blob.NewMem()
	plain := stream(3, 2*192)
	h := write(t, s, small, plain)
	b := serve(t, handler(t, s)).open(t, h.ID())
	const far = int(^uint(0) >> 1)
	at := []commit.Pos{{}, {Lane: 5}, {Lane: 1}, {Group: 2}, {Group: -1}, {Lane: -1}, {Group: far, Lane: far}, {Group: -far, Lane: 2}, {Group: 1, Lane: 4}}
	for i, r := range collect(t, b, model(small, plain), slices.Values(at)) {
		if outside := !h.Has(at[i]); outside != (r.err != nil) {
			t.Errorf("slice %v: %v", at[i], r.err)
		} else if outside && r.err.Error() != fmt.Sprintf("remote: slice %v: lies outside the blob", at[i]) {
			t.Error(r.err)
		}
	}
}

func TestUnknown(t *testing.T) {
	s := blob.NewMem()
	h := write(t, s, small, []byte("a"))
	srv := serve(t, handler(t, s))
	for _, base := range []string{srv.URL, srv.URL + "/blobs/"} { // that is no gateway
		_, err := dial(t, base, nil).Open(context.Background(), commit.ID{1})
		var status *remote.StatusError
		if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &status) || status.Status != 404 || !strings.HasPrefix(err.Error(), "remote: ") {
			t.Errorf("%s: %v", base, err)
		}
	}

	// Removed after it was opened, as each slice shows.
	real := handler(t, s)
	b := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/header") {
			real.ServeHTTP(w, r)
		} else {
			http.NotFound(w, r)
		}
	})).open(t, h.ID())
	for i, r := range collect(t, b, model(small, []byte("a")), all(h)) {
		if !errors.Is(r.err, fs.ErrNotExist) {
			t.Errorf("slice %d: %v", i, r.err)
		}
	}
}

// TestMounted finds a gateway below a path, and behind a password.
func TestMounted(t *testing.T) {
	s := blob.NewMem()
	h := write(t, s, small, []byte("mounted"))
	inner := http.StripPrefix("/a/tape", handler(t, s))
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, secret, _ := r.BasicAuth(); user != "me" || secret != "sesame" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	address := strings.TrimPrefix(srv.URL, "http://")
	for _, base := range []string{"http://me:sesame@" + address + "/a/tape", "HTTP://me:sesame@" + address + "/a/tape/"} {
		checkReader(t, open(t, dial(t, base, nil), h.ID()), []byte("mounted"))
	}
	_, err := dial(t, "http://me:wrong-word@"+address, nil).Open(context.Background(), h.ID())
	if err == nil || strings.Contains(err.Error(), "wrong-word") || !strings.Contains(err.Error(), "401") {
		t.Errorf("error %v", err)
	}
}

func TestNew(t *testing.T) {
	for _, base := range []string{
		"", "localhost:8080", "http:", "http://", "http:///blobs", "http://:80", "https://?", "http:host", "ftp://host", "s3://bucket", "/tmp", "http://host:port",
		"http://host?a=b", "http://host/?", "http://host#a", "http://ho st", "http://host/%zz", "://host",
	} {
		if _, err := remote.New(base, nil); err == nil || !strings.HasPrefix(err.Error(), "remote: ") {
			t.Errorf("%q: error %v", base, err)
		}
	}
	for _, base := range []string{"http://host", "https://host:8080/", "http://[::1]:80/tape", "http://me@host"} {
		if _, err := remote.New(base, nil); err != nil {
			t.Error(err)
		}
	}
}

// TestHTTP2 reads over TLS, where requests share a connection.
func TestHTTP2(t *testing.T) {
	s := blob.NewMem()
	plain := stream(24, 500*192)
	h := write(t, s, small, plain)
	var others atomic.Int32
	real := handler(t, s)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			others.Add(1)
		}
		real.ServeHTTP(w, r)
	}))
	srv.EnableHTTP2 = true
	srv.Config.ErrorLog = log.New(io.Discard, "", 0) // of the handshake at the end
	srv.StartTLS()
	defer srv.Close()
	checkReader(t, open(t, dial(t, srv.URL, srv.Client()), h.ID()), plain)
	if n := others.Load(); n > 0 {
		t.Errorf("%d requests by another protocol", n)
	}
	// The package's own client does not know the certificate.
	if _, err := dial(t, srv.URL, nil).Open(context.Background(), h.ID()); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Error(err)
	}
}
