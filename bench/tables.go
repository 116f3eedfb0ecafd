package main

import (
	"fmt"
	"slices"
)

// A grid is a table, for the terminal or for Markdown. Its first column is text, the others numbers.
type grid struct {
	title string
	below string // what to know of it
	head  []string
	rows  [][]string
}

const none = "-"

// grids are all tables of a report.
func (r *report) grids() []grid {
	all := []grid{r.wantedGrid()}
	for _, g := range []grid{r.timeGrid(), r.ratioGrid(), r.batchGrid(), r.pathGrid(), r.coresGrid(), r.choiceGrid()} {
		if len(g.rows) > 0 {
			all = append(all, g)
		}
	}
	return append(all, r.rivalGrid(), r.kernelGrid())
}

func (r *report) wantedGrid() grid {
	g := grid{
		title: "Ratios wanted",
		below: "Medians of the rounds' ratios, and the quartiles.",
		head:  []string{"work", "wanted", "got", "quartiles", ""},
	}
	for _, w := range r.Wanted {
		row := []string{w.Work, none, none, none, w.Verdict}
		if w.Target != 0 {
			row[1] = fmt.Sprintf("≥ %.2f", w.Target)
			if w.AtMost {
				row[1] = fmt.Sprintf("< %.2f", w.Target)
			}
		}
		if w.Got != nil {
			row[2] = fmt.Sprintf("%.2f", w.Got.Median)
			if !w.AtMost {
				row[3] = fmt.Sprintf("%.2f to %.2f", w.Got.Q1, w.Got.Q3)
			}
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// mainNames are the shapes that have a column each.
func (r *report) mainNames() []string {
	var names []string
	for _, list := range mainShapes() {
		for _, s := range list {
			names = append(names, s.name)
		}
	}
	return r.timed(names)
}

// byShape has a row for each contestant and a column for each of the main shapes.
func (r *report) byShape(g grid, cell func(result) string) grid {
	names := r.mainNames()
	for _, n := range names {
		g.head = append(g.head, r.work(n).Title)
	}
	for _, by := range r.contestants(names) {
		row := []string{by}
		for _, n := range names {
			text := none
			if x, ok := r.result(n, by, 1); ok {
				text = cell(x)
				if r.note(by).Void != "" {
					text = voidRival
				}
			}
			row = append(row, text)
		}
		g.rows = append(g.rows, row)
	}
	return g
}

func (r *report) timeGrid() grid {
	return r.byShape(grid{
		title: "Microseconds a call",
		head:  []string{"one core"},
	}, func(x result) string { return micros(x.Ns.Median) })
}

func (r *report) ratioGrid() grid {
	return r.byShape(grid{
		title: "Times as fast as crypto/sha256",
		head:  []string{"one core"},
	}, func(x result) string {
		if x.Ratio == nil {
			return none
		}
		return fmt.Sprintf("%.2f", x.Ratio.Median)
	})
}

func (r *report) batchGrid() grid {
	g := grid{
		title: "Batches of 1 to 40 slices of 4096 bytes",
		below: "Nanoseconds a slice.",
		head:  []string{"slices"},
	}
	names := r.batches()
	columns := slices.DeleteFunc(r.contestants(names), func(by string) bool {
		return by != byDefault && by != standard && by != minio && by != minioLanes && by != tape && by != commonware
	})
	if len(columns) == 0 {
		return grid{}
	}
	g.head = append(g.head, columns...)
	g.head = append(g.head, "best kernel", "its time / default's")
	for _, n := range names {
		row := []string{r.work(n).Title}
		for _, by := range columns {
			text := none
			if x, ok := r.result(n, by, 1); ok {
				text = fmt.Sprintf("%.0f", x.Ns.Median/float64(r.count(n)))
				if r.note(by).Void != "" {
					text = voidRival
				}
			}
			row = append(row, text)
		}
		for _, c := range r.Choices {
			if c.Shape == n {
				row = append(row, c.Best, fmt.Sprintf("%.2f", c.Ratio.Median))
			}
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// count is how many slices a batch of them has.
func (r *report) count(batch string) int { return r.work(batch).Bytes / defaults.SliceSize }

func (r *report) pathGrid() grid {
	shapes := r.timed([]string{writePath, codeAlone, hashAlone, readPath, dataAlone})
	g := grid{
		title: "Writing 40 MiB and reading 10 MiB in memory",
		below: "MB of plaintext a second on one core.",
		head:  []string{"kernel"},
	}
	for _, s := range shapes {
		g.head = append(g.head, r.work(s).Title)
	}
	for _, by := range r.contestants(shapes) {
		row := []string{by}
		for _, s := range shapes {
			text := none
			if x, ok := r.result(s, by, 1); ok {
				text = r.rate(x)
			}
			row = append(row, text)
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// rate is in MB a second: bytes in a nanosecond are thousands of them.
func (r *report) rate(x result) string {
	return fmt.Sprintf("%.0f", float64(r.work(x.Shape).Bytes)/x.Ns.Median*1e3)
}

func (r *report) coresGrid() grid {
	g := grid{
		title: "More cores",
		below: "MB a second, of slices where a batch is hashed, of plaintext where a blob is written or read.",
		head:  []string{"work", "cores", "one core", "all of them", "ratio"},
	}
	for _, x := range r.Results {
		one, ok := r.result(x.Shape, x.By, 1)
		if x.Cores == 1 || !ok || r.note(x.By).Void != "" {
			continue
		}
		g.rows = append(g.rows, []string{
			r.work(x.Shape).Title + ", " + x.By, fmt.Sprint(x.Cores), r.rate(one), r.rate(x),
			fmt.Sprintf("%.2f", one.Ns.Median/x.Ns.Median),
		})
	}
	return g
}

// choiceGrid leaves out batches that are within the limit: their own table has them.
func (r *report) choiceGrid() grid {
	g := grid{
		title: "The default choice beside the best kernel",
		below: fmt.Sprintf("The best kernel's time in times of the default's, wanted ≥ %.2f. Of the batches of slices, only those that miss it.", choiceWanted),
		head:  []string{"work", "best kernel", "ratio", "quartiles", ""},
	}
	for _, c := range r.Choices {
		if isBatch(c.Shape) && c.Met {
			continue
		}
		verdict := missed
		if c.Met {
			verdict = met
		}
		title := r.work(c.Shape).Title
		if isBatch(c.Shape) {
			title = "batch of " + title
		}
		g.rows = append(g.rows, []string{
			title, c.Best, fmt.Sprintf("%.2f", c.Ratio.Median), fmt.Sprintf("%.2f to %.2f", c.Ratio.Q1, c.Ratio.Q3), verdict,
		})
	}
	return g
}

func (r *report) rivalGrid() grid {
	g := grid{
		title: "Rivals",
		below: fmt.Sprintf("A rival in Rust is void where it takes more than %.2f times what it takes in its crate's own benchmark.", ownTolerance),
		head:  []string{"rival", "version", "its own benchmark", ""},
	}
	if r.CallNs > 0 {
		g.below += fmt.Sprintf(" A sample is one call into the library, and a call that does nothing takes %.0f ns.", r.CallNs)
	}
	for _, n := range r.Rivals {
		own := none
		if n.Own != 0 {
			own = fmt.Sprintf("%.2f", n.Own)
		}
		verdict := "timed"
		switch {
		case n.Absent != "":
			verdict = "absent: " + n.Absent
		case n.Void != "":
			verdict = "void: " + n.Void
		}
		g.rows = append(g.rows, []string{n.Name, n.Note, own, verdict})
	}
	return g
}

func (r *report) kernelGrid() grid {
	g := grid{title: "Kernels that run here", head: []string{"kernel", "chosen for"}}
	for _, k := range r.Machine.Kernels {
		g.rows = append(g.rows, []string{k.Name, k.Use})
	}
	return g
}

// micros has three digits or a little more.
func micros(ns float64) string {
	switch us := ns / 1e3; {
	case us < 10:
		return fmt.Sprintf("%.2f", us)
	case us < 100:
		return fmt.Sprintf("%.1f", us)
	default:
		return fmt.Sprintf("%.0f", us)
	}
}

// headline says where and how the figures came about.
func (r *report) headline() []string {
	m := r.Machine
	lines := []string{
		fmt.Sprintf("%s: %s, %d cores, %s, %s", m.Family, m.CPU, m.Cores, m.System, m.Go),
		fmt.Sprintf("%s, %d rounds: %s", r.Date, r.Rounds, r.Command),
	}
	if m.Rust != "" {
		lines[0] += ", " + m.Rust
	}
	return lines
}
