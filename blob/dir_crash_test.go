package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
)

var (
	crashID = commit.ID{0xc0}
	right   = content{nameManifest: "manifest", nameRoots: "roots", nameLane(0): "zero", nameLane(1): "one"}
	damaged = content{nameManifest: "manifest", nameRoots: "wrong", nameLane(0): "z"}
)

// A crashCase is a change of a store, and what a crash may leave of it.
type crashCase struct {
	before func(t *testing.T, s *sim)
	change func(*dir) error
	during func(content, error) bool // what may be there until change has returned
	after  func(content, error) bool // what may be there from then on
}

func isGone(_ content, err error) bool   { return errors.Is(err, fs.ErrNotExist) }
func isWhole(c content, err error) bool  { return err == nil && maps.Equal(c, right) }
func isEither(c content, err error) bool { return isGone(c, err) || isWhole(c, err) }

// isMixed is a blob each of whose objects is as it was before, or as it will be.
func isMixed(c content, err error) bool {
	if isGone(c, err) {
		return true
	}
	for _, name := range objectNames {
		switch now, there := c[name]; {
		case there && now != right[name] && now != damaged[name]:
			return false
		case !there && damaged[name] != "":
			return false
		}
	}
	return err == nil
}

func commitRight(d *dir) error {
	ctx := context.Background()
	u, err := d.Create(ctx)
	if err != nil {
		return err
	}
	defer u.Close()
	for name, data := range right {
		if err := u.Append(ctx, name, []byte(data)); err != nil {
			return err
		}
	}
	return u.Commit(ctx, crashID)
}

var crashCases = map[string]crashCase{
	"new blob": {
		before: func(t *testing.T, s *sim) {},
		change: commitRight,
		during: isEither,
		after:  isWhole,
	},
	// Of what was there nothing is known but its objects: whoever put them there
	// may not have come to the sync of the store.
	"damaged blob": {
		before: func(t *testing.T, s *sim) {
			d := &dir{hooked{s, func(op string) error {
				if op == "sync ." {
					return errSkip
				}
				return nil
			}}}
			put(t, d, crashID, damaged)
			if err := s.mkdir(crashID.String() + "/" + nameLane(1)); err != nil {
				t.Fatal(err)
			}
			if err := s.syncFolder(crashID.String()); err != nil {
				t.Fatal(err)
			}
		},
		change: commitRight,
		during: isMixed,
		after:  isWhole,
	},
	"removal": {
		before: func(t *testing.T, s *sim) { put(t, &dir{s}, crashID, right) },
		change: func(d *dir) error { return d.Remove(context.Background(), crashID) },
		during: isEither,
		after:  isGone,
	},
}

// run makes the change with the sync number drop left out, and returns the syncs
// and the first thing that was wrong in what a crash after any operation may leave.
func (c crashCase) run(t *testing.T, drop int) (syncs []string, wrong error) {
	t.Helper()
	s := newSim()
	c.before(t, s)
	look := func(op string, allowed func(content, error) bool) {
		s.crashes(func(left *sim) {
			if wrong == nil {
				if wrong = c.look(t, left, allowed); wrong != nil {
					wrong = fmt.Errorf("crash after %q: %w", op, wrong)
				}
			}
		})
	}
	last := "the beginning"
	// The hook runs before an operation, when the one before it is done.
	d := &dir{hooked{s, func(op string) error {
		if verb, _, _ := strings.Cut(last, " "); !slices.Contains([]string{"list", "lstat", "lock", "close"}, verb) {
			look(last, c.during)
		}
		last = op
		if strings.HasPrefix(op, "sync ") {
			syncs = append(syncs, op)
			if len(syncs)-1 == drop {
				return errSkip
			}
		}
		return nil
	}}}
	if err := c.change(d); err != nil {
		t.Fatal(err)
	}
	look("the end", c.after)
	return syncs, wrong
}

// look says what is wrong in what a crash left. The next writer has to make it
// right and leave nothing else.
func (c crashCase) look(t *testing.T, left *sim, allowed func(content, error) bool) error {
	t.Helper()
	d := &dir{left}
	if got, err := get(d, crashID); !allowed(got, err) {
		return fmt.Errorf("objects %v, error %v", got, err)
	}
	put(t, d, crashID, right)
	want(t, d, crashID, right)
	if entries, err := left.list(buildFolder); err != nil || len(entries) > 0 {
		return fmt.Errorf("%v, error %v in the folder of builds", entries, err)
	}
	return nil
}

func TestCrash(t *testing.T) {
	for name, c := range crashCases {
		t.Run(name, func(t *testing.T) {
			syncs, wrong := c.run(t, -1)
			if wrong != nil {
				t.Error(wrong)
			}
			// Each sync is there for a reason: without it, a crash is seen.
			for i, op := range syncs {
				if _, wrong := c.run(t, i); wrong == nil {
					t.Errorf("without %q no crash does harm", op)
				}
			}
			if len(syncs) == 0 {
				t.Error("no sync")
			}
		})
	}
}

// TestCommitOrder writes down what a commit does, and in which order.
func TestCommitOrder(t *testing.T) {
	id := crashID.String()
	objects := []string{nameLane(0), nameLane(1), nameManifest, nameRoots}
	var saved []string
	for _, name := range objects {
		saved = append(saved, "sync tmp/*/"+name, "close tmp/*/"+name)
	}
	var moved []string
	for _, name := range objects {
		moved = append(moved, "lstat "+id+"/"+name)
		if name == nameLane(1) {
			moved = append(moved, "rename "+id+"/"+name+" tmp/*/not-"+name)
		}
		moved = append(moved, "rename tmp/*/"+name+" "+id+"/"+name)
	}
	for _, c := range []struct {
		name string
		want []string
	}{
		{"new blob", slices.Concat(saved, []string{"lstat " + id, "sync tmp/*", "rename tmp/* " + id, "sync ."})},
		{"damaged blob", slices.Concat(saved, []string{"lstat " + id}, moved, []string{"sync " + id, "sync ."})},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSim()
			crashCases[c.name].before(t, s)
			var got []string
			u := upload(t, &dir{hooked{s, func(op string) error { got = append(got, op); return nil }}}, right)
			build := u.(*dirUpload).path
			got = nil
			if err := u.Commit(context.Background(), crashID); err != nil {
				t.Fatal(err)
			}
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], build, "tmp/*")
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("operations are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}
