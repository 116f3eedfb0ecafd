package hashcore

import (
	"go/build"
	"strings"
	"testing"
)

// TestPurego looks at the package as built with the tag purego: no assembly, and no import
// from outside the standard library, which might bring some.
func TestPurego(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64", "386", "wasm"} {
		c := build.Default
		c.GOARCH, c.BuildTags = arch, []string{"purego"}
		p, err := c.ImportDir(".", 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.SFiles) > 0 {
			t.Errorf("%s: assembly %v", arch, p.SFiles)
		}
		for _, path := range p.Imports {
			if strings.Contains(path, ".") {
				t.Errorf("%s: imports %s", arch, path)
			}
		}
	}
}
