// Package faults holds FAULTS.md and SECURITY.md to the tests that they name.
package faults

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testName = regexp.MustCompile("`([a-z0-9/]+)\\.((?:Test|Fuzz)[A-Za-z0-9]+)`")
	stepName = regexp.MustCompile("\\bsteps? (`[a-z0-9]+`(?:, `[a-z0-9]+`)*)")
)

// folders of packages that are called by their last element.
var folders = map[string]string{"house": "internal/house"}

func TestFaults(t *testing.T) {
	b, err := os.ReadFile("FAULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	ci, err := os.ReadFile("../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 3 || !strings.ContainsAny(cells[0], "#!") {
			continue
		}
		rows++
		held := strings.TrimSpace(cells[2])
		names := testName.FindAllStringSubmatch(held, -1)
		if len(names) == 0 && !strings.HasPrefix(held, "Not here: ") {
			t.Errorf("%s: neither a test nor a reason", cells[0])
		}
		for _, name := range names {
			if !hasTest(t, name[1], name[2]) {
				t.Errorf("%s: %s has no %s", cells[0], name[1], name[2])
			}
		}
		for _, steps := range stepName.FindAllStringSubmatch(held, -1) {
			for _, step := range strings.Split(steps[1], ", ") {
				if !strings.Contains(string(ci), "\n"+strings.Trim(step, "`")+"() {") {
					t.Errorf("%s: .ci/run has no step %s", cells[0], step)
				}
			}
		}
	}
	if rows != 44 {
		t.Errorf("%d reports, want 44: has the form of the table changed?", rows)
	}
}

// TestSecurity holds SECURITY.md to the tests that it names.
func TestSecurity(t *testing.T) {
	b, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	names := testName.FindAllStringSubmatch(string(b), -1)
	for _, name := range names {
		if !hasTest(t, name[1], name[2]) {
			t.Errorf("%s has no %s", name[1], name[2])
		}
	}
	if len(names) < 20 {
		t.Errorf("only %d tests are named", len(names))
	}
}

// hasTest reports whether a package has a test of that name.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	if f, ok := folders[folder]; ok {
		folder = f
	}
	files, err := filepath.Glob(filepath.Join("../..", filepath.FromSlash(folder), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
