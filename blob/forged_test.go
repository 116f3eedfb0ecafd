package blob_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof/evidence"
	"github.com/tapecommit/tapecommit/slicer"
)

// forge writes a blob as a dishonest writer would: each group goes through before, which may change the data that is
// coded, and after, which may change what was coded; the tree is over what comes out.
func forge(t testing.TB, s blob.Store, p commit.Params, plain []byte, before, after func(group int, slices [][]byte)) commit.Header {
	t.Helper()
	ctx := context.Background()
	u, err := s.Create(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	batch, err := slicer.New(p, len(plain)/p.K/p.SliceSize+1)
	if err != nil {
		t.Fatal(err)
	}
	batch.Append(plain)
	batch.Finish()
	groups := func(f func(int, [][]byte)) {
		for g := range batch.Groups() {
			if f != nil {
				f(g, batch.Slices()[g*p.N:][:p.N])
			}
		}
	}
	groups(before)
	batch.Encode(0, batch.Groups())
	groups(after)
	leaves := make([]commit.Hash, len(batch.Slices()))
	commit.HashLeaves(leaves, batch.Slices())
	roots := make([]commit.Hash, batch.Groups())
	commit.GroupRoots(roots, leaves, p.N)
	var builder commit.Builder
	builder.Add(roots)
	m, err := builder.Manifest(p, int64(len(plain)))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, parts ...[]byte) {
		if err := u.Append(ctx, name, slices.Concat(parts...)); err != nil {
			t.Fatal(err)
		}
	}
	put("manifest", manifest)
	for _, x := range roots {
		put("roots", x[:])
	}
	for _, x := range leaves {
		put("leaves", x[:])
	}
	for i := range p.N {
		put(lane(i), batch.Lane(i), manifest[:commit.HeaderLen])
	}
	if err := u.Commit(ctx, m.ID()); err != nil {
		t.Fatal(err)
	}
	return m.Header()
}

// TestEvidence makes the two bad blobs of the vectors, and wants what Verify says of them to be what the evidence shows.
func TestEvidence(t *testing.T) {
	b, err := os.ReadFile("../testvectors/blob.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Evidence []struct {
			ID             commit.ID
			K, N, Len      int
			SliceSize      int `json:"slice_size"`
			Seed           uint64
			Group          int
			Lanes          []int
			Evidence, What string
		}
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Evidence) != 2 {
		t.Fatalf("%d bad blobs, want 2", len(file.Evidence))
	}
	for i, v := range file.Evidence {
		t.Run(v.What, func(t *testing.T) {
			s := newBad()
			p := commit.Params{K: v.K, N: v.N, SliceSize: v.SliceSize}
			want := blob.EncodingError{Group: v.Group, Wrong: 1 << 4}
			before := func(int, [][]byte) {}
			after := func(g int, s [][]byte) {
				if g == v.Group {
					for j := range s[4] {
						s[4][j] ^= 1
					}
				}
			}
			if i == 1 {
				want.Wrong, want.Padding = 0, true
				before = func(g int, s [][]byte) {
					if g == v.Group {
						s[2][len(s[2])-1] = 7
					}
				}
				after = nil
			}
			h := forge(t, s, p, stream(v.Seed, v.Len), before, after)
			if h.ID() != v.ID {
				t.Fatalf("ID %v, want %v", h.ID(), v.ID)
			}
			b := open(t, s, h.ID())
			var found []blob.Fault
			for run, err := range b.Verify(context.Background(), 0) {
				if err != nil {
					t.Fatal(err)
				}
				found = append(found, run.Faults...)
			}
			var bad *blob.EncodingError
			if len(found) != 1 || !errors.As(found[0].Err, &bad) || !reflect.DeepEqual(bad, &want) {
				t.Fatalf("Verify found %v, want %v", found, &want)
			}
			for i := range v.N {
				if !slices.Contains(v.Lanes, i) {
					s.lose(lane(i))
				}
			}
			got, err := evidence.Append(context.Background(), nil, b.Stored(), bad.Group)
			if err != nil || hex.EncodeToString(got) != v.Evidence {
				t.Errorf("evidence %x, %v, want %s", got, err, v.Evidence)
			}
		})
	}
}

// TestOneAnswer reads blobs that are no codewords under every loss. For one ID, readers get the same bytes or an error.
func TestOneAnswer(t *testing.T) {
	p := commit.Params{K: 3, N: 6, SliceSize: 64}
	plain := randomBytes(newRand(20), 3*64)
	for bad := range p.N {
		s := newBad()
		h := forge(t, s, p, plain, nil, func(_ int, s [][]byte) { s[bad][5] ^= 1 })
		want := all(t, s, h)
		seen := make(map[string]bool)
		for lost := range commit.Lanes(1 << p.N) {
			s.gone = make(map[string]bool)
			for i := range p.N {
				if lost.Has(i) {
					s.lose(lane(i))
				}
			}
			bodies, errs := slicesOf(context.Background(), open(t, s, h.ID()), everything(h))
			for i, err := range errs {
				var encoding *blob.EncodingError
				var few *blob.LostError
				switch {
				case err == nil:
					seen["read"] = true
					if !bytes.Equal(bodies[i], want[lane(i)][:64]) {
						t.Fatalf("lane %d is bad, %b are lost: slice %d is another one", bad, lost, i)
					}
				case errors.As(err, &encoding):
					seen["encoding"] = true
					if lost.Len() > p.N-p.K || !encoding.Wrong.Has(i) || !lost.Has(i) {
						t.Fatalf("lane %d is bad, %b are lost: slice %d: %v", bad, lost, i, err)
					}
				case errors.As(err, &few):
					seen["lost"] = true
					if lost.Len() <= p.N-p.K || !lost.Has(i) {
						t.Fatalf("lane %d is bad, %b are lost: slice %d: %v", bad, lost, i, err)
					}
				default:
					t.Fatal(err)
				}
			}
		}
		if len(seen) != 3 {
			t.Errorf("lane %d is bad: only saw %v", bad, seen)
		}
	}
}

// TestBadRepair has a badly coded group among good ones, and losses everywhere.
func TestBadRepair(t *testing.T) {
	const bad = 2
	s := newBad()
	h := forge(t, s, small, randomBytes(newRand(21), 5*192-30), nil, func(g int, s [][]byte) {
		if g == bad {
			s[1][0] ^= 1
		}
	})
	want := all(t, s, h)
	s.lose(lane(0))
	s.flip(t, h.ID(), lane(3), 64*bad, 1)
	s.flip(t, h.ID(), "leaves", 32*5*4, 1)
	s.flip(t, h.ID(), "roots", 32*4, 1)
	for run, err := range open(t, s, h.ID()).Repair(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range run.Faults {
			alone := f.At.Group == bad && f.Object != "leaves"
			if f.Fixed == alone {
				t.Errorf("%v, fixed: %t", f, f.Fixed)
			}
		}
	}
	for name, b := range all(t, s, h) {
		switch name {
		case lane(0):
			clear(want[name][64*bad : 64*bad+64])
		case lane(3):
			want[name][64*bad] ^= 0x55
		}
		if !bytes.Equal(b, want[name]) {
			t.Errorf("%s is not as it should be after the repair", name)
		}
	}
}

// TestRebuiltLies has leaf hashes that no slices belong to: what is rebuilt must be checked too.
func TestRebuiltLies(t *testing.T) {
	s := newBad()
	plain := randomBytes(newRand(22), 192)
	h := forge(t, s, small, plain, nil, func(_ int, s [][]byte) { clear(s[2]) })
	s.flip(t, h.ID(), lane(2), 0, 1)
	for _, p := range []int{0, 1, 3, 4} {
		if _, errs := slicesOf(context.Background(), open(t, s, h.ID()), []commit.Pos{{Lane: p}}); errs[0] != nil {
			t.Error(errs)
		}
	}
	_, errs := slicesOf(context.Background(), open(t, s, h.ID()), []commit.Pos{{Lane: 2}})
	var encoding *blob.EncodingError
	if !errors.As(errs[0], &encoding) || encoding.Wrong != 1<<2 {
		t.Errorf("%v, want a wrong encoding", errs)
	}
	if got := fmt.Sprint(errs[0]); got != "blob: group 0 was coded wrongly by its writer: it does not give the slices of lane-02" {
		t.Errorf("error is %q", got)
	}
}

func TestEncodingErrorText(t *testing.T) {
	for want, e := range map[string]blob.EncodingError{
		"it does not give the slices of lane-04":                                       {Wrong: 1 << 4},
		"it does not give the slices of lane-04, lane-05":                              {Wrong: 0b110000},
		"the padding is not zero":                                                      {Padding: true},
		"it does not give the slices of lane-04, lane-05, and the padding is not zero": {Wrong: 0b110000, Padding: true},
	} {
		e.Group = 7
		if want = "blob: group 7 was coded wrongly by its writer: " + want; e.Error() != want {
			t.Errorf("%q, want %q", e.Error(), want)
		}
	}
}
