package blob

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// files is all file work of a directory store. A path is slash-separated and
// begins at the store's folder, which is ".". Errors are those of package os.
type files interface {
	// list returns what is in a folder, sorted by name.
	list(path string) ([]fs.DirEntry, error)
	// lstat tells what is at path, without following it.
	lstat(path string) (fs.FileInfo, error)
	// open opens a regular file to read, or to write too. Anything else at path is
	// fs.ErrNotExist, and neither followed nor waited for.
	open(path string, write bool) (file, error)

	mkdir(path string) error
	// create makes a file that is not there, to write.
	create(path string) (file, error)
	// rename puts from in the place of a file to, or of nothing.
	rename(from, to string) error
	// removeAll removes what is at path, if anything, with all that is in it.
	removeAll(path string) error
	// syncFolder makes the names in a folder last, as file.Sync makes the bytes.
	syncFolder(path string) error

	// lock locks a folder until the lock is closed, or this process ends: shared,
	// for what is being built there, or exclusive, to sweep it. It does not wait: a
	// folder locked otherwise is errLocked, one that is gone by the time that the
	// lock is had is fs.ErrNotExist. Without locks, shared ones are had by all, and
	// exclusive ones are errors.ErrUnsupported.
	lock(path string, exclusive bool) (io.Closer, error)
}

// A file is an open file.
type file interface {
	io.Writer
	io.ReaderAt
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Sync() error
}

var errLocked = errors.New("in use")

// fileError is err of what was done at path, as "blob: path: operation: cause".
func fileError(path string, err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return fmt.Errorf("blob: %s: %s: %w", path, p.Op, p.Err)
	case errors.As(err, &l):
		return fmt.Errorf("blob: %s: %s: %w", path, l.Op, l.Err)
	}
	return fmt.Errorf("blob: %s: %w", path, err)
}

// rootFiles are the files below a folder; no link leads out of it.
type rootFiles struct{ root *os.Root }

func (r rootFiles) list(path string) ([]fs.DirEntry, error) { return fs.ReadDir(r.root.FS(), path) }

func (r rootFiles) lstat(path string) (fs.FileInfo, error) { return r.root.Lstat(path) }

func (r rootFiles) mkdir(path string) error { return r.root.Mkdir(path, 0o777) }

func (r rootFiles) rename(from, to string) error { return r.root.Rename(from, to) }

func (r rootFiles) removeAll(path string) error { return r.root.RemoveAll(path) }

func (r rootFiles) create(path string) (file, error) {
	return r.openFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
}

// openFile returns no file, rather than a nil *os.File, with an error.
func (r rootFiles) openFile(path string, flag int) (file, error) {
	f, err := r.root.OpenFile(path, flag, 0o666)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (r rootFiles) open(path string, write bool) (file, error) {
	flag := os.O_RDONLY
	if write {
		flag = os.O_RDWR
	}
	// A repair may put another file in the place of the one that was there.
	const tries = 10
	for range tries {
		info, err := r.root.Lstat(path)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("no regular file but %v: %w", info.Mode().Type(), fs.ErrNotExist)
		}
		if f, err := r.openSame(path, flag, info); err != errReplaced {
			return f, err
		}
	}
	return nil, errReplaced
}

var errReplaced = errors.New("replaced while it was opened")

// openSame opens the file that info is of, and nothing that came in its place, be
// it a pipe or a link.
func (r rootFiles) openSame(path string, flag int, info fs.FileInfo) (file, error) {
	f, err := r.openFile(path, flag|openNonblock)
	if err != nil {
		return nil, err
	}
	opened, err := f.Stat()
	// A file that was removed may have left its number to what came after it.
	if err == nil && !(os.SameFile(info, opened) && opened.Mode().IsRegular()) {
		err = errReplaced
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
