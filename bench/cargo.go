package main

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// The library of the rivals in Rust is built from a copy: this program may run where its source is not.
//
//go:embed rust/Cargo.toml rust/src/lib.rs
var rustSource embed.FS

var errNoCargo = errors.New("cargo is not installed")

// A cargo builds in a folder of the user's cache, where the next run finds what was built.
type cargo struct {
	dir string
	log io.Writer // of what it builds
}

func newCargo(log io.Writer) (*cargo, error) {
	if _, err := exec.LookPath("cargo"); err != nil {
		return nil, errNoCargo
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	c := &cargo{filepath.Join(cache, "tapecommit-bench"), log}
	return c, fs.WalkDir(rustSource, "rust", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := rustSource.ReadFile(name)
		if err != nil {
			return err
		}
		return writeIfOther(filepath.Join(c.dir, filepath.FromSlash(name)), b)
	})
}

// writeIfOther leaves a file alone that is as it should be: cargo goes by the time of the last change.
func writeIfOther(name string, b []byte) error {
	if have, err := os.ReadFile(name); err == nil && bytes.Equal(have, b) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, b, 0o666)
}

// run runs cargo on the crate in a folder and returns what it prints on stdout.
func (c *cargo) run(ctx context.Context, crate string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "cargo", args...)
	cmd.Dir = crate
	cmd.Env = append(os.Environ(), "CARGO_TARGET_DIR="+filepath.Join(c.dir, "target"))
	cmd.Stderr = c.log
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("cargo %s: %w", args[0], err)
	}
	return out, nil
}

func (c *cargo) crate() string { return filepath.Join(c.dir, "rust") }

// build makes the library and returns where it is.
func (c *cargo) build(ctx context.Context) (string, error) {
	if _, err := c.run(ctx, c.crate(), "build", "--release"); err != nil {
		return "", err
	}
	name := "libtapecommit_rivals.so"
	if runtime.GOOS == "darwin" {
		name = "libtapecommit_rivals.dylib"
	}
	return filepath.Join(c.dir, "target", "release", name), nil
}

// crateSource is a crate as it was published.
type crateSource struct{ version, dir string }

// sources finds the crates that the library was built from.
func (c *cargo) sources(ctx context.Context) (map[string]crateSource, error) {
	out, err := c.run(ctx, c.crate(), "metadata", "--format-version", "1", "--offline")
	if err != nil {
		return nil, err
	}
	var metadata struct {
		Packages []struct {
			Name     string
			Version  string
			Manifest string `json:"manifest_path"`
		}
	}
	if err := json.Unmarshal(out, &metadata); err != nil {
		return nil, fmt.Errorf("cargo metadata: %w", err)
	}
	all := make(map[string]crateSource)
	for _, p := range metadata.Packages {
		all[p.Name] = crateSource{p.Version, filepath.Dir(p.Manifest)}
	}
	return all, nil
}

// bench builds one of a crate's own benchmarks, from a copy of the crate, and returns the program.
func (c *cargo) bench(ctx context.Context, s crateSource, name string) (string, error) {
	own := filepath.Join(c.dir, "own", filepath.Base(s.dir))
	if _, err := os.Stat(own); errors.Is(err, fs.ErrNotExist) {
		if err := copyWhole(own, s.dir); err != nil {
			return "", err
		}
	}
	out, err := c.run(ctx, own, "bench", "--locked", "--bench", name, "--no-run", "--message-format", "json")
	if err != nil {
		return "", err
	}
	for lines := bufio.NewReader(bytes.NewReader(out)); ; {
		line, err := lines.ReadBytes('\n')
		var built struct {
			Target     struct{ Name string }
			Executable string
		}
		if json.Unmarshal(line, &built) == nil && built.Target.Name == name && built.Executable != "" {
			return built.Executable, nil
		}
		if err != nil {
			return "", fmt.Errorf("cargo bench: built no program %s", name)
		}
	}
}

// copyWhole copies a folder so that an interrupted copy is not taken for one.
func copyWhole(to, from string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(to), "copy-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	inner := filepath.Join(temp, "crate")
	if err := os.CopyFS(inner, os.DirFS(from)); err != nil {
		return err
	}
	return os.Rename(inner, to)
}

// rustVersion is what rustc says of itself, as far as its number.
func rustVersion(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "rustc", "--version").Output()
	if err != nil {
		return ""
	}
	words := strings.Fields(string(out))
	return strings.Join(words[:min(2, len(words))], " ")
}
