package main

import (
	"slices"
	"strings"
)

// A report is all that a run found. Texts, tables and charts are made of it alone.
type report struct {
	Date    string      `json:"date"`
	Command string      `json:"command"`
	Machine machine     `json:"machine"`
	Rounds  int         `json:"rounds"`
	CallNs  float64     `json:"call_ns,omitempty"` // what a call into the library in Rust takes that does nothing
	Rivals  []rivalNote `json:"rivals"`
	Works   []workNote  `json:"works"`
	Results []result    `json:"results"`
	Wanted  []wanted    `json:"wanted"`
	Choices []choice    `json:"choices"`
}

// workNote is what one time of a work is about.
type workNote struct {
	Shape  string `json:"shape"`
	Title  string `json:"title"`
	Bytes  int    `json:"bytes"`
	Blocks int    `json:"blocks,omitempty"` // of 64 bytes, compressed
}

// A result is the time of an entry in nanoseconds, and how many times faster it is than crypto/sha256 on the same.
type result struct {
	key
	Ns    spread  `json:"ns"`
	Ratio *spread `json:"ratio,omitempty"`
}

// A choice is how the default choice stands beside the best kernel of a shape.
type choice struct {
	Shape string `json:"shape"`
	Best  string `json:"best"`
	Ratio spread `json:"ratio"` // the kernel's time in times of the default's
	Met   bool   `json:"met"`
}

// choiceWanted: the default choice is within 5% of the best kernel.
const choiceWanted = 0.95

// works are all that can be timed.
func works() []workNote {
	var all []workNote
	for _, list := range append(mainShapes(), batchShapes()) {
		for _, s := range list {
			all = append(all, workNote{s.name, s.title, s.bytes(), s.blocks()})
		}
	}
	for _, w := range []struct {
		shape, title string
		runs         int
	}{
		{writePath, "write", writeRuns}, {codeAlone, "coding alone", writeRuns}, {hashAlone, "hashing alone", writeRuns},
		{readPath, "read", readRuns}, {dataAlone, "hashing the data alone", readRuns},
	} {
		all = append(all, workNote{Shape: w.shape, Title: w.title, Bytes: int(runsLen(w.runs))})
	}
	return all
}

// results are in the order of the heats.
func results(heats []heat, s series) []result {
	var all []result
	for _, h := range heats {
		for _, e := range h {
			r := result{key: e.key, Ns: spreadOf(s[e.key])}
			if std := s[key{e.Shape, standard, e.Cores}]; std != nil {
				ratio := spreadOf(ratios(std, s[e.key]))
				r.Ratio = &ratio
			}
			all = append(all, r)
		}
	}
	return all
}

// choices has a line for each shape in which kernels were timed.
func choices(heats []heat, s series) []choice {
	names := kernels()
	var all []choice
	for _, h := range heats {
		for _, e := range h {
			if e.By != byDefault || e.Cores != 1 {
				continue
			}
			c := choice{Shape: e.Shape}
			for _, k := range names {
				samples := s[key{e.Shape, k, 1}]
				if samples == nil {
					continue // too slow for this work
				}
				if r := spreadOf(ratios(samples, s[e.key])); c.Best == "" || r.Median < c.Ratio.Median {
					c.Best, c.Ratio = k, r
				}
			}
			c.Met = round2(c.Ratio.Median) >= choiceWanted
			all = append(all, c)
		}
	}
	return all
}

// note is what the report knows of a contestant.
func (r *report) note(name string) rivalNote {
	for _, n := range r.Rivals {
		if n.Name == name {
			return n
		}
	}
	return rivalNote{Name: name}
}

func (r *report) result(shape, by string, cores int) (result, bool) {
	i := slices.IndexFunc(r.Results, func(x result) bool { return x.key == key{shape, by, cores} })
	if i < 0 {
		return result{}, false
	}
	return r.Results[i], true
}

func (r *report) work(shape string) workNote {
	i := slices.IndexFunc(r.Works, func(w workNote) bool { return w.Shape == shape })
	return r.Works[i]
}

// contestants are those that were timed on any of the shapes, in order.
func (r *report) contestants(shapes []string) []string {
	var names []string
	for _, x := range r.Results {
		if x.Cores == 1 && slices.Contains(shapes, x.Shape) && !slices.Contains(names, x.By) {
			names = append(names, x.By)
		}
	}
	return names
}

// timed are the shapes of a list that were timed.
func (r *report) timed(shapes []string) []string {
	return slices.DeleteFunc(slices.Clone(shapes), func(s string) bool {
		return !slices.ContainsFunc(r.Results, func(x result) bool { return x.Shape == s })
	})
}

// slices of 1 to 40, as far as they were timed.
func (r *report) batches() []string {
	var names []string
	for _, s := range batchShapes() {
		names = append(names, s.name)
	}
	return r.timed(names)
}

func isBatch(shape string) bool { return strings.HasPrefix(shape, batchPrefix) }
