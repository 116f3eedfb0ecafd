package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// repairCase is a damaged blob on the file system that the crash tests use.
type repairCase struct {
	plain []byte
	id    commit.ID
	sim   *sim
	want  content
}

// newRepairCase damages, for good, each kind of object in each way that a repair mends: a lane that is missing, another
// that is wrong, one with surplus, and all caches.
func newRepairCase(t *testing.T) *repairCase {
	t.Helper()
	ctx := context.Background()
	c := &repairCase{plain: bytes.Repeat([]byte("plain"), 200), sim: newSim()}
	d := &dir{c.sim}
	w, err := NewWriter(ctx, d, Options{Params: commit.Params{K: 2, N: 5, SliceSize: 64}, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Write(c.plain); err != nil {
		t.Fatal(err)
	}
	h, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	c.id = h.ID()
	if c.want, err = get(d, c.id); err != nil {
		t.Fatal(err)
	}
	o, err := d.Open(ctx, c.id)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	r := o.(Repairable)
	if err := errors.Join(
		c.sim.removeAll(c.id.String()+"/"+nameLane(0)),
		c.sim.removeAll(c.id.String()+"/"+nameRoots),
		c.sim.syncFolder(c.id.String()),
		r.WriteAt(ctx, nameLane(1), []byte("wrong"), 64),
		r.WriteAt(ctx, nameLane(2), []byte("surplus"), int64(len(c.want[nameLane(2)]))),
		r.WriteAt(ctx, nameLeaves, []byte("wrong"), 5*32*3),
		r.Truncate(ctx, nameManifest, 10),
		r.Sync(ctx),
	); err != nil {
		t.Fatal(err)
	}
	return c
}

// repair repairs the blob in d and fails where something is left.
func (c *repairCase) repair(d *dir) error { return c.walk(d, (*Blob).Repair) }

// verify fails where anything is wrong.
func (c *repairCase) verify(d *dir) error { return c.walk(d, (*Blob).Verify) }

func (c *repairCase) walk(d *dir, walk func(*Blob, context.Context, int) iter.Seq2[Run, error]) error {
	ctx := context.Background()
	b, err := Open(ctx, d, c.id, Options{Workers: 1})
	if err != nil {
		return err
	}
	defer b.Close()
	for run, err := range walk(b, ctx, 0) {
		if err != nil {
			return err
		}
		for _, f := range run.Faults {
			if !f.Fixed {
				return fmt.Errorf("not mended: %v", f)
			}
		}
	}
	return nil
}

// during says what is wrong in what a crash left before the repair returned: the blob can be read, what was right is
// right, and a second repair mends it.
func (c *repairCase) during(left *sim) error {
	ctx := context.Background()
	d := &dir{left}
	b, err := Open(ctx, d, c.id, Options{Workers: 1})
	if err != nil {
		return err
	}
	defer b.Close()
	var plain bytes.Buffer
	if _, err := proof.NewReader(ctx, b).WriteTo(&plain); err != nil || !bytes.Equal(plain.Bytes(), c.plain) {
		return fmt.Errorf("read gives %d bytes, %v", plain.Len(), err)
	}
	got, err := get(d, c.id)
	if err != nil {
		return err
	}
	for _, name := range []string{nameLane(3), nameLane(4)} {
		if got[name] != c.want[name] {
			return fmt.Errorf("%s was right", name)
		}
	}
	if err := c.repair(d); err != nil {
		return err
	}
	return c.verify(d)
}

// run repairs with the sync number drop left out, and returns the syncs and the first thing that was wrong in what a
// crash after any operation may leave.
func (c *repairCase) run(t *testing.T, drop int) (syncs []string, wrong error) {
	t.Helper()
	look := func(op string, f func(*sim) error) {
		c.sim.crashes(func(left *sim) {
			if wrong == nil {
				if wrong = f(left); wrong != nil {
					wrong = fmt.Errorf("crash after %q: %w", op, wrong)
				}
			}
		})
	}
	var mu sync.Mutex
	last := "the beginning"
	d := &dir{hooked{c.sim, func(op string) error {
		mu.Lock()
		defer mu.Unlock()
		if verb, _, _ := strings.Cut(last, " "); drop < 0 && !slices.Contains([]string{"open", "list", "lstat", "lock", "close"}, verb) {
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
	if err := c.repair(d); err != nil {
		t.Fatal(err)
	}
	look("the end", func(left *sim) error { return c.verify(&dir{left}) })
	return syncs, wrong
}

// TestCrashInRepair lets the machine stop after each operation of a repair, in place and aside.
func TestCrashInRepair(t *testing.T) {
	syncs, wrong := newRepairCase(t).run(t, -1)
	if wrong != nil {
		t.Error(wrong)
	}
	// Each sync is there for a reason: without it, a crash is seen.
	for i, op := range syncs {
		if op == "sync ." {
			continue // for a blob whose writer did not come to it, as in TestCrash
		}
		if _, wrong := newRepairCase(t).run(t, i); wrong == nil {
			t.Errorf("without %q no crash does harm", op)
		}
	}
	if len(syncs) != 8 {
		t.Errorf("%q: want those of 4 objects in place, 2 aside, and 2 folders", syncs)
	}
}
