package blob_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// write stores plain in s.
func write(t testing.TB, s blob.Store, o blob.Options, plain []byte) commit.Header {
	t.Helper()
	w, err := blob.NewWriter(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	h, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// open opens a blob until the test ends.
func open(t testing.TB, s blob.Store, id commit.ID) *blob.Blob {
	t.Helper()
	b, err := blob.Open(context.Background(), s, id, blob.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// read is the plaintext of a blob in s.
func read(t testing.TB, s blob.Store, id commit.ID) []byte {
	t.Helper()
	var plain bytes.Buffer
	if _, err := proof.NewReader(context.Background(), open(t, s, id)).WriteTo(&plain); err != nil {
		t.Fatal(err)
	}
	return plain.Bytes()
}

// object is the content of an object.
func object(t testing.TB, s blob.Store, id commit.ID, name string) []byte {
	t.Helper()
	ctx := context.Background()
	o, err := s.Open(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	size, err := o.Size(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, size)
	if n, err := o.ReadAt(ctx, name, b, 0); n < len(b) {
		t.Fatal(err)
	}
	return b
}

// objects are the names of all objects of a blob.
func objects(h commit.Header) []string {
	names := []string{"manifest", "roots", "leaves"}
	for i := range h.N {
		names = append(names, lane(i))
	}
	return names
}

func lane(i int) string { return fmt.Sprintf("lane-%02d", i) }

// all are the contents of all objects of a blob.
func all(t testing.TB, s blob.Store, h commit.Header) map[string][]byte {
	t.Helper()
	m := make(map[string][]byte)
	for _, name := range objects(h) {
		m[name] = object(t, s, h.ID(), name)
	}
	return m
}

// bad is a store in memory that can be damaged, and watched: hook is called before each call on an object or upload,
// and its error is that of the call.
type bad struct {
	blob.Store
	hook func(ctx context.Context, op, name string, off int64, n int) error

	mu   sync.Mutex
	gone map[string]bool
}

func newBad() *bad { return &bad{Store: blob.NewMem(), gone: make(map[string]bool)} }

// lose makes objects missing until they are built again.
func (s *bad) lose(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		s.gone[name] = true
	}
}

// flip changes n bytes of an object from off on.
func (s *bad) flip(t testing.TB, id commit.ID, name string, off int64, n int) {
	t.Helper()
	s.change(t, id, func(ctx context.Context, o blob.Repairable) error {
		p := make([]byte, n)
		if n, err := o.ReadAt(ctx, name, p, off); n < len(p) {
			return err
		}
		for i := range p {
			p[i] ^= 0x55
		}
		return o.WriteAt(ctx, name, p, off)
	})
}

// resize cuts an object or adds to it, at its end.
func (s *bad) resize(t testing.TB, id commit.ID, name string, by int) {
	t.Helper()
	s.change(t, id, func(ctx context.Context, o blob.Repairable) error {
		size, err := o.Size(ctx, name)
		if err != nil {
			return err
		}
		return o.Truncate(ctx, name, size+int64(by))
	})
}

func (s *bad) change(t testing.TB, id commit.ID, f func(context.Context, blob.Repairable) error) {
	t.Helper()
	ctx := context.Background()
	o, err := s.Store.Open(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if err := f(ctx, o.(blob.Repairable)); err != nil {
		t.Fatal(err)
	}
}

func (s *bad) enter(ctx context.Context, op, name string, off int64, n int) error {
	if s.hook != nil {
		if err := s.hook(ctx, op, name, off, n); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone[name] && op != "append" {
		return fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return nil
}

func (s *bad) Open(ctx context.Context, id commit.ID) (blob.Objects, error) {
	o, err := s.Store.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return &badObjects{s, o.(blob.Repairable)}, nil
}

func (s *bad) Create(ctx context.Context) (blob.Upload, error) {
	u, err := s.Store.Create(ctx)
	if err != nil {
		return nil, err
	}
	return &badUpload{Upload: u, s: s}, nil
}

type badObjects struct {
	s *bad
	blob.Repairable
}

func (o *badObjects) ReadAt(ctx context.Context, name string, p []byte, off int64) (int, error) {
	if err := o.s.enter(ctx, "read", name, off, len(p)); err != nil {
		return 0, err
	}
	return o.Repairable.ReadAt(ctx, name, p, off)
}

func (o *badObjects) Size(ctx context.Context, name string) (int64, error) {
	if err := o.s.enter(ctx, "size", name, 0, 0); err != nil {
		return 0, err
	}
	return o.Repairable.Size(ctx, name)
}

func (o *badObjects) WriteAt(ctx context.Context, name string, p []byte, off int64) error {
	if err := o.s.enter(ctx, "write", name, off, len(p)); err != nil {
		return err
	}
	return o.Repairable.WriteAt(ctx, name, p, off)
}

func (o *badObjects) Truncate(ctx context.Context, name string, size int64) error {
	if err := o.s.enter(ctx, "truncate", name, size, 0); err != nil {
		return err
	}
	return o.Repairable.Truncate(ctx, name, size)
}

func (o *badObjects) Sync(ctx context.Context) error {
	if err := o.s.enter(ctx, "sync", "", 0, 0); err != nil {
		return err
	}
	return o.Repairable.Sync(ctx)
}

type badUpload struct {
	blob.Upload
	s     *bad
	mu    sync.Mutex
	names []string
}

func (u *badUpload) Append(ctx context.Context, name string, p []byte) error {
	if err := u.s.enter(ctx, "append", name, 0, len(p)); err != nil {
		return err
	}
	u.mu.Lock()
	u.names = append(u.names, name)
	u.mu.Unlock()
	return u.Upload.Append(ctx, name, p)
}

func (u *badUpload) Commit(ctx context.Context, id commit.ID) error {
	if err := u.s.enter(ctx, "commit", "", 0, 0); err != nil {
		return err
	}
	if err := u.Upload.Commit(ctx, id); err != nil {
		return err
	}
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	for _, name := range u.names {
		delete(u.s.gone, name)
	}
	return nil
}

func (u *badUpload) Close() error {
	u.s.enter(context.Background(), "discard", "", 0, 0)
	return u.Upload.Close()
}

// codes are those that the tests go through: the default, the corners, and some in between.
var codes = []commit.Params{
	{K: 10, N: 20, SliceSize: 4096},
	{K: 1, N: 2, SliceSize: 64},
	{K: 1, N: 20, SliceSize: 128},
	{K: 19, N: 20, SliceSize: 64},
	{K: 3, N: 5, SliceSize: 192},
	{K: 16, N: 20, SliceSize: 1024},
}

// randomBytes are n bytes that differ from test to test, but not from run to run.
func randomBytes(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// someLanes are n different lanes.
func someLanes(rng *rand.Rand, p commit.Params, n int) []int { return rng.Perm(p.N)[:n] }

// slicesOf collects the slices at, each copied, and the errors in their places.
func slicesOf(ctx context.Context, src proof.Source, at []commit.Pos) (bodies [][]byte, errs []error) {
	for s, err := range src.Slices(ctx, slices.Values(at)) {
		errs = append(errs, err)
		bodies = append(bodies, bytes.Clone(s.Bytes()))
	}
	return bodies, errs
}

// everything is all slices of a blob.
func everything(h commit.Header) []commit.Pos {
	var at []commit.Pos
	for g := range h.Groups() {
		for i := range h.N {
			at = append(at, commit.Pos{Group: g, Lane: i})
		}
	}
	return at
}
