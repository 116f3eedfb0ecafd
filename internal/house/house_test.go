// Package house tests what holds for the project as a whole: who may import whom, which
// API is exported, that the documents say what the code does, and that every example runs.
package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/tapecommit/tapecommit"

// root is the folder of the library's go.mod, where go.work lies too.
const root = "../.."

// verifiers are the packages that check proofs. They never link the erasure coder, and
// build wherever Go does.
var verifiers = []string{"hashcore", "commit", "commit/tree", "proof", "proof/remote"}

// pkg is what go list says of a package.
type pkg struct {
	Dir, ImportPath, Name string
	Standard, DepOnly     bool
	Module                *struct{ Path string }
	Imports, SFiles       []string
}

// own is the path of p inside the library, and whether it is one of the library's packages.
func (p pkg) own() (string, bool) {
	if p.Module == nil || p.Module.Path != module {
		return "", false
	}
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/"), true
}

// goTool runs the go command in the project's root and returns what it prints.
func goTool(t *testing.T, env []string, args ...string) []byte {
	t.Helper()
	watchTree(t)
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return out
}

// goList lists packages and all that they depend on.
func goList(t *testing.T, env []string, args ...string) []pkg {
	t.Helper()
	args = append([]string{"list", "-deps", "-json=Dir,ImportPath,Name,Standard,DepOnly,Module,Imports,SFiles"}, args...)
	d := json.NewDecoder(bytes.NewReader(goTool(t, env, args...)))
	var all []pkg
	for {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// watchTree reads every folder of the project in this process: the go command's test cache
// knows what a test opened, and nothing of what its children did.
func watchTree(t *testing.T) {
	t.Helper()
	walk(t, func(string) {})
}

// walk calls f with the slash-separated path of every file below root but Git's own.
func walk(t *testing.T, f func(name string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && e.Name() == ".git" {
			return fs.SkipDir
		}
		name, err := filepath.Rel(root, path)
		if err == nil && e.Type().IsRegular() && name != ".git" {
			f(filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// files are the project's files: those that Git knows or would add, or all, where this is no
// clone.
func files(t *testing.T) []string {
	t.Helper()
	var names []string
	walk(t, func(name string) { names = append(names, name) })
	if _, err := os.Stat(filepath.Join(root, ".git")); errors.Is(err, fs.ErrNotExist) {
		return names
	}
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	known := strings.Split(string(out), "\x00")
	return slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(known, name) })
}

// libraryPackages are the packages that others can import, by their path inside the library.
func libraryPackages(t *testing.T) []string {
	t.Helper()
	var paths []string
	for _, p := range goList(t, nil, "./...") {
		path, ok := p.own()
		if ok && p.Name != "main" && !slices.Contains(strings.Split(path, "/"), "internal") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	if len(paths) < len(verifiers) {
		t.Fatalf("go list finds only %q", paths)
	}
	return paths
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
