package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
)

// TestGoTree keeps a tar of Go's source tree as a blob, loses and damages as much as
// there may be, and wants the same bytes back.
func TestGoTree(t *testing.T) {
	if testing.Short() {
		t.Skip("a blob of Go's source tree takes some seconds and 500 MB")
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "src.tar")
	want, length := tarTree(t, filepath.Join(strings.TrimSpace(string(goroot)), "src"), file)
	t.Logf("%d bytes of %s", length, runtime.Version())
	store := filepath.Join(folder, "store")
	t.Setenv("TAPECOMMIT_STORE", store)
	id := strings.TrimSpace(runs(t, 0, nil, "write", file))
	object := func(name string) string { return filepath.Join(store, id, name) }
	lane := func(i int) string { return object(fmt.Sprintf("lane-%02d", i)) }
	remove := func(paths ...string) {
		t.Helper()
		for _, path := range paths {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	readBack := func() {
		t.Helper()
		sum := sha256.New()
		var stderr bytes.Buffer
		if code := run(t.Context(), []string{"read", id}, nil, sum, &stderr); code != 0 {
			t.Fatalf("exit code %d: %s", code, &stderr)
		}
		if got := [32]byte(sum.Sum(nil)); got != want {
			t.Fatalf("read back %x, want %x", got, want)
		}
	}
	readBack()

	// Ten lanes, with and without what else is stored.
	for _, i := range []int{0, 1, 2, 3, 4, 5, 13, 15, 17, 19} {
		remove(lane(i))
	}
	readBack()
	remove(object("manifest"), object("roots"), object("leaves"))
	readBack()
	runs(t, 0, nil, "repair", id)
	runs(t, 0, nil, "verify", id)

	// Each lane damaged somewhere, ten in each group.
	const k, n, size = 10, 20, commit.MaxSliceSize
	groups := int((length + k*size - 1) / (k * size))
	for i := range n {
		// Lanes of one parity in groups of the same, so that each group keeps ten.
		var at []int64
		for g := i % 2; g < groups; g += 2 {
			at = append(at, int64(g)*size)
		}
		damageFile(t, lane(i), at...)
	}
	readBack()
	report := runs(t, 1, nil, "verify", id)
	if lines := fmt.Sprintf("%d faults in %d groups", k*groups, groups); !strings.Contains(report, lines) {
		t.Errorf("report does not say %q", lines)
	}
	runs(t, 0, nil, "repair", id)
	runs(t, 0, nil, "verify", id)
	readBack()

	// One slice too few in one group.
	for i := range n - k + 1 {
		damageFile(t, lane(i), 1000*size)
	}
	runs(t, 1, nil, "read", id, "-o", filepath.Join(folder, "back"))
	if _, err := os.Stat(filepath.Join(folder, "back")); err == nil {
		t.Error("a file of a lost blob")
	}
	before := runs(t, 1, nil, "read", id)
	if len(before) != 1000*k*size {
		t.Errorf("%d bytes came before the lost group, want %d", len(before), 1000*k*size)
	}
	after := runs(t, 0, nil, "read", id, "--range", fmt.Sprintf("%d-%d", 1001*k*size, length))
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for off, got := range map[int64]string{0: before, 1001 * k * size: after} {
		piece := make([]byte, len(got))
		if _, err := in.ReadAt(piece, off); err != nil || string(piece) != got {
			t.Errorf("other bytes from %d on, %v", off, err)
		}
	}
}

// damageFile changes the bytes of a file at those offsets.
func damageFile(t *testing.T, file string, at ...int64) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b [1]byte
	for _, off := range at {
		if _, err := f.ReadAt(b[:], off); err != nil {
			t.Fatal(err)
		}
		b[0]++
		if _, err := f.WriteAt(b[:], off); err != nil {
			t.Fatal(err)
		}
	}
}

// tarTree makes a tar of a tree and returns its hash and length.
func tarTree(t *testing.T, tree, file string) ([32]byte, int64) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sum := sha256.New()
	w := tar.NewWriter(io.MultiWriter(f, sum))
	if err := w.AddFS(os.DirFS(tree)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	fi, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return [32]byte(sum.Sum(nil)), fi.Size()
}
