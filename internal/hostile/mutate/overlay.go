package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

const (
	variable = "TAPECOMMIT_MUTANT" // holds the number of the change that is made
	probe    = "mutantIs"          // tells a source whether that is a certain one
)

// edit puts text into a source. What wraps more stands farther outside.
type edit struct {
	offset int
	closes bool // stands behind what begins here, and in front of what ends here
	size   int  // of what is wrapped
	text   string
}

func (s *source) insert(at token.Pos, text string) {
	s.edits = append(s.edits, edit{s.fset.Position(at).Offset, false, 0, text})
}

func (s *source) wrap(e ast.Expr, open, shut string) {
	from, to := s.fset.Position(e.Pos()).Offset, s.fset.Position(e.End()).Offset
	s.edits = append(s.edits, edit{from, false, to - from, open}, edit{to, true, to - from, shut})
}

// changed is the source with all its changes, none of which is made while variable is not set.
func (s *source) changed() []byte {
	slices.SortStableFunc(s.edits, func(a, b edit) int {
		if a.offset != b.offset {
			return cmp.Compare(a.offset, b.offset)
		}
		if a.closes != b.closes {
			if a.closes {
				return -1
			}
			return 1
		}
		if a.closes {
			return cmp.Compare(a.size, b.size)
		}
		return cmp.Compare(b.size, a.size)
	})
	// Several changes of one expression wrap it one in another: what opens last shuts first.
	for i := 0; i < len(s.edits); {
		j := i + 1
		for j < len(s.edits) && s.edits[j].offset == s.edits[i].offset && s.edits[j].closes == s.edits[i].closes && s.edits[j].size == s.edits[i].size {
			j++
		}
		if s.edits[i].closes {
			slices.Reverse(s.edits[i:j])
		}
		i = j
	}
	var out []byte
	at := 0
	for _, e := range s.edits {
		out = append(append(out, s.text[at:e.offset]...), e.text...)
		at = e.offset
	}
	return append(out, s.text[at:]...)
}

// build builds the tests of internal/hostile with all changes in them.
func build(dir string, sources []*source) (string, error) {
	replace := map[string]string{}
	put := func(path string, text []byte) error {
		whole, err := filepath.Abs(path)
		if err != nil || replace[whole] != "" {
			return err
		}
		replace[whole] = filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		return os.WriteFile(replace[whole], text, 0o600)
	}
	for _, s := range sources {
		if err := put(s.path, s.changed()); err != nil {
			return "", err
		}
		probes := fmt.Sprintf(`package %s

import (
	"os"
	"strconv"
)

var mutant, _ = strconv.Atoi(os.Getenv(%q))

func %s(i int) bool { return i == mutant }
`, s.file.Name.Name, variable, probe)
		if err := put(filepath.Join(filepath.Dir(s.path), "mutant.go"), []byte(probes)); err != nil {
			return "", err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path, binary := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "hostile.test")
	if err := os.WriteFile(path, overlay, 0o600); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-overlay", path, "-o", binary, "./internal/hostile")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", cmd, err, out)
	}
	return binary, nil
}
