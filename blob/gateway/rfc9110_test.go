package gateway_test

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/blob/gateway"
)

// A rangeCase is a request for a blob and what RFC 9110 wants of the answer.
type rangeCase struct {
	name   string
	method string // GET if empty
	header []string
	status int
	// Of the answer, in Content-Range: of one range; "*" is an unsatisfied one, and several are those of the parts.
	ranges [][2]int64
}

const (
	tag      = `"<id>"` // stands for the blob's
	size     = 3*group + 1234
	hugeText = "99999999999999999999999999"
)

var rangeCases = []rangeCase{
	{"all", "", nil, 200, nil},
	{"HEAD", "HEAD", nil, 200, nil},
	{"HEAD ignores ranges", "HEAD", []string{"Range: bytes=0-0"}, 200, nil},

	{"first byte", "", []string{"Range: bytes=0-0"}, 206, [][2]int64{{0, 0}}},
	{"last 500", "", []string{"Range: bytes=-500"}, 206, [][2]int64{{size - 500, size - 1}}},
	{"last byte", "", []string{"Range: bytes=-1"}, 206, [][2]int64{{size - 1, size - 1}}},
	{"from 5", "", []string{"Range: bytes=5-"}, 206, [][2]int64{{5, size - 1}}},
	{"from 0", "", []string{"Range: bytes=0-"}, 206, [][2]int64{{0, size - 1}}},
	{"over a group's end", "", []string{fmt.Sprintf("Range: bytes=%d-%d", group-1, group)}, 206, [][2]int64{{group - 1, group}}},
	{"last byte by number", "", []string{fmt.Sprintf("Range: bytes=%d-%d", size-1, size-1)}, 206, [][2]int64{{size - 1, size - 1}}},
	{"0 to huge", "", []string{"Range: bytes=0-" + hugeText}, 206, [][2]int64{{0, size - 1}}},
	{"last huge", "", []string{"Range: bytes=-" + hugeText}, 206, [][2]int64{{0, size - 1}}},
	{"over the end", "", []string{fmt.Sprintf("Range: bytes=%d-%d", size-10, size+10)}, 206, [][2]int64{{size - 10, size - 1}}},
	{"zeros in front", "", []string{"Range: bytes=007-0008"}, 206, [][2]int64{{7, 8}}},
	{"unit in capitals", "", []string{"Range: BYTES=0-0"}, 206, [][2]int64{{0, 0}}},
	{"spaces and empty elements", "", []string{"Range: bytes= , 5-6 ,,"}, 206, [][2]int64{{5, 6}}},

	{"from the end", "", []string{fmt.Sprintf("Range: bytes=%d-", size)}, 416, nil},
	{"past the end", "", []string{fmt.Sprintf("Range: bytes=%d-%d", size+5, size+9)}, 416, nil},
	{"from huge", "", []string{"Range: bytes=" + hugeText + "-"}, 416, nil},
	{"last 0", "", []string{"Range: bytes=-0"}, 416, nil},
	{"backwards", "", []string{"Range: bytes=5-1"}, 416, nil},
	{"no number", "", []string{"Range: bytes=abc-"}, 416, nil},
	{"sign", "", []string{"Range: bytes=+1-2"}, 416, nil},
	{"hex", "", []string{"Range: bytes=0x1-2"}, 416, nil},
	{"two dashes", "", []string{"Range: bytes=--5"}, 416, nil},
	{"one number", "", []string{"Range: bytes=5"}, 416, nil},
	{"only a dash", "", []string{"Range: bytes=-"}, 416, nil},
	{"empty set", "", []string{"Range: bytes="}, 416, nil},
	{"one of two malformed", "", []string{"Range: bytes=0-0,x"}, 416, nil},

	{"other unit", "", []string{"Range: slices=0-0"}, 200, nil},
	{"no unit", "", []string{"Range: 0-0"}, 200, nil},
	{"two lines", "", []string{"Range: bytes=0-0", "Range: bytes=1-1"}, 200, nil},

	{"two ranges", "", []string{"Range: bytes=0-0,100-199"}, 206, [][2]int64{{0, 0}, {100, 199}}},
	{"two ranges of one slice, one far", "", []string{"Range: bytes=3-5, 1-1, -7"}, 206, [][2]int64{{1, 1}, {3, 5}, {size - 7, size - 1}}},
	{"ranges that overlap are one", "", []string{"Range: bytes=10-20,15-25,0-10"}, 206, [][2]int64{{0, 25}}},
	{"ranges that touch are one", "", []string{"Range: bytes=10-19,20-29"}, 206, [][2]int64{{10, 29}}},
	{"one of two outside", "", []string{fmt.Sprintf("Range: bytes=%d-,4-5", size)}, 206, [][2]int64{{4, 5}}},
	{"both outside", "", []string{fmt.Sprintf("Range: bytes=%d-,%d-", size, size+1)}, 416, nil},
	{"1,000 that overlap", "", []string{"Range: bytes=" + strings.Repeat("0-,", 1000)}, 206, [][2]int64{{0, size - 1}}},
	{"200 apart", "", []string{"Range: bytes=" + apart(200)}, 416, nil},

	{"If-Range right", "", []string{"Range: bytes=0-0", "If-Range: " + tag}, 206, [][2]int64{{0, 0}}},
	{"If-Range wrong", "", []string{"Range: bytes=0-0", `If-Range: "x"`}, 200, nil},
	{"If-Range weak", "", []string{"Range: bytes=0-0", "If-Range: W/" + tag}, 200, nil},
	{"If-Range date", "", []string{"Range: bytes=0-0", "If-Range: Wed, 21 Oct 2015 07:28:00 GMT"}, 200, nil},
	{"If-Range wrong, range malformed", "", []string{"Range: bytes=x", `If-Range: "x"`}, 200, nil},

	{"If-None-Match right", "", []string{"If-None-Match: " + tag}, 304, nil},
	{"If-None-Match weak", "", []string{"If-None-Match: W/" + tag}, 304, nil},
	{"If-None-Match in a list", "", []string{`If-None-Match: "a,b", W/"c" ,` + tag}, 304, nil},
	{"If-None-Match in a second line", "", []string{`If-None-Match: "x"`, "If-None-Match: " + tag}, 304, nil},
	{"If-None-Match any", "", []string{"If-None-Match: *"}, 304, nil},
	{"If-None-Match wrong", "", []string{`If-None-Match: "x"`}, 200, nil},
	{"If-None-Match without quotes", "", []string{"If-None-Match: <id>"}, 200, nil},
	{"If-None-Match before Range", "", []string{"If-None-Match: " + tag, "Range: bytes=5-1"}, 304, nil},
	{"If-None-Match of a HEAD", "HEAD", []string{"If-None-Match: " + tag}, 304, nil},
	{"If-Match right", "", []string{"If-Match: " + tag}, 200, nil},
	{"If-Match any", "", []string{"If-Match: *"}, 200, nil},
	{"If-Match weak", "", []string{"If-Match: W/" + tag}, 412, nil},
	{"If-Match wrong", "", []string{`If-Match: "x"`}, 412, nil},
	{"If-Match wrong, If-None-Match right", "", []string{`If-Match: "x"`, "If-None-Match: " + tag}, 412, nil},
	{"dates are void", "", []string{
		"If-Modified-Since: Wed, 21 Oct 2099 07:28:00 GMT", "If-Unmodified-Since: Wed, 21 Oct 2015 07:28:00 GMT",
	}, 200, nil},

	{"DELETE", "DELETE", nil, 405, nil},
	{"POST", "POST", nil, 405, nil},
	{"PUT", "PUT", nil, 405, nil},
	{"OPTIONS", "OPTIONS", nil, 405, nil},
	{"unheard of", "BREW", nil, 405, nil},
}

// apart is n ranges that do not touch.
func apart(n int) string {
	var s []string
	for i := range n {
		s = append(s, fmt.Sprintf("%d-%d", 3*i, 3*i+1))
	}
	return strings.Join(s, ",")
}

var emptyCases = []rangeCase{
	{"all", "", nil, 200, nil},
	{"HEAD", "HEAD", nil, 200, nil},
	{"from 0", "", []string{"Range: bytes=0-"}, 416, nil},
	{"first byte", "", []string{"Range: bytes=0-0"}, 416, nil},
	{"last 500 are nothing", "", []string{"Range: bytes=-500"}, 200, nil},
	{"last 0", "", []string{"Range: bytes=-0"}, 416, nil},
	{"malformed", "", []string{"Range: bytes=x"}, 416, nil},
	{"other unit", "", []string{"Range: slices=0-0"}, 200, nil},
	{"If-None-Match right", "", []string{"If-None-Match: " + tag}, 304, nil},
}

// TestRFC9110 asks a real server by two clients.
func TestRFC9110(t *testing.T) {
	s := newStore(t)
	plain := stream(1, size)
	whole, empty := s.write(t, plain), s.write(t, nil)
	srv := serve(t, s, gateway.Options{})
	for _, blob := range []struct {
		name  string
		id    string
		plain []byte
		kind  string
		cases []rangeCase
	}{
		{"whole", whole.ID().String(), plain, "application/octet-stream", rangeCases},
		{"empty", empty.ID().String(), nil, "text/plain; charset=utf-8", emptyCases},
	} {
		for _, c := range blob.cases {
			var header []string
			for _, line := range c.header {
				header = append(header, strings.ReplaceAll(line, "<id>", blob.id))
			}
			method := c.method
			if method == "" {
				method = http.MethodGet
			}
			check := func(t *testing.T, a answer) {
				checkCase(t, c, a, method, blob.id, blob.plain, blob.kind)
			}
			t.Run(blob.name+"/"+c.name, func(t *testing.T) {
				check(t, srv.do(t, method, "/blobs/"+blob.id, nil, header...))
			})
			t.Run(blob.name+"/"+c.name+" by curl", func(t *testing.T) {
				check(t, curl(t, method, srv.URL+"/blobs/"+blob.id, header))
			})
		}
	}
}

// TestRangesHashOnce asks for the same bytes many times over in one request: each slice is read and checked once.
func TestRangesHashOnce(t *testing.T) {
	s := newStore(t)
	h := s.write(t, stream(1, size))
	var stats blob.Stats
	srv := serve(t, s, gateway.Options{Stats: &stats})
	srv.get(t, pathOf(h), "Range: bytes=0-0") // which also tells the media type, once and for all
	for ranges, slices := range map[string]uint64{
		strings.Repeat("0-,", 1000):                             40,
		strings.Repeat(fmt.Sprintf("0-%d,", group-1), 1000):     10,
		"1-1,3-3,5-5,4000-4000":                                 1,
		"1-1,4000-5000,5002-5003":                               2,
		fmt.Sprintf("-1,0-0,%d-%d,%d-", group, group, size-100): 4, // two in the last group, of 128 bytes each
	} {
		before := stats.Verified.Load()
		if a := srv.get(t, pathOf(h), "Range: bytes="+ranges); a.StatusCode != 206 || a.err != nil {
			t.Errorf("status %d, %v", a.StatusCode, a.err)
		}
		if got := stats.Verified.Load() - before; got != slices {
			t.Errorf("%.40s: %d slices were checked, want %d", ranges, got, slices)
		}
	}
}

// checkCase checks all that an answer has to have.
func checkCase(t *testing.T, c rangeCase, a answer, method, id string, plain []byte, kind string) {
	t.Helper()
	if a.err != nil {
		t.Fatal(a.err)
	}
	if a.StatusCode != c.status {
		t.Fatalf("status %d, want %d: %.100q", a.StatusCode, c.status, a.body)
	}
	wants := func(name, want string) {
		t.Helper()
		if got := strings.Join(a.Header.Values(name), " | "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	wants("X-Content-Type-Options", "nosniff")
	wants("Content-Security-Policy", "sandbox; default-src 'none'")
	switch c.status {
	case 200, 206, 304:
		wants("ETag", `"`+id+`"`)
		wants("Cache-Control", "public, max-age=31536000, immutable")
		wants("Accept-Ranges", "bytes")
	default:
		a.refuses(t, c.status)
	}
	switch c.status {
	case 200:
		wants("Content-Type", kind)
		wants("Content-Range", "")
		wants("Content-Length", fmt.Sprint(len(plain)))
		if method == http.MethodHead {
			plain = nil
		}
		a.wants(t, 200, plain)
	case 206:
		if len(c.ranges) == 1 {
			wants("Content-Type", kind)
			wants("Content-Range", fmt.Sprintf("bytes %d-%d/%d", c.ranges[0][0], c.ranges[0][1], len(plain)))
			a.wants(t, 206, plain[c.ranges[0][0]:c.ranges[0][1]+1])
			wants("Content-Length", fmt.Sprint(len(a.body)))
			return
		}
		wants("Content-Range", "")
		wants("Content-Length", fmt.Sprint(len(a.body)))
		checkParts(t, a, c.ranges, plain, kind)
	case 304:
		a.wants(t, 304, nil)
	case 405:
		wants("Allow", "GET, HEAD")
	case 416:
		wants("Content-Range", fmt.Sprintf("bytes */%d", len(plain)))
	}
}

// checkParts checks multipart/byteranges.
func checkParts(t *testing.T, a answer, ranges [][2]int64, plain []byte, kind string) {
	t.Helper()
	media, params, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if err != nil || media != "multipart/byteranges" {
		t.Fatalf("type %q, %v", media, err)
	}
	if !bytes.HasSuffix(a.body, []byte("\r\n--"+params["boundary"]+"--\r\n")) {
		t.Error("no closing boundary")
	}
	parts := multipart.NewReader(bytes.NewReader(a.body), params["boundary"])
	for _, r := range ranges {
		p, err := parts.NextRawPart()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := p.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-%d/%d", r[0], r[1], len(plain)); got != want {
			t.Errorf("part has %q, want %q", got, want)
		}
		if got := p.Header.Get("Content-Type"); got != kind {
			t.Errorf("part is %q", got)
		}
		if b, err := io.ReadAll(p); err != nil || !bytes.Equal(b, plain[r[0]:r[1]+1]) {
			t.Errorf("part %v holds %.20q, %v", r, b, err)
		}
	}
	if _, err := parts.NextRawPart(); err != io.EOF {
		t.Errorf("behind the last part: %v", err)
	}
}

// curl makes a request as do does.
func curl(t *testing.T, method, url string, header []string) answer {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("curl is not installed")
	}
	folder := t.TempDir()
	head, body := filepath.Join(folder, "head"), filepath.Join(folder, "body")
	args := []string{"--silent", "--show-error", "--dump-header", head, "--output", body}
	if method == http.MethodHead {
		args = append(args, "--head")
	} else {
		args = append(args, "--request", method)
	}
	for _, line := range header {
		args = append(args, "--header", line)
	}
	if out, err := exec.Command("curl", append(args, url)...).CombinedOutput(); err != nil {
		t.Fatalf("curl: %v: %s", err, out)
	}
	text, err := os.ReadFile(head)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{Response: &http.Response{Header: http.Header{}}}
	lines := strings.Split(strings.TrimSpace(string(text)), "\r\n")
	if _, err := fmt.Sscanf(lines[0], "HTTP/1.1 %d", &a.StatusCode); err != nil {
		t.Fatalf("%q: %v", lines[0], err)
	}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		a.Header.Add(name, value)
	}
	if method != http.MethodHead {
		a.body, a.err = os.ReadFile(body)
		if os.IsNotExist(a.err) {
			a.err = nil // there was no body
		}
	}
	return a
}
