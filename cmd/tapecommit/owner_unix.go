//go:build unix

package main

import (
	"io/fs"
	"os"
	"syscall"
)

// keepGroup gives f the group of another file, and reports whether it has it.
func keepGroup(f *os.File, old fs.FileInfo) bool {
	is, err := f.Stat()
	if err != nil {
		return false
	}
	group := old.Sys().(*syscall.Stat_t).Gid
	return is.Sys().(*syscall.Stat_t).Gid == group || f.Chown(-1, int(group)) == nil
}

// keepOwner gives f the owner of another file, where this program may.
func keepOwner(f *os.File, old fs.FileInfo) {
	owner := old.Sys().(*syscall.Stat_t).Uid
	if int(owner) != os.Geteuid() {
		f.Chown(int(owner), -1)
	}
}
