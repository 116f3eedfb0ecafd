//go:build unix

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestMain is the process of an outsider where it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "-outsider" {
		if err := beOutsider(os.Args[2], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestOutsider(t *testing.T) {
	c, err := outsider(standard)
	if err != nil {
		t.Fatal(err)
	}
	defer c.end()
	s, err := shapeNamed(oneGroup)
	if err != nil {
		t.Fatal(err)
	}
	b, err := newBatch(s)
	if err != nil {
		t.Fatal(err)
	}
	j, err := c.start(b)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 { // stopped and gone on
		if err := j.run(2); err != nil {
			t.Fatal(err)
		}
		if j.took() <= 0 {
			t.Errorf("took %v", j.took())
		}
	}
}

// An outsider that cannot go on is an error, not a silence.
func TestOutsiderEnds(t *testing.T) {
	c, err := outsider(standard)
	if err != nil {
		t.Fatal(err)
	}
	defer c.end()
	_, err = c.start(&batch{shape: shape{name: "no-such-shape"}})
	if err == nil || !strings.Contains(err.Error(), "ended") {
		t.Errorf("start: %v, want that the process ended", err)
	}
}

func TestBeOutsider(t *testing.T) {
	for _, c := range []struct{ name, lines, want string }{
		{"no-such", "group 1\n", "is no outsider"},
		{standard, "group\n", `line "group"`},
		{standard, "no-such 1\n", `no shape "no-such"`},
	} {
		var out strings.Builder
		err := beOutsider(c.name, strings.NewReader(c.lines), &out)
		if err == nil || !strings.Contains(err.Error(), c.want) || out.Len() > 0 {
			t.Errorf("%s with %q: %v and %q, want %q", c.name, c.lines, err, out.String(), c.want)
		}
	}
}
