package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
)

// A served is a serve that runs in this process.
type served struct {
	url    string
	stdout *bufio.Reader
	log    sharedLog
	cancel context.CancelFunc
	code   chan int
}

// A sharedLog is a log to be read while requests that were cut may still write their last lines.
type sharedLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *sharedLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *sharedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// startServe runs serve on a port that is free. The signal that ends it is the end of its context.
func startServe(t *testing.T, args ...string) *served {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	s := &served{stdout: bufio.NewReader(r), cancel: cancel, code: make(chan int, 1)}
	go func() {
		args := append([]string{"serve", "--listen", "127.0.0.1:0", "--drain", "0s"}, args...)
		s.code <- run(ctx, args, nil, w, &s.log)
		w.Close()
	}()
	line, err := s.stdout.ReadString('\n')
	if err != nil {
		t.Fatalf("no address: exit code %d: %s", <-s.code, &s.log)
	}
	s.url = strings.TrimSpace(line)
	if u, err := url.Parse(s.url); err != nil || u.Scheme != "http" || u.Port() == "0" {
		t.Fatalf("address %q, %v", s.url, err)
	}
	t.Cleanup(func() { s.stop() })
	return s
}

// stop ends it and returns its exit code.
func (s *served) stop() int {
	s.cancel()
	code := <-s.code
	s.code <- code
	return code
}

// fetch makes a request and returns the answer with its body.
func fetch(t *testing.T, method, url string, body io.Reader, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(method, url, body)
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
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(b)
}

func TestServe(t *testing.T) {
	store, id, data := writeStore(t, 100_000)
	s := startServe(t, "--store", store, "--log", "json")
	for _, c := range []struct {
		method, path string
		header       []string
		status       int
		body         string
	}{
		{"GET", "/blobs/" + id, nil, 200, string(data)},
		{"GET", "/blobs/" + id, []string{"Range: bytes=5-9"}, 206, string(data[5:10])},
		{"HEAD", "/blobs/" + id, nil, 200, ""},
		{"GET", "/blobs/" + strings.Repeat("0", 64), nil, 404, "no such blob\n"},
		{"GET", "/blobs/" + id + "/", nil, 404, "nothing here\n"},
		{"POST", "/blobs", nil, 403, "nothing can be stored here\n"},
		{"GET", "/healthz", nil, 200, "alive\n"},
		{"HEAD", "/healthz", nil, 200, ""},
		{"POST", "/healthz", nil, 405, "want GET, HEAD\n"},
		{"GET", "/readyz", nil, 200, "ready\n"},
		{"GET", "/healthz/", nil, 404, "nothing here\n"},
		{"GET", "/debug/pprof/", nil, 404, "nothing here\n"},
	} {
		res, body := fetch(t, c.method, s.url+c.path, nil, c.header...)
		if res.StatusCode != c.status || body != c.body {
			t.Errorf("%s %s: status %d, %.60q, want %d, %.60q", c.method, c.path, res.StatusCode, body, c.status, c.body)
		}
	}

	_, text := fetch(t, "GET", s.url+"/metrics", nil)
	for _, line := range []string{
		`tapecommit_requests_total{route="/blobs/<id>",status="200"} 2`,
		`tapecommit_requests_total{route="/blobs/<id>",status="206"} 1`,
		`tapecommit_requests_total{route="other",status="404"} 3`,
		`tapecommit_refused_total{reason="unknown"} 1`,
		`tapecommit_refused_total{reason="path"} 3`,
		`tapecommit_refused_total{reason="read-only"} 1`,
		`tapecommit_sent_bytes_total{route="/blobs/<id>"} 100018`, // with 13 of the refusal
		`tapecommit_request_seconds_count{route="/blobs/<id>"} 4`,
		`tapecommit_first_byte_seconds_count{route="/blobs/<id>"} 3`,
		"tapecommit_slices_wrong_total 0",
		"tapecommit_slices_rebuilt_total 0",
		"tapecommit_broken_total 0",
		"tapecommit_requests_at_work 0",
		"tapecommit_reserved_bytes 0",
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("no line %q in the metrics", line)
		}
	}
	for _, name := range []string{"tapecommit_slices_verified_total", "tapecommit_store_bytes_total", "go_goroutines", "process_resident_memory_bytes"} {
		if !strings.Contains(text, "\n"+name+" ") {
			t.Errorf("no %s in the metrics", name)
		}
	}

	if err := os.RemoveAll(store); err != nil {
		t.Fatal(err)
	}
	if res, body := fetch(t, "GET", s.url+"/readyz", nil); res.StatusCode != 503 || body != "the store is not there\n" {
		t.Errorf("without a store: status %d, %q", res.StatusCode, body)
	}
	if code := s.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	lines := 0
	for line := range strings.Lines(s.log.String()) {
		var l struct{ Level, Msg string }
		if err := json.Unmarshal([]byte(line), &l); err != nil || l.Level != "INFO" {
			t.Errorf("%v: %s", err, line)
		}
		if l.Msg == "request" {
			lines++
		}
	}
	if lines != 8 {
		t.Errorf("%d requests in the log, want those to the gateway, 8", lines)
	}
}

// TestServeMetricsApart has metrics on an address of their own.
func TestServeMetricsApart(t *testing.T) {
	store, _, _ := writeStore(t, 10)
	l, err := net.Listen("tcp", "127.0.0.1:0") // to know a port
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	s := startServe(t, "--store", store, "--metrics-listen", address)
	if res, _ := fetch(t, "GET", s.url+"/metrics", nil); res.StatusCode != 404 {
		t.Errorf("status %d at the public address", res.StatusCode)
	}
	if res, text := fetch(t, "GET", "http://"+address+"/metrics", nil); res.StatusCode != 200 || !strings.Contains(text, "tapecommit_broken_total 0") {
		t.Errorf("status %d: %.100q", res.StatusCode, text)
	}
	for _, path := range []string{"/", "/blobs", "/healthz", "/metrics/"} {
		if res, _ := fetch(t, "GET", "http://"+address+path, nil); res.StatusCode != 404 {
			t.Errorf("%s: status %d", path, res.StatusCode)
		}
	}
	if code := s.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

const serveToken = "correct horse battery staple"

func tokenFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestServeUpload uploads with a token from a file and from the environment.
func TestServeUpload(t *testing.T) {
	data := reference.Stream(1, 1000)
	for name, args := range map[string][]string{
		"file":        {"--token-file", tokenFile(t, serveToken+"\n")},
		"environment": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TAPECOMMIT_TOKEN", "")
			if args == nil {
				t.Setenv("TAPECOMMIT_TOKEN", serveToken)
			}
			store := filepath.Join(t.TempDir(), "made")
			s := startServe(t, append(args, "--store", store, "--writable", "--max-upload", "1000", "-k", "2", "-n", "3", "--slice-size", "128")...)
			auth := "Authorization: Bearer " + serveToken
			res, body := fetch(t, "POST", s.url+"/blobs", bytes.NewReader(data), auth)
			var said struct {
				ID   commit.ID
				Size int64
			}
			if err := json.Unmarshal([]byte(body), &said); err != nil || res.StatusCode != 201 || said.Size != 1000 {
				t.Fatalf("status %d, %v: %q", res.StatusCode, err, body)
			}
			want := reference.Make(reference.Params{K: 2, N: 3, SliceSize: 128}, data).ID()
			if said.ID != commit.ID(want) {
				t.Errorf("ID %v, want %x", said.ID, want)
			}
			if _, body := fetch(t, "GET", s.url+"/blobs/"+said.ID.String(), nil); body != string(data) {
				t.Errorf("%d bytes came back", len(body))
			}
			if res, _ := fetch(t, "POST", s.url+"/blobs", bytes.NewReader(make([]byte, 1001)), auth); res.StatusCode != 413 {
				t.Errorf("too large: status %d", res.StatusCode)
			}
			if res, _ := fetch(t, "POST", s.url+"/blobs", bytes.NewReader(data), auth+"r"); res.StatusCode != 401 {
				t.Errorf("wrong token: status %d", res.StatusCode)
			}
			s.stop()
			if strings.Contains(s.log.String(), serveToken) {
				t.Error("the token is in the log")
			}
		})
	}
}

func TestServeWrongUse(t *testing.T) {
	t.Setenv("TAPECOMMIT_TOKEN", "")
	store, _, _ := writeStore(t, 10)
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	for _, args := range [][]string{
		{"--listen", "nonsense"},
		{"--listen", busy.Addr().String()},
		{"--metrics-listen", busy.Addr().String()},
		{"--store", filepath.Join(store, "none")},
		{"operand"},
		{"--writable"},
		{"--writable", "--token-file", tokenFile(t, "short")},
		{"--writable", "--token-file", tokenFile(t, "\n")},
		{"--writable", "--token-file", tokenFile(t, "two lines of sixteen\nbytes or more each")},
		{"--writable", "--token-file", filepath.Join(store, "none")},
		{"--token-file", tokenFile(t, serveToken)},
		{"--token", serveToken},
		{"--memory", "0"}, {"--memory", "1.5GiB"}, {"--memory", "-1"}, {"--memory", "1TB"}, {"--memory", "99999999999GiB"},
		{"--max-upload", "0"}, {"--max-requests", "0"}, {"--max-connections", "0"}, {"--max-connections", "1e3"},
		{"--stall", "0s"}, {"--stall", "10"}, {"--drain", "-1s"}, {"--grace", "-1s"},
		{"--log", "xml"}, {"--log-level", "debug"},
		{"-k", "20", "-n", "10"},
	} {
		args = append([]string{"serve", "--store", store, "--listen", "127.0.0.1:0"}, args...)
		var stdout, stderr bytes.Buffer
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		code := run(ctx, args, nil, &stdout, &stderr)
		cancel()
		if code != 2 || stdout.Len() > 0 || !strings.Contains(stderr.String(), "tapecommit: ") {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", args, code, &stdout, &stderr)
		}
	}
}

// TestServeCuts lets a download and an upload run longer than grace allows. They are counted, and are not taken for
// clients that went away.
func TestServeCuts(t *testing.T) {
	store, id, data := writeStore(t, 32<<20)
	s := startServe(t, "--store", store, "--grace", "100ms", "--writable", "--token-file", tokenFile(t, serveToken))
	res, err := http.Get(s.url + "/blobs/" + id)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	upload := talk(t, strings.TrimPrefix(s.url, "http://"),
		"POST /blobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+serveToken+"\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n")
	if line, err := upload.r.ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 100 ") {
		t.Fatalf("%v: %q", err, line)
	}
	code := s.stop()
	log := s.log.String()
	if code != 130 || !strings.Contains(log, `level=WARN msg="requests were cut" requests=2 after=100ms`) {
		t.Errorf("exit code %d: %s", code, log)
	}
	if strings.Count(log, "refusal=shutdown") != 2 || strings.Count(log, "level=WARN msg=request ") != 2 || strings.Contains(log, "refusal=gone") {
		t.Errorf("the requests are not told apart: %s", log)
	}
	got, err := io.ReadAll(res.Body)
	if err == nil || !bytes.HasPrefix(data, got) {
		t.Errorf("%d bytes came, %v", len(got), err)
	}
	inFolder(t, filepath.Join(store, "tmp"), 0)
}

// TestServeCutsNone ends with a connection open that nothing was asked on.
func TestServeCutsNone(t *testing.T) {
	store, _, _ := writeStore(t, 10)
	s := startServe(t, "--store", store, "--grace", "100ms")
	talk(t, strings.TrimPrefix(s.url, "http://"), "")
	if code := s.stop(); code != 0 || strings.Contains(s.log.String(), "cut") {
		t.Errorf("exit code %d: %s", code, &s.log)
	}
}

// TestServeHeaders sends more header than anybody needs, and none at all.
func TestServeHeaders(t *testing.T) {
	store, id, _ := writeStore(t, 10)
	s := startServe(t, "--store", store)
	large := talk(t, strings.TrimPrefix(s.url, "http://"), "GET /blobs/"+id+" HTTP/1.1\r\nHost: x\r\nX: "+strings.Repeat("x", headerBytes+4096))
	if line, err := large.r.ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 431 ") {
		t.Errorf("%v: %q", err, line)
	}
	srv := newServer(nil, http.NotFoundHandler(), slog.New(slog.DiscardHandler)).Server
	if srv.ReadHeaderTimeout <= 0 || srv.WriteTimeout <= 0 || srv.IdleTimeout <= 0 || srv.MaxHeaderBytes <= 0 || srv.ReadTimeout != 0 {
		t.Errorf("a wait without end, or an end to downloads: %+v", srv)
	}
	srv.ReadHeaderTimeout = 50 * time.Millisecond
	ts := httptest.NewUnstartedServer(nil)
	ts.Config = srv
	ts.Start()
	defer ts.Close()
	for _, text := range []string{"", "GET / HTTP/1.1\r\nHost: x\r\nX: "} {
		c, err := net.Dial("tcp", ts.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		io.WriteString(c, text)
		c.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := io.ReadAll(c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("behind %q the connection stays open", text)
		}
	}
}

// TestServeOtherProtocols talks to the port in other tongues.
func TestServeOtherProtocols(t *testing.T) {
	store, _, _ := writeStore(t, 10)
	s := startServe(t, "--store", store)
	address := strings.TrimPrefix(s.url, "http://")
	if _, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true}); err == nil {
		t.Error("it speaks TLS")
	}
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	if b, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(b), "HTTP/1.1 4") && !strings.HasPrefix(string(b), "HTTP/1.1 505") {
		t.Errorf("%v: %q", err, b)
	}
}

// TestLimitedListener opens more connections than there are slots.
func TestLimitedListener(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := newLimitedListener(inner, 2)
	defer l.Close()
	accepted := make(chan net.Conn)
	ended := make(chan error)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				ended <- err
				return
			}
			accepted <- c
		}
	}()
	for range 4 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	first, second := <-accepted, <-accepted
	select {
	case <-accepted:
		t.Fatal("a third connection was taken")
	case <-time.After(20 * time.Millisecond):
	}
	first.Close()
	first.Close() // gives back one slot, not two
	third := <-accepted
	select {
	case <-accepted:
		t.Fatal("a fourth connection was taken")
	case <-time.After(20 * time.Millisecond):
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept ended with %v", err)
	}
	second.Close()
	third.Close()
}

// TestServeReport shows what verify found last.
func TestServeReport(t *testing.T) {
	store, id, _ := writeStore(t, 100_000)
	s := startServe(t, "--store", store)
	shows := func(health string, faults ...string) {
		t.Helper()
		_, body := fetch(t, "GET", s.url+"/blobs.json", nil)
		var l struct {
			Blobs []struct {
				Health   string
				Faults   []string
				Verified *time.Time
			}
		}
		if err := json.Unmarshal([]byte(body), &l); err != nil || len(l.Blobs) != 1 {
			t.Fatalf("%v: %q", err, body)
		}
		b := l.Blobs[0]
		if b.Health != health || !slices.Equal(b.Faults, faults) || (b.Verified == nil) != (health == "unverified") {
			t.Errorf("%+v, want %s, %q", b, health, faults)
		}
	}
	shows("unverified")
	verified(t, store, id, 0)
	shows("whole")
	flipFirst(t, store, id, "lane-07")
	verified(t, store, id, 1)
	shows("damaged", "verify: 1 fault")
	if err := os.WriteFile(filepath.Join(store, id+".verify.json"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	shows("unverified")
	s.stop()
	if !strings.Contains(s.log.String(), "verify report") {
		t.Errorf("a report that cannot be read is not in the log: %s", &s.log)
	}
}

// verified verifies a blob, which leaves a report in the store.
func verified(t *testing.T, store, id string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := run(t.Context(), []string{"verify", "--store", store, id}, nil, &stdout, &stderr); got != code {
		t.Fatalf("verify: exit code %d, want %d: %s", got, code, &stderr)
	}
}

// flipFirst changes the first byte of an object.
func flipFirst(t *testing.T, store, id, object string) {
	t.Helper()
	path := filepath.Join(store, id, object)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[0] ^= 1
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestDeploy starts serve with the flags of the files that operators take: they must be flags that there are.
func TestDeploy(t *testing.T) {
	for file, want := range map[string]int{"tapecommit.service": 2, "Containerfile": 1} {
		text, err := os.ReadFile(filepath.Join("deploy", file))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for line := range strings.Lines(string(text)) {
			line = strings.TrimLeft(line, "# ")
			var args []string
			if command, ok := strings.CutPrefix(line, "ExecStart=/usr/local/bin/tapecommit "); ok {
				args = strings.Fields(command)
			} else if list, ok := strings.CutPrefix(line, "CMD "); ok {
				if err := json.Unmarshal([]byte(list), &args); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
			} else {
				continue
			}
			found++
			cmd := new(program).serve()
			if args[0] != cmd.Name() {
				t.Errorf("%s: command %q", file, args[0])
			}
			if err := cmd.ParseFlags(args[1:]); err != nil || cmd.Flags().NArg() > 0 {
				t.Errorf("%s: %q: %v, operands %q", file, line, err, cmd.Flags().Args())
			}
		}
		if found != want {
			t.Errorf("%s: %d commands, want %d", file, found, want)
		}
	}
}
