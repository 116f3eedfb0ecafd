package main

import (
	"fmt"
	"strings"
)

// markdown is the report as it stands between the marks of its family.
func (r *report) markdown(chart string) string {
	var b strings.Builder
	for _, line := range r.headline() {
		fmt.Fprintf(&b, "%s\n\n", line)
	}
	fmt.Fprintf(&b, "![Throughput on %s](%s)\n", r.Machine.Family, chart)
	for _, g := range r.grids() {
		fmt.Fprintf(&b, "\n### %s\n\n", g.title)
		if g.below != "" {
			fmt.Fprintf(&b, "%s\n\n", g.below)
		}
		g.writeMarkdown(&b)
	}
	return b.String()
}

func (g *grid) writeMarkdown(b *strings.Builder) {
	row := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	}
	row(g.head)
	for i := range g.head {
		if g.text(i) {
			b.WriteString("|---")
		} else {
			b.WriteString("|---:")
		}
	}
	b.WriteString("|\n")
	for _, cells := range g.rows {
		row(cells)
	}
}

// replaceTables puts tables between the marks of a family, which stand in the document already or get a section of their
// own at its end. What else the document has stays as it is, other families' tables among it.
func replaceTables(doc, family, slug, tables string) (string, error) {
	const end = "<!-- end -->\n"
	begin := "<!-- tables: " + slug + " -->\n"
	block := begin + "\n" + tables + "\n" + end
	before, after, ok := strings.Cut(doc, begin)
	if !ok {
		return fmt.Sprintf("%s\n## %s\n\n%s", doc, family, block), nil
	}
	old, after, ok := strings.Cut(after, end)
	if !ok || strings.Contains(old, "<!-- tables:") {
		return "", fmt.Errorf("the tables of %s have no end", family)
	}
	if strings.Contains(after, begin) {
		return "", fmt.Errorf("the tables of %s stand there twice", family)
	}
	return before + block + after, nil
}
