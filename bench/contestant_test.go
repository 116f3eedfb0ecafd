package main

import (
	"crypto/sha256"
	"slices"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/hashcore"
)

// TestContestants has every contestant in Go hash every shape, and compares.
func TestContestants(t *testing.T) {
	t.Cleanup(func() { hashcore.Pin("") })
	all, absent := inGo()
	var batches []*batch
	for _, s := range allShapes() {
		b, err := newBatch(s)
		if err != nil {
			t.Fatal(err)
		}
		batches = append(batches, b)
	}
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			if c.end != nil {
				defer c.end()
			}
			for _, b := range batches {
				if _, err := c.start(b); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, n := range absent {
		t.Logf("without %s: %s", n.Name, n.Absent)
	}
	for _, k := range append(kernels(), byDefault, standard, minio) {
		if !slices.ContainsFunc(all, func(c contestant) bool { return c.name == k }) {
			t.Errorf("%s is no contestant", k)
		}
	}
}

// TestWrongDigest changes one bit of what a contestant computes.
func TestWrongDigest(t *testing.T) {
	s, err := shapeNamed(oneGroup)
	if err != nil {
		t.Fatal(err)
	}
	b, err := newBatch(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		wrong int // which call gives a wrong digest
		want  string
	}{
		{"leaf", 7, "digest 7 is"},
		{"join", 20 + 3, "join 3 is"},
		{"last join", 40, "join 20 is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := -1
			bad := oneByOne("bad", func(m []byte) [32]byte {
				n++
				d := sha256.Sum256(m)
				if n == c.wrong {
					d[31] ^= 1
				}
				return d
			})
			if _, err := bad.start(b); err == nil || !strings.Contains(err.Error(), "bad on group: "+c.want) {
				t.Errorf("start: %v, want an error of %q", err, c.want)
			}
		})
	}
	t.Run("root", func(t *testing.T) {
		root := b.roots[0]
		root[0] ^= 1
		if err := b.check(nil, nil, []commit.Hash{root}); err == nil || !strings.Contains(err.Error(), "root 0 is") {
			t.Errorf("check: %v", err)
		}
	})
	t.Run("too few", func(t *testing.T) {
		if err := b.check(b.digests[:19], nil, nil); err == nil {
			t.Error("19 of 20 digests pass")
		}
	})
}
