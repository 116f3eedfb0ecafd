package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/blob/gateway"
	"github.com/tapecommit/tapecommit/commit"
)

// TestClientGone drops connections in the middle of a download. That nothing stays behind is checked by serve.
func TestClientGone(t *testing.T) {
	s := newStore(t)
	h := s.write(t, stream(1, 32<<20))
	srv := serve(t, s, gateway.Options{})
	const drops = 25
	for i, of := range []string{"", "/bundles?range=0-99999999"} {
		for range drops {
			c := dial(t, srv, "GET "+pathOf(h)+of+" HTTP/1.1\r\nHost: x\r\n\r\n")
			if _, err := io.ReadFull(c, make([]byte, 200_000)); err != nil {
				t.Fatal(err)
			}
			c.Close()
		}
		if e := srv.last(t, drops*(i+1)); e.Refusal != "gone" || !e.Broken {
			t.Errorf("%+v", e)
		}
	}
	srv.get(t, pathOf(h), "Range: bytes=0-9").wants(t, 206, stream(1, 10))
}

// TestSlowClient takes nothing: the connection is broken, and what the read has reserved is free again.
func TestSlowClient(t *testing.T) {
	s := newStore(t)
	plain := stream(1, 32<<20)
	h := s.write(t, plain)
	srv := serve(t, s, gateway.Options{Stall: 200 * time.Millisecond})
	c := dial(t, srv, "GET "+pathOf(h)+" HTTP/1.1\r\nHost: x\r\n\r\n")
	if e := srv.last(t, 1); e.Refusal != "gone" || !e.Broken {
		t.Errorf("%+v", e)
	}
	got, err := io.ReadAll(c)
	if _, body, _ := bytes.Cut(got, []byte("\r\n\r\n")); len(body) >= len(plain) {
		t.Errorf("%d bytes came, %v", len(body), err)
	}
}

// TestShutdown ends the server before a request.
func TestShutdown(t *testing.T) {
	s := newStore(t)
	h := s.write(t, stream(1, 1000))
	var seen gateway.Exchange
	handler, err := gateway.New(s, gateway.Options{Observe: func(e gateway.Exchange) { seen = e }})
	if err != nil {
		t.Fatal(err)
	}
	defer handler.Close()
	for cause, want := range map[error]string{gateway.ErrShutdown: "shutdown", nil: "gone"} {
		ctx, cut := context.WithCancelCause(context.Background())
		cut(cause)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, pathOf(h), nil))
		if w.Code != 503 || seen.Refusal != want {
			t.Errorf("status %d, refusal %q, want %q", w.Code, seen.Refusal, want)
		}
	}
}

// TestKeptConnection uses one connection again after longer than a stall.
func TestKeptConnection(t *testing.T) {
	s := newStore(t)
	h := s.write(t, stream(1, 1000))
	srv := serve(t, s, gateway.Options{Stall: 400 * time.Millisecond})
	c := dial(t, srv, "")
	for range 3 {
		fmt.Fprintf(c, "GET %s/header HTTP/1.1\r\nHost: x\r\n\r\n", pathOf(h))
		reply := make([]byte, 12)
		if _, err := io.ReadFull(c, reply); err != nil || string(reply) != "HTTP/1.1 200" {
			t.Fatalf("%v: %q", err, reply)
		}
		time.Sleep(500 * time.Millisecond)
		if n, err := c.Read(make([]byte, 4096)); n < 64 || err != nil {
			t.Fatalf("%d bytes, %v", n, err)
		}
	}
}

// A gatedStore lets reads of lanes wait.
type gatedStore struct {
	blob.Store
	reads chan struct{} // gets a token from each read
	gate  chan struct{} // closed to let them go on
}

func (s *gatedStore) Open(ctx context.Context, id commit.ID) (blob.Objects, error) {
	o, err := s.Store.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return &gatedObjects{o, s}, nil
}

type gatedObjects struct {
	blob.Objects
	s *gatedStore
}

func (o *gatedObjects) ReadAt(ctx context.Context, name string, p []byte, off int64) (int, error) {
	if strings.HasPrefix(name, "lane-") {
		o.s.reads <- struct{}{}
		select {
		case <-o.s.gate:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return o.Objects.ReadAt(ctx, name, p, off)
}

// TestBusy has more requests than are served at a time, by number and by memory.
func TestBusy(t *testing.T) {
	for name, o := range map[string]gateway.Options{
		"requests": {Requests: 1},
		"memory":   {Memory: 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			h := s.write(t, stream(1, 1000))
			gated := &gatedStore{s, make(chan struct{}, 1000), make(chan struct{})}
			o.Wait = 50 * time.Millisecond
			srv := serve(t, gated, o)
			first := make(chan answer)
			go func() { first <- srv.get(t, pathOf(h)) }()
			<-gated.reads
			a := srv.get(t, pathOf(h))
			a.refuses(t, 503)
			if a.Header.Get("Retry-After") != "1" || srv.last(t, 1).Refusal != "busy" {
				t.Errorf("Retry-After %q, %+v", a.Header.Get("Retry-After"), srv.last(t, 1))
			}
			srv.get(t, "/style.css") // is there nevertheless
			close(gated.gate)
			(<-first).wants(t, 200, stream(1, 1000))
			noneAtWork(t, srv.handler)
			srv.get(t, pathOf(h)).wants(t, 200, stream(1, 1000))
		})
	}
}

// TestOpenerGone lets the request that opens a blob go away while another waits for it.
func TestOpenerGone(t *testing.T) {
	s := newStore(t)
	h := s.write(t, stream(1, 1000))
	s.lose(t, h.ID(), "manifest") // so that opening reads lanes
	gated := &gatedStore{s, make(chan struct{}, 1000), make(chan struct{})}
	srv := serve(t, gated, gateway.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan error)
	go func() {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+pathOf(h), nil)
		if err == nil {
			_, err = http.DefaultClient.Do(req)
		}
		gone <- err
	}()
	<-gated.reads
	second := make(chan answer)
	go func() { second <- srv.get(t, pathOf(h)) }()
	cancel()
	if err := <-gone; err == nil {
		t.Error("the first request was answered")
	}
	srv.last(t, 1)
	close(gated.gate)
	(<-second).wants(t, 200, stream(1, 1000))
}

// TestMounted mounts the handler below a path.
func TestMounted(t *testing.T) {
	s := newStore(t)
	h := s.write(t, stream(1, 1000))
	o := uploads(0)
	g, err := gateway.New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	srv := &server{handler: g}
	srv.Server = newMounted(g)
	defer srv.Close()
	srv.get(t, "/tape"+pathOf(h)).wants(t, 200, stream(1, 1000))
	a := srv.do(t, http.MethodPost, "/tape/blobs?x", strings.NewReader("abc"), bearer)
	if want := "/tape/blobs/" + commit.ID(model([]byte("abc")).ID()).String(); a.Header.Get("Location") != want {
		t.Errorf("Location %q, want %q", a.Header.Get("Location"), want)
	}
	page := srv.get(t, "/tape/view/"+h.ID().String())
	if !strings.Contains(string(page.body), `href="../style.css"`) || strings.Contains(string(page.body), `="/`) {
		t.Errorf("links that are not relative: %s", page.body)
	}
}
