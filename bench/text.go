package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// writeText writes the report for a terminal.
func (r *report) writeText(w io.Writer) error {
	var b strings.Builder
	for _, line := range r.headline() {
		fmt.Fprintln(&b, line)
	}
	for _, g := range r.grids() {
		fmt.Fprintf(&b, "\n%s\n", g.title)
		g.writeText(&b)
		if g.below != "" {
			fmt.Fprintln(&b, g.below)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (g *grid) writeText(b *strings.Builder) {
	rows := append([][]string{g.head}, g.rows...)
	widths := make([]int, len(g.head))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 || g.text(i) {
				line.WriteString("  " + cell + pad)
			} else {
				line.WriteString("  " + pad + cell)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// text says whether a column is text: it has a cell of letters that is none of the words that stand for a number.
func (g *grid) text(column int) bool {
	for _, row := range g.rows {
		c := row[column]
		first, _ := utf8.DecodeRuneInString(c)
		if c != "" && c != none && c != voidRival && !strings.ContainsRune("0123456789<≥", first) {
			return true
		}
	}
	return column == 0
}
