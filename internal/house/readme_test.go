package house

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fence is one fenced block of a Markdown file.
type fence struct{ lang, text string }

func fences(markdown string) []fence {
	var all []fence
	for _, m := range regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$").FindAllStringSubmatch(markdown, -1) {
		all = append(all, fence{m[1], m[2]})
	}
	return all
}

// TestReadmeGo runs the Go programs of the README. A text block behind one is what it prints.
func TestReadmeGo(t *testing.T) {
	blocks := fences(read(t, "README.md"))
	ran := 0
	for i, b := range blocks {
		if b.lang != "go" {
			continue
		}
		ran++
		var want string
		if i+1 < len(blocks) && blocks[i+1].lang == "text" {
			want = blocks[i+1].text
		}
		if got := string(goTool(t, nil, "run", "-overlay", overlay(t, b.text), "./examples/readme")); got != want {
			t.Errorf("the README's program prints\n%swant\n%s", got, want)
		}
	}
	if ran == 0 {
		t.Error("the README has no Go program")
	}
}

// overlay lets the go command see a main program at examples/readme, where there is none.
func overlay(t *testing.T, program string) string {
	t.Helper()
	at, err := filepath.Abs(filepath.Join(root, "examples", "readme", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(source, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(map[string]map[string]string{"Replace": {at: source}})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

const testAll = "go test work"

// TestReadmeShell runs the README's commands in order, as a newcomer would: in a copy of the project and with nothing set
// for the go command. It leaves out only the one that runs this test.
func TestReadmeShell(t *testing.T) {
	var script []string
	tests := 0
	for _, b := range fences(read(t, "README.md")) {
		if b.lang != "sh" {
			continue
		}
		for _, line := range strings.Split(strings.TrimSpace(b.text), "\n") {
			if line == testAll {
				tests++
			} else {
				script = append(script, line)
			}
		}
	}
	if len(script) < 3 || tests != 1 {
		t.Fatalf("the README has %d commands, and %d times %q", len(script), tests, testAll)
	}
	if !strings.Contains(read(t, ".ci/run"), testAll) {
		t.Errorf(".ci/run does not run %q", testAll)
	}

	dir := copyProject(t)
	before := moduleFiles(t, dir)
	cmd := exec.Command("sh", "-e", "-x", "-c", strings.Join(script, "\n"))
	cmd.Dir = dir
	cmd.Env = newcomer()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if after := moduleFiles(t, dir); !maps.Equal(after, before) {
		t.Errorf("the commands changed a file of the modules: %q, before %q", after, before)
	}
}

// moduleFiles are the files of the go command: they name all that a build needs, or a build would add to them.
func moduleFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	text := make(map[string]string)
	for _, name := range files(t) {
		switch path.Base(name) {
		case "go.mod", "go.sum", "go.work", "go.work.sum":
			b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			text[name] = string(b)
		}
	}
	if len(text) < 6 {
		t.Fatalf("only %d files of modules", len(text))
	}
	return text
}

// newcomer is this environment without what steers the go command or the program.
func newcomer() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GOFLAGS=") && !strings.HasPrefix(v, "GOWORK=") && !strings.HasPrefix(v, "TAPECOMMIT_") {
			env = append(env, v)
		}
	}
	return append(env, "GOFLAGS=")
}

func copyProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range files(t) {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(read(t, name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestReadmePackages wants a line of the README's table for each package that others can import.
func TestReadmePackages(t *testing.T) {
	_, table, _ := strings.Cut(read(t, "README.md"), "\n| package | what it is for |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, name := range libraryPackages(t) {
		if !strings.Contains(table, "\n| `"+name+"` | ") {
			t.Errorf("the README does not show package %s", name)
		}
	}
}

// TestReadmeCommands holds the README's table of commands to what the program says of itself.
func TestReadmeCommands(t *testing.T) {
	help := string(goTool(t, nil, "run", "./cmd/tapecommit", "help"))
	_, list, ok := strings.Cut(help, "Available Commands:\n")
	if !ok {
		t.Fatalf("the program's help lists no commands:\n%s", help)
	}
	list, _, _ = strings.Cut(list, "\n\n")
	_, table, _ := strings.Cut(read(t, "README.md"), "\n| command | what it does |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var shown []string
	for _, line := range strings.Split(table, "\n") {
		for _, code := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(strings.Split(strings.ReplaceAll(line, `\|`, "/"), "|")[1], -1) {
			shown = append(shown, strings.Fields(strings.TrimPrefix(code[1], "tapecommit "))[0])
		}
	}
	all := " " + strings.Join(shown, " ") + " "
	n := 0
	for _, line := range strings.Split(list, "\n") {
		if name := strings.Fields(line)[0]; name != "help" {
			n++
			if !strings.Contains(all, " "+name+" ") {
				t.Errorf("the README does not show %s", name)
			}
		}
	}
	for _, name := range shown {
		if !strings.Contains(list, "  "+name+" ") && name != "answer" && name != "judge" {
			t.Errorf("the program has no command %s", name)
		}
	}
	if n < 10 {
		t.Fatalf("only %d commands:\n%s", n, help)
	}
}
