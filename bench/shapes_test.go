package main

import (
	"testing"
	"unsafe"

	"github.com/tapecommit/tapecommit/commit"
)

func allShapes() []shape {
	var all []shape
	for _, list := range append(mainShapes(), batchShapes()) {
		all = append(all, list...)
	}
	return all
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		name          string
		bytes, blocks int
	}{
		{oneGroup, 20 * 4096, 20*65 + 21*2},
		{manyGroups, 160 * 4096, 8 * (20*65 + 21*2)},
		{shreds, 64 * 1057, 64 * 18},
		{"64x64B", 64 * 64, 64 * 2},
		{"64x1KiB", 64 * 1024, 64 * 17},
		{"joins-1", 21 * 64, 21 * 2},
		{"joins-8", 8 * 21 * 64, 8 * 21 * 2},
		{"slices-1", 4096, 65},
		{"slices-40", 40 * 4096, 40 * 65},
	} {
		s, err := shapeNamed(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if s.bytes() != c.bytes || s.blocks() != c.blocks {
			t.Errorf("%s: %d bytes in %d blocks, want %d in %d", c.name, s.bytes(), s.blocks(), c.bytes, c.blocks)
		}
	}
	if _, err := shapeNamed("no-such"); err == nil {
		t.Error("found a shape that is none")
	}
}

func TestShapeNames(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range allShapes() {
		if seen[s.name] {
			t.Errorf("two shapes are named %s", s.name)
		}
		seen[s.name] = true
	}
}

func TestMixed(t *testing.T) {
	sizes := mixed()
	total, least, most := 0, sizes[0], sizes[0]
	for _, n := range sizes {
		total += n
		least, most = min(least, n), max(most, n)
	}
	if len(sizes) != mixedCount || total != mixedCount*mixedMean {
		t.Errorf("%d messages of %d bytes, want %d of %d", len(sizes), total, mixedCount, mixedCount*mixedMean)
	}
	if least < 1 || least > 100 || most < 3900 || most > 4096 {
		t.Errorf("lengths from %d to %d", least, most)
	}
}

// TestBatches holds the joins, which rivals are given, against the roots that the library computes, and wants messages
// that are hashed in step apart in the L1 cache.
func TestBatches(t *testing.T) {
	for _, s := range allShapes() {
		b, err := newBatch(s)
		if err != nil {
			t.Fatal(err)
		}
		if len(b.bodies) != len(s.sizes) || len(b.joined) != len(s.sizes) || len(b.framed) != s.groups*joinsPerGroup {
			t.Errorf("%s: %d bodies, %d joined, %d framed", s.name, len(b.bodies), len(b.joined), len(b.framed))
		}
		for i, m := range b.bodies {
			if len(m) != s.sizes[i] {
				t.Errorf("%s: message %d has %d bytes, want %d", s.name, i, len(m), s.sizes[i])
			}
		}
		if s.groups > 0 {
			roots := make([]commit.Hash, s.groups)
			commit.GroupRoots(roots, b.digests, defaults.N)
			if err := b.check(nil, nil, roots); err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
		}
		for _, msgs := range [][][]byte{b.bodies, b.joined} {
			for i := 1; i < len(msgs); i++ {
				a, b := unsafe.SliceData(msgs[i-1]), unsafe.SliceData(msgs[i])
				if len(msgs[i]) == len(msgs[i-1]) && (uintptr(unsafe.Pointer(b))-uintptr(unsafe.Pointer(a)))%4096 == 0 {
					t.Errorf("%s: messages %d and %d share a set of the cache", s.name, i-1, i)
				}
			}
		}
	}
}
