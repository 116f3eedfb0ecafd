package main

import (
	"context"
	"regexp"
	"time"
)

const (
	parts    = 5
	slot     = time.Millisecond     // of one batch again and again
	pairSlot = 4 * time.Millisecond // where cores start and end together
	pathSlot = 10 * time.Millisecond
)

// heats are all entries of the shapes that the filter matches, with their batches in memory and checked.
func heats(ctx context.Context, all []contestant, cores int, filter *regexp.Regexp) ([]heat, error) {
	groups := mainShapes()
	for _, s := range batchShapes() {
		groups = append(groups, []shape{s})
	}
	var list []heat
	for _, shapes := range groups {
		var h heat
		for _, s := range shapes {
			if !filter.MatchString(s.name) {
				continue
			}
			entries, err := hashing(s, all, cores)
			if err != nil {
				return nil, err
			}
			h = append(h, entries...)
		}
		if h != nil {
			list = append(list, h)
		}
	}
	if matchesPath(filter) {
		p, err := newPath(ctx)
		if err != nil {
			return nil, err
		}
		h, err := p.heat(cores)
		if err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	return list, nil
}

// matches tells whether there are heats of what the filter matches.
func matches(filter *regexp.Regexp) bool {
	for _, list := range append(mainShapes(), batchShapes()) {
		for _, s := range list {
			if filter.MatchString(s.name) {
				return true
			}
		}
	}
	return matchesPath(filter)
}

func matchesPath(filter *regexp.Regexp) bool {
	return filter.MatchString(writePath) || filter.MatchString(readPath)
}

// hashing is all contestants at one shape.
func hashing(s shape, all []contestant, cores int) ([]*entry, error) {
	b, err := newBatch(s)
	if err != nil {
		return nil, err
	}
	var entries []*entry
	for _, c := range all {
		j, err := c.start(b)
		if err != nil {
			return nil, err
		}
		entries = append(entries, &entry{key: key{s.name, c.name, 1}, jobs: []job{j}, parts: parts, slot: slot})
		if s.name == manyGroups && cores > 1 && atOnce(c.name) {
			e, err := together(c, s, cores)
			if err != nil {
				return nil, err
			}
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// atOnce says who is timed on more than one core.
func atOnce(name string) bool { return name == byDefault || name == standard || name == tape }

// together is a contestant on so many cores, a batch for each.
func together(c contestant, s shape, cores int) (*entry, error) {
	e := &entry{key: key{s.name, c.name, cores}, parts: parts, slot: pairSlot}
	for range cores {
		b, err := newBatch(s)
		if err != nil {
			return nil, err
		}
		j, err := c.start(b)
		if err != nil {
			return nil, err
		}
		e.jobs = append(e.jobs, j)
	}
	return e, nil
}
