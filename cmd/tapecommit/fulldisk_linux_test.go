package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tapecommit/tapecommit/internal/reference"
)

// TestFullDisk writes to a file system that holds less.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("no tmpfs can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	full := func(args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), args, bytes.NewReader(reference.Stream(1, 4<<20)), &stdout, &stderr)
		if code != 2 || stdout.Len() > 0 || !strings.Contains(stderr.String(), syscall.ENOSPC.Error()) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", args, code, &stdout, &stderr)
		}
	}
	store := filepath.Join(disk, "store")
	full("write", "--store", store, "-")
	inFolder(t, store, 1)
	inFolder(t, filepath.Join(store, "tmp"), 0)

	good, id, _ := writeStore(t, 4<<20)
	out := filepath.Join(disk, "out")
	if err := os.WriteFile(out, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	full("read", "--store", good, id, "-o", out)
	full("prove", "--store", good, id, "--range", "0-4194303", "-o", out)
	inFolder(t, disk, 2)
	if b, err := os.ReadFile(out); err != nil || string(b) != "old" {
		t.Errorf("the old file holds %q, %v", b, err)
	}
}
