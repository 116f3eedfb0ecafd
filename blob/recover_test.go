package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
)

var caches = []string{"manifest", "roots", "leaves"}

// subsets are all of some names.
func subsets(names []string) [][]string {
	out := [][]string{nil}
	for _, name := range names {
		for _, s := range out {
			out = append(out, append(slices.Clone(s), name))
		}
	}
	return out
}

// TestAnyLanes keeps k whole lanes and the ID, with every choice of caches beside them, and wants the plaintext, and
// from a repair all the rest.
func TestAnyLanes(t *testing.T) {
	for _, c := range []struct {
		commit.Params
		size int
	}{
		{codes[0], 0},
		{codes[0], 1},
		{codes[0], 3*40960 + 1000},
		{commit.Params{K: 3, N: 5, SliceSize: 64}, 70*192 + 5},
		{commit.Params{K: 1, N: 2, SliceSize: 64}, 1024 * 64},
		{commit.Params{K: 1, N: 2, SliceSize: 64}, 1025 * 64},
		{commit.Params{K: 3, N: 5, SliceSize: 64}, 2100*192 - 1},
	} {
		t.Run(fmt.Sprintf("%v %d", c.Params, c.size), func(t *testing.T) {
			rng := newRand(1)
			s := newBad()
			plain := randomBytes(rng, c.size)
			h := write(t, s, blob.Options{Params: c.Params}, plain)
			want := all(t, s, h)
			for _, lost := range subsets(caches) {
				names := lost
				for _, i := range someLanes(rng, c.Params, c.N-c.K) {
					names = append(names, lane(i))
				}
				s.lose(names...)
				if got := read(t, s, h.ID()); !bytes.Equal(got, plain) {
					t.Fatalf("without %v: read gives other bytes", names)
				}
				checkHashes(t, s, h)
				repair(t, s, h.ID())
				same(t, s, h, want)
			}
		})
	}
}

// repair repairs a blob and wants each fault mended.
func repair(t *testing.T, s blob.Store, id commit.ID) (faults []blob.Fault) {
	t.Helper()
	for run, err := range open(t, s, id).Repair(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range run.Faults {
			faults = append(faults, f)
			if !f.Fixed {
				t.Errorf("not mended: %v", f)
			}
		}
	}
	return faults
}

// checkHashes wants the nodes of a blob to be joins of those below.
func checkHashes(t *testing.T, s blob.Store, h commit.Header) {
	t.Helper()
	var at []commit.Node
	for height := h.Height(); height >= 0; height-- {
		// The first, the last and a middle one, padding too, each with its sibling.
		last := int64(1)<<(h.Height()-height) - 1
		for _, i := range []int64{0, last / 3, int64(h.Groups()) << 5 >> height, last} {
			i = min(i, last)
			at = append(at, commit.Node{Height: height, Index: i})
			if height > 0 {
				at = append(at, commit.Node{Height: height - 1, Index: 2 * i}, commit.Node{Height: height - 1, Index: 2*i + 1})
			}
		}
	}
	nodes := make([]commit.Hash, len(at))
	if err := open(t, s, h.ID()).Hashes(context.Background(), nodes, at); err != nil {
		t.Fatal(err)
	}
	if nodes[0] != h.Root {
		t.Fatalf("root %x, want %x", nodes[0], h.Root)
	}
	for i := range at {
		if at[i].Height == 0 {
			continue
		}
		if i+2 < len(at) && at[i+1].Height == at[i].Height-1 {
			var join [1]commit.Hash
			commit.HashPairs(join[:], nodes[i+1:i+3])
			if join[0] != nodes[i] {
				t.Fatalf("node %v is not the join of those below", at[i])
			}
		}
	}
}

// TestWrongCaches damages caches instead of losing them, together with slices, so that no way to the roots is whole.
func TestWrongCaches(t *testing.T) {
	p := commit.Params{K: 3, N: 5, SliceSize: 64}
	for _, groups := range []int{1, 100, 1030} {
		for _, damage := range []struct {
			name string
			do   func(s *bad, h commit.Header, g int)
		}{
			{"a root", func(s *bad, h commit.Header, g int) {
				s.flip(t, h.ID(), "roots", int64(32*g), 1)
			}},
			{"a leaf hash", func(s *bad, h commit.Header, g int) {
				s.flip(t, h.ID(), "leaves", int64(32*(5*g+2)), 1)
			}},
			{"all roots and a leaf hash", func(s *bad, h commit.Header, g int) {
				s.lose("roots")
				s.flip(t, h.ID(), "leaves", int64(32*(5*g+2)), 1)
			}},
			{"all leaf hashes and a root", func(s *bad, h commit.Header, g int) {
				s.lose("leaves")
				s.flip(t, h.ID(), "roots", int64(32*g), 1)
			}},
			{"a leaf hash and the slices of another group", func(s *bad, h commit.Header, g int) {
				s.flip(t, h.ID(), "leaves", int64(32*(5*g+2)), 1)
				other := (g + 1) % h.Groups()
				if other != g {
					s.flip(t, h.ID(), "lane-01", h.LaneOffset(other), 10)
				}
			}},
			{"roots and leaf hashes of all groups but by turns", func(s *bad, h commit.Header, g int) {
				for g := range h.Groups() {
					if g%2 == 0 {
						s.flip(t, h.ID(), "roots", int64(32*g), 1)
					} else {
						s.flip(t, h.ID(), "leaves", int64(32*5*g), 1)
					}
				}
			}},
			{"the leaf hash of a missing lane", func(s *bad, h commit.Header, g int) {
				s.lose("lane-02")
				s.flip(t, h.ID(), "leaves", int64(32*(5*g+2)), 1)
			}},
			{"roots, the leaf hash of a missing lane, and the slices of another group", func(s *bad, h commit.Header, g int) {
				s.lose("roots", "lane-03")
				s.flip(t, h.ID(), "leaves", int64(32*(5*g+3)), 1)
				if other := (g + 1) % h.Groups(); other != g {
					s.flip(t, h.ID(), "lane-01", h.LaneOffset(other), 1)
				}
			}},
			{"a root and its leaf hashes", func(s *bad, h commit.Header, g int) {
				s.flip(t, h.ID(), "roots", int64(32*g), 32)
				s.flip(t, h.ID(), "leaves", int64(32*5*g), 32*5)
			}},
			{"roots cut", func(s *bad, h commit.Header, g int) { s.resize(t, h.ID(), "roots", -31) }},
			{"leaves cut", func(s *bad, h commit.Header, g int) { s.resize(t, h.ID(), "leaves", -33) }},
			{"everything stretched", func(s *bad, h commit.Header, g int) {
				for _, name := range objects(h) {
					s.resize(t, h.ID(), name, 100)
				}
			}},
		} {
			manifests := []string{"whole", "lost", "wrong"}
			if damage.name == "everything stretched" {
				manifests = manifests[:1] // the headers behind the lanes are hidden
			}
			if groups == 1030 && testing.Short() {
				manifests = manifests[:1]
			}
			for _, manifest := range manifests {
				t.Run(fmt.Sprintf("%d groups/%s/manifest %s", groups, damage.name, manifest), func(t *testing.T) {
					rng := newRand(uint64(groups))
					s := newBad()
					plain := randomBytes(rng, groups*p.K*p.SliceSize-7)
					h := write(t, s, blob.Options{Params: p}, plain)
					want := all(t, s, h)
					damage.do(s, h, groups/2)
					switch manifest {
					case "lost":
						s.lose("manifest")
					case "wrong":
						s.flip(t, h.ID(), "manifest", h.ManifestLen()-1, 1)
					}
					if got := read(t, s, h.ID()); !bytes.Equal(got, plain) {
						t.Fatal("read gives other bytes")
					}
					checkHashes(t, s, h)
					if len(repair(t, s, h.ID())) == 0 {
						t.Error("repair found nothing")
					}
					same(t, s, h, want)
				})
			}
		}
	}
}

// TestNoHeader tells what is not there from what has no header.
func TestNoHeader(t *testing.T) {
	ctx := context.Background()
	p := commit.Params{K: 3, N: 5, SliceSize: 64}
	plain := randomBytes(newRand(3), 1000)
	reading := errors.New("disk on fire")
	for _, c := range []struct {
		name   string
		damage func(s *bad, h commit.Header)
		want   error
	}{
		{"only one lane", func(s *bad, h commit.Header) { s.lose(without(objects(h), "lane-04")...) }, nil},
		{"nothing", func(s *bad, h commit.Header) { s.lose(objects(h)...) }, fs.ErrNotExist},
		{"only leaves", func(s *bad, h commit.Header) { s.lose(without(objects(h), "leaves")...) }, blob.ErrNoHeader},
		{"a wrong manifest", func(s *bad, h commit.Header) {
			s.flip(t, h.ID(), "manifest", 20, 1)
			s.lose(without(objects(h), "manifest")...)
		}, blob.ErrNoHeader},
		{"an empty manifest", func(s *bad, h commit.Header) {
			s.resize(t, h.ID(), "manifest", -64)
			s.lose(without(objects(h), "manifest")...)
		}, blob.ErrNoHeader},
		{"a cut lane", func(s *bad, h commit.Header) {
			s.resize(t, h.ID(), "lane-03", -1)
			s.lose(without(objects(h), "lane-03")...)
		}, blob.ErrNoHeader},
		{"a lane of a few bytes", func(s *bad, h commit.Header) {
			s.resize(t, h.ID(), "lane-03", 10-int(h.LaneOffset(h.Groups()))-commit.HeaderLen)
			s.lose(without(objects(h), "lane-03")...)
		}, blob.ErrNoHeader},
		{"a broken disk", func(s *bad, h commit.Header) {
			s.hook = func(context.Context, string, string, int64, int) error { return reading }
		}, reading},
		{"a broken disk under what is left", func(s *bad, h commit.Header) {
			s.lose(without(objects(h), "lane-02")...)
			s.hook = func(_ context.Context, _, name string, _ int64, _ int) error {
				if name == "lane-02" {
					return reading
				}
				return nil
			}
		}, reading},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newBad()
			h := write(t, s, blob.Options{Params: p}, plain)
			c.damage(s, h)
			got, err := blob.ReadHeader(ctx, s, h.ID())
			if !errors.Is(err, c.want) || err == nil && got != h {
				t.Errorf("ReadHeader: %v, %v; want %v, %v", got, err, h, c.want)
			}
			b, err := blob.Open(ctx, s, h.ID(), blob.Options{})
			if !errors.Is(err, c.want) {
				t.Errorf("Open: %v, want %v", err, c.want)
			}
			if err == nil {
				b.Close()
			}
		})
	}
	if _, err := blob.Open(ctx, newBad(), commit.ID{1}, blob.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("unknown ID: %v", err)
	}
}

func without(names []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
}

// TestLostRoots keeps fewer than k lanes of a blob with several windows and no cache of any use.
func TestLostRoots(t *testing.T) {
	p := commit.Params{K: 3, N: 5, SliceSize: 64}
	s := newBad()
	h := write(t, s, blob.Options{Params: p}, randomBytes(newRand(4), 1500*192))
	s.lose("roots", "leaves", "lane-00", "lane-01", "lane-02")

	b := open(t, s, h.ID()) // the manifest is whole
	// The second time it is known that the leaves are missing, and all lanes are asked for.
	for range 2 {
		_, errs := slicesOf(context.Background(), b, []commit.Pos{{Group: 1200, Lane: 3}, {Group: 3, Lane: 4}})
		for _, err := range errs {
			var lost *blob.LostError
			if !errors.As(err, &lost) || !lost.Unknown || len(lost.Faults) != 1 || !errors.Is(lost.Faults[0].Err, blob.ErrNoRoots) {
				t.Errorf("%v, want a lost group without a root, and nothing else", err)
			}
		}
		if len(errs) != 2 {
			t.Errorf("%d errors, want 2", len(errs))
		}
	}
	dst := make([]commit.Hash, 1)
	if err := b.Hashes(context.Background(), dst, []commit.Node{{Height: 5, Index: 1030}}); !errors.Is(err, blob.ErrNoRoots) {
		t.Errorf("Hashes: %v, want %v", err, blob.ErrNoRoots)
	}
	groups := 0
	for run, err := range b.Verify(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		groups += run.Groups
		lost := 0
		for _, f := range run.Faults {
			if e := (*blob.LostError)(nil); errors.As(f.Err, &e) {
				lost++
			}
		}
		if lost != run.Groups {
			t.Errorf("groups from %d on: %d are lost, want %d", run.First, lost, run.Groups)
		}
	}
	if groups != h.Groups() {
		t.Errorf("verified %d groups, want %d", groups, h.Groups())
	}

	s.lose("manifest")
	if _, err := blob.Open(context.Background(), s, h.ID(), blob.Options{}); !errors.Is(err, blob.ErrNoRoots) {
		t.Errorf("Open: %v, want %v", err, blob.ErrNoRoots)
	}
	if got, err := blob.ReadHeader(context.Background(), s, h.ID()); err != nil || got != h {
		t.Errorf("ReadHeader: %v, %v", got, err)
	}
}

// TestDoubt has groups of which nothing tells which slices are right: the error names those that were tried, and where
// it says how to read the group, that holds.
func TestDoubt(t *testing.T) {
	ctx := context.Background()
	p := commit.Params{K: 3, N: 5, SliceSize: 64}
	const g = 1
	leaf := func(lane int) int64 { return int64(32 * (p.N*g + lane)) }
	for _, c := range []struct {
		name            string
		damage          func(s *bad, h commit.Header)
		tried, suspects commit.Lanes
		leaves          string   // in the error, where the roots are there
		roots           string   // where they are lost too
		without         []string // lanes that the error says to read without
	}{
		{"a leaf hash and a slice", func(s *bad, h commit.Header) {
			s.flip(t, h.ID(), "leaves", leaf(0), 1)
			s.flip(t, h.ID(), lane(1), h.LaneOffset(g), 2)
		}, 0b111, 0b11,
			"leaves wrong (those made of lanes 0-2 do not lead to the root either; lanes 0-1 do not match the stored leaf hashes: a read may succeed without them)",
			"nothing confirms lanes 0-2 of group 1; lanes 0-1 do not match the stored leaf hashes: a read may succeed without them",
			[]string{lane(0), lane(1)}},
		{"the leaf hash of a lost lane and a slice", func(s *bad, h commit.Header) {
			s.flip(t, h.ID(), "leaves", leaf(4), 1)
			s.flip(t, h.ID(), lane(1), h.LaneOffset(g), 2)
			s.lose(lane(4))
		}, 0b111, 0b10,
			"lane-04 missing, leaves wrong (those made of lanes 0-2 do not lead to the root either; lane 1 does not match the stored leaf hash: a read may succeed without it)",
			"nothing confirms lanes 0-2 of group 1; lane 1 does not match the stored leaf hash: a read may succeed without it",
			[]string{lane(1)}},
		{"all leaf hashes and a slice", func(s *bad, h commit.Header) {
			s.flip(t, h.ID(), "leaves", leaf(0), 32*p.N)
			s.flip(t, h.ID(), lane(1), h.LaneOffset(g), 2)
		}, 0b111, 0,
			"leaves wrong (those made of lanes 0-2 do not lead to the root either: a read may succeed without one of these)",
			"nothing confirms lanes 0-2 of group 1: a read may succeed without one of these",
			[]string{lane(1)}},
		{"leaves and a slice", func(s *bad, h commit.Header) {
			s.lose("leaves")
			s.flip(t, h.ID(), lane(1), h.LaneOffset(g), 2)
		}, 0b111, 0,
			"leaves missing (those made of lanes 0-2 do not lead to the root either: a read may succeed without one of these)",
			"nothing confirms lanes 0-2 of group 1: a read may succeed without one of these",
			[]string{lane(1)}},
		{"leaves and a slice of as few as there may be", func(s *bad, h commit.Header) {
			s.lose("leaves", lane(0), lane(3))
			s.flip(t, h.ID(), lane(2), h.LaneOffset(g), 2)
		}, 0b10110, 0,
			"lane-00 missing, lane-03 missing, leaves missing (those made of lanes 1-2,4 do not lead to the root either)",
			"nothing confirms lanes 1-2,4 of group 0 and of others", nil},
		{"a leaf hash and two slices", func(s *bad, h commit.Header) {
			s.flip(t, h.ID(), "leaves", leaf(0), 1)
			s.flip(t, h.ID(), lane(1), h.LaneOffset(g), 2)
			s.flip(t, h.ID(), lane(3), h.LaneOffset(g), 2)
		}, 0b111, 0b1011,
			"leaves wrong (those made of lanes 0-2 do not lead to the root either; lanes 0-1,3 do not match the stored leaf hashes)",
			"nothing confirms lanes 0-2 of group 1; lanes 0-1,3 do not match the stored leaf hashes", nil},
		{"leaves and too many lanes", func(s *bad, h commit.Header) { s.lose("leaves", lane(0), lane(1), lane(2)) }, 0, 0,
			"lane-00 missing, lane-01 missing, lane-02 missing, leaves missing",
			"2 slices of group 0 and of others are there, 3 are needed", nil},
	} {
		for _, caches := range [][]string{nil, {"roots"}, {"roots", "manifest"}} {
			t.Run(fmt.Sprintf("%s/without %v", c.name, caches), func(t *testing.T) {
				s := newBad()
				groups := 3
				if len(caches) == 2 {
					groups = 1030 // with more than one window there is a manifest to make again
				}
				plain := randomBytes(newRand(5), groups*p.K*p.SliceSize-7)
				h := write(t, s, blob.Options{Params: p}, plain)
				c.damage(s, h)
				s.lose(caches...)
				if len(caches) == 2 {
					want := fmt.Sprintf("blob: nothing stored leads to the group roots of %v: %s", h.ID(), c.roots)
					if _, err := blob.Open(ctx, s, h.ID(), blob.Options{}); !errors.Is(err, blob.ErrNoRoots) || err.Error() != want {
						t.Errorf("Open: %v, want %s", err, want)
					}
				} else {
					why, tried, suspects := c.leaves, c.tried, c.suspects
					if len(caches) == 1 {
						why, tried, suspects = "roots nothing stored leads to the group roots of groups [0, 3): "+c.roots, 0, 0
					}
					b := open(t, s, h.ID())
					_, errs := slicesOf(ctx, b, []commit.Pos{{Group: g, Lane: 2}})
					for run, err := range b.Verify(ctx, 0) {
						if err != nil {
							t.Fatal(err)
						}
						for _, f := range run.Faults {
							if f.Object == "" && f.At.Group == g {
								errs = append(errs, f.Err)
							}
						}
					}
					want := "blob: group 1 is lost: no slice is known to be right, 3 are needed: " + why
					for _, err := range errs {
						var lost *blob.LostError
						if !errors.As(err, &lost) || !lost.Unknown || lost.Tried != tried || lost.Suspects != suspects || err.Error() != want {
							t.Errorf("%v, want %s", err, want)
						}
					}
					if len(errs) != 2 {
						t.Errorf("%d errors of a read and of Verify, want 2", len(errs))
					}
				}
				if s.lose(c.without...); len(c.without) > 0 && !bytes.Equal(read(t, s, h.ID()), plain) {
					t.Errorf("other bytes without %v", c.without)
				}
			})
		}
	}
}
