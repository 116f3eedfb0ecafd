//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// lockTemp locks a file that was just created. The lock ends with its closing, not with
// that of the file, or with this process.
func lockTemp(f *os.File) (io.Closer, error) {
	switch err := flockTemp(f, syscall.LOCK_SH); {
	case errors.Is(err, errSwept):
		return nil, err
	case err != nil:
		return io.NopCloser(nil), nil // where files cannot be locked none is swept
	}
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// sweepTemp removes a file unless it is locked.
func sweepTemp(name string) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if flockTemp(f, syscall.LOCK_EX) == nil {
		os.Remove(name)
	}
}

// flockTemp locks a regular file, and makes sure that it still has its name. Where it has
// not, or is locked otherwise, the error is errSwept.
func flockTemp(f *os.File, how int) error {
	switch err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return errSwept
	case err != nil:
		return os.NewSyscallError("flock", err)
	}
	held, err := f.Stat()
	if err != nil {
		return err
	}
	there, err := os.Lstat(f.Name())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errSwept
	case err != nil:
		return err
	case !os.SameFile(held, there) || !there.Mode().IsRegular():
		return errSwept
	}
	return nil
}
