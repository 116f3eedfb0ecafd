package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFullDiskRepair repairs a blob on a disk that has no room for the lane that is missing: what is wrong in place is
// mended, the rest is said, and nothing that was right is harmed.
func TestFullDiskRepair(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("no tmpfs can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		// The stores that were opened are closed when the collector finds them.
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	from := newFaultStore(t)
	s := &faultStore{filepath.Join(disk, "store"), from.id, from.data}
	must(t, os.CopyFS(s.path, os.DirFS(from.path)))
	must(t, os.Remove(s.object("lane-00")))
	b, err := os.ReadFile(s.object("lane-01"))
	must(t, err)
	b[0] ^= 1
	must(t, os.WriteFile(s.object("lane-01"), b, 0o666))
	filler, err := os.Create(filepath.Join(disk, "filler"))
	must(t, err)
	for err == nil {
		_, err = filler.Write(make([]byte, 4096))
	}
	must(t, filler.Close())

	for range 2 {
		s.reads(t)
		out, complaint := s.exits(t, 2, "repair")
		if !strings.Contains(complaint, syscall.ENOSPC.Error()) || !strings.Contains(complaint, "lane-00") {
			t.Errorf("repair: %q", complaint)
		}
		if strings.Contains(out, "lane-00 groups 0-19: missing (repaired)") {
			t.Errorf("repair calls a lane repaired that is not: %s", out)
		}
		inFolder(t, filepath.Join(s.path, "tmp"), 0)
	}
	if out, _ := s.exits(t, 1, "verify"); strings.Contains(out, "lane-01") || !strings.Contains(out, "lane-00 groups 0-19: missing") {
		t.Errorf("verify after the repair: %s", out)
	}
	must(t, os.Remove(filler.Name()))
	s.exits(t, 0, "repair")
	s.exits(t, 0, "verify")
	s.reads(t)
}
