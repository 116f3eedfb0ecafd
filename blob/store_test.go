package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
)

// content is the objects of a blob by name.
type content map[string]string

// upload appends the objects in pieces, without committing them.
func upload(t testing.TB, s Store, c content) Upload {
	t.Helper()
	ctx := context.Background()
	u, err := s.Create(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	for name, data := range c {
		for _, piece := range []string{"", data[:len(data)/3], data[len(data)/3:]} {
			if err := u.Append(ctx, name, []byte(piece)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return u
}

// put stores the objects as a blob.
func put(t testing.TB, s Store, id commit.ID, c content) {
	t.Helper()
	u := upload(t, s, c)
	if err := u.Commit(context.Background(), id); err != nil {
		t.Fatal(err)
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
}

// get is all objects of a blob that are there, or an error.
func get(s Store, id commit.ID) (content, error) {
	ctx := context.Background()
	o, err := s.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	c := content{}
	for _, name := range objectNames {
		size, err := o.Size(ctx, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		p := make([]byte, size)
		if n, err := o.ReadAt(ctx, name, p, 0); n != len(p) {
			return nil, err
		}
		c[name] = string(p)
	}
	return c, nil
}

// want compares the blob with the objects that it should have.
func want(t testing.TB, s Store, id commit.ID, c content) {
	t.Helper()
	got, err := get(s, id)
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(got, c) {
		t.Fatalf("objects are %v, want %v", got, c)
	}
}

// gone wants that the blob is not there.
func gone(t testing.TB, s Store, id commit.ID) {
	t.Helper()
	if c, err := get(s, id); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("objects are %v, error %v, want %v", c, err, fs.ErrNotExist)
	}
}

func ids(t testing.TB, s Store) []commit.ID {
	t.Helper()
	var all []commit.ID
	for id, err := range s.IDs(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, id)
	}
	return all
}

// TestStores runs each of these against each Store, and against the directory
// store on the file system that the crash tests use, so that it can be believed.
func TestStores(t *testing.T) {
	for name, newStore := range map[string]func(*testing.T) Store{
		"Mem": func(t *testing.T) Store { return NewMem() },
		"Dir": func(t *testing.T) Store {
			s, err := OpenDir(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		"Sim": func(t *testing.T) Store { return &dir{newSim()} },
	} {
		t.Run(name, func(t *testing.T) {
			for name, test := range map[string]func(*testing.T, Store){
				"Upload":   testUpload,
				"ReadAt":   testReadAt,
				"Missing":  testMissing,
				"Names":    testNames,
				"Ended":    testEnded,
				"Failed":   testFailed,
				"Again":    testAgain,
				"Remove":   testRemove,
				"IDs":      testIDs,
				"Context":  testContext,
				"Repair":   testRepair,
				"Parallel": testParallel,
			} {
				t.Run(name, func(t *testing.T) { test(t, newStore(t)) })
			}
		})
	}
}

func testUpload(t *testing.T, s Store) {
	c := content{nameManifest: "manifest", nameRoots: "", nameLane(0): "zero", nameLane(19): "nineteen"}
	u := upload(t, s, c)
	gone(t, s, commit.ID{1})
	if all := ids(t, s); len(all) != 0 {
		t.Errorf("%v are there before Commit", all)
	}
	if err := u.Commit(context.Background(), commit.ID{1}); err != nil {
		t.Fatal(err)
	}
	want(t, s, commit.ID{1}, c)
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	want(t, s, commit.ID{1}, c)

	u = upload(t, s, c)
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	if all := ids(t, s); !slices.Equal(all, []commit.ID{{1}}) {
		t.Errorf("%v are there, want that of the first Upload", all)
	}
	put(t, s, commit.ID{2}, content{})
	want(t, s, commit.ID{2}, content{})
}

func testReadAt(t *testing.T, s Store) {
	put(t, s, commit.ID{1}, content{nameLeaves: "0123456789", nameRoots: ""})
	o, err := s.Open(context.Background(), commit.ID{1})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	for _, c := range []struct {
		name string
		n    int
		off  int64
		want string
		err  error
	}{
		{nameLeaves, 10, 0, "0123456789", nil},
		{nameLeaves, 4, 3, "3456", nil},
		{nameLeaves, 1, 9, "9", nil},
		{nameLeaves, 2, 9, "9", io.EOF},
		{nameLeaves, 100, 0, "0123456789", io.EOF},
		{nameLeaves, 1, 10, "", io.EOF},
		{nameLeaves, 1, 11, "", io.EOF},
		{nameLeaves, 1, 1 << 40, "", io.EOF},
		{nameLeaves, 0, 3, "", nil},
		{nameRoots, 1, 0, "", io.EOF},
	} {
		p := make([]byte, c.n)
		n, err := o.ReadAt(context.Background(), c.name, p, c.off)
		full := c.n == len(c.want)
		if string(p[:n]) != c.want || err != c.err && !(full && err == io.EOF) {
			t.Errorf("%s: %d bytes at %d: %q and %v, want %q and %v", c.name, c.n, c.off, p[:n], err, c.want, c.err)
		}
	}
	if n, err := o.ReadAt(context.Background(), nameLeaves, make([]byte, 1), -1); n != 0 || err == nil || err == io.EOF {
		t.Errorf("a byte before the first: %d and %v", n, err)
	}
}

func testMissing(t *testing.T, s Store) {
	ctx := context.Background()
	put(t, s, commit.ID{1}, content{nameLane(2): "two"})
	o, err := s.Open(ctx, commit.ID{1})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	where := commit.ID{1}.String() + "/lane-03"
	for name, f := range map[string]func() error{
		"ReadAt":   func() error { _, err := o.ReadAt(ctx, nameLane(3), make([]byte, 1), 0); return err },
		"Size":     func() error { _, err := o.Size(ctx, nameLane(3)); return err },
		"WriteAt":  func() error { return o.(Repairable).WriteAt(ctx, nameLane(3), []byte("x"), 0) },
		"Truncate": func() error { return o.(Repairable).Truncate(ctx, nameLane(3), 0) },
	} {
		err := f()
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, want %v", name, err, fs.ErrNotExist)
			continue
		}
		if text := err.Error(); !strings.HasPrefix(text, "blob: "+where+": ") {
			t.Errorf("%s: error does not name the object: %v", name, err)
		}
	}
	want(t, s, commit.ID{1}, content{nameLane(2): "two"})
	put(t, s, commit.ID{1}, content{nameLane(3): "three"})
	if size, err := o.Size(ctx, nameLane(3)); size != 5 || err != nil {
		t.Errorf("an object that is there now has size %d, error %v", size, err)
	}
	for name, err := range map[string]error{
		"Open":   func() error { _, err := s.Open(ctx, commit.ID{2}); return err }(),
		"Remove": s.Remove(ctx, commit.ID{2}),
	} {
		if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "blob: "+commit.ID{2}.String()+": ") {
			t.Errorf("%s: %v, want %v that names the blob", name, err, fs.ErrNotExist)
		}
	}
}

func testNames(t *testing.T, s Store) {
	ctx := context.Background()
	put(t, s, commit.ID{1}, content{})
	o, err := s.Open(ctx, commit.ID{1})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	for _, name := range []string{"", ".", "..", "../x", "/", "lane", "lane-", "lane-0", "lane-20", "lane-000", "lane-+1", "LANE-00", "lane-00/", "manifest\x00"} {
		u := upload(t, s, content{})
		_, readErr := o.ReadAt(ctx, name, make([]byte, 1), 0)
		_, sizeErr := o.Size(ctx, name)
		for call, err := range map[string]error{
			"Append":   u.Append(ctx, name, nil),
			"ReadAt":   readErr,
			"Size":     sizeErr,
			"WriteAt":  o.(Repairable).WriteAt(ctx, name, nil, 0),
			"Truncate": o.(Repairable).Truncate(ctx, name, 0),
		} {
			if !errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s of %q: %v, want %v", call, name, err, fs.ErrInvalid)
			}
		}
	}
}

func testEnded(t *testing.T, s Store) {
	ctx := context.Background()
	committed, closed := upload(t, s, content{nameRoots: "r"}), upload(t, s, content{nameRoots: "r"})
	if err := committed.Commit(ctx, commit.ID{1}); err != nil {
		t.Fatal(err)
	}
	for name, u := range map[string]Upload{"committed": committed, "closed": closed} {
		if name == "closed" {
			if err := u.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := u.Append(ctx, nameRoots, []byte("more")); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Append to what is %s: %v, want %v", name, err, fs.ErrClosed)
		}
		if err := u.Commit(ctx, commit.ID{2}); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Commit of what is %s: %v, want %v", name, err, fs.ErrClosed)
		}
		for range 2 {
			if err := u.Close(); err != nil {
				t.Errorf("Close of what is %s: %v", name, err)
			}
		}
	}
	want(t, s, commit.ID{1}, content{nameRoots: "r"})
	gone(t, s, commit.ID{2})

	o, err := s.Open(ctx, commit.ID{1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Size(ctx, nameRoots); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, readErr := o.ReadAt(ctx, nameRoots, make([]byte, 1), 0)
	_, sizeErr := o.Size(ctx, nameRoots)
	for call, err := range map[string]error{
		"ReadAt":   readErr,
		"Size":     sizeErr,
		"WriteAt":  o.(Repairable).WriteAt(ctx, nameRoots, []byte("x"), 0),
		"Truncate": o.(Repairable).Truncate(ctx, nameRoots, 0),
		"Sync":     o.(Repairable).Sync(ctx),
	} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s after Close: %v, want %v", call, err, fs.ErrClosed)
		}
	}
	want(t, s, commit.ID{1}, content{nameRoots: "r"})
}

// testFailed wants no Commit after an Append that lost bytes.
func testFailed(t *testing.T, s Store) {
	ctx := context.Background()
	done, cancel := context.WithCancel(ctx)
	cancel()
	u := upload(t, s, content{nameRoots: "r"})
	if err := u.Append(done, nameRoots, []byte("more")); err != context.Canceled {
		t.Fatalf("Append: %v, want %v", err, context.Canceled)
	}
	if err := u.Commit(ctx, commit.ID{1}); err != context.Canceled {
		t.Errorf("Commit: %v, want the error of the Append", err)
	}
	gone(t, s, commit.ID{1})
}

func testAgain(t *testing.T, s Store) {
	put(t, s, commit.ID{1}, content{nameRoots: "wrong and long", nameLane(0): "zero"})
	o, err := s.Open(context.Background(), commit.ID{1})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	put(t, s, commit.ID{1}, content{nameRoots: "right", nameLane(1): "one"})
	want(t, s, commit.ID{1}, content{nameRoots: "right", nameLane(0): "zero", nameLane(1): "one"})
}

func testRemove(t *testing.T, s Store) {
	ctx := context.Background()
	put(t, s, commit.ID{1}, content{nameRoots: "r"})
	put(t, s, commit.ID{2}, content{nameRoots: "r"})
	if err := s.Remove(ctx, commit.ID{1}); err != nil {
		t.Fatal(err)
	}
	gone(t, s, commit.ID{1})
	if err := s.Remove(ctx, commit.ID{1}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed twice: %v, want %v", err, fs.ErrNotExist)
	}
	if all := ids(t, s); !slices.Equal(all, []commit.ID{{2}}) {
		t.Errorf("%v are left", all)
	}
	put(t, s, commit.ID{1}, content{nameLeaves: "l"})
	want(t, s, commit.ID{1}, content{nameLeaves: "l"})
}

func testIDs(t *testing.T, s Store) {
	var all []commit.ID
	for i := range byte(20) {
		all = append(all, commit.ID{i * 37, 255 - i})
		put(t, s, all[i], content{})
	}
	slices.SortFunc(all, func(a, b commit.ID) int { return bytes.Compare(a[:], b[:]) })
	if got := ids(t, s); !slices.Equal(got, all) {
		t.Errorf("IDs are %v, want %v", got, all)
	}
	n := 0
	for range s.IDs(context.Background()) {
		if n++; n == 3 {
			break
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n = 0
	var err error
	for _, err = range s.IDs(ctx) {
		if n++; n == 3 {
			cancel()
		}
	}
	if n != 4 || err != context.Canceled {
		t.Errorf("cancelled at the third ID: %d IDs, the last with error %v", n, err)
	}
}

func testContext(t *testing.T, s Store) {
	ctx, cancel := context.WithCancel(context.Background())
	put(t, s, commit.ID{1}, content{nameRoots: "r"})
	o, err := s.Open(ctx, commit.ID{1})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	u := upload(t, s, content{nameRoots: "other"})
	cancel()
	_, openErr := s.Open(ctx, commit.ID{1})
	_, createErr := s.Create(ctx)
	_, readErr := o.ReadAt(ctx, nameRoots, make([]byte, 1), 0)
	_, sizeErr := o.Size(ctx, nameRoots)
	var idsErr error
	for _, idsErr = range s.IDs(ctx) {
	}
	for call, err := range map[string]error{
		"Open":     openErr,
		"Create":   createErr,
		"Remove":   s.Remove(ctx, commit.ID{1}),
		"IDs":      idsErr,
		"ReadAt":   readErr,
		"Size":     sizeErr,
		"WriteAt":  o.(Repairable).WriteAt(ctx, nameRoots, []byte("x"), 0),
		"Truncate": o.(Repairable).Truncate(ctx, nameRoots, 0),
		"Sync":     o.(Repairable).Sync(ctx),
		"Commit":   u.Commit(ctx, commit.ID{1}),
	} {
		if err != context.Canceled {
			t.Errorf("%s: %v, want %v", call, err, context.Canceled)
		}
	}
	want(t, s, commit.ID{1}, content{nameRoots: "r"})
}

func testRepair(t *testing.T, s Store) {
	ctx := context.Background()
	put(t, s, commit.ID{1}, content{nameLane(0): "0123456789", nameLane(1): "0123456789"})
	objects, err := s.Open(ctx, commit.ID{1})
	if err != nil {
		t.Fatal(err)
	}
	defer objects.Close()
	o := objects.(Repairable)
	for _, step := range []struct {
		name string
		err  error
		want string
	}{
		{"inside", o.WriteAt(ctx, nameLane(0), []byte("ab"), 3), "012ab56789"},
		{"at the end", o.WriteAt(ctx, nameLane(0), []byte("xyz"), 9), "012ab5678xyz"},
		{"nothing", o.WriteAt(ctx, nameLane(0), nil, 100), "012ab5678xyz"},
		{"behind", o.WriteAt(ctx, nameLane(0), []byte("!"), 14), "012ab5678xyz\x00\x00!"},
		{"cut", o.Truncate(ctx, nameLane(0), 5), "012ab"},
		{"longer", o.Truncate(ctx, nameLane(0), 7), "012ab\x00\x00"},
		{"after a cut", o.WriteAt(ctx, nameLane(0), []byte("c"), 8), "012ab\x00\x00\x00c"},
		{"last", o.Sync(ctx), "012ab\x00\x00\x00c"},
	} {
		if step.err != nil {
			t.Fatalf("%s: %v", step.name, step.err)
		}
	}
	want(t, s, commit.ID{1}, content{nameLane(0): "012ab\x00\x00\x00c", nameLane(1): "0123456789"})
	p := make([]byte, 5)
	if n, err := o.ReadAt(ctx, nameLane(0), p, 0); n != 5 || string(p) != "012ab" {
		t.Errorf("read back %q, error %v", p[:n], err)
	}
	for name, err := range map[string]error{
		"WriteAt":  o.WriteAt(ctx, nameLane(0), []byte("x"), -1),
		"Truncate": o.Truncate(ctx, nameLane(0), -1),
	} {
		if err == nil {
			t.Errorf("%s at -1: no error", name)
		}
	}
}

// testParallel has many goroutines use one store; the race detector judges.
func testParallel(t *testing.T, s Store) {
	ctx := context.Background()
	lanes := content{}
	for i := range commit.MaxSlices {
		lanes[nameLane(i)] = strings.Repeat(fmt.Sprint(i%10), 1000)
	}
	var wg sync.WaitGroup
	for id := range byte(4) {
		wg.Go(func() {
			u, err := s.Create(ctx)
			if err != nil {
				t.Error(err)
				return
			}
			defer u.Close()
			var lane sync.WaitGroup
			for name, data := range lanes {
				lane.Go(func() {
					for i := range 10 {
						if err := u.Append(ctx, name, []byte(data[100*i:100*(i+1)])); err != nil {
							t.Error(err)
						}
					}
				})
			}
			lane.Wait()
			// Two writers of each blob.
			if err := u.Commit(ctx, commit.ID{id / 2}); err != nil {
				t.Error(err)
				return
			}
			o, err := s.Open(ctx, commit.ID{id / 2})
			if err != nil {
				t.Error(err)
				return
			}
			defer o.Close()
			for name, data := range lanes {
				lane.Go(func() {
					p := make([]byte, 500)
					if n, err := o.ReadAt(ctx, name, p, 100); n != len(p) || string(p) != data[:500] {
						t.Errorf("%s: %d bytes, error %v", name, n, err)
					}
					if err := o.(Repairable).WriteAt(ctx, name, []byte(data[:10]), 990); err != nil {
						t.Error(err)
					}
				})
			}
			lane.Wait()
			for _, err := range s.IDs(ctx) {
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	want(t, s, commit.ID{0}, lanes)
	want(t, s, commit.ID{1}, lanes)
}

func TestDiscard(t *testing.T) {
	ctx := context.Background()
	put(t, Discard, commit.ID{1}, content{nameRoots: "r"})
	gone(t, Discard, commit.ID{1})
	if all := ids(t, Discard); len(all) != 0 {
		t.Errorf("%v are there", all)
	}
	if err := Discard.Remove(ctx, commit.ID{1}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Remove: %v, want %v", err, fs.ErrNotExist)
	}
	u := upload(t, Discard, content{})
	if err := u.Append(ctx, "lane-20", nil); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("Append to lane-20: %v, want %v", err, fs.ErrInvalid)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	_, createErr := Discard.Create(done)
	for call, err := range map[string]error{
		"Create": createErr,
		"Append": u.Append(done, nameRoots, nil),
		"Commit": u.Commit(done, commit.ID{1}),
	} {
		if err != context.Canceled {
			t.Errorf("%s: %v, want %v", call, err, context.Canceled)
		}
	}
}
