package blob

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
)

// openDir opens a store in a new folder.
func openDir(t *testing.T) (Store, string) {
	t.Helper()
	path := t.TempDir()
	s, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	return s, path
}

// inFolder is the names in a folder.
func inFolder(t *testing.T, path ...string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestOpenDir(t *testing.T) {
	if _, err := OpenDir(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v, want %v", err, fs.ErrNotExist)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDir(file); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file: error %v", err)
	}
}

func TestDirLayout(t *testing.T) {
	s, path := openDir(t)
	put(t, s, crashID, right)
	for name, data := range right {
		if got, err := os.ReadFile(filepath.Join(path, crashID.String(), name)); err != nil || string(got) != data {
			t.Errorf("file %s has %q, error %v, want %q", name, got, err, data)
		}
	}
	if got, want := inFolder(t, path), []string{crashID.String(), buildFolder}; !slices.Equal(got, want) {
		t.Errorf("the store has %v, want %v", got, want)
	}
	if got := inFolder(t, path, buildFolder); len(got) > 0 {
		t.Errorf("%v is left in the folder of builds", got)
	}
	if err := s.Remove(context.Background(), crashID); err != nil {
		t.Fatal(err)
	}
	if got, want := inFolder(t, path), []string{buildFolder}; !slices.Equal(got, want) {
		t.Errorf("the store has %v after Remove, want %v", got, want)
	}
	if got := inFolder(t, path, buildFolder); len(got) > 0 {
		t.Errorf("Remove left %v in the folder of builds", got)
	}
}

// TestDirStrangers has other things in the store than blobs.
func TestDirStrangers(t *testing.T) {
	s, path := openDir(t)
	put(t, s, crashID, right)
	id := crashID.String()
	for _, name := range []string{strings.ToUpper(id), id[1:], id + "0", "x" + id[1:], "lost+found"} {
		if err := os.Mkdir(filepath.Join(path, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	file := commit.ID{0xf1}
	if err := os.WriteFile(filepath.Join(path, file.String()), []byte("a file"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, s); !slices.Equal(got, []commit.ID{crashID}) {
		t.Errorf("IDs are %v", got)
	}
	gone(t, s, file)
	if err := s.Remove(context.Background(), file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Remove of a file: %v, want %v", err, fs.ErrNotExist)
	}
	put(t, s, file, right)
	want(t, s, file, right)
}

// TestDirFolderForObject has a folder with files in the place of an object.
func TestDirFolderForObject(t *testing.T) {
	s, path := openDir(t)
	put(t, s, crashID, damaged)
	in := filepath.Join(path, crashID.String(), nameLane(1), "in", "it")
	if err := os.MkdirAll(in, 0o777); err != nil {
		t.Fatal(err)
	}
	want(t, s, crashID, damaged)
	put(t, s, crashID, right)
	want(t, s, crashID, right)
	if got := inFolder(t, path, buildFolder); len(got) > 0 {
		t.Errorf("%v is left in the folder of builds", got)
	}
}

// TestTwoWriters has two uploads of one blob, both committed.
func TestTwoWriters(t *testing.T) {
	s, path := openDir(t)
	one, two := upload(t, s, right), upload(t, s, right)
	var both sync.WaitGroup
	for _, u := range []Upload{one, two} {
		both.Go(func() {
			if err := u.Commit(context.Background(), crashID); err != nil {
				t.Error(err)
			}
			if err := u.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	want(t, s, crashID, right)
	if got := inFolder(t, path, buildFolder); len(got) > 0 {
		t.Errorf("%v is left in the folder of builds", got)
	}
}

// TestFasterWriter has another writer commit the blob between the look at its
// place and the rename.
func TestFasterWriter(t *testing.T) {
	s := newSim()
	faster := func(op string) error {
		if strings.HasSuffix(op, " "+crashID.String()) && strings.HasPrefix(op, "rename ") {
			put(t, &dir{s}, crashID, damaged)
		}
		return nil
	}
	put(t, &dir{hooked{s, faster}}, crashID, right)
	want(t, &dir{s}, crashID, right)
}

// TestSweptAtOnce has the sweep of another writer come between the making of a
// folder and its lock: once, and every time.
func TestSweptAtOnce(t *testing.T) {
	for _, times := range []int{1, 1 << 30} {
		s, swept := newSim(), 0
		d := &dir{hooked{s, func(op string) error {
			if strings.HasPrefix(op, "lock tmp/") && swept < times {
				swept++
				put(t, &dir{s}, crashID, damaged)
			}
			return nil
		}}}
		if times == 1 {
			put(t, d, crashID, right)
			want(t, d, crashID, right)
			continue
		}
		if _, err := d.Create(context.Background()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("swept %d times: error %v, want %v", swept, err, fs.ErrNotExist)
		}
	}
}

func TestFullDisk(t *testing.T) {
	_, path := openDir(t)
	root, err := os.OpenRoot(path)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	full := &dir{hooked{rootFiles{root}, func(op string) error {
		if strings.HasPrefix(op, "write ") && strings.HasSuffix(op, nameLane(3)) {
			return syscall.ENOSPC
		}
		return nil
	}}}
	ctx := context.Background()
	u := upload(t, full, right)
	err = u.Append(ctx, nameLane(3), []byte("three"))
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "/"+nameLane(3)+": ") {
		t.Errorf("Append: %v, want %v that names the object", err, syscall.ENOSPC)
	}
	if err := u.Append(ctx, nameRoots, nil); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("next Append: %v, want %v", err, syscall.ENOSPC)
	}
	if err := u.Commit(ctx, crashID); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Commit: %v, want %v", err, syscall.ENOSPC)
	}
	if err := u.Close(); err != nil {
		t.Error(err)
	}
	if got, want := inFolder(t, path), []string{buildFolder}; !slices.Equal(got, want) {
		t.Errorf("the store has %v, want %v", got, want)
	}
	if got := inFolder(t, path, buildFolder); len(got) > 0 {
		t.Errorf("%v is left in the folder of builds", got)
	}
}

// TestRemovedMeanwhile removes a blob before each operation that replaces its objects: either all of the new ones are
// there, or the error says what happened.
func TestRemovedMeanwhile(t *testing.T) {
	ctx := context.Background()
	saved, lost := 0, 0
	for n := 0; ; n++ {
		s := newSim()
		put(t, &dir{s}, crashID, damaged)
		ops, committing := 0, false
		d := &dir{hooked{s, func(op string) error {
			if committing {
				if ops++; ops == n+1 {
					return (&dir{s}).Remove(ctx, crashID)
				}
			}
			return nil
		}}}
		u := upload(t, d, right)
		committing = true
		err := u.Commit(ctx, crashID)
		committing = false
		if ops <= n {
			break
		}
		switch got, getErr := get(&dir{s}, crashID); {
		case err == nil && isWhole(got, getErr):
			saved++
		case err != nil && isGone(got, getErr):
			lost++
			if want := "blob: " + crashID.String() + ": removed while it was written"; err.Error() != want {
				t.Errorf("removed before operation %d: %v, want %s", n, err, want)
			}
		case err == nil && isGone(got, getErr): // removed behind the last object
		default:
			t.Errorf("removed before operation %d: error %v, but objects %v, error %v", n, err, got, getErr)
		}
		if err := u.Close(); err != nil {
			t.Error(err)
		}
		if entries, err := s.list(buildFolder); err != nil || len(entries) > 0 {
			t.Errorf("removed before operation %d: %v, error %v in the folder of builds", n, entries, err)
		}
	}
	if saved == 0 || lost == 0 {
		t.Errorf("%d blobs are there, %d are not", saved, lost)
	}
}
