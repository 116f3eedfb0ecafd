//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tapecommit/tapecommit/internal/reference"
)

// A killStore is a store in which commands are killed. Two things in it must not be harmed by that: another blob, and
// the unfinished blob of a writer that waits for the rest of its input all the time.
type killStore struct {
	path, file string
	code       []string // flags of write
	id, other  string
	data       []byte
	want       map[string]map[string][]byte // objects of the two blobs

	writer *exec.Cmd
	rest   io.WriteCloser
	told   bytes.Buffer
	live   string // the folder of the writer in tmp
}

func newKillStore(t *testing.T, length int, code ...string) *killStore {
	t.Helper()
	folder := t.TempDir()
	k := &killStore{
		path: filepath.Join(folder, "store"),
		file: filepath.Join(folder, "data"),
		code: code,
		data: reference.Stream(3, length),
		want: map[string]map[string][]byte{},
	}
	if err := os.WriteFile(k.file, k.data, 0o666); err != nil {
		t.Fatal(err)
	}
	k.other = k.write(t, reference.Stream(4, length/2))
	k.id = k.write(t, k.data)
	for _, id := range []string{k.id, k.other} {
		k.want[id] = k.objects(t, id)
	}

	k.writer = exec.Command("tapecommit", "write", "--store", k.path, "-")
	k.writer.Stdout = &k.told
	var err error
	if k.rest, err = k.writer.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := k.writer.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.writer.Process.Kill() })
	// The pipe holds less than this, so that when it is written there are objects.
	if _, err := k.rest.Write(k.part(0)); err != nil {
		t.Fatal(err)
	}
	builds := k.builds(t)
	if len(builds) != 1 {
		t.Fatalf("%q are being built, want one", builds)
	}
	k.live = builds[0]
	return k
}

// part is a half of what the writer reads.
func (k *killStore) part(i int) []byte { return reference.Stream(uint64(5+i), 8<<20) }

// run runs a command on the store, with operands, in this process.
func (k *killStore) run(t *testing.T, stdin []byte, command string, args ...string) (code int, stdout string) {
	t.Helper()
	var out, stderr bytes.Buffer
	code = run(t.Context(), append([]string{command, "--store", k.path}, args...), bytes.NewReader(stdin), &out, &stderr)
	if code != 0 {
		t.Logf("%s: %s", command, &stderr)
	}
	return code, out.String()
}

func (k *killStore) write(t *testing.T, data []byte) (id string) {
	t.Helper()
	code, out := k.run(t, data, "write", append(k.code, "-")...)
	if code != 0 {
		t.Fatalf("write: exit code %d", code)
	}
	return strings.TrimSpace(out)
}

// folder is where a blob is.
func (k *killStore) folder(id string) string { return filepath.Join(k.path, id) }

// objects are the files of a blob.
func (k *killStore) objects(t *testing.T, id string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(k.folder(id))
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string][]byte{}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		if objects[e.Name()], err = os.ReadFile(filepath.Join(k.folder(id), e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return objects
}

// whole wants all objects of a blob to be there and right.
func (k *killStore) whole(t *testing.T, id string) {
	t.Helper()
	got := k.objects(t, id)
	for name, b := range k.want[id] {
		if !bytes.Equal(got[name], b) {
			t.Fatalf("%s of %s is missing or wrong", name, id)
		}
	}
	if len(got) != len(k.want[id]) {
		t.Fatalf("%s has %d objects, want %d", id, len(got), len(k.want[id]))
	}
}

// gone reports whether a blob is not there, and wants it to be whole otherwise.
func (k *killStore) gone(t *testing.T, id string) bool {
	t.Helper()
	if _, err := os.Lstat(k.folder(id)); errors.Is(err, fs.ErrNotExist) {
		return true
	}
	k.whole(t, id)
	return false
}

// builds are the folders in tmp.
func (k *killStore) builds(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(k.path, "tmp"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// put puts the blob into the store, as it was written.
func (k *killStore) put(t *testing.T) {
	t.Helper()
	k.remove(t)
	if err := os.Mkdir(k.folder(k.id), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, b := range k.want[k.id] {
		if err := os.WriteFile(filepath.Join(k.folder(k.id), name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func (k *killStore) remove(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(k.folder(k.id)); err != nil {
		t.Fatal(err)
	}
}

// damage puts the blob into the store with something wrong in six of its objects. Where a leaf hash is wrong all slices
// are right, for nobody could tell which of them is the wrong one.
func (k *killStore) damage(t *testing.T) {
	t.Helper()
	k.put(t)
	change := func(name string, f func(b []byte) []byte) {
		b := f(bytes.Clone(k.want[k.id][name]))
		if err := os.WriteFile(filepath.Join(k.folder(k.id), name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(k.folder(k.id), "lane-00")); err != nil {
		t.Fatal(err)
	}
	change("lane-03", func(b []byte) []byte { b[0] ^= 1; b[len(b)/2] ^= 1; return b })
	change("lane-04", func(b []byte) []byte { return append(b, "surplus"...) })
	change("leaves", func(b []byte) []byte { b[len(b)/4+8] ^= 1; return b[:len(b)-1] })
	change("manifest", func([]byte) []byte { return nil })
	if err := os.Remove(filepath.Join(k.folder(k.id), "roots")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(k.folder(k.id), "roots", "in", "it"), 0o777); err != nil {
		t.Fatal(err)
	}
}

// readable wants the blob to be read, and objects that were never wrong to be right.
func (k *killStore) readable(t *testing.T) {
	t.Helper()
	if code, out := k.run(t, nil, "read", k.id); code != 0 || out != string(k.data) {
		t.Fatalf("read: exit code %d, right bytes: %v", code, out == string(k.data))
	}
	got := k.objects(t, k.id)
	for name, b := range k.want[k.id] {
		switch name {
		case "lane-00", "lane-03", "lane-04", "leaves", "manifest", "roots":
		default:
			if !bytes.Equal(got[name], b) {
				t.Fatalf("%s was right and is not", name)
			}
		}
	}
}

// A killing is a command that changes the blob, the state that it is given, and what it may leave where it is killed.
type killing struct {
	name    string
	args    func(k *killStore) []string
	before  func(k *killStore, t *testing.T)
	left    func(k *killStore, t *testing.T)
	done    func(k *killStore, t *testing.T) // what it leaves where it is not
	mending string                           // the command that makes good what was left
}

var killings = []killing{
	{
		name:    "write",
		args:    func(k *killStore) []string { return append([]string{"write"}, append(k.code, k.file)...) },
		before:  (*killStore).remove,
		left:    func(k *killStore, t *testing.T) { k.gone(t, k.id) },
		done:    func(k *killStore, t *testing.T) { k.whole(t, k.id) },
		mending: "write",
	},
	{
		name:    "write over damage",
		args:    func(k *killStore) []string { return append([]string{"write"}, append(k.code, k.file)...) },
		before:  (*killStore).damage,
		left:    (*killStore).readable,
		done:    func(k *killStore, t *testing.T) { k.whole(t, k.id) },
		mending: "write",
	},
	{
		name:    "repair",
		args:    func(k *killStore) []string { return []string{"repair", k.id} },
		before:  (*killStore).damage,
		left:    (*killStore).readable,
		done:    func(k *killStore, t *testing.T) { k.whole(t, k.id) },
		mending: "repair",
	},
	{
		name:    "verify", // which keeps a report
		args:    func(k *killStore) []string { return []string{"verify", k.id} },
		before:  (*killStore).put,
		left:    func(k *killStore, t *testing.T) { k.whole(t, k.id) },
		done:    func(k *killStore, t *testing.T) { k.whole(t, k.id) },
		mending: "write",
	},
	{
		name:   "rm",
		args:   func(k *killStore) []string { return []string{"rm", k.id} },
		before: (*killStore).put,
		left:   func(k *killStore, t *testing.T) { k.gone(t, k.id) },
		done: func(k *killStore, t *testing.T) {
			if !k.gone(t, k.id) {
				t.Error("the blob is still there")
			}
		},
		mending: "write",
	},
}

// command is the killing's command, with the flag of the store.
func (c killing) command(k *killStore) []string {
	args := c.args(k)
	return slices.Concat([]string{"tapecommit", args[0], "--store", k.path}, args[1:])
}

// look looks at what is left when the command was killed, or not, and makes it good.
func (c killing) look(t *testing.T, k *killStore, killed bool) {
	t.Helper()
	if killed {
		c.left(k, t)
	} else {
		c.done(k, t)
	}
	k.whole(t, k.other)
	if builds := k.builds(t); !slices.Contains(builds, k.live) {
		t.Fatalf("the folder of a writer that goes on is gone; there are %q", builds)
	}
	if c.mending == "repair" {
		if code, _ := k.run(t, nil, "repair", k.id); code != 0 {
			t.Fatalf("repair: exit code %d", code)
		}
		k.whole(t, k.id)
	}
	// A write sweeps what others left.
	if id := k.write(t, k.data); id != k.id {
		t.Fatalf("write gives %s, want %s", id, k.id)
	}
	k.whole(t, k.id)
	if builds := k.builds(t); len(builds) != 1 {
		t.Fatalf("a write left %q of others, want only %s", builds, k.live)
	}
	k.tidy(t)
}

// tidy wants nothing in the store but blobs, what is kept about them, and builds.
func (k *killStore) tidy(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(k.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		switch name, _, _ := strings.Cut(e.Name(), "."); name {
		case k.id, k.other, "tmp":
		default:
			t.Fatalf("%s is left", e.Name())
		}
	}
}

// end lets the writer finish that waited all the time.
func (k *killStore) end(t *testing.T) {
	t.Helper()
	k.whole(t, k.other)
	if _, err := k.rest.Write(k.part(1)); err != nil {
		t.Fatal(err)
	}
	if err := k.rest.Close(); err != nil {
		t.Fatal(err)
	}
	if err := k.writer.Wait(); err != nil {
		t.Fatal(err)
	}
	code, out := k.run(t, nil, "read", strings.TrimSpace(k.told.String()))
	if code != 0 || out != string(k.part(0))+string(k.part(1)) {
		t.Errorf("what the other writer wrote: exit code %d, right bytes: %v", code, code == 0)
	}
	if builds := k.builds(t); len(builds) != 0 {
		t.Errorf("%q are left", builds)
	}
}

// TestKilledInTime kills commands after random times, inside of whatever they do then.
func TestKilledInTime(t *testing.T) {
	kills := 5
	switch {
	case testing.Short():
		kills = 1
	case os.Getenv("TAPECOMMIT_LONG") != "":
		kills = 150
	}
	k := newKillStore(t, 3<<20)
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, c := range killings {
		t.Run(c.name, func(t *testing.T) {
			start := func() *exec.Cmd {
				c.before(k, t)
				cmd := exec.Command("tapecommit", c.command(k)[1:]...)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				return cmd
			}
			whole := start()
			begin := time.Now()
			if err := whole.Wait(); err != nil {
				t.Fatal(err)
			}
			takes := time.Since(begin)
			c.look(t, k, false)
			killed := 0
			for range kills {
				cmd := start()
				after := time.Duration(rng.Int64N(int64(takes)))
				time.Sleep(after)
				cmd.Process.Kill()
				err := cmd.Wait()
				if err != nil {
					killed++
				}
				c.look(t, k, err != nil)
				if t.Failed() {
					t.Fatalf("killed after %v, seed %d", after, seed)
				}
			}
			t.Logf("%d killed, %d ended before", killed, kills-killed)
		})
	}
	k.end(t)
}
