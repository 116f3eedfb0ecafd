//go:build unix

package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTempFiles has leftovers of programs that were killed beside files that are being
// written, and others that only look like either.
func TestTempFiles(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	strangers := []string{".tapecommit-0000000", ".tapecommit-000000001", ".tapecommit-0000000A", ".tapecommit-00000002.txt", "tapecommit-00000003"}
	for _, name := range append([]string{".tapecommit-00000000"}, strangers...) {
		if err := os.WriteFile(in(name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const folderName, linkName = ".tapecommit-0000000f", ".tapecommit-0000000e"
	if err := os.Mkdir(in(folderName), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(in(strangers[0]), in(linkName)); err != nil {
		t.Fatal(err)
	}

	first, err := createTemp(in("first"))
	if err != nil {
		t.Fatal(err)
	}
	defer first.discard()
	second, err := createTemp(in("second"))
	if err != nil {
		t.Fatal(err)
	}
	defer second.discard()
	want := append([]string{folderName, linkName, filepath.Base(first.Name()), filepath.Base(second.Name())}, strangers...)
	slices.Sort(want)
	if got := entryNames(t, folder); !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}

	// A file stays its writer's until it is in its place.
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	sweepTemps(folder)
	if _, err := os.Lstat(first.Name()); err != nil {
		t.Errorf("the sweep took a file that is closed and not in its place: %v", err)
	}
	if _, err := io.WriteString(second, "text"); err != nil {
		t.Fatal(err)
	}
	if err := second.commit(in("second")); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(in("second")); err != nil || string(b) != "text" {
		t.Errorf("the file holds %q, %v", b, err)
	}
}

func entryNames(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestTempFilesRace has many writers of one file at a time, each of which sweeps.
func TestTempFilesRace(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	p := &program{}
	done := make(chan error)
	for range 8 {
		go func() {
			var err error
			for range 50 {
				if err = p.deliver(path, func(w io.Writer) error {
					_, err := io.WriteString(w, strings.Repeat("x", 1000))
					return err
				}); err != nil {
					break
				}
			}
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got := entryNames(t, folder); !slices.Equal(got, []string{"file"}) {
		t.Errorf("the folder has %q", got)
	}
}
