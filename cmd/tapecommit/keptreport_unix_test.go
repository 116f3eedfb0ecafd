//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
)

// TestKeptReportNoFile finds other things than files where a report would be, and waits
// for none.
func TestKeptReportNoFile(t *testing.T) {
	id := commit.ID{1}
	f := reportFolder(t.TempDir())
	path := f.path(id, verifySuffix)
	if _, err := f.last(id); !os.IsNotExist(err) {
		t.Errorf("where there is nothing: %v", err)
	}
	target := filepath.Join(string(f), "target")
	if err := os.WriteFile(target, fmt.Appendf(nil, `{"id":"%v","ok":true}`, id), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func() error{
		"folder": func() error { return os.Mkdir(path, 0o777) },
		"pipe":   func() error { return syscall.Mkfifo(path, 0o666) },
		"link":   func() error { return os.Symlink(target, path) },
		"zeros":  func() error { return os.Symlink("/dev/zero", path) },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
		if r, err := f.last(id); err == nil || os.IsNotExist(err) {
			t.Errorf("%s: %v, %v", name, r, err)
		}
		if err := f.write(id, verifySuffix, keptReport{ID: id, Damage: []faultSpan{}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := f.forget(id); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s: it is still there", name)
		}
	}
	if _, err := os.Stat(target); err != nil {
		t.Errorf("what a link led to is gone: %v", err)
	}
}
