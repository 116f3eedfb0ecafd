package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// fakeCargo makes a script the only program there is.
func fakeCargo(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("it is a shell script")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	for _, name := range []string{"HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, t.TempDir())
	}
	if script == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, "cargo"), []byte("#!/bin/sh\n"+script), 0o777); err != nil {
		t.Fatal(err)
	}
}

// Without cargo, or where it fails, both crates are absent and the note says why.
func TestWithoutCargo(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"none", "", "cargo is not installed"},
		{"fails", "echo broken >&2; exit 101", "not built: cargo build: exit status 101"},
		{"builds nothing", "exit 0", "not loaded: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeCargo(t, c.script)
			r, err := newRust(t.Context(), io.Discard)
			if err != nil || len(r.all) > 0 {
				t.Fatalf("%d contestants, %v", len(r.all), err)
			}
			var names []string
			for _, n := range r.notes {
				names = append(names, n.Name)
				if !strings.HasPrefix(n.Absent, c.want) {
					t.Errorf("%s: absent because %q, want %q", n.Name, n.Absent, c.want)
				}
			}
			if !slices.Equal(names, []string{tape, commonware}) {
				t.Errorf("notes on %q", names)
			}
		})
	}
}

func TestRustInterrupted(t *testing.T) {
	fakeCargo(t, "exec sleep 60")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newRust(ctx, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

// TestRust builds the library, which takes minutes the first time, and has each rival of it hash every shape. It is for
// whoever changes the library; each run of the program checks the same.
func TestRust(t *testing.T) {
	if os.Getenv("TAPECOMMIT_BENCH_RUST") == "" {
		t.Skip("TAPECOMMIT_BENCH_RUST is not set")
	}
	lib, _, err := buildRust(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	all, absent := lib.contestants()
	for _, s := range allShapes() {
		b, err := newBatch(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if _, err := c.start(b); err != nil {
				t.Error(err)
			}
		}
	}
	var names []string
	for _, c := range all {
		names = append(names, c.name)
	}
	for _, n := range absent {
		t.Logf("without %s: %s", n.Name, n.Absent)
		names = append(names, n.Name)
	}
	for _, name := range names {
		has := func(l ownLine) bool { return l.rival == name }
		if !slices.ContainsFunc(ownBenches(), func(b ownBench) bool { return slices.ContainsFunc(b.lines, has) }) {
			t.Errorf("%s has no line in a benchmark of its crate", name)
		}
	}
}

func TestCargoCopies(t *testing.T) {
	fakeCargo(t, "exit 0")
	c, err := newCargo(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Cargo.toml", filepath.Join("src", "lib.rs")} {
		want, err := os.ReadFile(filepath.Join("rust", name))
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(c.crate(), name)
		before, err := os.Stat(at)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(at); err != nil || string(got) != string(want) {
			t.Errorf("%s differs, %v", name, err)
		}
		if _, err := newCargo(io.Discard); err != nil {
			t.Fatal(err)
		}
		if after, err := os.Stat(at); err != nil || !after.ModTime().Equal(before.ModTime()) {
			t.Errorf("%s was written again, and cargo would build again; %v", name, err)
		}
		if err := os.WriteFile(at, []byte("stale"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := newCargo(io.Discard); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(at); err != nil || string(got) != string(want) {
			t.Errorf("a stale %s stays, %v", name, err)
		}
	}
}

// TestCargoAnswers reads what cargo says in its JSON.
func TestCargoAnswers(t *testing.T) {
	crate := t.TempDir()
	if err := os.WriteFile(filepath.Join(crate, "Cargo.toml"), []byte("[package]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	fakeCargo(t, `case "$1" in
metadata) echo '{"packages":[{"name":"tape-sha256","version":"0.2.2","manifest_path":"`+crate+`/Cargo.toml"}]}' ;;
bench)
	echo '{"reason":"compiler-artifact","target":{"name":"other"},"executable":"/x/other"}'
	echo '{"reason":"compiler-artifact","target":{"name":"blob_group"},"executable":"/x/blob_group"}'
	echo '{"reason":"build-finished","success":true}' ;;
esac
`)
	c, err := newCargo(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	sources, err := c.sources(t.Context())
	if want := (crateSource{"0.2.2", crate}); err != nil || sources["tape-sha256"] != want {
		t.Fatalf("sources %v, %v, want %v", sources, err, want)
	}
	program, err := c.bench(t.Context(), sources["tape-sha256"], "blob_group")
	if err != nil || program != "/x/blob_group" {
		t.Errorf("bench %q, %v", program, err)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "own", filepath.Base(crate), "Cargo.toml")); err != nil {
		t.Errorf("the crate was not copied: %v", err)
	}
	if _, err := c.bench(t.Context(), sources["tape-sha256"], "no-such"); err == nil {
		t.Error("a benchmark that was not built is no error")
	}
}
