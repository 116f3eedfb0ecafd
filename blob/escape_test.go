//go:build unix

package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
)

// TestNothingOutside has links that lead out of a store in every place that a store looks at. What they lead to is neither
// read, nor written to, nor removed.
func TestNothingOutside(t *testing.T) {
	ctx := context.Background()
	plain := randomBytes(newRand(80), 1000)
	outside := t.TempDir()
	h := write(t, dirAt(t, outside), blob.Options{Params: small}, plain) // a blob that would be right
	before := tree(t, outside)
	link := func(from ...string) {
		t.Helper()
		to := outside
		if last := from[len(from)-1]; last != "tmp" && last != "link" {
			to = filepath.Join(outside, h.ID().String())
		}
		if err := os.Symlink(to, filepath.Join(from...)); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]func(t *testing.T, path string, s blob.Store){
		"tmp": func(t *testing.T, path string, s blob.Store) {
			link(path, "tmp")
			if _, err := blob.NewWriter(ctx, s, blob.Options{Params: small}); err == nil {
				t.Error("a blob is built outside")
			}
		},
		"blob": func(t *testing.T, path string, s blob.Store) {
			link(path, h.ID().String())
			if _, err := blob.Open(ctx, s, h.ID(), blob.Options{}); err == nil {
				t.Error("a blob is read outside")
			}
			if err := s.Remove(ctx, h.ID()); err == nil {
				t.Error("a blob is removed outside")
			}
			for id := range s.IDs(ctx) {
				t.Errorf("%v is listed", id)
			}
			write(t, s, blob.Options{Params: small}, plain)
			if got := read(t, s, h.ID()); !bytes.Equal(got, plain) {
				t.Error("the blob cannot be read after it was written")
			}
		},
		"in a blob that is removed": func(t *testing.T, path string, s blob.Store) {
			write(t, s, blob.Options{Params: small}, plain)
			link(path, h.ID().String(), "link")
			if err := s.Remove(ctx, h.ID()); err != nil {
				t.Fatal(err)
			}
		},
		"in what a sweep removes": func(t *testing.T, path string, s blob.Store) {
			if err := os.MkdirAll(filepath.Join(path, "tmp", "dead"), 0o777); err != nil {
				t.Fatal(err)
			}
			link(path, "tmp", "dead", "link")
			write(t, s, blob.Options{Params: small}, plain)
			if _, err := os.Lstat(filepath.Join(path, "tmp", "dead")); err == nil {
				t.Error("the leftover was not swept")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir()
			test(t, path, dirAt(t, path))
			if after := tree(t, outside); after != before {
				t.Errorf("outside there was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

// tree is the names, kinds and contents of all files below a folder.
func tree(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		var b []byte
		if info.Mode().IsRegular() {
			b, err = os.ReadFile(path)
		}
		fmt.Fprintf(&all, "%s %v %x\n", path, info.Mode(), sha256.Sum256(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
