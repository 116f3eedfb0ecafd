package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// The bubbles of these tests fail where a goroutine is left when they end.

// stuck makes each call on s wait until its context is done, but the first n.
func stuck(s *bad, n int) {
	calls := make(chan struct{}, n)
	s.hook = func(ctx context.Context, op, _ string, _ int64, _ int) error {
		if op == "discard" {
			return nil
		}
		select {
		case calls <- struct{}{}:
			return nil
		default:
			<-ctx.Done()
			return ctx.Err()
		}
	}
}

var errEnough = errors.New("enough")

// TestWriterStops ends Writers at any point of their work, in every way there is.
func TestWriterStops(t *testing.T) {
	for _, n := range []int{0, 1, 5, 7, 9, 20, 28, 30} {
		for name, end := range map[string]func(w *blob.Writer, cancel func()) error{
			"close": func(w *blob.Writer, _ func()) error { return w.Close() },
			"cancel": func(w *blob.Writer, cancel func()) error {
				cancel()
				return nil
			},
			"cancel and close": func(w *blob.Writer, cancel func()) error {
				cancel()
				return w.Close()
			},
			"cancel under Commit": func(w *blob.Writer, cancel func()) error {
				time.AfterFunc(time.Second, cancel)
				if _, err := w.Commit(); !errors.Is(err, errEnough) {
					return err
				}
				return nil
			},
			"cancel under Write": func(w *blob.Writer, cancel func()) error {
				time.AfterFunc(time.Second, cancel)
				if _, err := w.Write(make([]byte, 100*64*192)); !errors.Is(err, errEnough) {
					return err
				}
				return nil
			},
			"cancel under ReadFrom": func(w *blob.Writer, cancel func()) error {
				time.AfterFunc(time.Second, cancel)
				if _, err := w.ReadFrom(bytes.NewReader(make([]byte, 100*64*192))); !errors.Is(err, errEnough) {
					return err
				}
				return nil
			},
		} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newBad()
					stuck(s, n)
					ctx, cancel := context.WithCancelCause(context.Background())
					defer cancel(nil)
					w, err := blob.NewWriter(ctx, s, blob.Options{Params: small, Workers: 3})
					if err != nil {
						t.Fatal(err)
					}
					if _, err := w.Write(make([]byte, 3*8*192+100)); err != nil {
						t.Fatal(err)
					}
					if err := end(w, func() { cancel(errEnough) }); err != nil {
						t.Errorf("after %d calls: %v", n, err)
					}
					synctest.Wait()
					if _, err := w.Write([]byte{1}); err == nil {
						t.Errorf("after %d calls: Write to a Writer that was ended", n)
					}
					empty(t, s)
				})
			})
		}
	}
}

// TestLoopStops leaves loops over a Blob in every way there is.
func TestLoopStops(t *testing.T) {
	every := func(b *blob.Blob) []commit.Pos { return everything(b.Header()) }
	loops := map[string]func(ctx context.Context, b *blob.Blob, each func() bool) error{
		"Slices": func(ctx context.Context, b *blob.Blob, each func() bool) error {
			for _, err := range b.Slices(ctx, slices.Values(every(b))) {
				if err != nil || !each() {
					return err
				}
			}
			return nil
		},
		"Stored": func(ctx context.Context, b *blob.Blob, each func() bool) error {
			for _, err := range b.Stored().Slices(ctx, slices.Values(every(b))) {
				if ctx.Err() != nil {
					return err
				}
				if !each() { // without leaf hashes each slice is an error
					break
				}
			}
			return nil
		},
		"Verify": func(ctx context.Context, b *blob.Blob, each func() bool) error {
			for _, err := range b.Verify(ctx, 0) {
				if err != nil || !each() {
					return err
				}
			}
			return nil
		},
		"Repair": func(ctx context.Context, b *blob.Blob, each func() bool) error {
			for _, err := range b.Repair(ctx, 0) {
				if err != nil || !each() {
					return err
				}
			}
			return nil
		},
		"Hashes": func(ctx context.Context, b *blob.Blob, each func() bool) error {
			at := make([]commit.Node, 0)
			for i := range b.Header().Groups() {
				at = append(at, commit.Node{Index: int64(i) * 32})
			}
			return b.Hashes(ctx, make([]commit.Hash, len(at)), at)
		},
	}
	s := newBad()
	h := write(t, s, blob.Options{Params: small}, make([]byte, 20*64*192))
	s.lose("lane-02", "leaves")
	s.flip(t, h.ID(), "lane-00", 64*64*10, 1)
	for name, loop := range loops {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{0, 1, 5, 8, 20, 50} {
				synctest.Test(t, func(t *testing.T) {
					b, err := blob.Open(context.Background(), s, h.ID(), blob.Options{Workers: 3})
					if err != nil {
						t.Fatal(err)
					}
					defer b.Close()
					stuck(s, n)
					defer func() { s.hook = nil }()
					ctx, cancel := context.WithCancelCause(context.Background())
					defer cancel(nil)
					time.AfterFunc(time.Second, func() { cancel(errEnough) })
					if err := loop(ctx, b, func() bool { return true }); !errors.Is(err, errEnough) {
						t.Errorf("after %d calls: %v, want %v", n, err, errEnough)
					}
				})
			}
			if name == "Hashes" {
				return
			}
			for _, n := range []int{1, 2, 3} {
				synctest.Test(t, func(t *testing.T) {
					b, err := blob.Open(context.Background(), s, h.ID(), blob.Options{Workers: 3})
					if err != nil {
						t.Fatal(err)
					}
					defer b.Close()
					if err := loop(context.Background(), b, func() bool { n--; return n > 0 }); err != nil || n != 0 {
						t.Errorf("break: %v, %d left", err, n)
					}
				})
			}
		})
	}
}

// TestLoopPanics leaves a loop by a panic of its body.
func TestLoopPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newBad()
		h := write(t, s, blob.Options{Params: small}, make([]byte, 20*64*192))
		b := open(t, s, h.ID())
		func() {
			defer func() {
				if recover() != errEnough {
					t.Error("the panic is gone")
				}
			}()
			for range b.Slices(context.Background(), slices.Values(everything(h))) {
				panic(errEnough)
			}
		}()
	})
}

// TestOpenStops cancels Open while it makes a manifest again.
func TestOpenStops(t *testing.T) {
	s := newBad()
	h := write(t, s, blob.Options{Params: small}, make([]byte, 2000*192))
	s.lose("manifest", "roots", "leaves")
	for n := range 30 {
		synctest.Test(t, func(t *testing.T) {
			stuck(s, n)
			ctx, cancel := context.WithTimeoutCause(context.Background(), time.Second, errEnough)
			defer cancel()
			if _, err := blob.Open(ctx, s, h.ID(), blob.Options{}); !errors.Is(err, errEnough) {
				t.Errorf("after %d calls: %v, want %v", n, err, errEnough)
			}
		})
	}
}

// TestSharedWindow stops a reader that fetches a window for others too.
func TestSharedWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newBad()
		h := write(t, s, blob.Options{Params: small}, make([]byte, 100*192))
		b := open(t, s, h.ID())
		s.hook = func(ctx context.Context, op, name string, _ int64, _ int) error {
			select {
			case <-time.After(time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		first, cancel := context.WithCancel(context.Background())
		done := make(chan error)
		go func() {
			_, errs := slicesOf(first, b, []commit.Pos{{Group: 1}})
			done <- errs[0]
		}()
		time.Sleep(time.Second / 2)
		go func() {
			_, errs := slicesOf(context.Background(), b, []commit.Pos{{Group: 90}})
			done <- errs[0]
		}()
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("the reader that was stopped: %v", err)
		}
		if err := <-done; err != nil {
			t.Errorf("the other reader: %v", err)
		}
	})
}

// TestManyStopped ends many writers and readers half way, some without Close, and counts goroutines.
func TestManyStopped(t *testing.T) {
	s := blob.NewMem()
	plain := make([]byte, 3*64*192)
	b := open(t, s, write(t, s, blob.Options{Params: small}, plain).ID())
	before := runtime.NumGoroutine()
	for i := range times(200, 1000, 1000) {
		ctx, cancel := context.WithCancel(context.Background())
		w, err := blob.NewWriter(ctx, s, blob.Options{Params: small, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		w.Write(plain[:len(plain)*(i%10)/9])
		r, wr := io.Pipe()
		wr.CloseWithError(errEnough)
		for range b.Slices(ctx, b.Header().Cover(0, 1<<20)) {
			if i%2 == 0 {
				break
			}
			cancel()
		}
		proof.NewReader(ctx, b).WriteTo(io.Discard)
		w.ReadFrom(r)
		cancel()
		if i%3 == 0 {
			w.Close()
		}
	}
	for range 20_000 { // a busy machine takes its time
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
