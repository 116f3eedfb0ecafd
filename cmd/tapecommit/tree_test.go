package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/tapecommit/tapecommit/hashcore"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/internal/reference/vectors"
)

// TestHashLeaf checks that a file is hashed as its scheme hashes a leaf.
func TestHashLeaf(t *testing.T) {
	file := filepath.Join(t.TempDir(), "leaf")
	leaf := []byte("any bytes")
	if err := os.WriteFile(file, leaf, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tape", "shred", "rfc6962"} {
		scheme, err := parseScheme(name, 5, false, 1)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]hashcore.Digest, 1)
		scheme.HashLeaves(want, [][]byte{leaf})
		if got, err := hashLeaf(t.Context(), scheme.prefix, file); err != nil || got != want[0] {
			t.Errorf("%s: leaf %x, %v, want %x", name, got, err, want[0])
		}
	}
}

// TestTreeVectors meets the vectors of tape and shred trees through the command.
func TestTreeVectors(t *testing.T) {
	folder := t.TempDir()
	root := func(want [32]byte, leaves [][]byte, flags ...string) {
		t.Helper()
		args := append([]string{"tree"}, flags...)
		for i, leaf := range leaves {
			file := filepath.Join(folder, strconv.Itoa(i))
			if err := os.WriteFile(file, leaf, 0o666); err != nil {
				t.Fatal(err)
			}
			args = append(args, file)
		}
		if got := runs(t, 0, nil, args...); got != fmt.Sprintf("%x\n", want) {
			t.Errorf("%q of %d leaves: root %s, want %x", flags, len(leaves), got, want)
		}
	}
	tape := vectors.ReadTapeTree(t)
	for height, empty := range tape.Empty {
		root(empty, nil, "--height", strconv.Itoa(height))
	}
	for _, c := range tape.Cases {
		var leaves [][]byte
		for _, leaf := range c.Leaves {
			leaves = append(leaves, reference.Stream(leaf.Seed, leaf.Len))
		}
		if len(leaves) > 0 { // without leaves the reference has a root of another height
			root(c.Root, leaves, "--height", strconv.Itoa(c.Height))
		}
	}
	shreds := 0
	for _, c := range vectors.ReadShreds(t) {
		if c.PrefixBytes != 26 || c.NodeBytes != 20 {
			continue // a shape that Solana had before
		}
		shreds++
		var leaves [][]byte
		for i := range c.Leaves {
			leaves = append(leaves, reference.Stream(c.FirstSeed+uint64(i), c.LeafLen))
		}
		root(c.Root, leaves, "--scheme", "shred")
	}
	if shreds == 0 {
		t.Error("no vector of a shred tree")
	}
}
