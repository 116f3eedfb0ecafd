package house

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write api.txt anew")

// The exported API is the same everywhere: these are the build targets where files differ.
var apiTargets = []struct{ os, arch, tags string }{
	{"linux", "amd64", ""},
	{"linux", "amd64", "purego,noasm"},
	{"linux", "arm64", ""},
	{"linux", "386", ""},
	{"linux", "s390x", ""},
	{"darwin", "arm64", ""},
	{"windows", "amd64", ""},
	{"js", "wasm", ""},
	{"wasip1", "wasm", ""},
}

// TestAPI compares the exported API with api.txt, so that no change of it goes unseen.
func TestAPI(t *testing.T) {
	paths := libraryPackages(t)
	std := standardImporter(t)
	file := filepath.Join(root, "api.txt")
	if *update {
		if err := os.WriteFile(file, []byte(api(t, std, paths, apiTargets[0].os, apiTargets[0].arch, apiTargets[0].tags)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := strings.Split(read(t, "api.txt"), "\n")
	for _, target := range apiTargets {
		t.Run(strings.Join([]string{target.os, target.arch, target.tags}, " "), func(t *testing.T) {
			got := strings.Split(api(t, std, paths, target.os, target.arch, target.tags), "\n")
			for _, line := range got {
				if !slices.Contains(want, line) {
					t.Errorf("not in api.txt: %s", line)
				}
			}
			for _, line := range want {
				if !slices.Contains(got, line) {
					t.Errorf("in api.txt alone: %s", line)
				}
			}
			if !t.Failed() && !slices.Equal(got, want) {
				t.Error("api.txt is not in order")
			}
		})
	}
	if t.Failed() {
		t.Log("where the change is meant: go test ./internal/house -run TestAPI -update")
	}
}

// standardImporter reads the standard library from what the go command compiled.
func standardImporter(t *testing.T) types.Importer {
	t.Helper()
	exports := make(map[string]string)
	d := json.NewDecoder(strings.NewReader(string(goTool(t, nil, "list", "-deps", "-export", "-json=ImportPath,Export", "./..."))))
	for {
		var p struct{ ImportPath, Export string }
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(exports[path])
	})
}

// libImporter type-checks the library's packages from source, for one target and without
// the bodies of functions, and takes all others from std.
type libImporter struct {
	ctx  build.Context
	std  types.Importer
	seen map[string]*types.Package
}

func (l *libImporter) Import(importPath string) (*types.Package, error) {
	name, ok := strings.CutPrefix(importPath, module+"/")
	if !ok {
		return l.std.Import(importPath)
	}
	if p := l.seen[name]; p != nil {
		return p, nil
	}
	dir := filepath.Join(root, filepath.FromSlash(name))
	bp, err := l.ctx.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, f := range bp.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(dir, f), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	// Errors are passed over here: what this host has no export data for cannot be seen in
	// the API, or else its lines say "invalid type" and differ from api.txt.
	conf := types.Config{Importer: l, IgnoreFuncBodies: true, Error: func(error) {}}
	p, _ := conf.Check(importPath, fset, files, nil)
	l.seen[name] = p
	return p, nil
}

// api lists the exported API of packages, one line for each name, method and field.
func api(t *testing.T, std types.Importer, paths []string, goos, goarch, tags string) string {
	t.Helper()
	ctx := build.Default
	ctx.GOOS, ctx.GOARCH, ctx.CgoEnabled = goos, goarch, false
	ctx.BuildTags = strings.FieldsFunc(tags, func(r rune) bool { return r == ',' })
	l := &libImporter{ctx: ctx, std: std, seen: make(map[string]*types.Package)}
	var lines []string
	for _, name := range paths {
		p, err := l.Import(module + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		qualify := func(other *types.Package) string {
			if other == p {
				return ""
			}
			return other.Name()
		}
		add := func(format string, args ...any) {
			lines = append(lines, name+": "+fmt.Sprintf(format, args...))
		}
		for _, n := range p.Scope().Names() {
			obj := p.Scope().Lookup(n)
			if !obj.Exported() {
				continue
			}
			switch obj := obj.(type) {
			case *types.Const:
				add("const %s %s = %s", n, types.TypeString(obj.Type(), qualify), obj.Val().ExactString())
			case *types.TypeName:
				addType(add, obj, qualify)
			default:
				add("%s", types.ObjectString(obj, qualify))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

func addType(add func(string, ...any), obj *types.TypeName, qualify types.Qualifier) {
	n := obj.Name()
	if obj.IsAlias() {
		add("type %s = %s", n, types.TypeString(types.Unalias(obj.Type()), qualify))
		return
	}
	switch u := obj.Type().Underlying().(type) {
	case *types.Struct:
		add("type %s struct", n)
		for f := range u.Fields() {
			if f.Exported() && f.Embedded() {
				add("type %s struct, embedded %s", n, types.TypeString(f.Type(), qualify))
			} else if f.Exported() {
				add("type %s struct, %s %s", n, f.Name(), types.TypeString(f.Type(), qualify))
			}
		}
	case *types.Interface:
		add("type %s interface", n)
		for m := range u.Methods() {
			if m.Exported() {
				add("type %s interface, %s%s", n, m.Name(), signature(m, qualify))
			} else {
				add("type %s interface, unexported methods", n)
			}
		}
		return
	default:
		add("type %s %s", n, types.TypeString(u, qualify))
	}
	named, ok := obj.Type().(*types.Named)
	if !ok {
		return
	}
	for m := range named.Methods() {
		if m.Exported() {
			recv := types.TypeString(m.Signature().Recv().Type(), qualify)
			add("func (%s) %s%s", recv, m.Name(), signature(m, qualify))
		}
	}
}

// signature is the type of f without the word func.
func signature(f *types.Func, qualify types.Qualifier) string {
	return strings.TrimPrefix(types.TypeString(f.Signature(), qualify), "func")
}
