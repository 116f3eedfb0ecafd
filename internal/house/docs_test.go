package house

import (
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocs wants of every package that others can import: a package comment, a comment on
// each exported name, and an example that go test runs.
func TestDocs(t *testing.T) {
	for _, name := range libraryPackages(t) {
		t.Run(name, func(t *testing.T) {
			d := document(t, name)
			if !strings.HasPrefix(d.Doc, "Package "+d.Name+" ") {
				t.Errorf("the package comment begins %.40q", d.Doc)
			}
			runnable := 0
			for _, ex := range allExamples(d) {
				if ex.Output != "" {
					runnable++
				}
			}
			if runnable == 0 {
				t.Error("no example with an output to compare")
			}

			undocumented := func(what, comment string) {
				if comment == "" && !strings.HasSuffix(what, ".Error") { // what that does, its type says
					t.Errorf("%s has no comment", what)
				}
			}
			for _, f := range d.Funcs {
				undocumented(f.Name, f.Doc)
			}
			values := append([]*doc.Value{}, append(d.Consts, d.Vars...)...)
			for _, typ := range d.Types {
				undocumented(typ.Name, typ.Doc)
				for _, f := range append(typ.Funcs, typ.Methods...) {
					undocumented(typ.Name+"."+f.Name, f.Doc)
				}
				values = append(values, append(typ.Consts, typ.Vars...)...)
			}
			for _, v := range values {
				for _, spec := range v.Decl.Specs {
					// A comment above, behind, or on the whole group.
					s := spec.(*ast.ValueSpec)
					undocumented(s.Names[0].Name, v.Doc+s.Doc.Text()+s.Comment.Text())
				}
			}
		})
	}
}

// document reads the documentation of one of the library's packages, examples included.
func document(t *testing.T, name string) *doc.Package {
	t.Helper()
	dir := filepath.Join(root, filepath.FromSlash(name))
	bp, err := build.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, list := range [][]string{bp.GoFiles, bp.TestGoFiles, bp.XTestGoFiles} {
		for _, f := range list {
			file, err := parser.ParseFile(fset, filepath.Join(dir, f), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
	}
	d, err := doc.NewFromFiles(fset, files, module+"/"+name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func allExamples(d *doc.Package) []*doc.Example {
	all := append([]*doc.Example{}, d.Examples...)
	for _, f := range d.Funcs {
		all = append(all, f.Examples...)
	}
	for _, typ := range d.Types {
		all = append(all, typ.Examples...)
		for _, f := range append(typ.Funcs, typ.Methods...) {
			all = append(all, f.Examples...)
		}
	}
	return all
}
