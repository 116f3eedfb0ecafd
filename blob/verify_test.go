package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
)

// found lists the faults of a walk.
func found(t testing.TB, runs func(yield func(blob.Run, error) bool)) (faults []string) {
	t.Helper()
	for run, err := range runs {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range run.Faults {
			faults = append(faults, f.String())
		}
	}
	return faults
}

// TestFaults damages each object in each way and wants exactly that to be found, mended, and gone.
func TestFaults(t *testing.T) {
	ctx := context.Background()
	plain := randomBytes(newRand(30), 100*192-20)
	for _, c := range []struct {
		name   string
		damage func(s *bad, h commit.Header)
		want   []string
	}{
		{"nothing", func(*bad, commit.Header) {}, nil},
		{"a slice", func(s *bad, h commit.Header) { s.flip(t, h.ID(), lane(2), 64*70+5, 1) }, []string{"lane-02, slice 70:2: wrong"}},
		{"parity", func(s *bad, h commit.Header) { s.flip(t, h.ID(), lane(4), 64*99, 1) }, []string{"lane-04, slice 99:4: wrong"}},
		{"a leaf hash", func(s *bad, h commit.Header) { s.flip(t, h.ID(), "leaves", 32*(5*3+2)+31, 1) }, []string{"leaves, slice 3:2: wrong"}},
		{"a root", func(s *bad, h commit.Header) { s.flip(t, h.ID(), "roots", 32*64, 1) }, []string{"roots, group 64: wrong"}},
		{"the manifest", func(s *bad, h commit.Header) { s.flip(t, h.ID(), "manifest", 63, 1) }, []string{"manifest: wrong"}},
		{"a header behind a lane", func(s *bad, h commit.Header) { s.flip(t, h.ID(), lane(1), h.LaneOffset(100)+10, 1) }, []string{"lane-01: wrong"}},
		{"surplus everywhere", func(s *bad, h commit.Header) {
			for _, name := range objects(h) {
				s.resize(t, h.ID(), name, 1000)
			}
		}, []string{
			"lane-00: has bytes behind its end", "lane-01: has bytes behind its end", "lane-02: has bytes behind its end",
			"lane-03: has bytes behind its end", "lane-04: has bytes behind its end", "leaves: has bytes behind its end",
			"manifest: has bytes behind its end", "roots: has bytes behind its end",
		}},
		{"one byte missing everywhere but in most lanes", func(s *bad, h commit.Header) {
			for _, name := range []string{"manifest", "roots", "leaves", lane(3)} {
				s.resize(t, h.ID(), name, -1)
			}
		}, []string{"leaves, group 99: ends too early", "roots, group 99: ends too early", "lane-03: ends too early", "manifest: ends too early"}},
		{"a lane cut in a slice", func(s *bad, h commit.Header) {
			s.resize(t, h.ID(), lane(0), int(64*98+63-h.LaneOffset(100)-64))
		}, []string{"lane-00, slice 98:0: ends too early", "lane-00, slice 99:0: ends too early", "lane-00: ends too early"}},
		{"an empty lane", func(s *bad, h commit.Header) { s.resize(t, h.ID(), lane(1), -int(h.LaneOffset(100)+64)) },
			append(slicesAre(1, 100, "ends too early"), "lane-01: ends too early")},
		{"a lane", func(s *bad, h commit.Header) { s.lose(lane(4)) }, append(slicesAre(4, 100, "missing"), "lane-04: missing")},
		{"the caches", func(s *bad, h commit.Header) { s.lose(caches...) }, append(groupsAre(100), "leaves: missing", "manifest: missing", "roots: missing")},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newBad()
			h := write(t, s, blob.Options{Params: small}, plain)
			want := all(t, s, h)
			c.damage(s, h)
			b := open(t, s, h.ID())
			if got := found(t, b.Verify(ctx, 0)); !slices.Equal(got, c.want) {
				t.Errorf("Verify found %q, want %q", got, c.want)
			}
			if got := len(repair(t, s, h.ID())); got != len(c.want) {
				t.Errorf("Repair found %d faults, want %d", got, len(c.want))
			}
			same(t, s, h, want)
		})
	}
}

func slicesAre(i, groups int, what string) (faults []string) {
	for g := range groups {
		faults = append(faults, fmt.Sprintf("%s, slice %d:%d: %s", lane(i), g, i, what))
	}
	return faults
}

func groupsAre(groups int) (faults []string) {
	for g := range groups {
		faults = append(faults, fmt.Sprintf("leaves, group %d: missing", g), fmt.Sprintf("roots, group %d: missing", g))
	}
	return faults
}

// TestRuns wants runs of 64 groups, from any group on.
func TestRuns(t *testing.T) {
	for _, c := range []struct {
		groups, from int
		want         []int // first, groups, first, groups, ...
	}{
		{0, 0, []int{0, 0}},
		{0, 5, []int{0, 0}},
		{1, 0, []int{0, 1}},
		{64, 0, []int{0, 64}},
		{64, 64, []int{64, 0}},
		{130, 0, []int{0, 64, 64, 64, 128, 2}},
		{130, 63, []int{0, 64, 64, 64, 128, 2}},
		{130, 64, []int{64, 64, 128, 2}},
		{130, 129, []int{128, 2}},
		{130, 130, []int{128, 2}},
		{130, 1 << 30, []int{128, 2}},
	} {
		s := blob.NewMem()
		h := write(t, s, blob.Options{Params: small}, make([]byte, c.groups*192))
		var got []int
		for run, err := range open(t, s, h.ID()).Verify(context.Background(), c.from) {
			if err != nil || len(run.Faults) > 0 {
				t.Fatal(run, err)
			}
			got = append(got, run.First, run.Groups)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d groups from %d: %v, want %v", c.groups, c.from, got, c.want)
		}
	}
}

// TestEmpty damages all of a blob without a group.
func TestEmpty(t *testing.T) {
	ctx := context.Background()
	s := newBad()
	h := write(t, s, blob.Options{Params: small}, nil)
	want := all(t, s, h)
	s.lose(without(objects(h), lane(3))...)
	if got := read(t, s, h.ID()); len(got) != 0 {
		t.Errorf("%d bytes in an empty blob", len(got))
	}
	if got := found(t, open(t, s, h.ID()).Verify(ctx, 0)); len(got) != 7 {
		t.Errorf("found %q, want the 7 objects that are missing", got)
	}
	repair(t, s, h.ID())
	same(t, s, h, want)
	s.resize(t, h.ID(), "roots", 1)
	s.resize(t, h.ID(), lane(0), 1)
	s.flip(t, h.ID(), lane(1), 0, 1)
	if got := repair(t, s, h.ID()); len(got) != 3 {
		t.Errorf("mended %v, want 3 faults", got)
	}
	same(t, s, h, want)
}

// readOnly hides that objects can be mended in place.
type readOnly struct{ blob.Store }

func (s readOnly) Open(ctx context.Context, id commit.ID) (blob.Objects, error) {
	o, err := s.Store.Open(ctx, id)
	return struct{ blob.Objects }{o}, err
}

// TestOnlyUploads repairs a store that takes whole objects alone: what is missing is mended.
func TestOnlyUploads(t *testing.T) {
	s := newBad()
	plain := randomBytes(newRand(31), 100*192)
	h := write(t, s, blob.Options{Params: small}, plain)
	want := all(t, s, h)
	s.lose(lane(1), "roots")
	s.flip(t, h.ID(), lane(2), 64*80, 1)
	for run, err := range open(t, readOnly{s}, h.ID()).Repair(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range run.Faults {
			if f.Fixed != (f.Object != lane(2)) {
				t.Errorf("%v, fixed: %t", f, f.Fixed)
			}
		}
	}
	s.lose(lane(2))
	repair(t, readOnly{s}, h.ID())
	same(t, s, h, want)
}

// TestRepairFails fails each call of a repair that writes, in turn. The loop goes on and mends the rest, and ends with the
// error; what it does not call fixed is found again.
func TestRepairFails(t *testing.T) {
	ctx := context.Background()
	full := errors.New("disk full")
	plain := randomBytes(newRand(32), 100*192)
	for at := 0; ; at++ {
		s := newBad()
		h := write(t, s, blob.Options{Params: small}, plain)
		want := all(t, s, h)
		s.lose(lane(1), "manifest")
		s.flip(t, h.ID(), lane(2), 64*3, 1)
		s.flip(t, h.ID(), "leaves", 32*5*70, 1)
		s.resize(t, h.ID(), lane(4), 1)
		b := open(t, s, h.ID())
		calls := make(chan string, 100)
		s.hook = func(_ context.Context, op, name string, _ int64, _ int) error {
			switch op {
			case "write", "truncate", "sync", "append", "commit":
				calls <- op + " " + name
				if len(calls) == at+1 {
					return full
				}
			}
			return nil
		}
		var failed error
		fixed, not := 0, 0
		for run, err := range b.Repair(ctx, 0) {
			if err != nil {
				failed = err
				continue
			}
			for _, f := range run.Faults {
				if f.Fixed {
					fixed++
				} else {
					not++
				}
			}
		}
		s.hook = nil
		if len(calls) <= at {
			if failed != nil || not != 0 {
				t.Fatalf("nothing failed: %v, %d faults not fixed", failed, not)
			}
			same(t, s, h, want)
			return
		}
		if !errors.Is(failed, full) {
			t.Errorf("call %d: %v, want %v", at, failed, full)
		}
		if got := read(t, s, h.ID()); !bytes.Equal(got, plain) {
			t.Errorf("call %d: read gives other bytes", at)
		}
		repair(t, s, h.ID())
		same(t, s, h, want)
	}
}

// TestRepairResumes stops a repair and goes on behind it, with and without a missing lane.
func TestRepairResumes(t *testing.T) {
	ctx := context.Background()
	s := newBad()
	h := write(t, s, blob.Options{Params: small}, randomBytes(newRand(33), 200*192))
	want := all(t, s, h)
	for g := range 200 {
		s.flip(t, h.ID(), lane(g%5), int64(64*g), 1)
	}
	b := open(t, s, h.ID())
	next, stopped := 0, 0
	for next < 200 {
		for run, err := range b.Repair(ctx, next) {
			if err != nil {
				t.Fatal(err)
			}
			next = run.First + run.Groups
			break
		}
		stopped++
	}
	if stopped != 4 {
		t.Errorf("%d runs, want 4", stopped)
	}
	same(t, s, h, want)

	s.lose(lane(0))
	for run, err := range b.Repair(ctx, 64) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range run.Faults {
			if f.Fixed {
				t.Errorf("a lane without its first groups: %v is fixed", f)
			}
		}
	}
	if got := found(t, b.Verify(ctx, 0)); len(got) != 201 {
		t.Errorf("found %d faults, want 200 slices and the lane", len(got))
	}
	repair(t, s, h.ID())
	same(t, s, h, want)
}

// TestLostLaneAndGroup builds a lane that cannot be whole: a group of it is lost for good.
func TestLostLaneAndGroup(t *testing.T) {
	s := newBad()
	h := write(t, s, blob.Options{Params: small}, randomBytes(newRand(34), 200*192))
	want := all(t, s, h)
	s.lose(lane(0), lane(1))
	s.flip(t, h.ID(), lane(4), 64*100, 1)
	var left []blob.Fault
	for run, err := range open(t, s, h.ID()).Repair(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range run.Faults {
			if !f.Fixed {
				left = append(left, f)
			}
		}
	}
	var lost *blob.LostError
	if len(left) != 4 || !errors.As(left[3].Err, &lost) || lost.Group != 100 || lost.Right != 2 {
		t.Fatalf("left %v, want the slices of group 100 and its loss", left)
	}
	clear(want[lane(0)][6400:6464])
	clear(want[lane(1)][6400:6464])
	want[lane(4)][6400] ^= 0x55
	for name, b := range all(t, s, h) {
		if !bytes.Equal(b, want[name]) {
			t.Errorf("%s is not as it should be", name)
		}
	}
}
