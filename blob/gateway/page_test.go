package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/blob/gateway"
	"github.com/tapecommit/tapecommit/commit"
)

// A watchedStore fails the test where a lane is read.
type watchedStore struct {
	blob.Store
	t *testing.T
}

func (s *watchedStore) Open(ctx context.Context, id commit.ID) (blob.Objects, error) {
	o, err := s.Store.Open(ctx, id)
	return &watchedObjects{o, s.t}, err
}

type watchedObjects struct {
	blob.Objects
	t *testing.T
}

func (o *watchedObjects) ReadAt(ctx context.Context, name string, p []byte, off int64) (int, error) {
	if name != "manifest" || len(p) > commit.HeaderLen {
		o.t.Errorf("%d bytes of %s were read", len(p), name)
	}
	return o.Objects.ReadAt(ctx, name, p, off)
}

// A listed is a blob of the JSON list.
type listed struct {
	ID         string
	Size, K, N *int64
	SliceSize  int64 `json:"slice_size"`
	Groups     int64
	Health     string
	Faults     []string
	Verified   string
}

func list(t *testing.T, srv *server, path string) (blobs []listed, next string) {
	t.Helper()
	a := srv.get(t, path, "Accept: application/json")
	if a.StatusCode != 200 || a.err != nil || a.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("status %d, %v, header %v", a.StatusCode, a.err, a.Header)
	}
	var l struct {
		Blobs []listed
		Next  string
	}
	if err := json.Unmarshal(a.body, &l); err != nil {
		t.Fatalf("%v: %q", err, a.body)
	}
	return l.Blobs, l.Next
}

// reports are verify reports by ID.
type reports struct {
	mu sync.Mutex
	of map[commit.ID]*gateway.Report
}

func (r *reports) find(_ context.Context, id commit.ID) (*gateway.Report, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	report, ok := r.of[id]
	switch {
	case !ok:
		return nil, fs.ErrNotExist
	case report == nil:
		return nil, errors.New("a report that cannot be read")
	}
	return report, nil
}

// TestHealth lists a blob in each state that can be told, as JSON and as pages.
func TestHealth(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for _, c := range []struct {
		name   string
		damage func(s *store, h commit.Header)
		report *gateway.Report
		none   bool // no report
		health string
		faults []string
	}{
		{name: "unverified", none: true, health: "unverified"},
		{name: "report that cannot be read", health: "unverified"},
		{name: "whole", report: &gateway.Report{Time: at, OK: true}, health: "whole"},
		{name: "repaired", report: &gateway.Report{Time: at, OK: true, Faults: 3, Fixed: 3}, health: "whole"},
		{name: "faults found", report: &gateway.Report{Time: at, Faults: 4, Fixed: 3}, health: "damaged", faults: []string{"verify: 1 fault"}},
		{
			name: "miscoded", report: &gateway.Report{Time: at, Faults: 2, Miscoded: 2}, health: "damaged",
			faults: []string{"verify: 2 faults", "verify: 2 groups coded wrongly by the writer"},
		},
		{name: "lost by report", report: &gateway.Report{Time: at, Faults: 9, Lost: 1}, health: "lost", faults: []string{"verify: 1 group lost"}},
		{name: "no end", report: &gateway.Report{Error: "no roots"}, health: "damaged", faults: []string{"verify: no roots"}},
		{
			name: "lane lost since", report: &gateway.Report{Time: at, OK: true}, health: "damaged", faults: []string{"lane-03 is missing"},
			damage: func(s *store, h commit.Header) { s.lose(t, h.ID(), "lane-03") },
		},
		{
			name: "sizes", none: true, health: "damaged", faults: []string{"lane-01 is 1 byte short", "leaves has 2 bytes too many", "roots is missing"},
			damage: func(s *store, h commit.Header) {
				s.lose(t, h.ID(), "roots")
				resize(t, s.path(h.ID(), "lane-01"), -1)
				resize(t, s.path(h.ID(), "leaves"), 2)
			},
		},
		{
			name: "ten lanes left", none: true, health: "damaged",
			damage: func(s *store, h commit.Header) { s.lose(t, h.ID(), lanes(0, 10)...) },
		},
		{
			name: "nine lanes left", none: true, health: "lost",
			damage: func(s *store, h commit.Header) { s.lose(t, h.ID(), lanes(0, 11)...) },
		},
		{
			name: "no header", none: true, health: "lost", faults: []string{"no header is left"},
			damage: func(s *store, h commit.Header) { s.lose(t, h.ID(), append(lanes(0, 20), "manifest")...) },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			h := s.write(t, stream(1, 2*group+5))
			if c.damage != nil {
				c.damage(s, h)
			}
			r := &reports{of: map[commit.ID]*gateway.Report{}}
			if !c.none {
				r.of[h.ID()] = c.report
			}
			srv := serve(t, s, gateway.Options{Report: r.find})
			for _, path := range []string{"/blobs", "/blobs.json"} {
				blobs, next := list(t, srv, path)
				if len(blobs) != 1 || next != "" {
					t.Fatalf("%+v, next %q", blobs, next)
				}
				b := blobs[0]
				if b.ID != h.ID().String() || b.Health != c.health {
					t.Errorf("%+v, want health %s", b, c.health)
				}
				if c.faults != nil && strings.Join(b.Faults, "; ") != strings.Join(c.faults, "; ") {
					t.Errorf("faults %q, want %q", b.Faults, c.faults)
				}
				if (b.Verified == "2026-03-04T05:06:07Z") != (c.report != nil && !c.report.Time.IsZero()) {
					t.Errorf("verified %q", b.Verified)
				}
				if c.name == "no header" {
					if b.Size != nil || b.K != nil {
						t.Errorf("%+v", b)
					}
				} else if *b.Size != h.Length || *b.K != 10 || *b.N != 20 || b.SliceSize != 4096 || b.Groups != 3 {
					t.Errorf("%+v", b)
				}
			}
			words := map[string]string{"whole": "Whole", "unverified": "Not verified yet", "damaged": "Damaged", "lost": "Lost in part"}[c.health]
			for _, path := range []string{"/", "/view/" + h.ID().String()} {
				a := srv.get(t, path)
				if a.StatusCode != 200 || a.err != nil {
					t.Fatalf("%s: status %d: %q", path, a.StatusCode, a.body)
				}
				if !strings.Contains(string(a.body), h.ID().String()) || !strings.Contains(string(a.body), ">"+words+"<") {
					t.Errorf("%s does not say %q: %s", path, words, a.body)
				}
				for _, fault := range c.faults {
					if path != "/" && !strings.Contains(string(a.body), fault) {
						t.Errorf("%s does not say %q", path, fault)
					}
				}
			}
		})
	}
}

func resize(t *testing.T, path string, by int64) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()+by); err != nil {
		t.Fatal(err)
	}
}

// TestPagesReadNoLanes loads pages of blobs that are whole and damaged.
func TestPagesReadNoLanes(t *testing.T) {
	s := newStore(t)
	var paths []string
	for i := range 3 {
		h := s.write(t, stream(uint64(i), 3*group))
		paths = append(paths, "/view/"+h.ID().String())
		s.lose(t, h.ID(), lanes(0, 6*i)...)
	}
	srv := serve(t, &watchedStore{s, t}, gateway.Options{})
	for _, path := range append(paths, "/", "/blobs", "/blobs.json") {
		if a := srv.get(t, path); a.StatusCode != 200 {
			t.Errorf("%s: status %d", path, a.StatusCode)
		}
	}
}

// TestListInParts lists more blobs than one answer has.
func TestListInParts(t *testing.T) {
	s := blob.NewMem()
	var want []string
	for i := range 230 {
		w, err := blob.NewWriter(context.Background(), s, blob.Options{Params: commit.Params{K: 1, N: 2, SliceSize: 64}})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, i)
		if _, err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		w.Close()
	}
	for _, id := range ids(t, s) {
		want = append(want, id.String())
	}
	srv := serve(t, s, gateway.Options{})

	blobs, next := list(t, srv, "/blobs")
	if len(blobs) != 230 || next != "" {
		t.Errorf("%d blobs, next %q", len(blobs), next)
	}
	if blobs, _ = list(t, srv, "/blobs?after="+want[99]); len(blobs) != 130 || blobs[0].ID != want[100] {
		t.Errorf("%d blobs from %v on", len(blobs), blobs[0].ID)
	}
	if blobs, _ = list(t, srv, "/blobs?after="+want[229]); len(blobs) != 0 {
		t.Errorf("%d blobs behind the last", len(blobs))
	}
	srv.get(t, "/blobs?after=x").refuses(t, 400)
	srv.get(t, "/?after=x").refuses(t, 400)
	srv.get(t, "/?a=%zz").refuses(t, 400)

	var got []string
	more := regexp.MustCompile(`href="(\?after=[0-9a-f]{64})"`)
	item := regexp.MustCompile(`href="view/([0-9a-f]{64})"`)
	path := "/"
	for range 3 {
		a := srv.get(t, path)
		for _, m := range item.FindAllStringSubmatch(string(a.body), -1) {
			got = append(got, m[1])
		}
		m := more.FindStringSubmatch(string(a.body))
		if m == nil {
			break
		}
		path = "/" + m[1]
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%d blobs on the pages, want %d", len(got), len(want))
	}
}

// TestPages checks what pages have besides their content.
func TestPages(t *testing.T) {
	s := newStore(t)
	readOnly := serve(t, s, gateway.Options{})
	a := readOnly.get(t, "/")
	if a.StatusCode != 200 || !strings.Contains(string(a.body), "Nothing is stored here yet.") || strings.Contains(string(a.body), "<form") {
		t.Errorf("status %d: %s", a.StatusCode, a.body)
	}
	writable := serve(t, s, uploads(0))
	if a := writable.get(t, "/"); !strings.Contains(string(a.body), `<form method="post" action="blobs"`) {
		t.Errorf("no form: %s", a.body)
	}
	for _, path := range []string{"/", "/style.css", "/icon.svg", "/nothing"} {
		a := readOnly.get(t, path)
		csp := a.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'none'; ") || strings.Contains(csp, "unsafe") || a.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: header %v", path, a.Header)
		}
	}
	for path, kind := range map[string]string{"/": "text/html; charset=utf-8", "/style.css": "text/css; charset=utf-8", "/icon.svg": "image/svg+xml"} {
		a := readOnly.get(t, path)
		if a.StatusCode != 200 || a.Header.Get("Content-Type") != kind {
			t.Errorf("%s: status %d, type %q", path, a.StatusCode, a.Header.Get("Content-Type"))
		}
		readOnly.do(t, http.MethodHead, path, nil).wants(t, 200, nil)
		readOnly.do(t, http.MethodDelete, path, nil).refuses(t, 405)
		if tag := a.Header.Get("ETag"); tag != "" {
			readOnly.get(t, path, "If-None-Match: "+tag).wants(t, 304, nil)
		}
	}
	for path, base := range map[string]string{"/?after=x": "", "/view/" + strings.Repeat("0", 64): "../"} {
		a := readOnly.get(t, path)
		if !strings.Contains(string(a.body), `<link rel="stylesheet" href="`+base+`style.css">`) {
			t.Errorf("%s: %s", path, a.body)
		}
	}
	page := readOnly.get(t, "/")
	if strings.Contains(string(page.body), "style=") || strings.Contains(string(page.body), "<script") || strings.Contains(string(page.body), "<style") {
		t.Error("the page has what its policy forbids")
	}
}

// TestReportForm reads what the program's verify prints.
func TestReportForm(t *testing.T) {
	var r gateway.Report
	text := `{"id":"00","damage":[{"object":"lane-00","lane":0,"error":"blob: wrong","fixed":false,"first":0,"last":3}],` +
		`"groups":9,"faults":4,"fixed":1,"lost":2,"miscoded":3,"ok":false}`
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if want := (gateway.Report{Faults: 4, Fixed: 1, Lost: 2, Miscoded: 3}); r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
}
