package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// TestOrder asks for slices in any order, more than once, and outside the blob.
func TestOrder(t *testing.T) {
	rng := newRand(10)
	s := newBad()
	h := write(t, s, blob.Options{Params: small}, randomBytes(rng, 300*192-50))
	lanes := all(t, s, h)
	s.lose("lane-01", "lane-03")
	at := make([]commit.Pos, 5000)
	for i := range at {
		at[i] = commit.Pos{Group: rng.IntN(h.Groups()), Lane: rng.IntN(h.N)}
		if i%2 == 1 && rng.IntN(4) > 0 {
			at[i] = commit.Pos{Group: at[i-1].Group, Lane: rng.IntN(h.N)}
		}
	}
	outside := map[int]commit.Pos{
		0: {Group: -1}, 7: {Group: 0, Lane: h.N}, 8: {Group: h.Groups()}, 100: {Group: 3, Lane: -1}, 4999: {Group: 1 << 30, Lane: 31},
	}
	for i, p := range outside {
		at[i] = p
	}
	i := 0
	for got, err := range open(t, s, h.ID()).Slices(context.Background(), slices.Values(at)) {
		p := at[i]
		if _, bad := outside[i]; bad {
			if err == nil || got.Valid() {
				t.Errorf("slice %v outside the blob: %v", p, err)
			}
		} else if err != nil {
			t.Fatalf("slice %v: %v", p, err)
		} else {
			off := h.LaneOffset(p.Group)
			if got.Pos() != p || !bytes.Equal(got.Bytes(), lanes[lane(p.Lane)][off:][:h.SizeOf(p.Group)]) {
				t.Fatalf("asked for %v, got %v with other bytes", p, got.Pos())
			}
		}
		i++
	}
	if i != len(at) {
		t.Errorf("%d slices, want %d", i, len(at))
	}
}

// TestFew leaves one group k - 1 right slices: it is lost, with the reasons, and everything else can be read.
func TestFew(t *testing.T) {
	ctx := context.Background()
	broken := errors.New("unreadable sector")
	p := commit.Params{K: 4, N: 8, SliceSize: 64}
	const lostGroup = 70
	plain := randomBytes(newRand(11), 200*4*64-13)
	s := newBad()
	h := write(t, s, blob.Options{Params: p}, plain)
	off := h.LaneOffset(lostGroup)
	s.flip(t, h.ID(), lane(0), off, 1)
	s.flip(t, h.ID(), lane(7), off+63, 1)
	s.lose(lane(2))
	s.resize(t, h.ID(), lane(5), int(off+10-h.LaneOffset(h.Groups())-commit.HeaderLen))
	s.hook = func(_ context.Context, op, name string, at int64, n int) error {
		if op == "read" && name == lane(6) && at <= off && off < at+int64(n) {
			return broken
		}
		return nil
	}
	b := open(t, s, h.ID())
	// The lane that fails does so for its whole run, so this group keeps 1, 3 and 4.
	_, errs := slicesOf(ctx, b, []commit.Pos{{Group: lostGroup, Lane: 0}, {Group: lostGroup, Lane: 1}, {Group: lostGroup - 1, Lane: 0}})
	var lost *blob.LostError
	if !errors.As(errs[0], &lost) || errs[1] != nil || errs[2] != nil {
		t.Fatalf("%v, want only slice %d:0 lost", errs, lostGroup)
	}
	if lost.Group != lostGroup || lost.Need != 4 || lost.Right != 3 {
		t.Errorf("%+v", lost)
	}
	want := map[string]error{lane(0): blob.ErrWrong, lane(2): blob.ErrMissing, lane(5): blob.ErrShort, lane(6): broken, lane(7): blob.ErrWrong}
	for _, f := range lost.Faults {
		if !errors.Is(f.Err, want[f.Object]) || f.At.Group != lostGroup {
			t.Errorf("%v, want %v", f, want[f.Object])
		}
		delete(want, f.Object)
	}
	for name, err := range want {
		t.Errorf("no fault of %s: %v", name, err)
	}
	const text = "blob: group 70 is lost: 3 slices are right, 4 are needed: lane-00 wrong, lane-02 missing, lane-05 ends too early, lane-06 unreadable sector, lane-07 wrong"
	if lost.Error() != text {
		t.Errorf("error is %q, want %q", lost.Error(), text)
	}

	var before bytes.Buffer
	r := proof.NewReader(ctx, b)
	if _, err := r.WriteTo(&before); !errors.As(err, &lost) {
		t.Fatalf("read of all: %v", err)
	}
	if first := lostGroup * 4 * 64; !bytes.Equal(before.Bytes(), plain[:first]) {
		t.Errorf("read of all gives %d bytes, want the %d before the lost slice", before.Len(), first)
	}
	for _, cut := range [][2]int{{0, lostGroup * 256}, {(lostGroup + 1) * 256, len(plain)}, {lostGroup*256 + 64, lostGroup*256 + 128}} {
		got := make([]byte, cut[1]-cut[0])
		if n, err := r.ReadAt(got, int64(cut[0])); n != len(got) || err != nil || !bytes.Equal(got, plain[cut[0]:cut[1]]) {
			t.Errorf("bytes [%d, %d): %d, %v", cut[0], cut[1], n, err)
		}
	}

	// Repair mends all else, and says what it could not.
	s.hook = nil
	s.flip(t, h.ID(), lane(6), off, 1)
	for run, err := range b.Repair(ctx, 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range run.Faults {
			if f.Fixed != (f.At.Group != lostGroup) {
				t.Errorf("%v, fixed: %t", f, f.Fixed)
			}
		}
	}
	for run, err := range b.Verify(ctx, 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range run.Faults {
			if f.At.Group != lostGroup {
				t.Errorf("left after repair: %v", f)
			}
		}
	}
	if _, errs := slicesOf(ctx, b, []commit.Pos{{Group: lostGroup, Lane: 2}}); !errors.As(errs[0], &lost) {
		t.Errorf("the hole of a built lane is read: %v", errs)
	}
}

// TestPlentyAndBad offers all slices of a group with some bad ones, as many as leave k right.
func TestPlentyAndBad(t *testing.T) {
	s := newBad()
	p := commit.Params{K: 10, N: 20, SliceSize: 128}
	plain := randomBytes(newRand(12), 1280)
	h := write(t, s, blob.Options{Params: p}, plain)
	for i := range 10 {
		s.flip(t, h.ID(), lane(2*i), int64(i), 1)
		if got := read(t, s, h.ID()); !bytes.Equal(got, plain) {
			t.Fatalf("with %d bad slices, read gives other bytes", i+1)
		}
	}
	s.flip(t, h.ID(), lane(1), 0, 1)
	_, err := io.ReadAll(proof.NewReader(context.Background(), open(t, s, h.ID())))
	if lost := (*blob.LostError)(nil); !errors.As(err, &lost) || lost.Right != 9 {
		t.Errorf("with 11 bad slices: %v", err)
	}
}

// TestSwapped exchanges lanes, blobs and groups.
func TestSwapped(t *testing.T) {
	s := newBad()
	plain := randomBytes(newRand(13), 10*192)
	h := write(t, s, blob.Options{Params: small}, plain)
	s.change(t, h.ID(), func(ctx context.Context, o blob.Repairable) error {
		a, b := object(t, s, h.ID(), lane(0)), object(t, s, h.ID(), lane(4))
		return errors.Join(o.WriteAt(ctx, lane(0), b, 0), o.WriteAt(ctx, lane(4), a, 0))
	})
	if got := read(t, s, h.ID()); !bytes.Equal(got, plain) {
		t.Error("with two lanes swapped, read gives other bytes")
	}
	s.change(t, h.ID(), func(ctx context.Context, o blob.Repairable) error {
		b := object(t, s, h.ID(), lane(1))
		copy(b[64:], slices.Concat(b[128:192], b[64:128]))
		return o.WriteAt(ctx, lane(1), b, 0)
	})
	_, errs := slicesOf(context.Background(), open(t, s, h.ID()), []commit.Pos{{Group: 0, Lane: 1}, {Group: 1, Lane: 1}, {Group: 2, Lane: 1}})
	if errs[0] != nil || errs[1] == nil || errs[2] == nil {
		t.Errorf("with two groups swapped in a third lane: %v", errs)
	}
}

// TestTrailingZeros reads blobs that end in zeros, and lengths that k does not divide.
func TestTrailingZeros(t *testing.T) {
	for _, p := range codes {
		for _, n := range []int{1, p.K - 1, p.K + 1, 64*p.K - 1, 64*p.K + 1, p.K*p.SliceSize - 1, p.K*p.SliceSize + 1} {
			s := newBad()
			plain := append([]byte{1}, make([]byte, n)...)
			h := write(t, s, blob.Options{Params: p}, plain)
			for i := range p.N - p.K {
				s.lose(lane(i))
			}
			if got := read(t, s, h.ID()); !bytes.Equal(got, plain) {
				t.Errorf("%v: %d bytes come back as %d", p, len(plain), len(got))
			}
		}
	}
}

// TestStored wants from Stored what is stored, and nothing rebuilt.
func TestStored(t *testing.T) {
	ctx := context.Background()
	s := newBad()
	h := write(t, s, blob.Options{Params: small}, randomBytes(newRand(14), 100*192))
	s.flip(t, h.ID(), lane(0), h.LaneOffset(3), 1)
	s.lose(lane(1))
	s.flip(t, h.ID(), "leaves", 32*5*70, 1)
	tree := open(t, s, h.ID()).Stored()
	at := []commit.Pos{{Group: 3, Lane: 0}, {Group: 3, Lane: 1}, {Group: 3, Lane: 2}, {Group: 4, Lane: 0}, {Group: 70, Lane: 4}}
	bodies, errs := slicesOf(ctx, tree, at)
	for i, want := range []string{"lane-00, slice 3:0: wrong", "lane-01, slice 3:1: missing", "", "", "leaves, group 70: wrong"} {
		if want == "" {
			if errs[i] != nil || len(bodies[i]) != 64 {
				t.Errorf("slice %v: %v", at[i], errs[i])
			}
		} else if errs[i] == nil || !strings.Contains(errs[i].Error(), want) {
			t.Errorf("slice %v: %v, want %q", at[i], errs[i], want)
		}
	}
	dst := make([]commit.Hash, 1)
	for _, c := range []struct {
		node commit.Node
		ok   bool
	}{
		{commit.Node{Height: 0, Index: 32 * 3}, true},
		{commit.Node{Height: 4, Index: 2*70 + 1}, false},
		{commit.Node{Height: 5, Index: 70}, true},
		{commit.Node{Height: 12, Index: 0}, true},
	} {
		if err := tree.Hashes(ctx, dst, []commit.Node{c.node}); (err == nil) != c.ok {
			t.Errorf("node %v: %v", c.node, err)
		}
	}
	s.lose("roots")
	tree = open(t, s, h.ID()).Stored()
	if err := tree.Hashes(ctx, dst, []commit.Node{{Height: 5, Index: 70}}); err != nil {
		t.Errorf("a root from the slices: %v", err)
	}
}

func TestHashesOutside(t *testing.T) {
	h := write(t, blob.NewMem(), blob.Options{Params: small}, nil)
	if h.Height() != 5 {
		t.Fatal(h.Height())
	}
	s := blob.NewMem()
	b := open(t, s, write(t, s, blob.Options{Params: small}, make([]byte, 3*192)).ID())
	dst := make([]commit.Hash, 1)
	for _, at := range []commit.Node{{Height: -1}, {Height: 8}, {Height: 7, Index: 1}, {Index: -1}, {Index: 128}, {Height: 1 << 30}, {Index: 1 << 62}} {
		if err := b.Hashes(context.Background(), dst, []commit.Node{at}); err == nil {
			t.Errorf("node %v is given", at)
		}
	}
}

// TestSharedBlob reads one Blob from many goroutines while it is repaired.
func TestSharedBlob(t *testing.T) {
	rng := newRand(15)
	s := newBad()
	plain := randomBytes(rng, 500*192-1)
	h := write(t, s, blob.Options{Params: small}, plain)
	for g := range h.Groups() {
		for _, i := range someLanes(rng, small, 2) {
			s.flip(t, h.ID(), lane(i), h.LaneOffset(g), 1)
		}
	}
	b := open(t, s, h.ID())
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			r := proof.NewReader(context.Background(), b)
			rng := newRand(uint64(i))
			for range 50 {
				off := rng.IntN(len(plain))
				p := make([]byte, rng.IntN(5000))
				n, err := r.ReadAt(p, int64(off))
				if err != nil && err != io.EOF || !bytes.Equal(p[:n], plain[off:off+n]) {
					t.Errorf("%d bytes at %d: %d, %v", len(p), off, n, err)
				}
			}
		})
	}
	repair(t, s, h.ID())
	wg.Wait()
}

// TestStats counts.
func TestStats(t *testing.T) {
	var stats blob.Stats
	s := newBad()
	h := write(t, s, blob.Options{Params: small, Stats: &stats}, randomBytes(newRand(16), 10*192))
	size := uint64(0)
	for _, b := range all(t, s, h) {
		size += uint64(len(b))
	}
	if got := stats.Bytes.Load(); got != size {
		t.Errorf("wrote %d bytes, want %d", got, size)
	}
	s.lose(lane(0))
	s.flip(t, h.ID(), lane(1), 64*4, 1)
	b, err := blob.Open(context.Background(), s, h.ID(), blob.Options{Stats: &stats})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := io.Copy(io.Discard, proof.NewReader(context.Background(), b)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string][2]uint64{
		"missing":  {stats.Missing.Load(), 10},
		"wrong":    {stats.Wrong.Load(), 1},
		"rebuilt":  {stats.Rebuilt.Load(), 11},
		"verified": {stats.Verified.Load(), 19 + 11},
	} {
		if c[0] != c[1] {
			t.Errorf("%d slices %s, want %d", c[0], name, c[1])
		}
	}
}
