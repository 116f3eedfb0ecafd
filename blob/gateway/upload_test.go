package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/blob/gateway"
	"github.com/tapecommit/tapecommit/commit"
)

const (
	token  = "correct horse battery staple"
	bearer = "Authorization: Bearer " + token
)

func uploads(limit int64) gateway.Options {
	return gateway.Options{Uploads: &gateway.Uploads{Token: token, Limit: limit}}
}

// stored checks the answer to an upload and returns the ID.
func stored(t *testing.T, a answer, status int, plain []byte) string {
	t.Helper()
	if a.StatusCode != status || a.err != nil {
		t.Fatalf("status %d, %v: %q", a.StatusCode, a.err, a.body)
	}
	var said struct {
		ID   commit.ID
		Size int64
	}
	if err := json.Unmarshal(a.body, &said); err != nil {
		t.Fatalf("%v: %q", err, a.body)
	}
	if want := commit.ID(model(plain).ID()); said.ID != want || said.Size != int64(len(plain)) {
		t.Errorf("stored %v of %d bytes, want %v of %d", said.ID, said.Size, want, len(plain))
	}
	if got := a.Header.Get("Location"); got != "/blobs/"+said.ID.String() {
		t.Errorf("Location %q", got)
	}
	return said.ID.String()
}

func TestUpload(t *testing.T) {
	s := newStore(t)
	srv := serve(t, s, uploads(0))
	for i, plain := range [][]byte{nil, stream(1, 1), stream(2, 5*group+3)} {
		for j, method := range []string{http.MethodPost, http.MethodPut} {
			status := []int{201, 200}[j] // the same bytes twice are one blob
			id := stored(t, srv.do(t, method, "/blobs", bytes.NewReader(plain), bearer), status, plain)
			srv.get(t, "/blobs/"+id).wants(t, 200, plain)
		}
		if n := len(ids(t, s)); n != i+1 {
			t.Errorf("%d blobs, want %d", n, i+1)
		}
	}

	// A body of no known length, and the type that curl claims for --data-binary.
	plain := stream(3, 70*group)
	a := srv.do(t, http.MethodPost, "/blobs", struct{ io.Reader }{bytes.NewReader(plain)}, bearer, "Content-Type: application/x-www-form-urlencoded")
	stored(t, a, 201, plain)
}

func ids(t *testing.T, s blob.Store) []commit.ID {
	t.Helper()
	var all []commit.ID
	for id, err := range s.IDs(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, id)
	}
	return all
}

// nothingStored checks that the store holds no blob and no part of one.
func nothingStored(t *testing.T, s *store) {
	t.Helper()
	if n := len(ids(t, s)); n != 0 {
		t.Errorf("%d blobs were stored", n)
	}
	entries, err := os.ReadDir(filepath.Join(s.folder, "tmp"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if len(entries) > 0 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestUploadRefused(t *testing.T) {
	s := newStore(t)
	srv := serve(t, s, uploads(10_000))
	body := func(n int) io.Reader { return bytes.NewReader(stream(1, n)) }
	unsized := func(n int) io.Reader { return struct{ io.Reader }{body(n)} }
	form := "Content-Type: multipart/form-data; boundary=b"
	for _, c := range []struct {
		name    string
		body    io.Reader
		header  []string
		status  int
		refusal string
	}{
		{"no token", body(10), nil, 401, "token"},
		{"wrong token", body(10), []string{bearer + "r"}, 401, "token"},
		{"half a token", body(10), []string{bearer[:len(bearer)-1]}, 401, "token"},
		{"no bearer", body(10), []string{"Authorization: Basic " + token}, 401, "token"},
		{"empty token", body(10), []string{"Authorization: Bearer "}, 401, "token"},
		{"wrong token before a form", formBody(t, token, 5), []string{bearer + "r", form}, 401, "token"},
		{"form without token", formBody(t, "", 5), []string{form}, 401, "token"},
		{"form with a wrong token", formBody(t, token+"r", 5), []string{form}, 401, "token"},
		{"form without file", formBody(t, token, -1), []string{form}, 400, "body"},
		{"form cut short", strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nabc"), []string{form, bearer}, 400, "body"},
		{"no form at all", body(10), []string{form}, 400, "body"},
		{"too large", body(10_001), []string{bearer}, 413, "large"},
		{"too large, length unknown", unsized(10_001), []string{bearer}, 413, "large"},
		{"much too large", unsized(1 << 20), []string{bearer}, 413, "large"},
		{"too large a form", formBody(t, token, 10_001), []string{form}, 413, "large"},
		{"much too large a form", formBody(t, token, 1<<20), []string{form}, 413, "large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := srv.do(t, http.MethodPost, "/blobs", c.body, c.header...)
			a.refuses(t, c.status)
			if (a.Header.Get("WWW-Authenticate") == "Bearer") != (c.status == 401) {
				t.Errorf("WWW-Authenticate: %q", a.Header.Get("WWW-Authenticate"))
			}
			srv.mu.Lock()
			if e := srv.seen[len(srv.seen)-1]; e.Refusal != c.refusal {
				t.Errorf("refused for %q, want %q", e.Refusal, c.refusal)
			}
			srv.mu.Unlock()
			nothingStored(t, s)
		})
	}
	for _, method := range []string{http.MethodPost, http.MethodPut} {
		srv.do(t, method, "/blobs", body(10), bearer, "Content-Range: bytes 0-9/20").refuses(t, 400)
		nothingStored(t, s)
	}
	stored(t, srv.do(t, http.MethodPost, "/blobs", body(10_000), bearer), 201, stream(1, 10_000))
	for path, status := range map[string]int{"/": 405, "/blobs.json": 405, "/view/" + strings.Repeat("0", 64): 405, "/blobs/x": 404} {
		srv.do(t, http.MethodPost, path, body(1), bearer).refuses(t, status)
	}
	a := srv.do(t, http.MethodDelete, "/blobs", nil, bearer)
	if a.refuses(t, 405); a.Header.Get("Allow") != "GET, HEAD, POST, PUT" {
		t.Errorf("Allow: %q", a.Header.Get("Allow"))
	}
}

// TestReadOnly uploads where nothing allows it.
func TestReadOnly(t *testing.T) {
	s := newStore(t)
	srv := serve(t, s, gateway.Options{})
	for _, method := range []string{http.MethodPost, http.MethodPut} {
		srv.do(t, method, "/blobs", strings.NewReader("x"), bearer).refuses(t, 403)
	}
	a := srv.do(t, http.MethodDelete, "/blobs", nil)
	if a.refuses(t, 405); a.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("Allow: %q", a.Header.Get("Allow"))
	}
	nothingStored(t, s)
}

// formBody is a form with a token, unless that is empty, and a file of n bytes, unless n is negative.
func formBody(t *testing.T, token string, n int) io.Reader {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	w.SetBoundary("b")
	if token != "" {
		w.WriteField("token", token)
	}
	if n >= 0 {
		f, err := w.CreateFormFile("file", "name")
		if err != nil {
			t.Fatal(err)
		}
		f.Write(stream(1, n))
	}
	w.Close()
	return &b
}

// TestUploadForm uploads as the page does, and as curl -F does.
func TestUploadForm(t *testing.T) {
	s := newStore(t)
	srv := serve(t, s, uploads(100_000))
	form := "Content-Type: multipart/form-data; boundary=b"
	plain := stream(1, 100_000)
	a := srv.do(t, http.MethodPost, "/blobs", formBody(t, token, len(plain)), form)
	a.wants(t, http.StatusSeeOther, nil)
	id := commit.ID(model(plain).ID()).String()
	if got := a.Header.Get("Location"); got != "view/"+id {
		t.Errorf("Location %q", got)
	}
	srv.get(t, "/blobs/"+id).wants(t, 200, plain)
	stored(t, srv.do(t, http.MethodPost, "/blobs", formBody(t, "", len(plain)), form, bearer), 200, plain)
}

// TestUploadRepairs uploads a blob that is damaged: what is missing or wrong is replaced, and read from then on.
func TestUploadRepairs(t *testing.T) {
	s := newStore(t)
	plain := stream(1, 3*group)
	h := s.write(t, plain)
	s.loseGroup(t, h.ID(), 1)
	srv := serve(t, s, uploads(0))
	srv.get(t, pathOf(h)).refuses(t, 500)
	stored(t, srv.do(t, http.MethodPost, "/blobs", bytes.NewReader(plain), bearer), 200, plain)
	srv.get(t, pathOf(h)).wants(t, 200, plain)
}

// dial opens a connection to the server and writes to it.
func dial(t *testing.T, srv *server, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestUploadStops uploads from clients that stop in the middle, with a word or without.
func TestUploadStops(t *testing.T) {
	s := newStore(t)
	o := uploads(0)
	o.Stall = 100 * time.Millisecond
	srv := serve(t, s, o)
	head := "POST /blobs HTTP/1.1\r\nHost: x\r\n" + bearer + "\r\nContent-Length: 1000000\r\n\r\n"

	c := dial(t, srv, head+string(stream(1, 500_000)))
	reply, err := io.ReadAll(c) // which ends where the server closes the connection
	if err != nil || !strings.HasPrefix(string(reply), "HTTP/1.1 408 ") {
		t.Errorf("%v: %q", err, reply)
	}
	if e := srv.last(t, 1); e.Refusal != "body" || e.Status != 408 {
		t.Errorf("%+v", e)
	}
	nothingStored(t, s)

	dial(t, srv, head+string(stream(1, 500_000))).Close()
	if e := srv.last(t, 2); e.Refusal == "" {
		t.Errorf("%+v", e)
	}
	nothingStored(t, s)

	c = dial(t, srv, fmt.Sprintf("POST /blobs HTTP/1.1\r\nHost: x\r\n%s\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcdeXX", bearer))
	reply = make([]byte, 12)
	if _, err := io.ReadFull(c, reply); err != nil || string(reply) != "HTTP/1.1 400" {
		t.Errorf("%v: %q", err, reply)
	}
	nothingStored(t, s)
}

// TestNew refuses options that cannot be meant.
func TestNew(t *testing.T) {
	for name, o := range map[string]gateway.Options{
		"no token":        {Uploads: &gateway.Uploads{}},
		"short token":     {Uploads: &gateway.Uploads{Token: "0123456789abcde"}},
		"negative limit":  {Uploads: &gateway.Uploads{Token: token, Limit: -1}},
		"bad code":        {Uploads: &gateway.Uploads{Token: token, Params: commit.Params{K: 20, N: 10, SliceSize: 64}}},
		"negative memory": {Memory: -1},
		"negative wait":   {Wait: -1},
	} {
		if _, err := gateway.New(blob.NewMem(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
