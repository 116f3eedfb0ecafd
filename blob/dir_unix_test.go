//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package blob

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
)

// noFiles are makers of what is no regular file.
var noFiles = map[string]func(t *testing.T, path string){
	"folder": func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o777)) },
	"pipe":   func(t *testing.T, path string) { must(t, syscall.Mkfifo(path, 0o666)) },
	"link to a file of the blob": func(t *testing.T, path string) {
		must(t, os.Symlink(nameManifest, path))
	},
	"link out of the store": func(t *testing.T, path string) {
		file := filepath.Join(t.TempDir(), "file")
		must(t, os.WriteFile(file, []byte("outside"), 0o666))
		must(t, os.Symlink(file, path))
	},
	"link to a device":  func(t *testing.T, path string) { must(t, os.Symlink("/dev/zero", path)) },
	"link to nothing":   func(t *testing.T, path string) { must(t, os.Symlink("nothing", path)) },
	"link to itself":    func(t *testing.T, path string) { must(t, os.Symlink(filepath.Base(path), path)) },
	"link to the store": func(t *testing.T, path string) { must(t, os.Symlink("..", path)) },
	"socket": func(t *testing.T, path string) {
		// The path of a socket has to be short.
		dir, err := os.MkdirTemp("", "s")
		must(t, err)
		t.Cleanup(func() { os.RemoveAll(dir) })
		l, err := net.Listen("unix", filepath.Join(dir, "s"))
		must(t, err)
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		t.Cleanup(func() { l.Close() })
		must(t, os.Rename(filepath.Join(dir, "s"), path))
	},
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestNoFile wants that what is no regular file is missing as an object, is neither
// followed nor waited for, and makes place for a file.
func TestNoFile(t *testing.T) {
	for kind, make := range noFiles {
		t.Run(kind, func(t *testing.T) {
			s, path := openDir(t)
			put(t, s, crashID, damaged)
			make(t, filepath.Join(path, crashID.String(), nameLane(1)))
			want(t, s, crashID, damaged)
			o, err := s.Open(context.Background(), crashID)
			must(t, err)
			defer o.Close()
			if err := o.(Repairable).WriteAt(context.Background(), nameLane(1), []byte("x"), 0); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("WriteAt: %v, want %v", err, fs.ErrNotExist)
			}
			put(t, s, crashID, right)
			want(t, s, crashID, right)
			if got := inFolder(t, path, buildFolder); len(got) > 0 {
				t.Errorf("%v is left in the folder of builds", got)
			}
		})
	}
}

// TestNoFolder has the same in the place of a blob.
func TestNoFolder(t *testing.T) {
	for kind, make := range noFiles {
		if kind == "folder" {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			s, path := openDir(t)
			make(t, filepath.Join(path, crashID.String()))
			gone(t, s, crashID)
			if got := ids(t, s); len(got) > 0 {
				t.Errorf("IDs are %v", got)
			}
			put(t, s, crashID, right)
			want(t, s, crashID, right)
		})
	}
}

// TestSwappedForLink swaps an object for a link or a pipe between the look at it
// and the open.
func TestSwappedForLink(t *testing.T) {
	for kind, make := range noFiles {
		t.Run(kind, func(t *testing.T) {
			_, path := openDir(t)
			root, err := os.OpenRoot(path)
			must(t, err)
			defer root.Close()
			name := filepath.Join(path, "file")
			must(t, os.WriteFile(name, []byte("a file"), 0o666))
			must(t, os.WriteFile(filepath.Join(path, nameManifest), []byte("another"), 0o666))
			before, err := os.Lstat(name)
			must(t, err)
			must(t, os.Remove(name))
			make(t, name)
			if f, err := (rootFiles{root}).openSame("file", os.O_RDONLY, before); err == nil {
				f.Close()
				t.Error("opened something else")
			}
		})
	}
}

// TestSweep has leftovers of writers that ended, and builds of writers that did not.
func TestSweep(t *testing.T) {
	s, path := openDir(t)
	live := upload(t, s, right)
	in := func(name ...string) string { return filepath.Join(append([]string{path, buildFolder}, name...)...) }
	must(t, os.MkdirAll(in("dead", nameLane(0)), 0o777))
	must(t, os.WriteFile(in("dead", nameRoots), []byte("r"), 0o666))
	must(t, os.Mkdir(in("empty"), 0o777))
	must(t, os.WriteFile(in("file"), nil, 0o666))
	must(t, os.Symlink(path, in("link")))
	u := upload(t, s, content{})
	kept := []string{"file", "link", filepath.Base(live.(*dirUpload).path), filepath.Base(u.(*dirUpload).path)}
	slices.Sort(kept)
	if got := inFolder(t, path, buildFolder); !slices.Equal(got, kept) {
		t.Errorf("the sweep left %v, want %v", got, kept)
	}
	must(t, u.Close())
	must(t, live.Commit(context.Background(), crashID))
	want(t, s, crashID, right)
	// The committed upload is not closed, and its folder now is the blob's.
	must(t, upload(t, s, content{}).Close())
	want(t, s, crashID, right)
}

// TestSweepRace has many writers begin, and sweep, at a time, in stores of their
// own on one folder, as processes would be.
func TestSweepRace(t *testing.T) {
	_, path := openDir(t)
	var all sync.WaitGroup
	for w := range byte(8) {
		all.Go(func() {
			s, err := OpenDir(path)
			if err != nil {
				t.Error(err)
				return
			}
			for i := range byte(10) {
				u, err := s.Create(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				for name, data := range right {
					if err := u.Append(context.Background(), name, []byte(data)); err != nil {
						t.Error(err)
					}
				}
				if i%2 == 0 {
					if err := u.Commit(context.Background(), commit.ID{w, i}); err != nil {
						t.Error(err)
					}
				}
				if err := u.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	s, err := OpenDir(path)
	must(t, err)
	all40 := ids(t, s)
	if len(all40) != 40 {
		t.Errorf("%d blobs, want 40", len(all40))
	}
	for _, id := range all40 {
		want(t, s, id, right)
	}
	if got := inFolder(t, path, buildFolder); len(got) > 0 {
		t.Errorf("%v is left in the folder of builds", got)
	}
}

// TestLock wants a lock on the folder that is at the path when it is had.
func TestLock(t *testing.T) {
	_, path := openDir(t)
	root, err := os.OpenRoot(path)
	must(t, err)
	defer root.Close()
	f := rootFiles{root}
	must(t, f.mkdir("a"))
	shared, err := f.lock("a", false)
	must(t, err)
	if _, err := f.lock("a", true); err != errLocked {
		t.Errorf("exclusive beside shared: %v, want %v", err, errLocked)
	}
	must(t, shared.Close())
	exclusive, err := f.lock("a", true)
	must(t, err)
	if _, err := f.lock("a", false); err != errLocked {
		t.Errorf("shared beside exclusive: %v, want %v", err, errLocked)
	}
	must(t, exclusive.Close())

	old, err := root.Open("a")
	must(t, err)
	defer old.Close()
	must(t, root.Remove("a"))
	if err := f.flock(old, "a", false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed: %v, want %v", err, fs.ErrNotExist)
	}
	must(t, f.mkdir("a"))
	if err := f.flock(old, "a", false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("replaced: %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := f.lock("none", false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("not there: %v, want %v", err, fs.ErrNotExist)
	}
	must(t, os.WriteFile(filepath.Join(path, "file"), nil, 0o666))
	if _, err := f.lock("file", false); err == nil {
		t.Error("locked a file")
	}
}
