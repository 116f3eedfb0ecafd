package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tapecommit/tapecommit/commit"
)

// TestKeptReport reads what reports there may be, and refuses what there may not.
func TestKeptReport(t *testing.T) {
	id := commit.ID{1, 2, 3}
	f := reportFolder(t.TempDir())
	path := f.path(id, verifySuffix)
	span := `{"object":"lane-00","lane":0,"error":"missing","fixed":false,"first":0,"last":3}`
	report := func(fields string) string { return fmt.Sprintf(`{"id":"%v",%s}`, id, fields) }
	for _, c := range []struct {
		name, content, says string // nothing where it is no report
	}{
		{"whole", report(`"ok":true,"time":"2026-03-04T05:06:07Z"`), "whole, on 2026-03-04 05:06 UTC"},
		{"all of it", report(`"damage":[` + span + `],"omitted":2,"groups":9,"faults":4,"fixed":1,"lost":2,"miscoded":3,"ok":false,"error":"","time":"2026-03-04T05:06:07+01:00","began":"2026-03-01T00:00:00Z"`),
			"damaged: 3 faults, 2 groups lost, 3 groups coded wrongly, on 2026-03-04 04:06 UTC"},
		{"of verify --json", report(`"damage":[` + span + `],"groups":9,"faults":4,"fixed":0,"lost":0,"miscoded":0,"ok":false`), "damaged: 4 faults, on 2026-11-12 13:14 UTC"},
		{"an error", report(`"ok":false,"error":"blob: no header, räumlich"`), "damaged: blob: no header, räumlich, on 2026-11-12 13:14 UTC"},
		{"repaired", report(`"ok":true,"faults":3,"fixed":3`), "whole, on 2026-11-12 13:14 UTC"},

		{name: "nothing", content: ""},
		{name: "no JSON", content: "{"},
		{name: "null", content: "null"},
		{name: "an array", content: "[]"},
		{name: "two", content: report(`"ok":true`) + report(`"ok":true`)},
		{name: "no ID", content: `{"ok":true}`},
		{name: "another ID", content: fmt.Sprintf(`{"id":"%v","ok":true}`, commit.ID{})},
		{name: "no boolean", content: report(`"ok":1`)},
		{name: "more fields", content: report(`"ok":true,"x":1`)},
		{name: "ok with faults", content: report(`"ok":true,"faults":1`)},
		{name: "ok with an error", content: report(`"ok":true,"error":"x"`)},
		{name: "not ok without faults", content: report(`"ok":false`)},
		{name: "more fixed than faults", content: report(`"ok":false,"faults":1,"fixed":2`)},
		{name: "negative", content: report(`"ok":false,"faults":1,"fixed":-1`)},
		{name: "negative groups", content: report(`"ok":true,"groups":-1`)},
		{name: "too many groups", content: report(`"ok":true,"groups":134217729`)},
		{name: "too many lost", content: report(`"ok":false,"faults":1,"lost":134217729`)},
		{name: "negative miscoded", content: report(`"ok":false,"faults":1,"miscoded":-1`)},
		{name: "faults that overflow", content: report(`"ok":false,"faults":9223372036854775807`)},
		{name: "no int", content: report(`"ok":false,"faults":9223372036854775808`)},
		{name: "more omitted than an int", content: report(`"ok":true,"omitted":9223372036854775807`)},
		{name: "a time that is none", content: report(`"ok":true,"time":"yesterday"`)},
		{name: "an escape sequence", content: report(`"ok":false,"error":"\u001b[2J"`)},
		{name: "a line more", content: report(`"ok":false,"error":"a\nb"`)},
		{name: "text from right to left", content: report(`"ok":false,"error":"\u202egnp"`)},
		{name: "a long text", content: report(`"ok":false,"error":"` + strings.Repeat("x", maxKeptText+1) + `"`)},
		{name: "no object", content: report(`"ok":true,"damage":[` + strings.Replace(span, "lane-00", "passwd", 1) + `]`)},
		{name: "no lane", content: report(`"ok":true,"damage":[` + strings.Replace(span, `"lane":0`, `"lane":20`, 1) + `]`)},
		{name: "groups the wrong way round", content: report(`"ok":true,"damage":[` + strings.Replace(span, `"first":0`, `"first":4`, 1) + `]`)},
		{name: "a group that no blob has", content: report(`"ok":true,"damage":[` + strings.Replace(span, `"last":3`, `"last":134217728`, 1) + `]`)},
		{name: "an escape sequence in damage", content: report(`"ok":true,"damage":[` + strings.Replace(span, "missing", `\u009b2J`, 1) + `]`)},
		{name: "much damage", content: report(`"ok":true,"damage":[` + strings.Repeat(span+",", maxKeptDamage) + span + `]`)},
		{name: "a large file", content: report(`"ok":true`) + strings.Repeat(" ", maxReport)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(c.content), 0o666); err != nil {
				t.Fatal(err)
			}
			modified := time.Date(2026, 11, 12, 13, 14, 15, 0, time.UTC)
			if err := os.Chtimes(path, modified, modified); err != nil {
				t.Fatal(err)
			}
			r, err := f.last(id)
			switch {
			case c.says == "" && (err == nil || os.IsNotExist(err)):
				t.Errorf("%v, %v", r, err)
			case c.says == "":
				if !strings.HasPrefix(err.Error(), path+": ") {
					t.Errorf("error %q does not name the file", err)
				}
			case err != nil || r.String() != c.says:
				t.Errorf("%v, %v, want %s", r, err, c.says)
			}
		})
	}
}

// TestPrintable keeps texts short and plain, and what is kept as it is.
func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"":                               "",
		"plain: ok, ü 漢":                 "plain: ok, ü 漢",
		"\x1b[31mred\x07\n":              "?[31mred??",
		"a\xffb\u202e\u0085":             "a?b??",
		strings.Repeat("x", maxKeptText): strings.Repeat("x", maxKeptText),
		strings.Repeat("漢", maxKeptText): strings.Repeat("漢", maxKeptText/3),
	} {
		got := printable(in)
		if got != want || !utf8.ValidString(got) || printable(got) != got {
			t.Errorf("%q is kept as %q, want %q", in, got, want)
		}
	}
}

// TestKeptDamage finds more damage than is kept: the file has its bound, and the numbers
// are right.
func TestKeptDamage(t *testing.T) {
	s := newScrubbed(t, 1, scrubGroups)
	id := s.ids[0]
	for group := 0; group < scrubGroups; group += 2 {
		s.flip(id, group)
	}
	if code := s.run(time.Hour, "verify", id.String()); code != 1 {
		t.Fatalf("exit code %d: %s", code, &s.stderr)
	}
	r := s.last(id)
	if r.Faults != 150 || len(r.Damage) != maxKeptDamage || r.Omitted != 50 {
		t.Errorf("%d faults, %d kept, %d omitted", r.Faults, len(r.Damage), r.Omitted)
	}
	if r.Damage[maxKeptDamage-1].First != 2*(maxKeptDamage-1) {
		t.Errorf("the last kept is %v", r.Damage[maxKeptDamage-1])
	}
	if code := s.run(time.Hour, "info", id.String()); code != 0 {
		t.Fatalf("exit code %d: %s", code, &s.stderr)
	}
	s.says("^            and more: 50 lines$")

	// The longest there can be still fits.
	for i := range r.Damage {
		r.Damage[i].Error = strings.Repeat("\"", maxKeptText)
	}
	r.OK, r.Error = false, strings.Repeat("\"", maxKeptText)
	if err := reportFolder(s.store).write(id, verifySuffix, r); err != nil {
		t.Fatal(err)
	}
	s.last(id)
}
