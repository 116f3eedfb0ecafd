package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof/remote"
)

// ids collects a list up to its end, or to an error, which must be its end.
func ids(t testing.TB, g *remote.Gateway) (list []commit.ID, err error) {
	t.Helper()
	for id, e := range g.IDs(context.Background()) {
		if err != nil {
			t.Fatalf("goes on after %v", err)
		}
		if err = e; e == nil {
			list = append(list, id)
		}
	}
	return list, err
}

func TestIDs(t *testing.T) {
	s := blob.NewMem()
	srv := serve(t, handler(t, s))
	g := dial(t, srv.URL, srv.Client())
	if list, err := ids(t, g); len(list) != 0 || err != nil {
		t.Fatalf("empty store: %v, %v", list, err)
	}
	var want []commit.ID
	for i := range 1003 { // more than a page
		want = append(want, write(t, s, small, fmt.Append(nil, i)).ID())
	}
	slices.SortFunc(want, func(a, b commit.ID) int { return strings.Compare(a.String(), b.String()) })
	srv.takeAsked()
	if list, err := ids(t, g); !slices.Equal(list, want) || err != nil {
		t.Fatalf("%d IDs, want %d: %v", len(list), len(want), err)
	}
	if asked := srv.takeAsked(); !slices.Equal(asked, []string{"/blobs.json", "/blobs.json?after=" + want[999].String()}) {
		t.Errorf("asked for %q", asked)
	}
	for id := range g.IDs(context.Background()) { // a loop that ends early
		if id != want[0] {
			t.Errorf("begins with %v", id)
		}
		break
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range g.IDs(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: %v", err)
		}
	}
}

// TestListRefused reads lists that no gateway sends.
func TestListRefused(t *testing.T) {
	x, y, z := commit.ID{1}, commit.ID{2}, commit.ID{3}
	var pages []string
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(pages[0]))
		if len(pages) > 1 {
			pages = pages[1:]
		}
	}))
	g := dial(t, srv.URL, srv.Client())
	page := func(next *commit.ID, list ...commit.ID) string {
		type entry struct {
			ID    commit.ID `json:"id"`
			Other any       `json:"other"`
		}
		p := struct {
			Blobs []entry    `json:"blobs"`
			Next  *commit.ID `json:"next,omitempty"`
		}{Next: next}
		for _, id := range list {
			p.Blobs = append(p.Blobs, entry{id, map[string]int{"what": 1}})
		}
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, c := range []struct {
		name  string
		pages []string
		want  []commit.ID
		err   string // empty for a good list
	}{
		{"two pages", []string{page(&y, x, y), page(nil, z)}, []commit.ID{x, y, z}, ""},
		{"an empty page", []string{page(&y, x, y), page(nil)}, []commit.ID{x, y}, ""},
		{"nothing", []string{""}, nil, "unexpected end"},
		{"no JSON", []string{"<html>"}, nil, "invalid character"},
		{"an array", []string{`[{"id":"` + x.String() + `"}]`}, nil, "cannot unmarshal"},
		{"two values", []string{page(nil, x) + page(nil, y)}, nil, "after top-level value"},
		{"cut", []string{page(nil, x, y)[:150]}, nil, "unexpected end"},
		{"no ID", []string{`{"blobs":[{"id":"` + x.String() + `"},{"size":1}]}`}, []commit.ID{x}, "without an ID"},
		{"null", []string{`{"blobs":[null]}`}, nil, "without an ID"},
		{"a short ID", []string{`{"blobs":[{"id":"00"}]}`}, nil, "an ID is 64 lower-case hex digits"},
		{"a capital ID", []string{`{"blobs":[{"id":"` + strings.ToUpper(commit.ID{0xab}.String()) + `"}]}`}, nil, "an ID is 64 lower-case hex digits"},
		{"a path for an ID", []string{`{"blobs":[{"id":"../../../../etc/passwd"}]}`}, nil, "an ID is 64 lower-case hex digits"},
		{"descending", []string{page(nil, y, x)}, []commit.ID{y}, "ascending"},
		{"repeated", []string{page(nil, y, y)}, []commit.ID{y}, "ascending"},
		{"the same page for ever", []string{page(&y, x, y)}, []commit.ID{x, y}, "ascending"},
		{"nothing for ever", []string{page(&y)}, nil, "goes on after"},
		{"goes on elsewhere", []string{page(&z, x, y)}, []commit.ID{x, y}, "goes on after"},
		{"nesting", []string{strings.Repeat("[", 1<<20)}, nil, "exceeded max depth"},
		{"large", []string{page(nil, x) + strings.Repeat(" ", 8<<20)}, nil, "more than 8388608 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pages = c.pages
			list, err := ids(t, g)
			if !slices.Equal(list, c.want) {
				t.Errorf("%v, want %v", list, c.want)
			}
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err) || !strings.HasPrefix(err.Error(), "remote: list of http://")) {
				t.Errorf("%v, want %q", err, c.err)
			}
		})
	}
}
