//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package blob

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

func (r rootFiles) lock(path string, exclusive bool) (io.Closer, error) {
	f, err := r.root.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if err := r.flock(f, path, exclusive); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// flock locks f, and makes sure that f is still what is at path.
func (r rootFiles) flock(f *os.File, path string, exclusive bool) error {
	how := syscall.LOCK_NB | syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_NB | syscall.LOCK_EX
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var locked error
	err = conn.Control(func(fd uintptr) {
		for {
			if locked = syscall.Flock(int(fd), how); locked != syscall.EINTR {
				return
			}
		}
	})
	switch {
	case err != nil:
		return err
	case errors.Is(locked, syscall.EWOULDBLOCK):
		return errLocked
	case locked != nil:
		return os.NewSyscallError("flock", locked)
	}
	held, err := f.Stat()
	if err != nil {
		return err
	}
	there, err := r.root.Lstat(path)
	if err != nil {
		return err
	}
	if !os.SameFile(held, there) {
		return fs.ErrNotExist
	}
	return nil
}
