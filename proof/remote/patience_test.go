package remote_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof/remote"
)

// TestStall has a gateway send less and less.
func TestStall(t *testing.T) {
	standard := commit.Params{K: 10, N: 20, SliceSize: 4096}
	plain := stream(17, 64*40960)
	truth := model(standard, plain)
	id := commit.ID(truth.ID())
	bundle := truth.Range(0, truth.Length-1)
	pieces := func(w http.ResponseWriter, r *http.Request, b []byte, size int, pause time.Duration) {
		for piece := range slices.Chunk(b, size) {
			select {
			case <-time.After(pause):
			case <-r.Context().Done():
				return
			}
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		fails  bool
		after  time.Duration // it ends
	}{
		{"no answer", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, true, time.Minute},
		{"late answer", func(w http.ResponseWriter, r *http.Request) { pieces(w, r, bundle, len(bundle), 59*time.Second) }, false, 59 * time.Second},
		{"no body", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(200)
			<-r.Context().Done()
		}, true, time.Minute},
		{"no end", func(w http.ResponseWriter, r *http.Request) {
			w.Write(bundle)
			<-r.Context().Done()
		}, true, time.Minute},
		{"no end of an error", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(400)
			w.Write([]byte("bad "))
			<-r.Context().Done()
		}, true, time.Minute},
		{"half", func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(30 * time.Second)
			w.Write(bundle[:len(bundle)/2])
			<-r.Context().Done()
		}, true, 90 * time.Second},
		{"dribble", func(w http.ResponseWriter, r *http.Request) { pieces(w, r, bundle, 1, time.Second) }, true, time.Minute},
		{"slow", func(w http.ResponseWriter, r *http.Request) { pieces(w, r, bundle, 1<<16, 59*time.Second) }, false,
			time.Duration((len(bundle)+1<<16-1)>>16) * 59 * time.Second},
		{"too slow", func(w http.ResponseWriter, r *http.Request) { pieces(w, r, bundle, 1<<14, 16*time.Second) }, true, time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := open(t, dial(t, "http://stall", wire{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if strings.HasSuffix(r.URL.Path, "/header") {
						w.Write(truth.Header.Bytes())
					} else {
						c.answer(w, r)
					}
				})}.client()), id)
				began := time.Now()
				for _, r := range collect(t, b, truth, b.Header().Cover(0, truth.Length)) {
					var status *remote.StatusError
					if c.fails != (r.err != nil) {
						t.Fatal(r.err)
					} else if c.fails && !errors.Is(r.err, os.ErrDeadlineExceeded) && !errors.As(r.err, &status) {
						t.Fatal(r.err)
					}
				}
				if took := time.Since(began); took != c.after {
					t.Errorf("ended after %v, want %v", took, c.after)
				}
			})
		})
	}
}

// TestStallOpening stalls in the header and in the list.
func TestStallOpening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := dial(t, "http://stall", wire{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte("TPB1"))
			<-r.Context().Done()
		})}.client())
		if _, err := g.Open(context.Background(), commit.ID{}); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
		if _, err := ids(t, g); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
		// A caller's own deadline is told from the package's patience.
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := g.Open(ctx, commit.ID{}); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
	})
}

// TestBusy has a gateway that is busy: it is asked again, not too soon and not for ever.
func TestBusy(t *testing.T) {
	truth := model(small, stream(18, 10))
	id := commit.ID(truth.ID())
	const second = time.Second
	for _, c := range []struct {
		name   string
		status int
		after  string // Retry-After
		times  int    // it is busy
		asked  int
		took   time.Duration
	}{
		{"once", 503, "1", 1, 2, second},
		{"twice", 429, "2", 2, 3, 4 * second},
		{"seven times", 503, "1", 7, 8, 4*second + (1600+3200+6400)*time.Millisecond},
		{"for ever", 503, "1", 1000, 8, 4*second + (1600+3200+6400)*time.Millisecond},
		{"without a time", 503, "", 3, 4, 700 * time.Millisecond},
		{"zero", 503, "0", 1, 2, second / 10},
		{"negative", 503, "-5", 1, 2, second / 10},
		{"a date", 503, "Fri, 31 Dec 2100 23:59:59 GMT", 1, 2, second / 10},
		{"an hour", 503, "3600", 1, 2, 10 * second},
		{"a century", 503, "3155760000", 1, 2, 10 * second},
		{"more than there is", 503, "9223372036854775807", 1, 2, 10 * second},
		{"more than a number", 503, "99999999999999999999999", 1, 2, 10 * second},
		{"no reason to wait", 500, "1", 1, 1, 0},
		{"of another kind", 502, "1", 1, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				g := dial(t, "http://busy", wire{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if asked++; asked > c.times {
						w.Write(truth.Header.Bytes())
						return
					}
					if c.after != "" {
						w.Header().Set("Retry-After", c.after)
					}
					w.WriteHeader(c.status)
				})}.client())
				began := time.Now()
				_, err := g.Open(context.Background(), id)
				if took := time.Since(began); took != c.took || asked != c.asked {
					t.Errorf("took %v and %d requests, want %v and %d", took, asked, c.took, c.asked)
				}
				var status *remote.StatusError
				if c.asked > c.times {
					if err != nil {
						t.Error(err)
					}
				} else if !errors.As(err, &status) || status.Status != c.status {
					t.Error(err)
				}
			})
		})
	}

	synctest.Test(t, func(t *testing.T) { // a caller that waits no longer
		g := dial(t, "http://busy", wire{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "5")
			w.WriteHeader(503)
		})}.client())
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		began := time.Now()
		if _, err := g.Open(ctx, id); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}
