//go:build unix

package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A faultStore is a store in a folder with one blob of 10 of 20 slices.
type faultStore struct {
	path, id string
	data     []byte
}

func newFaultStore(t *testing.T) *faultStore {
	t.Helper()
	path, id, data := writeStore(t, 800_001)
	return &faultStore{path, id, data}
}

// object is where an object of the blob is.
func (s *faultStore) object(name string) string { return filepath.Join(s.path, s.id, name) }

// run runs a command on the blob. One that hangs is interrupted, and its exit code is 130.
func (s *faultStore) run(t *testing.T, command string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, complaint bytes.Buffer
	code = run(ctx, append([]string{command, "--store", s.path, s.id}, args...), nil, &out, &complaint)
	return code, out.String(), complaint.String()
}

// exits wants a command on the blob to end with an exit code.
func (s *faultStore) exits(t *testing.T, want int, command string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := s.run(t, command)
	if code != want {
		t.Errorf("%s: exit code %d, want %d: %s", command, code, want, stderr)
	}
	return stdout, stderr
}

// reads wants the blob to be read, whole.
func (s *faultStore) reads(t *testing.T) {
	t.Helper()
	if got, _ := s.exits(t, 0, "read"); got != string(s.data) {
		t.Errorf("read gives %d bytes, or others than were written", len(got))
	}
}

// lanes are the names of the lanes [lo, hi).
func lanes(lo, hi int) (names []string) {
	for i := lo; i < hi; i++ {
		names = append(names, "lane-"+string(rune('0'+i/10))+string(rune('0'+i%10)))
	}
	return names
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// strangers put something else in the place of a file, whose bytes are also in the file at outside.
var strangers = map[string]func(t *testing.T, path, outside string){
	"folder":            func(t *testing.T, path, _ string) { must(t, os.MkdirAll(filepath.Join(path, "in", "it"), 0o777)) },
	"pipe":              func(t *testing.T, path, _ string) { must(t, syscall.Mkfifo(path, 0o666)) },
	"link to a copy":    func(t *testing.T, path, outside string) { must(t, os.Symlink(outside, path)) },
	"link to a device":  func(t *testing.T, path, _ string) { must(t, os.Symlink("/dev/zero", path)) },
	"link to a folder":  func(t *testing.T, path, outside string) { must(t, os.Symlink(filepath.Dir(outside), path)) },
	"link to nothing":   func(t *testing.T, path, _ string) { must(t, os.Symlink("nothing", path)) },
	"link to itself":    func(t *testing.T, path, _ string) { must(t, os.Symlink(path, path)) },
	"link to the store": func(t *testing.T, path, _ string) { must(t, os.Symlink("../..", path)) },
	"socket": func(t *testing.T, path, _ string) {
		dir, err := os.MkdirTemp("", "s") // the path of a socket has to be short
		must(t, err)
		t.Cleanup(func() { os.RemoveAll(dir) })
		l, err := net.Listen("unix", filepath.Join(dir, "s"))
		must(t, err)
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		t.Cleanup(func() { l.Close() })
		must(t, os.Rename(filepath.Join(dir, "s"), path))
	},
}

// TestStrangeObjects has something else than files in the places of ten lanes, or of all other objects: it is neither
// followed nor waited for, and counts as missing; a repair puts files there.
func TestStrangeObjects(t *testing.T) {
	for kind, replace := range strangers {
		for _, names := range [][]string{lanes(0, 10), {"manifest", "roots", "leaves"}} {
			t.Run(kind+" for "+names[0], func(t *testing.T) {
				s := newFaultStore(t)
				outside := t.TempDir()
				copies := map[string][]byte{}
				for _, name := range names {
					b, err := os.ReadFile(s.object(name))
					must(t, err)
					must(t, os.WriteFile(filepath.Join(outside, name), b, 0o666))
					copies[name] = b
					must(t, os.Remove(s.object(name)))
					replace(t, s.object(name), filepath.Join(outside, name))
				}
				s.reads(t)
				report, _ := s.exits(t, 1, "verify")
				for _, name := range names {
					if !strings.Contains(report, name) || !strings.Contains(report, "missing") {
						t.Errorf("verify does not say that %s is missing: %s", name, report)
					}
				}
				s.exits(t, 0, "repair")
				s.exits(t, 0, "verify")
				for name, b := range copies {
					info, err := os.Lstat(s.object(name))
					must(t, err)
					if !info.Mode().IsRegular() {
						t.Errorf("%s is %v after the repair", name, info.Mode())
					}
					if got, err := os.ReadFile(s.object(name)); err != nil || !bytes.Equal(got, b) {
						t.Errorf("%s is another than before, %v", name, err)
					}
					if got, err := os.ReadFile(filepath.Join(outside, name)); err != nil || !bytes.Equal(got, b) {
						t.Errorf("the file outside was changed, %v", err)
					}
				}
			})
		}
	}
}

// TestOtherBlob has all objects of another blob in the place of one, and then its lanes only.
func TestOtherBlob(t *testing.T) {
	s, other := newFaultStore(t), newFaultStore(t)
	other.data = append([]byte("other"), other.data...)
	var out, stderr bytes.Buffer
	if code := run(t.Context(), []string{"write", "--store", other.path, "-"}, bytes.NewReader(other.data), &out, &stderr); code != 0 {
		t.Fatal(&stderr)
	}
	other.id = strings.TrimSpace(out.String())
	swap := func(names []string) {
		for _, name := range names {
			aside := filepath.Join(t.TempDir(), name)
			must(t, os.Rename(s.object(name), aside))
			must(t, os.Rename(other.object(name), s.object(name)))
			must(t, os.Rename(aside, other.object(name)))
		}
	}
	caches := []string{"manifest", "roots", "leaves"}
	swap(lanes(0, 10))
	s.reads(t)
	other.reads(t)
	swap(lanes(10, 20))
	swap(caches)
	for _, blob := range []*faultStore{s, other} {
		for _, command := range []string{"read", "verify", "repair", "info"} {
			stdout, stderr := blob.exits(t, 1, command)
			if command == "read" && stdout != "" {
				t.Errorf("read gives %d bytes of another blob", len(stdout))
			}
			if !strings.Contains(stderr, "no header leads to the ID") {
				t.Errorf("%s: %q does not say why", command, stderr)
			}
		}
	}
	swap(caches)
	stdout, stderrText := s.exits(t, 1, "read")
	if stdout != "" || !strings.Contains(stderrText, "group 0 is lost: 0 slices are right, 10 are needed: lane-00 wrong") {
		t.Errorf("with all lanes of another blob: %d bytes, %q", len(stdout), stderrText)
	}
}

// TestWritersAtOnce has processes write one file at a time, into a store that has nothing and one that is damaged, while
// others read and repair it.
func TestWritersAtOnce(t *testing.T) {
	s := newFaultStore(t)
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, s.data, 0o666))
	for _, damaged := range []bool{false, true} {
		if damaged {
			for _, name := range append(lanes(0, 5), "leaves") {
				must(t, os.Truncate(s.object(name), 100))
			}
		} else {
			must(t, os.RemoveAll(filepath.Join(s.path, s.id)))
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				out, err := exec.Command("tapecommit", "write", "--store", s.path, file).Output()
				if err != nil || strings.TrimSpace(string(out)) != s.id {
					t.Errorf("write: %v, prints %q", err, out)
				}
			})
		}
		if damaged {
			all.Go(func() {
				if out, err := exec.Command("tapecommit", "repair", "--store", s.path, s.id).CombinedOutput(); err != nil {
					t.Errorf("repair: %v: %s", err, out)
				}
			})
			all.Go(func() {
				out, err := exec.Command("tapecommit", "read", "--store", s.path, s.id).Output()
				if err != nil || !bytes.Equal(out, s.data) {
					t.Errorf("read: %d bytes, %v", len(out), err)
				}
			})
		}
		all.Wait()
		s.exits(t, 0, "verify")
		s.reads(t)
		inFolder(t, filepath.Join(s.path, "tmp"), 0)
	}
}

func init() { programs["unprivileged"] = unprivileged }

// unprivileged is the program, run by nobody in particular: to root no file is closed.
func unprivileged() {
	const nobody = 65534
	if os.Getuid() == 0 {
		if err := syscall.Setgroups(nil); err != nil {
			panic(err)
		}
		if err := syscall.Setgid(nobody); err != nil {
			panic(err)
		}
		if err := syscall.Setuid(nobody); err != nil {
			panic(err)
		}
	}
	main()
}

// TestNotAllowed has a user who may read a store and not write to it, and then not read all of it.
func TestNotAllowed(t *testing.T) {
	s := newFaultStore(t)
	file := filepath.Join(s.path, "..", "file")
	must(t, os.WriteFile(file, []byte("a file"), 0o644))
	// A test's folder is closed to others, and so is what is in it after that.
	must(t, os.Chmod(filepath.Join(s.path, "..", ".."), 0o755))
	must(t, os.Chmod(filepath.Join(s.path, ".."), 0o755))
	for _, folder := range []string{"tmp", s.id, "."} {
		must(t, os.Chmod(filepath.Join(s.path, folder), 0o555))
		t.Cleanup(func() { os.Chmod(filepath.Join(s.path, folder), 0o755) })
	}
	for _, name := range append(lanes(0, 20), "manifest", "roots", "leaves") {
		must(t, os.Chmod(s.object(name), 0o444))
	}
	exits := func(want int, says string, command string, args ...string) (stdout string) {
		t.Helper()
		cmd := exec.Command("unprivileged", append([]string{command, "--store", s.path}, args...)...)
		cmd.Dir = "/"
		var out, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &stderr
		err := cmd.Run()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		if code := cmd.ProcessState.ExitCode(); code != want || !strings.Contains(stderr.String(), says) {
			t.Errorf("%s: exit code %d, want %d: %q, want %q", command, code, want, &stderr, says)
		}
		return out.String()
	}
	read := func(want int, says string) {
		t.Helper()
		if got := exits(want, says, "read", s.id); want == 0 && got != string(s.data) {
			t.Errorf("read gives %d bytes", len(got))
		}
	}
	const denied = "permission denied"

	read(0, "")
	exits(0, denied, "verify", s.id) // the report is not kept
	exits(2, denied, "write", file)
	exits(2, denied, "rm", s.id)
	read(0, "")

	must(t, os.Chmod(s.object("lane-00"), 0o644))
	must(t, os.Truncate(s.object("lane-00"), 5000))
	must(t, os.Chmod(s.object("lane-00"), 0o444))
	read(0, "")
	if out := exits(2, denied, "repair", s.id); !strings.Contains(out, "lane-00") {
		t.Errorf("repair does not say what is wrong: %s", out)
	}

	for _, name := range lanes(1, 10) {
		must(t, os.Chmod(s.object(name), 0))
	}
	read(0, "")
	if out := exits(1, "", "verify", s.id); !strings.Contains(out, "lane-09 groups 0-19: blob: "+s.id+"/lane-09: openat: "+denied) {
		t.Errorf("verify does not say what cannot be read: %s", out)
	}
	if out := exits(0, "", "info", s.id); !strings.Contains(out, "lane-09     cannot be read: blob: "+s.id+"/lane-09: openat: "+denied) {
		t.Errorf("info does not say what cannot be read: %s", out)
	}
	must(t, os.Chmod(s.object("lane-10"), 0))
	read(1, "group 1 is lost: 9 slices are right, 10 are needed: lane-00 ends too early, lane-01 "+s.id+"/lane-01: openat: "+denied)
	exits(1, "", "verify", s.id)

	must(t, os.Chmod(filepath.Join(s.path, s.id), 0))
	read(2, denied)
	if out := exits(0, "", "list"); !strings.HasPrefix(out, s.id+"  damaged: ") {
		t.Errorf("list does not go on: %s", out)
	}
	must(t, os.Chmod(s.path, 0))
	read(2, denied)
	exits(2, denied, "list")
}

// TestNotMyFile writes over the file of another user, whose group the new one cannot have: that group loses what others
// may not do, and what is in the file is read by nobody who could not before.
func TestNotMyFile(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("wants two users")
	}
	s := newFaultStore(t)
	folder := t.TempDir()
	must(t, os.Chmod(folder, 0o777))
	for _, path := range []string{filepath.Join(s.path, "..", ".."), filepath.Join(s.path, ".."), filepath.Join(folder, "..")} {
		must(t, os.Chmod(path, 0o755))
	}
	for mode, want := range map[os.FileMode]os.FileMode{0o660: 0o600, 0o664: 0o644, 0o606: 0o606, 0o600: 0o600} {
		file := filepath.Join(folder, "file")
		must(t, os.WriteFile(file, []byte("old"), 0o600))
		must(t, os.Chmod(file, mode))
		out, err := exec.Command("unprivileged", "read", "--store", s.path, s.id, "-o", file).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		b, err := os.ReadFile(file)
		must(t, err)
		info, err := os.Stat(file)
		must(t, err)
		if string(b) != string(s.data) || info.Mode() != want {
			t.Errorf("over %v there is %v, want %v", mode, info.Mode(), want)
		}

		// Whoever may do so leaves the file its owner.
		if code, _, stderr := s.run(t, "read", "-o", file); code != 0 {
			t.Fatal(stderr)
		}
		info, err = os.Stat(file)
		must(t, err)
		if owner := info.Sys().(*syscall.Stat_t); owner.Uid == 0 || owner.Gid == 0 || info.Mode() != want {
			t.Errorf("%v is now %v of user %d and group %d", want, info.Mode(), owner.Uid, owner.Gid)
		}
		must(t, os.Remove(file))
	}
}
