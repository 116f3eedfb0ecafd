package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fixed is a report with something of everything: figures, a rival that is void and one that is absent, ratios met,
// missed and without a target, two cores.
func fixed(t *testing.T) *report {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.DisallowUnknownFields()
	var r report
	if err := d.Decode(&r); err != nil {
		t.Fatal(err)
	}
	again, err := json.MarshalIndent(&r, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if string(again)+"\n" != string(b) {
		t.Error("the report does not come back from JSON as it was")
	}
	return &r
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant %s\n%s", got, name, want)
	}
}

func TestText(t *testing.T) {
	var b strings.Builder
	if err := fixed(t).writeText(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.txt", b.String())
}

func TestMarkdown(t *testing.T) {
	golden(t, "report.md", fixed(t).markdown("bench/figures/zen-4.svg"))
}

// TestChart reads the chart as XML: it names what it shows, and not what is void.
func TestChart(t *testing.T) {
	r := fixed(t)
	var b strings.Builder
	if err := r.writeChart(&b); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if chars, ok := token.(xml.CharData); ok {
			text.WriteString(strings.TrimSpace(string(chars)) + "\n")
		}
	}
	for _, want := range []string{
		"SHA-256 on one core, Zen 4: Some CPU (family 25, model 17)", "1 group", "64 × 64 B",
		"tapecommit", tape, standard, "8.19 (3.2×)", "A batch of 1 to 40 slices of 4096 bytes",
	} {
		if !strings.Contains(text.String(), want+"\n") {
			t.Errorf("the chart has no %q", want)
		}
	}
	for _, not := range []string{"commonware", minioLanes} {
		if strings.Contains(text.String(), not) {
			t.Errorf("the chart has %q", not)
		}
	}
}

// TestPartial shows what was timed where that was only a part; of writing alone there is no chart.
func TestPartial(t *testing.T) {
	for _, keep := range []string{oneGroup, "slices-1", "slices-", writePath} {
		r := fixed(t)
		var some []result
		for _, x := range r.Results {
			if strings.HasPrefix(x.Shape, keep) {
				some = append(some, x)
			}
		}
		r.Results = some
		if err := r.writeChart(io.Discard); (err != nil) != (keep == writePath) {
			t.Errorf("%s: %v", keep, err)
		}
		if err := r.writeText(io.Discard); err != nil {
			t.Errorf("%s: %v", keep, err)
		}
	}
}
