package main

import (
	"strings"
	"testing"
)

const document = `# Benchmarks

Prose.

## Zen 5

What bounds it.

<!-- tables: zen-5 -->

old tables of 2026-01-01

<!-- end -->

## Zen 4

<!-- tables: zen-4 -->
<!-- end -->

Last words.
`

// TestReplaceTables wants one block changed and all other bytes as they were.
func TestReplaceTables(t *testing.T) {
	got, err := replaceTables(document, zen4, "zen-4", "new tables\n")
	if err != nil {
		t.Fatal(err)
	}
	const block = "<!-- tables: zen-4 -->\n\nnew tables\n\n<!-- end -->\n"
	if want := strings.Replace(document, "<!-- tables: zen-4 -->\n<!-- end -->\n", block, 1); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	again, err := replaceTables(got, zen4, "zen-4", "newer tables\n")
	if want := strings.Replace(got, "new tables", "newer tables", 1); err != nil || again != want {
		t.Errorf("again: %v\n%s", err, again)
	}
}

// TestNewFamily wants a section of its own behind everything.
func TestNewFamily(t *testing.T) {
	got, err := replaceTables(document, zen3, "zen-3", "new tables\n")
	want := document + "\n## Zen 3\n\n<!-- tables: zen-3 -->\n\nnew tables\n\n<!-- end -->\n"
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestReplaceTablesRefuses(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"no end", "<!-- tables: zen-4 -->\n", "have no end"},
		{"the end of another", "<!-- tables: zen-4 -->\n<!-- tables: zen-5 -->\n<!-- end -->\n", "have no end"},
		{"twice", strings.Repeat("<!-- tables: zen-4 -->\n<!-- end -->\n", 2), "twice"},
	} {
		if got, err := replaceTables(c.doc, zen4, "zen-4", "new"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %q; want an error of %q", c.name, err, got, c.want)
		}
	}
}
