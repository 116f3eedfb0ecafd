package main

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		args string
		want string // of the error, or "" for none
	}{
		{"", ""},
		{"-rounds 3 -cores 1 -run ^group$ -json -", ""},
		{"group", `operand "group"`},
		{"-run (", "missing closing"},
		{"-run group -o .", "-o wants all shapes"},
		{"-rounds 0", "-rounds 0"},
		{"-cores 0", "-cores 0"},
		{"-cores 1000000", "-cores 1000000 of"},
		{"-such", "flag provided but not defined"},
	} {
		var stderr strings.Builder
		_, err := parse(strings.Fields(c.args), &stderr)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(stderr.String(), c.want)) {
			t.Errorf("%q: %v, %q; want %q", c.args, err, stderr.String(), c.want)
		}
	}
	if _, err := parse([]string{"-h"}, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-h: %v", err)
	}
}

// TestRun is the whole command on a small shape, where there is no cargo: it measures the others, and says so.
func TestRun(t *testing.T) {
	fakeCargo(t, "")
	t.Setenv(envKernel, "")
	file := filepath.Join(t.TempDir(), "report.json")
	o, err := parse([]string{"-run", "^joins-1$", "-rounds", "1", "-cores", "1", "-json", file}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	if err := bench(t.Context(), o, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"without tape-sha256: cargo is not installed\n", "without commonware hash_many: cargo is not installed\n",
	} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("stderr has no %q:\n%s", want, &stderr)
		}
	}
	for _, want := range []string{"Ratios wanted\n", "joins, 1 group\n", "  crypto/sha256 ", "absent: cargo is not installed\n"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("stdout has no %q:\n%s", want, &stdout)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	for _, by := range append(kernels(), byDefault, standard, minio) {
		if x, ok := r.result("joins-1", by, 1); !ok || x.Ns.Median <= 0 || x.Ratio == nil || x.Ratio.Median <= 0 {
			t.Errorf("%s: %+v", by, x)
		}
	}
	if r.Command != "go run ./bench -rounds 1 -cores 1 -run ^joins-1$" || r.Machine.Go == "" || r.Machine.Family == "" {
		t.Errorf("command %q on %+v", r.Command, r.Machine)
	}
	if len(r.Choices) != 1 || r.Choices[0].Shape != "joins-1" || r.Choices[0].Best == "" {
		t.Errorf("choices %+v", r.Choices)
	}

	o.json = "-"
	stdout.Reset()
	if err := bench(t.Context(), o, &stdout, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(stdout.String()), &r); err != nil {
		t.Errorf("-json -: %v", err)
	}
}

func TestRunRefuses(t *testing.T) {
	fakeCargo(t, "")
	o, err := parse([]string{"-run", "no-such-shape"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(envKernel, "")
	if err := bench(t.Context(), o, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "no shape") {
		t.Errorf("no shape: %v", err)
	}
	t.Setenv(envKernel, "generic")
	if err := bench(t.Context(), o, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), envKernel) {
		t.Errorf("with a kernel pinned: %v", err)
	}
	t.Setenv(envKernel, "")
	if o, err = parse([]string{"-o", t.TempDir()}, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := bench(t.Context(), o, io.Discard, io.Discard); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing to write to: %v", err)
	}
}

// TestPath is every part of writing and reading, once.
func TestPath(t *testing.T) {
	p, err := newPath(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, once := range map[string]func() error{
		"write":            func() error { return p.writeOnce(1) },
		"write, 2 at once": func() error { return p.writeOnce(2) },
		"read":             func() error { return p.readOnce(1) },
		"read, 2 at once":  func() error { return p.readOnce(2) },
		"code":             p.codeOnce,
		"hash":             p.hashOnce,
		"data":             p.dataOnce,
	} {
		if err := once(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	p.plain[0] ^= 1
	if err := p.writeOnce(1); err == nil {
		t.Error("another plaintext has the same ID")
	}
}

func TestPublish(t *testing.T) {
	dir := t.TempDir()
	r := fixed(t)
	if err := r.publish(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without BENCHMARKS.md: %v", err)
	}
	name := filepath.Join(dir, "BENCHMARKS.md")
	if err := os.WriteFile(name, []byte(document), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := r.publish(dir); err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"old tables of 2026-01-01", "Last words.", "2026-10-31", "![Throughput on Zen 4](bench/figures/zen-4.svg)"} {
		if !strings.Contains(string(doc), want) {
			t.Errorf("BENCHMARKS.md has no %q", want)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "bench", "figures", "zen-4.svg")); err != nil || len(b) == 0 {
		t.Errorf("the chart has %d bytes, %v", len(b), err)
	}
}

func TestFamily(t *testing.T) {
	for _, c := range []struct {
		amd           bool
		family, model int
		avx512        bool
		want, slug    string
	}{
		{true, 25, 1, false, "Zen 3", "zen-3"},
		{true, 25, 17, true, "Zen 4", "zen-4"},
		{true, 26, 2, true, "Zen 5", "zen-5"},
		{true, 23, 49, false, "family 23 model 49", "family-23-model-49"},
		{false, 6, 143, true, "family 6 model 143", "family-6-model-143"},
	} {
		m := machine{Family: familyOf(c.amd, c.family, c.model, c.avx512)}
		if m.Family != c.want || m.slug() != c.slug {
			t.Errorf("%+v: %q, %q", c, m.Family, m.slug())
		}
	}
}
