package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestFormatRules holds FORMAT.md to the rules of package commit: each has a line in the table at the end, in the order
// of the source, with the words of its comment, and each is named where the bytes that it is about are described.
func TestFormatRules(t *testing.T) {
	text, table, ok := strings.Cut(read(t, "blob/FORMAT.md"), "\n## 10. Rules\n")
	if !ok {
		t.Fatal("FORMAT.md has no section 10, Rules")
	}
	var lines, want []string
	for _, line := range strings.Split(table, "\n") {
		if strings.HasPrefix(line, "| `") {
			lines = append(lines, line)
		}
	}
	for _, r := range rules(t) {
		want = append(want, r.line())
		if !slices.Contains(lines, r.line()) {
			t.Errorf("the table lacks %s", r.line())
		}
	}
	for _, line := range lines {
		if !slices.Contains(want, line) {
			t.Errorf("package commit has no rule for %s", line)
		}
	}
	if !t.Failed() && !slices.Equal(lines, want) {
		t.Error("the table is not in the order of package commit, or repeats a line")
	}

	var known []string
	for _, r := range rules(t) {
		known = append(known, "`"+r.name+"`")
	}
	named := regexp.MustCompile("`[a-z]+(-[a-z]+)+`").FindAllString(text, -1)
	for _, name := range known {
		if !slices.Contains(named, name) {
			t.Errorf("%s is in the table alone", name)
		}
	}
	for _, name := range named {
		if !slices.Contains(known, name) {
			t.Errorf("the text names %s, which is no rule", name)
		}
	}
}

// rule is a constant of type commit.Rule.
type rule struct{ constant, name, comment string }

// line is the rule's line in the table.
func (r rule) line() string { return "| `" + r.name + "` | " + r.comment + " |" }

func rules(t *testing.T) []rule {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "commit", "rule.go"), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var all []rule
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); !ok || typ.Name != "Rule" {
			return true
		}
		name, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rule{spec.Names[0].Name, name, strings.TrimSpace(spec.Comment.Text())})
		return true
	})
	if len(all) < 30 {
		t.Fatalf("rule.go has only %d rules", len(all))
	}
	return all
}

// TestRulesAreUsed wants code that refuses bytes by each rule, and a test that expects it.
func TestRulesAreUsed(t *testing.T) {
	var code, tests strings.Builder
	for _, name := range files(t) {
		switch {
		case !strings.HasSuffix(name, ".go"), name == "commit/rule.go", strings.HasPrefix(name, "internal/"):
		case strings.HasSuffix(name, "_test.go"):
			tests.WriteString(read(t, name))
		default:
			code.WriteString(read(t, name))
		}
	}
	for _, r := range rules(t) {
		use := regexp.MustCompile(`\b` + r.constant + `\b|"` + r.name + `"`)
		if !use.MatchString(code.String()) {
			t.Errorf("no code refuses bytes by commit.%s", r.constant)
		}
		if !use.MatchString(tests.String()) {
			t.Errorf("no test expects commit.%s", r.constant)
		}
	}
}
