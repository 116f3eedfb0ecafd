package remote_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof"
	"github.com/tapecommit/tapecommit/proof/remote"
)

// TestRequests counts requests: one for each run, by range where the slices are those of one.
func TestRequests(t *testing.T) {
	s := blob.NewMem()
	plain := stream(12, 150*192+100)
	h := write(t, s, small, plain)
	srv := serve(t, handler(t, s))
	b := srv.open(t, h.ID())
	srv.takeAsked()
	bundles := "/blobs/" + h.ID().String() + "/bundles?"

	buf := make([]byte, 1000)
	if _, err := proof.NewReader(context.Background(), b).ReadAt(buf, 12000); err != nil {
		t.Fatal(err)
	}
	asked := srv.takeAsked()
	slices.Sort(asked) // for they come at once
	if !slices.Equal(asked, []string{bundles + "range=11968-12287", bundles + "range=12288-13055"}) {
		t.Errorf("ReadAt asked for %q", asked)
	}
	if b, err := proof.NewReader(context.Background(), b).ReadAt(buf[:0], 0); b != 0 || err != nil {
		t.Fatal(err)
	}
	if asked := srv.takeAsked(); len(asked) > 0 {
		t.Errorf("nothing takes requests %q", asked)
	}

	for _, c := range []struct {
		at   []commit.Pos
		want []string // of each request, the query; or its length, in slices
	}{
		{slices.Collect(h.Cover(0, h.Length)), []string{"range=0-12287", "range=12288-24575", "range=24576-28899"}},
		{[]commit.Pos{{Lane: 1}}, []string{"range=64-127"}},
		{[]commit.Pos{{Lane: 1}, {Lane: 2}, {Group: 1}}, []string{"range=64-255"}},
		{[]commit.Pos{{Lane: 1}, {Group: 1}}, []string{"at=0%3A1&at=1%3A0"}},
		{[]commit.Pos{{Lane: 2}, {Lane: 3}, {Group: 1}}, []string{"at=0%3A2&at=0%3A3&at=1%3A0"}},
		{[]commit.Pos{{Lane: 3}, {Group: 1}}, []string{"at=0%3A3&at=1%3A0"}},
		{[]commit.Pos{{Lane: 4}}, []string{"at=0%3A4"}},
		{[]commit.Pos{{Group: 150}, {Group: 150, Lane: 1}}, []string{"range=28800-28899"}},
		{[]commit.Pos{{Group: 150}, {Group: 150, Lane: 1}, {Group: 150, Lane: 2}}, []string{"at=150%3A0&at=150%3A1&at=150%3A2"}}, // the last is padding
		{slices.Collect(iterConcat(h.Cover(0, 12000), slices.Values([]commit.Pos{{Group: 63, Lane: 3}}))), []string{"at 189"}},
		{[]commit.Pos{{Group: 1}, {Group: 1}}, []string{"range=192-255", "range=192-255"}},
		{[]commit.Pos{{Group: 1, Lane: 1}, {Group: 1}}, []string{"range=256-319", "range=192-255"}},
		{slices.Collect(all(h))[:5*64], []string{"at 256", "at 64"}},
	} {
		got := 0
		for _, err := range b.Slices(context.Background(), slices.Values(c.at)) {
			if err != nil {
				t.Fatal(err)
			}
			got++
		}
		if got != len(c.at) {
			t.Fatalf("%d slices, want %d", got, len(c.at))
		}
		asked := srv.takeAsked()
		for i := range asked {
			asked[i] = strings.TrimPrefix(asked[i], bundles)
			if n := strings.Count(asked[i], "at="); n > 10 {
				asked[i] = fmt.Sprintf("at %d", n)
			}
		}
		slices.Sort(asked)
		slices.Sort(c.want)
		if !slices.Equal(asked, c.want) {
			t.Errorf("asked for %q, want %q", asked, c.want)
		}
	}
}

func iterConcat(seqs ...iter.Seq[commit.Pos]) iter.Seq[commit.Pos] {
	return func(yield func(commit.Pos) bool) {
		for _, seq := range seqs {
			for p := range seq {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// TestLongRange asks for more slices in one request than it could name.
func TestLongRange(t *testing.T) {
	s := blob.NewMem()
	p := commit.Params{K: 19, N: 20, SliceSize: 64}
	plain := stream(13, 64*19*64)
	h := write(t, s, p, plain)
	srv := serve(t, handler(t, s))
	b := srv.open(t, h.ID())
	srv.takeAsked()
	collect(t, b, model(p, plain), iterConcat(h.Cover(0, h.Length), slices.Values([]commit.Pos{{Group: 63, Lane: 19}})))
	if asked := srv.takeAsked(); len(asked) != 2 {
		t.Errorf("asked for %.200q", asked)
	}
}

// A slow gateway takes a second for each bundle and knows how many it makes at a time.
type slow struct {
	truth *reference.Blob
	mu    sync.Mutex
	now   int // at work
	most  int
	began int
}

func (s *slow) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/header") {
		w.Write(s.truth.Header.Bytes())
		return
	}
	s.count(1)
	defer s.count(-1)
	select {
	case <-time.After(time.Second):
		var first, last int64
		if _, err := fmt.Sscanf(r.URL.RawQuery, "range=%d-%d", &first, &last); err != nil {
			panic(err)
		}
		w.Write(s.truth.Range(first, last))
	case <-r.Context().Done():
	}
}

func (s *slow) count(more int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now += more
	s.began += max(more, 0)
	s.most = max(s.most, s.now)
}

// counts returns how many requests are at work, how many were at most, and how many there were.
func (s *slow) counts() (now, most, began int) {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now, s.most, s.began
}

func (s *slow) open(t *testing.T) *remote.Blob {
	return open(t, dial(t, "http://slow", wire{s}.client()), commit.ID(s.truth.ID()))
}

// TestAhead bounds what is asked for ahead of the loop, and sees it asked for.
func TestAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plain := stream(14, 20*64*192)
		s := &slow{truth: model(small, plain)}
		b := s.open(t)
		began := time.Now()
		n := 0
		for _, err := range b.Slices(context.Background(), b.Header().Cover(0, b.Header().Length)) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			if n == 1 {
				time.Sleep(time.Hour) // a loop that takes its time is not run over
				if _, _, requests := s.counts(); requests != 4 {
					t.Errorf("%d requests at the first slice", requests)
				}
			}
		}
		if now, most, requests := s.counts(); n != 20*192 || requests != 20 || most != 4 || now != 0 {
			t.Errorf("%d slices, %d requests, at most %d at a time, %d at the end", n, requests, most, now)
		}
		// The loop paused at the first of five rounds, after which four runs were there.
		if took := time.Since(began) - time.Hour; took > 6*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// TestStop ends loops early, in all ways there are. That nothing is left at work, the bubble sees.
func TestStop(t *testing.T) {
	plain := stream(15, 20*64*192)
	truth := model(small, plain)
	for name, loop := range map[string]func(t *testing.T, b *remote.Blob){
		"break": func(t *testing.T, b *remote.Blob) {
			for range b.Slices(context.Background(), b.Header().Cover(0, b.Header().Length)) {
				break
			}
		},
		"break in the second run": func(t *testing.T, b *remote.Blob) {
			for s := range b.Slices(context.Background(), b.Header().Cover(0, b.Header().Length)) {
				if s.Pos().Group == 70 {
					break
				}
			}
		},
		"panic": func(t *testing.T, b *remote.Blob) {
			defer func() {
				if recover() != "stop" {
					t.Error("no panic")
				}
			}()
			for range b.Slices(context.Background(), b.Header().Cover(0, b.Header().Length)) {
				panic("stop")
			}
		},
		"canceled": func(t *testing.T, b *remote.Blob) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var last error
			n := 0
			for _, err := range b.Slices(ctx, b.Header().Cover(0, b.Header().Length)) {
				if n++; n == 1 {
					cancel()
				}
				last = err
			}
			if !errors.Is(last, context.Canceled) || n > 4*192+1 {
				t.Errorf("%d slices, then %v", n, last)
			}
		},
		"canceled before": func(t *testing.T, b *remote.Blob) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			for s, err := range b.Slices(ctx, b.Header().Cover(0, b.Header().Length)) {
				if s.Valid() || !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			}
		},
		"a deadline": func(t *testing.T, b *remote.Blob) {
			ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
			defer cancel()
			n := 0
			for s, err := range b.Slices(ctx, b.Header().Cover(0, b.Header().Length)) {
				if n++; s.Valid() || !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			}
			if n != 1 {
				t.Errorf("%d errors", n)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &slow{truth: truth}
				b := s.open(t)
				began := time.Now()
				loop(t, b)
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("took %v", took)
				}
				if now, _, requests := s.counts(); now != 0 || requests > 8 {
					t.Errorf("%d requests, %d still at work", requests, now)
				}
			})
		})
	}
}

// TestStopInHalves ends a loop at the first half of a set while the second is still being asked for.
func TestStopInHalves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		truth := model(small, stream(16, 64*192))
		s := &slow{truth: truth}
		b := open(t, dial(t, "http://halves", wire{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.RawQuery {
			case "range=0-12287":
				w.WriteHeader(500)
			case "range=6144-12287":
				<-r.Context().Done()
			default:
				s.ServeHTTP(w, r)
			}
		})}.client()), commit.ID(truth.ID()))
		began := time.Now()
		for s, err := range b.Slices(context.Background(), b.Header().Cover(0, b.Header().Length)) {
			if err != nil || s.Pos() != (commit.Pos{}) {
				t.Errorf("slice %v: %v", s.Pos(), err)
			}
			break
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("took %v", took)
		}
	})
}
