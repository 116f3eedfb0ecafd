package hostile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/internal/hostile"
)

var dir = filepath.Join("..", "..", "testvectors", "hostile")

// TestCurrent makes the files anew and wants the bytes that are there.
func TestCurrent(t *testing.T) {
	files := hostile.Files()
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what go run ./internal/hostile/generate writes", name)
		}
	}
	there, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(there) != len(files)+1 { // and the schema
		t.Errorf("%d JSON files, want %d and a schema", len(there), len(files))
	}
}

// read reads the vectors of a kind.
func read[I, R any](t *testing.T, kind string) []hostile.Vector[I, R] {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, kind+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var f hostile.File[I, R]
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		t.Fatal(err)
	}
	if f.Kind != kind || len(f.Vectors) < 30 {
		t.Fatalf("%s.json has %d vectors of %q", kind, len(f.Vectors), f.Kind)
	}
	return f.Vectors
}

// anyVector is a vector of any kind.
type anyVector = hostile.Vector[json.RawMessage, json.RawMessage]

func readAll(t *testing.T) map[string][]anyVector {
	all := map[string][]anyVector{}
	for name := range hostile.Files() {
		kind := strings.TrimSuffix(name, ".json")
		all[kind] = read[json.RawMessage, json.RawMessage](t, kind)
	}
	return all
}

// TestFrom wants of each bent vector that it comes from an accepted one of its file, differs from it, and says what
// a verifier is to find.
func TestFrom(t *testing.T) {
	for kind, vectors := range readAll(t) {
		accepted := map[string]anyVector{}
		for _, v := range vectors {
			if (v.Rule == "") == (v.Result == nil) || v.About == "" {
				t.Errorf("%s %s: not one of rule and result, or not described", kind, v.Name)
			}
			base, ok := accepted[v.From]
			switch {
			case v.From == "" && v.Rule != "":
				t.Errorf("%s %s: refused, and from nothing", kind, v.Name)
			case v.From != "" && !ok:
				t.Errorf("%s %s: from %q, which is not accepted", kind, v.Name, v.From)
			case v.From != "" && reflect.DeepEqual(base.Input, v.Input):
				t.Errorf("%s %s: the same as %s", kind, v.Name, v.From)
			}
			if v.Rule == "" {
				accepted[v.Name] = v
			}
		}
	}
}

// TestReadme wants the counts in the README to be those of the files.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	total := [2]int{}
	line := func(kind string, n [2]int) {
		if want := fmt.Sprintf("| %s | %d | %d |\n", kind, n[0], n[1]); !bytes.Contains(readme, []byte(want)) {
			t.Errorf("README.md lacks %s", want)
		}
	}
	for kind, vectors := range readAll(t) {
		n := [2]int{}
		for _, v := range vectors {
			if v.Rule == "" {
				n[0]++
				total[0]++
			} else {
				n[1]++
				total[1]++
			}
		}
		line("`"+kind+"`", n)
	}
	line("all", total)
}

// TestEveryRule wants vectors that break each rule of package commit.
func TestEveryRule(t *testing.T) {
	broken := map[string]int{}
	for _, vectors := range readAll(t) {
		for _, v := range vectors {
			broken[v.Rule]++
		}
	}
	delete(broken, "")
	rules := rules(t)
	for _, r := range rules {
		if broken[r] == 0 {
			t.Errorf("no vector breaks %s", r)
		}
	}
	for _, r := range slices.Sorted(maps.Keys(broken)) {
		if !slices.Contains(rules, r) {
			t.Errorf("%d vectors break %q, which is no rule", broken[r], r)
		}
	}
}

// rules are the constants of commit/rule.go.
func rules(t *testing.T) []string {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "commit", "rule.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			name, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, name)
		}
		return true
	})
	if len(all) < 40 {
		t.Fatalf("rule.go has %d rules", len(all))
	}
	return all
}

// TestPython runs the second verifier over the files.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here: the second verifier was not run")
	}
	// The files are opened here so that the test cache knows them.
	readAll(t)
	for _, name := range []string{"verify.py", "schema.py", "schema.json"} {
		if _, err := os.ReadFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(python, filepath.Join(dir, "verify.py")).CombinedOutput()
	if err != nil {
		t.Errorf("verify.py: %v", err)
	}
	t.Logf("%s", out)
}
