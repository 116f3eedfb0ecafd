package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/blob/gateway"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// TestDamage serves blobs that have lost all that they can lose.
func TestDamage(t *testing.T) {
	plain := stream(2, 70*group+99)
	for _, c := range []struct {
		name   string
		damage func(s *store, id commit.ID)
	}{
		{"two lanes lost, one wrong", func(s *store, id commit.ID) {
			s.lose(t, id, "lane-00", "lane-03")
			for g := range int64(70) {
				s.flip(t, id, g*4096+g, "lane-05")
			}
		}},
		{"ten lanes lost", func(s *store, id commit.ID) { s.lose(t, id, lanes(0, 10)...) }},
		{"ten lanes wrong", func(s *store, id commit.ID) { s.flip(t, id, 65*4096, lanes(5, 15)...) }},
		{"all but ten lanes lost", func(s *store, id commit.ID) {
			s.lose(t, id, append(lanes(1, 11), "manifest", "roots", "leaves")...)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			h := s.write(t, plain)
			c.damage(s, h.ID())
			var stats blob.Stats
			srv := serve(t, s, gateway.Options{Stats: &stats})
			srv.get(t, pathOf(h)).wants(t, 200, plain)
			for _, r := range [][2]int{{0, 0}, {5, 70 * group}, {64*group - 1, 65*group + 1}, {70 * group, 70*group + 98}} {
				srv.get(t, pathOf(h), fmt.Sprintf("Range: bytes=%d-%d", r[0], r[1])).wants(t, 206, plain[r[0]:r[1]+1])
			}
			checkBundles(t, srv, h, "range=0-99999999", plain)
			if stats.Rebuilt.Load() == 0 {
				t.Error("nothing was rebuilt: the damage did nothing")
			}
		})
	}
}

// TestLostBefore asks for what is lost: an error and no byte.
func TestLostBefore(t *testing.T) {
	s := newStore(t)
	plain := stream(3, 20*group)
	h := s.write(t, plain)
	s.loseGroup(t, h.ID(), 0)
	srv := serve(t, s, gateway.Options{})
	srv.get(t, pathOf(h)).refuses(t, 500)
	srv.get(t, pathOf(h), "Range: bytes=40000-40000").refuses(t, 500)
	srv.get(t, pathOf(h), fmt.Sprintf("Range: bytes=%d-%d", group-1, group)).refuses(t, 500)
	srv.get(t, pathOf(h), "Range: bytes=0-0,40000-").refuses(t, 500)
	srv.get(t, pathOf(h)+"/bundles?range=40000-40000").refuses(t, 500)
	if a := srv.do(t, http.MethodHead, pathOf(h), nil); a.StatusCode != 500 {
		t.Errorf("HEAD: status %d", a.StatusCode)
	}
	if e := srv.last(t, 6); e.Refusal != "lost" || e.Broken {
		t.Errorf("%+v", e)
	}

	// What is not lost is served, though its type cannot be told.
	a := srv.get(t, pathOf(h), fmt.Sprintf("Range: bytes=%d-", group))
	a.wants(t, 206, plain[group:])
	if got := a.Header.Get("Content-Type"); got != "application/octet-stream" {
		t.Errorf("type %q", got)
	}
	at := srv.get(t, pathOf(h)+"/bundles?at=0:19") // a slice that is right needs no other
	if at.StatusCode != 200 || at.err != nil {
		t.Errorf("status %d, %v: %q", at.StatusCode, at.err, at.body)
	}
}

// TestLostBehind asks for what is lost behind some megabytes that are not: the body must not end as if it were whole.
func TestLostBehind(t *testing.T) {
	s := newStore(t)
	plain := stream(4, 300*group)
	h := s.write(t, plain)
	s.loseGroup(t, h.ID(), 200)
	srv := serve(t, s, gateway.Options{})
	for i, c := range []struct {
		path   string
		header []string
		status int
	}{
		{pathOf(h), nil, 200},
		{pathOf(h), []string{"Range: bytes=0-"}, 206},
		{pathOf(h), []string{fmt.Sprintf("Range: bytes=0-9,20-%d,%d-", 190*group, 200*group+5000)}, 206},
		{pathOf(h) + "/bundles?range=0-99999999", nil, 200},
	} {
		a := srv.get(t, c.path, c.header...)
		if a.StatusCode != c.status || a.err == nil {
			t.Errorf("%s %v: status %d, %d bytes, the body ends with %v", c.path, c.header, a.StatusCode, len(a.body), a.err)
		}
		if i < 2 && !bytes.HasPrefix(plain[:200*group], a.body) {
			t.Errorf("%s %v: %d bytes that are not the first", c.path, c.header, len(a.body))
		}
		if e := srv.last(t, i+1); e.Refusal != "lost" || !e.Broken {
			t.Errorf("%+v", e)
		}
	}

	// A client that knows no chunks gets no end either: bundles tell it themselves.
	a := srv.get(t, pathOf(h)+"/bundles?range=0-99999999")
	var err error
	for _, err = range proof.Open(h.ID(), bytes.NewReader(a.body), nil) {
		if err != nil {
			break
		}
	}
	if err != nil && !errors.Is(err, commit.BundleSize) {
		t.Errorf("the bundles that came: %v", err)
	}
}

// TestNoHeader has nothing that leads to the ID.
func TestNoHeader(t *testing.T) {
	s := newStore(t)
	h := s.write(t, stream(5, 1000))
	s.flip(t, h.ID(), 20, append(lanes(0, 20), "manifest")...)
	s.flip(t, h.ID(), h.LaneOffset(1)+7, lanes(0, 20)...)
	srv := serve(t, s, gateway.Options{})
	for _, of := range []string{"", "/header", "/bundles?range=0-0"} {
		srv.get(t, pathOf(h)+of).refuses(t, 500)
	}
}

// TestStoreFails lets the store fail: the client is told no more than that.
func TestStoreFails(t *testing.T) {
	srv := serve(t, failingStore{}, gateway.Options{})
	for _, path := range []string{"/blobs/" + strings.Repeat("00", 32), "/blobs", "/", "/view/" + strings.Repeat("00", 32)} {
		a := srv.get(t, path)
		a.refuses(t, 500)
		if !strings.Contains(strings.ToLower(string(a.body)), "the store failed") || strings.Contains(string(a.body), "disk") {
			t.Errorf("body %q", a.body)
		}
	}
}

type failingStore struct{ blob.Store }

var errDisk = errors.New("disk on fire in room 5")

func (failingStore) Open(context.Context, commit.ID) (blob.Objects, error) { return nil, errDisk }

func (failingStore) IDs(context.Context) iter.Seq2[commit.ID, error] {
	return func(yield func(commit.ID, error) bool) { yield(commit.ID{}, errDisk) }
}

// TestListWithUnreadable lists a store that gives nothing of one blob, and of another not the manifest: these are damaged,
// and the rest is listed as ever.
func TestListWithUnreadable(t *testing.T) {
	s := newStore(t)
	good, half, none := s.write(t, stream(1, 1000)), s.write(t, stream(2, 1000)), s.write(t, stream(3, 1000))
	srv := serve(t, partStore{s, func(id commit.ID, name string) bool {
		return id == none.ID() || id == half.ID() && name == "manifest"
	}}, gateway.Options{})
	type listed struct {
		ID     commit.ID
		Size   int64
		Health string
		Faults []string
	}
	want := map[commit.ID]listed{
		good.ID(): {good.ID(), 1000, "unverified", nil},
		half.ID(): {half.ID(), 1000, "damaged", []string{"manifest cannot be read"}},
		none.ID(): {none.ID(), 0, "damaged", []string{"cannot be read"}},
	}
	for _, path := range []string{"/blobs", "/blobs.json"} {
		a := srv.get(t, path)
		var l struct{ Blobs []listed }
		if err := json.Unmarshal(a.body, &l); err != nil || a.StatusCode != 200 {
			t.Fatalf("%s: status %d, %v: %q", path, a.StatusCode, err, a.body)
		}
		got := map[commit.ID]listed{}
		for _, b := range l.Blobs {
			got[b.ID] = b
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
	page := srv.get(t, "/")
	if page.StatusCode != 200 || strings.Count(string(page.body), "Damaged") != 2 || bytes.Contains(page.body, []byte("disk")) {
		t.Errorf("page: status %d: %s", page.StatusCode, page.body)
	}
	view := srv.get(t, "/view/"+half.ID().String())
	if view.StatusCode != 200 || !bytes.Contains(view.body, []byte(`<td class="missing">cannot be read</td>`)) {
		t.Errorf("view: status %d: %s", view.StatusCode, view.body)
	}
	srv.get(t, "/view/"+none.ID().String()).refuses(t, 500)
	srv.get(t, pathOf(none)).refuses(t, 500)
	srv.get(t, pathOf(half)).wants(t, 200, stream(2, 1000))
}

// A partStore gives all but the objects that fails names.
type partStore struct {
	*store
	fails func(id commit.ID, name string) bool
}

func (s partStore) Open(ctx context.Context, id commit.ID) (blob.Objects, error) {
	o, err := s.store.Open(ctx, id)
	return partObjects{o, func(name string) bool { return s.fails(id, name) }}, err
}

type partObjects struct {
	blob.Objects
	fails func(name string) bool
}

func (o partObjects) ReadAt(ctx context.Context, name string, p []byte, off int64) (int, error) {
	if o.fails(name) {
		return 0, errDisk
	}
	return o.Objects.ReadAt(ctx, name, p, off)
}

func (o partObjects) Size(ctx context.Context, name string) (int64, error) {
	if o.fails(name) {
		return 0, errDisk
	}
	return o.Objects.Size(ctx, name)
}

// TestRemoved removes a blob that was served before.
func TestRemoved(t *testing.T) {
	s := newStore(t)
	plain := stream(6, 3*group)
	h := s.write(t, plain)
	srv := serve(t, s, gateway.Options{})
	srv.get(t, pathOf(h)).wants(t, 200, plain)
	if err := s.Remove(context.Background(), h.ID()); err != nil {
		t.Fatal(err)
	}
	srv.get(t, pathOf(h)).refuses(t, 404)
	s.write(t, plain)
	srv.get(t, pathOf(h)).wants(t, 200, plain)
}

// TestMediaTypes stores what browsers run, and what they only show.
func TestMediaTypes(t *testing.T) {
	s := newStore(t)
	srv := serve(t, s, gateway.Options{})
	for _, c := range []struct{ content, kind string }{
		{"\x89PNG\r\n\x1a\nrest", "image/png"},
		{"GIF89a", "image/gif"},
		{"\xff\xd8\xff\xe0", "image/jpeg"},
		{"ID3\x03", "audio/mpeg"},
		{"\x1aE\xdf\xa3", "video/webm"},
		{"just text\n", "text/plain; charset=utf-8"},
		{"\x00\x01\x02\x03", "application/octet-stream"},
		{"<!DOCTYPE html><script>alert(1)</script>", "application/octet-stream"},
		{"  <script>alert(1)</script>", "application/octet-stream"},
		{`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>`, "application/octet-stream"},
		{`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`, "text/plain; charset=utf-8"},
		{"%PDF-1.7", "application/octet-stream"},
		{"PK\x03\x04", "application/octet-stream"},
		{"\x00asm\x01\x00\x00\x00", "application/octet-stream"},
	} {
		h := s.write(t, []byte(c.content))
		for _, header := range []string{"Range: bytes=1-", "X: y"} {
			a := srv.get(t, pathOf(h), header)
			if got := a.Header.Get("Content-Type"); got != c.kind {
				t.Errorf("%q is %q, want %q", c.content, got, c.kind)
			}
			if a.Header.Get("X-Content-Type-Options") != "nosniff" || a.Header.Get("Content-Security-Policy") != "sandbox; default-src 'none'" {
				t.Errorf("%q: header %v", c.content, a.Header)
			}
		}
	}
}

// TestPaths asks for what has another spelling than the one that is answered.
func TestPaths(t *testing.T) {
	s := newStore(t)
	h := s.write(t, stream(7, 100))
	srv := serve(t, s, gateway.Options{})
	id := h.ID().String()
	for _, path := range []string{
		"/blobs/", "/blobs/" + id + "/", "//blobs/" + id, "/blobs//" + id, "/blobs/" + id + "//header", "/blobs/" + id + "/header/",
		"/./blobs/" + id, "/x/../blobs/" + id, "/blobs/..%2f" + id, "/blobs/%2e%2e/" + id, "/blobs%2f" + id, "/blobs/%" + fmt.Sprintf("%x", id[0]) + id[1:],
		"/blobs/" + strings.ToUpper(id), "/blobs/" + id[:63], "/blobs/" + id + "0", "/blobs/" + id + "/manifest", "/blobs/" + id + "/lane-00",
		"/blobs/" + id + ".verify.json", "/blobs/tmp", "/blobs/../../etc/passwd", "/blobs/..%5c" + id, "/blobs/" + id + "%00", "/blobs/" + id + ";x",
		"/blobs/" + strings.Repeat("0", 64), "/blobs/" + strings.Repeat("0", 64) + "/header",
		"/view", "/view/", "/view/" + id + "/", "/view/tmp", "/view/" + strings.Repeat("0", 64),
		"/style.css/", "/page/style.css", "/favicon.ico", "/index.html", "/%2e", "/.", "/..",
	} {
		a := curlRaw(t, srv.URL, path)
		if a.StatusCode != 404 {
			t.Errorf("%s: status %d, want 404: %.60q", path, a.StatusCode, a.body)
		}
	}
}

// curlRaw gets a path as it stands.
func curlRaw(t *testing.T, url, path string) answer {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.URL.Opaque = "//" + req.URL.Host + path
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	a := answer{Response: res}
	a.body, a.err = io.ReadAll(res.Body)
	return a
}
