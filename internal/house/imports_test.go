package house

import (
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayImport says which of the library's packages each one may import. Whoever adds a
// package decides here where it stands.
var mayImport = map[string][]string{
	"hashcore":    {},
	"commit":      {"hashcore"},
	"commit/tree": {"hashcore"},

	"proof/internal/plan": {"hashcore", "commit"},
	"slicer":              {"hashcore", "commit"},
	"proof":               {"hashcore", "commit", "proof/internal/plan"},
	"proof/remote":        {"hashcore", "commit", "proof"},
	"proof/evidence":      {"hashcore", "commit", "slicer", "proof", "proof/internal/plan"},
	"blob":                {"hashcore", "commit", "slicer", "proof", "proof/evidence"},
	"blob/gateway":        {"hashcore", "commit", "proof", "blob"},

	// A second model, for tests: it must not share a mistake with what it is held against.
	"internal/reference":         {},
	"internal/reference/vectors": {},
	"internal/hostile":           {"internal/reference"},
	"internal/hostile/generate":  {"internal/hostile"},
	"internal/hostile/mutate":    {},

	"internal/faults":  {},
	"internal/house":   {},
	"internal/kernels": {"hashcore"},
}

// mayRequire are the modules that the library may depend on directly.
var mayRequire = []string{
	"github.com/klauspost/cpuid/v2",
	"github.com/klauspost/reedsolomon",
	"github.com/minio/sha256-simd",
	"github.com/transparency-dev/merkle", // by tests alone
	"golang.org/x/sys",
}

const coder = "github.com/klauspost/reedsolomon"

func TestImports(t *testing.T) {
	for _, p := range goList(t, nil, "./...") {
		name, ok := p.own()
		if !ok {
			continue
		}
		allowed, ok := mayImport[name]
		if !ok {
			t.Errorf("%s has no line in mayImport", name)
			continue
		}
		for _, imp := range p.Imports {
			if own, ok := strings.CutPrefix(imp, module+"/"); ok && !slices.Contains(allowed, own) {
				t.Errorf("%s imports %s", name, own)
			}
		}
		// Its tests may measure against whatever they like.
		for _, imp := range p.Imports {
			if imp == coder && name != "slicer" {
				t.Errorf("%s imports the erasure coder; only slicer may", name)
			}
			if strings.HasPrefix(imp, "github.com/transparency-dev/") {
				t.Errorf("%s imports %s outside its tests", name, imp)
			}
		}
	}
}

// The program and the examples reach the coder through slicer, as everybody does.
func TestProgramImportsNoCoder(t *testing.T) {
	for _, p := range goList(t, nil, "./cmd/tapecommit/...", "./examples/...") {
		if p.DepOnly {
			continue
		}
		if slices.Contains(p.Imports, coder) {
			t.Errorf("%s imports %s", p.ImportPath, coder)
		}
	}
}

func TestVerifierLinksNoCoder(t *testing.T) {
	allowed := []string{
		"github.com/klauspost/cpuid/v2",
		"github.com/minio/sha256-simd",
		"golang.org/x/sys",
	}
	for _, v := range verifiers {
		for _, p := range goList(t, nil, "./"+v) {
			if own, ok := p.own(); ok {
				if own == "slicer" {
					t.Errorf("%s links slicer", v)
				}
			} else if !p.Standard && !slices.Contains(allowed, p.Module.Path) {
				t.Errorf("%s links %s", v, p.ImportPath)
			}
		}
	}
}

func TestPuregoHasNoAssembly(t *testing.T) {
	for _, c := range []struct{ name, tags, what string }{
		{"purego hashcore", "purego", "./hashcore"},
		{"purego,noasm library", "purego,noasm", "./..."},
	} {
		for _, target := range []string{"linux/amd64", "linux/arm64", "linux/386", "linux/s390x", "darwin/arm64", "windows/amd64", "js/wasm"} {
			t.Run(c.name+" "+target, func(t *testing.T) {
				env := []string{"GOOS=" + path.Dir(target), "GOARCH=" + path.Base(target), "CGO_ENABLED=0"}
				for _, p := range goList(t, env, "-tags", c.tags, c.what) {
					// x/sys/unix is how cpuid asks macOS: its assembly is stubs of system calls.
					if !p.Standard && len(p.SFiles) > 0 && p.ImportPath != "golang.org/x/sys/unix" {
						t.Errorf("%s has assembly: %q", p.ImportPath, p.SFiles)
					}
				}
			})
		}
	}
}

// goMod is what go mod edit -json prints, as far as it matters here.
type goMod struct {
	Module  struct{ Path string }
	Go      string
	Require []struct {
		Path     string
		Indirect bool
	}
	Replace []any
	Use     []struct{ DiskPath string }
}

func decodeMod(t *testing.T, args ...string) goMod {
	t.Helper()
	var m goMod
	if err := json.Unmarshal(goTool(t, nil, args...), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestModules(t *testing.T) {
	work := decodeMod(t, "work", "edit", "-json")
	if len(work.Replace) > 0 {
		t.Error("go.work has a replace line")
	}
	dirs := []string{"internal/tools"} // stands alone: a tool's needs change no version that is built here
	for _, u := range work.Use {
		dirs = append(dirs, u.DiskPath)
	}

	var mods []string
	for _, name := range files(t) {
		if path.Base(name) == "go.mod" {
			mods = append(mods, path.Dir(name))
		}
	}
	for _, dir := range mods {
		if !slices.ContainsFunc(dirs, func(d string) bool { return path.Clean(d) == dir }) {
			t.Errorf("go.work does not use %s", dir)
		}
		m := decodeMod(t, "mod", "edit", "-json", filepath.Join(dir, "go.mod"))
		if want := path.Join(module, dir); m.Module.Path != want {
			t.Errorf("%s/go.mod names module %s, not %s", dir, m.Module.Path, want)
		}
		if m.Go != "1.25" && !strings.HasPrefix(m.Go, "1.25.") {
			t.Errorf("%s/go.mod wants go %s", dir, m.Go)
		}
		if len(m.Replace) > 0 {
			t.Errorf("%s/go.mod has a replace line", dir)
		}
		if dir != "." {
			continue
		}
		for _, r := range m.Require {
			if !r.Indirect && !slices.Contains(mayRequire, r.Path) {
				t.Errorf("the library requires %s", r.Path)
			}
		}
	}
}
