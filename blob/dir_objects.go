package blob

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"sync"
)

// dirObjects keeps each file that was read or written open until Close.
type dirObjects struct {
	files   files
	id      string
	handles map[string]*handle // of all names; only the handles change
}

// A handle is the open files of one object.
type handle struct {
	mu          sync.Mutex
	read, write file
	closed      bool
}

func newDirObjects(f files, id string) *dirObjects {
	o := &dirObjects{files: f, id: id, handles: make(map[string]*handle)}
	for _, name := range objectNames {
		o.handles[name] = new(handle)
	}
	return o
}

// path is where an object is.
func (o *dirObjects) path(name string) string { return o.id + "/" + name }

// file opens the file of an object unless it is open. What was not there is
// looked for again, as it may have been repaired.
func (o *dirObjects) file(ctx context.Context, name string, write bool) (file, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkName(name); err != nil {
		return nil, err
	}
	h := o.handles[name]
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, fileError(o.path(name), fs.ErrClosed)
	}
	f := &h.read
	if write {
		f = &h.write
	}
	if *f == nil {
		opened, err := o.files.open(o.path(name), write)
		if err != nil {
			return nil, fileError(o.path(name), err)
		}
		*f = opened
	}
	return *f, nil
}

func (o *dirObjects) ReadAt(ctx context.Context, name string, p []byte, off int64) (int, error) {
	f, err := o.file(ctx, name, false)
	if err != nil {
		return 0, err
	}
	n, err := f.ReadAt(p, off)
	if err != nil && err != io.EOF {
		err = fileError(o.path(name), err)
	}
	return n, err
}

func (o *dirObjects) Size(ctx context.Context, name string) (int64, error) {
	f, err := o.file(ctx, name, false)
	if err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, fileError(o.path(name), err)
	}
	return info.Size(), nil
}

func (o *dirObjects) WriteAt(ctx context.Context, name string, p []byte, off int64) error {
	f, err := o.file(ctx, name, true)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(p, off); err != nil {
		return fileError(o.path(name), err)
	}
	return nil
}

func (o *dirObjects) Truncate(ctx context.Context, name string, size int64) error {
	f, err := o.file(ctx, name, true)
	if err != nil {
		return err
	}
	if size < 0 { // not an error on every system
		return fileError(o.path(name), fmt.Errorf("truncate to %d: %w", size, fs.ErrInvalid))
	}
	if err := f.Truncate(size); err != nil {
		return fileError(o.path(name), err)
	}
	return nil
}

// Sync syncs each file that was opened to write.
func (o *dirObjects) Sync(ctx context.Context) error {
	for _, name := range objectNames {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := o.handles[name]
		h.mu.Lock()
		f, closed := h.write, h.closed
		h.mu.Unlock()
		if closed {
			return fileError(o.id, fs.ErrClosed)
		}
		if f == nil {
			continue
		}
		if err := f.Sync(); err != nil {
			return fileError(o.path(name), err)
		}
	}
	return nil
}

func (o *dirObjects) Close() error {
	var first error
	for _, name := range objectNames {
		h := o.handles[name]
		h.mu.Lock()
		for _, f := range []*file{&h.read, &h.write} {
			if *f == nil {
				continue
			}
			if err := (*f).Close(); err != nil && first == nil {
				first = fileError(o.path(name), err)
			}
			*f = nil
		}
		h.closed = true
		h.mu.Unlock()
	}
	return first
}
