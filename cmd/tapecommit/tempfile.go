package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
)

// tempFile is a file that is not in its place yet. It is locked, so that others can tell
// it from what a killed program left.
type tempFile struct {
	*os.File
	lock io.Closer
}

var tempName = regexp.MustCompile(`^\.tapecommit-[0-9a-f]{8}$`)

// createTemp creates a file beside path, so that it can be renamed to it, with the
// permissions of the file that is there, or else those that a file created at path would
// get.
func createTemp(path string) (tempFile, error) {
	// A rename would replace a folder's or a device's entry, not write to it.
	if fi, err := os.Stat(path); err == nil && !fi.Mode().IsRegular() {
		return tempFile{}, wrongUsef("%s is there and no regular file", path)
	}
	old, err := os.Lstat(path)
	mode := fs.FileMode(0o666)
	there := err == nil && old.Mode().IsRegular()
	if there {
		mode = old.Mode() & 0o700
	}
	folder := filepath.Dir(path)
	sweepTemps(folder)
	for {
		name := filepath.Join(folder, fmt.Sprintf(".tapecommit-%08x", rand.Uint32()))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return tempFile{}, err
		}
		lock, err := lockTemp(f)
		if err == nil {
			if there {
				keepPermissions(f, old)
			}
			return tempFile{f, lock}, nil
		}
		f.Close()
		// Another program's sweep may come between the two, and take the file for a leftover.
		if !errors.Is(err, errSwept) {
			os.Remove(name)
			return tempFile{}, err
		}
	}
}

// keepPermissions gives a new file, which is its owner's alone, the permissions of the one
// whose place it will take, as far as the system lets it: nobody may read the new one who
// could not read the old one.
func keepPermissions(f *os.File, old fs.FileInfo) {
	mode := old.Mode().Perm()
	if !keepGroup(f, old) {
		// Another group's members get what everybody has.
		mode &= ^fs.FileMode(0o070) | mode<<3
	}
	f.Chmod(mode)
	keepOwner(f, old)
}

// followed is path, or what a link there leads to, so that a file takes the place of that and
// not of the link.
func followed(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != fs.ModeSymlink {
		return path, nil // where no file can be, its making says so
	}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return "", wrongUsef("%s is a link to nothing", path)
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return path, nil
	}
	return filepath.EvalSymlinks(path)
}

// sweepTemps removes what programs that were killed left in a folder. What it cannot
// remove stays.
func sweepTemps(folder string) {
	d, err := os.Open(folder)
	if err != nil {
		return
	}
	defer d.Close()
	for {
		names, err := d.Readdirnames(1000)
		for _, name := range names {
			if tempName.MatchString(name) {
				sweepTemp(filepath.Join(folder, name))
			}
		}
		if err != nil {
			return
		}
	}
}

// commit puts the file in its place, over what was there.
func (f tempFile) commit(path string) error {
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// discard removes the file unless it was committed.
func (f tempFile) discard() {
	f.Close()
	os.Remove(f.Name())
	f.lock.Close()
}

var errSwept = errors.New("taken for a leftover")
