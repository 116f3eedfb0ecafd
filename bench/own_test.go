package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTapeLines(t *testing.T) {
	const out = `20 slices x 4096 B + 21 pair joins, active backend: shani-x4

leaves tape hash_many_prefixed    27.09 us/group      3027 MB/s   (spread 50.6%)
tape avx512 (2x16 interlace)       7.82 us/batch       8654 MB/s   (spread  0.4%)
leaf level speedup: 2.09x
whole commitment:   2.07x  (58.54 -> 28.35 us/group)
`
	got, err := tapeLines([]byte(out), "")
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]float64{"leaves tape hash_many_prefixed": 27090, "tape avx512 (2x16 interlace)": 7820} {
		if got[line] != want {
			t.Errorf("%s: %v ns, want %v", line, got[line], want)
		}
	}
}

func TestCriterionLine(t *testing.T) {
	home := t.TempDir()
	read := criterionLine("a line")
	if _, err := read(nil, home); err == nil {
		t.Error("no samples are no error")
	}
	dir := filepath.Join(home, "sha256__hash_many", "new")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	const samples = `{"sampling_mode":"Linear","iters":[2.0,4.0,6.0],"times":[220.0,400.0,660.0]}`
	if err := os.WriteFile(filepath.Join(dir, "sample.json"), []byte(samples), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := read(nil, home); err != nil || got["a line"] != 100 {
		t.Errorf("%v, %v, want 100", got, err)
	}
}

// TestCompare has a benchmark of 10, then 8 microseconds, and rivals that take 9, or twice that, here.
func TestCompare(t *testing.T) {
	fakeCargo(t, "")
	dir := t.TempDir()
	program := filepath.Join(dir, "bench")
	script := `#!/bin/sh
us=10.00
if test -e "$SEEN"; then us=8.00; fi
: >"$SEEN"
echo "tape quick   $us us/group   1 MB/s"
echo "tape slow    $us us/group   1 MB/s"
`
	if err := os.WriteFile(program, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	seen := filepath.Join(dir, "seen")
	t.Setenv("SEEN", seen)
	rival := func(name string, takes time.Duration) contestant {
		return contestant{name: name, load: func(*batch) job {
			var ran int
			j := timedJob(takes, &ran)
			j.check = func() error { return nil }
			return j
		}}
	}
	work := shape{name: "work", sizes: many(1, 64)}
	bench := ownBench{name: "bench", crate: "crate", best: tapeLines, lines: []ownLine{
		{"tape quick", "quick", work}, {"tape slow", "slow", work}, {"tape absent", "absent", work}, {"tape other", "other", work},
	}}
	rivals := []contestant{
		rival("quick", 8*time.Microsecond), rival("slow", 18*time.Microsecond), rival("other", time.Microsecond),
	}
	got, err := bench.compare(t.Context(), program, rivals)
	if want := map[string]float64{"quick": 1, "slow": 2.25}; err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}

	if err := os.WriteFile(program, []byte("#!/bin/sh\necho broken >&2\nexit 3\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := bench.compare(t.Context(), program, rivals); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("a benchmark that fails: %v", err)
	}
}
