package blob

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tapecommit/tapecommit/commit"
)

// NewMem makes a Store in memory, for tests and small uses. Its Objects are [Repairable].
func NewMem() Store { return &mem{blobs: make(map[commit.ID]*memBlob)} }

type mem struct {
	mu    sync.Mutex
	blobs map[commit.ID]*memBlob
}

// A memBlob is shared by the store and all Objects opened from it. The bytes of an object never change: who writes puts
// others in their place.
type memBlob struct {
	id      commit.ID
	mu      sync.RWMutex
	objects map[string][]byte
}

func (m *mem) Open(ctx context.Context, id commit.ID) (Objects, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.blobs[id]
	if !ok {
		return nil, fmt.Errorf("blob: %v: %w", id, fs.ErrNotExist)
	}
	return &memObjects{blob: b}, nil
}

func (m *mem) Create(ctx context.Context) (Upload, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &memUpload{store: m, objects: make(map[string][]byte)}, nil
}

func (m *mem) Remove(ctx context.Context, id commit.ID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.blobs[id]; !ok {
		return fmt.Errorf("blob: %v: %w", id, fs.ErrNotExist)
	}
	delete(m.blobs, id)
	return nil
}

func (m *mem) IDs(ctx context.Context) iter.Seq2[commit.ID, error] {
	return func(yield func(commit.ID, error) bool) {
		m.mu.Lock()
		ids := slices.SortedFunc(maps.Keys(m.blobs), func(a, b commit.ID) int { return bytes.Compare(a[:], b[:]) })
		m.mu.Unlock()
		yieldIDs(ctx, ids, yield)
	}
}

type memObjects struct {
	blob   *memBlob
	closed atomic.Bool
}

// check is what each call begins with.
func (o *memObjects) check(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if o.closed.Load() {
		return fmt.Errorf("blob: %v: %w", o.blob.id, fs.ErrClosed)
	}
	return checkName(name)
}

// object is the bytes of an object; the blob is locked.
func (o *memObjects) object(name string) ([]byte, error) {
	b, ok := o.blob.objects[name]
	if !ok {
		return nil, fmt.Errorf("blob: %v/%s: %w", o.blob.id, name, fs.ErrNotExist)
	}
	return b, nil
}

func (o *memObjects) ReadAt(ctx context.Context, name string, p []byte, off int64) (int, error) {
	b, err := o.view(ctx, name, len(p), off)
	return copy(p, b), err
}

// view returns the bytes that ReadAt would copy.
func (o *memObjects) view(ctx context.Context, name string, n int, off int64) ([]byte, error) {
	if err := o.check(ctx, name); err != nil {
		return nil, err
	}
	o.blob.mu.RLock()
	defer o.blob.mu.RUnlock()
	b, err := o.object(name)
	switch {
	case err != nil:
		return nil, err
	case off < 0:
		return nil, fmt.Errorf("blob: %v/%s: read at %d: %w", o.blob.id, name, off, fs.ErrInvalid)
	case n == 0:
		return nil, nil
	case off >= int64(len(b)):
		return nil, io.EOF
	case int64(n) > int64(len(b))-off:
		return b[off:], io.EOF
	}
	return b[off:][:n:n], nil
}

func (o *memObjects) Size(ctx context.Context, name string) (int64, error) {
	if err := o.check(ctx, name); err != nil {
		return 0, err
	}
	o.blob.mu.RLock()
	defer o.blob.mu.RUnlock()
	b, err := o.object(name)
	return int64(len(b)), err
}

func (o *memObjects) WriteAt(ctx context.Context, name string, p []byte, off int64) error {
	if off < 0 || int64(int(off)) != off || off > math.MaxInt-int64(len(p)) {
		return fmt.Errorf("blob: %v/%s: write at %d: %w", o.blob.id, name, off, fs.ErrInvalid)
	}
	return o.change(ctx, name, func(b []byte) []byte {
		size := len(b)
		if len(p) > 0 {
			size = max(size, int(off)+len(p))
		}
		changed := make([]byte, size)
		copy(changed, b)
		copy(changed[min(int(off), size):], p)
		return changed
	})
}

func (o *memObjects) Truncate(ctx context.Context, name string, size int64) error {
	if size < 0 || int64(int(size)) != size {
		return fmt.Errorf("blob: %v/%s: truncate to %d: %w", o.blob.id, name, size, fs.ErrInvalid)
	}
	return o.change(ctx, name, func(b []byte) []byte {
		changed := make([]byte, size)
		copy(changed, b)
		return changed
	})
}

func (o *memObjects) change(ctx context.Context, name string, f func([]byte) []byte) error {
	if err := o.check(ctx, name); err != nil {
		return err
	}
	o.blob.mu.Lock()
	defer o.blob.mu.Unlock()
	b, err := o.object(name)
	if err != nil {
		return err
	}
	o.blob.objects[name] = f(b)
	return nil
}

func (o *memObjects) Sync(ctx context.Context) error { return o.check(ctx, nameManifest) }

func (o *memObjects) Close() error {
	o.closed.Store(true)
	return nil
}

type memUpload struct {
	store   *mem
	mu      sync.Mutex
	err     error // why Append and Commit fail from now on
	objects map[string][]byte
}

func (u *memUpload) Append(ctx context.Context, name string, p []byte) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.err == nil {
		u.err = cmp.Or(ctx.Err(), checkName(name))
	}
	if u.err != nil {
		return u.err
	}
	u.objects[name] = append(u.objects[name], p...)
	return nil
}

func (u *memUpload) Commit(ctx context.Context, id commit.ID) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	err := cmp.Or(u.err, ctx.Err())
	u.err = errUploadEnded
	if err != nil {
		return err
	}
	u.store.mu.Lock()
	defer u.store.mu.Unlock()
	b, ok := u.store.blobs[id]
	if !ok {
		b = &memBlob{id: id, objects: make(map[string][]byte)}
		u.store.blobs[id] = b
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.Copy(b.objects, u.objects)
	return nil
}

func (u *memUpload) Close() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.err = errUploadEnded
	u.objects = nil
	return nil
}
