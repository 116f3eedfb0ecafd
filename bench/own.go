package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A rival in Rust must be as fast through our library as in its own crate's benchmark, or its figures are void. Library
// and benchmark take turns, and the best of each is compared: that is what one of the crates prints, and on a machine
// that others share it is what repeats.
const (
	ownTolerance = 1.10
	ownMinTurns  = 3
	ownMaxTurns  = 12
	ownParts     = 15
	ownSlot      = 2 * time.Millisecond
)

// ownBench is a benchmark of a rival's crate.
type ownBench struct {
	crate, name string
	args        []string
	best        func(out []byte, home string) (map[string]float64, error) // nanoseconds by line
	lines       []ownLine
}

// ownLine is one figure of it: the same rival on the same work.
type ownLine struct {
	line  string
	rival string
	work  shape
}

func ownBenches() []ownBench {
	group := shape{"own-leaves", "", leafPrefix, many(20, 4096), 0}
	joins := shape{"own-joins", "", "", nil, 1}
	batch := shape{"own-shreds", "", shredPrefix, slices.Concat(many(32, 1019), many(32, 1044)), 0}
	plain := shape{"own-16x4096B", "", "", many(16, 4096), 0}
	const line = "sha256::hash_many::batch/count=16 len=4096 conc=1"
	return []ownBench{
		{"tape-sha256", "blob_group", []string{"--bench"}, tapeLines, []ownLine{
			{"leaves tape hash_many_prefixed", tape, group},
			{"joins tape hash_many", tape, joins},
		}},
		{"tape-sha256", "merkle_leaves", []string{"--bench"}, tapeLines, []ownLine{
			{"tape serial (1 lane)", tape + " serial", batch},
			{"tape portable (8 lane)", tape + " portable-8", batch},
			{"tape shani (x4 stream)", tape + " shani-x4", batch},
			{"tape avx2 (8 lane)", tape + " avx2-8", batch},
			{"tape avx512 (16 lane)", tape + " avx512-16", batch},
			{"tape avx512 (2x16 interlace)", tape + " avx512-2x16", batch},
			{"tape neon (4 lane)", tape + " neon-4", batch},
			{"tape neon-sha2 (x4 stream)", tape + " neon-sha2-x4", batch},
		}},
		{"commonware-cryptography", "sha256", []string{
			"--bench", "--exact", "--noplot",
			"--warm-up-time", "0.2", "--measurement-time", "0.5", "--sample-size", "40", line,
		}, criterionLine(line), []ownLine{{line, commonware, plain}}},
	}
}

// tapeLines reads lines such as "name   20.88 us/batch ...", the best of several rounds.
func tapeLines(out []byte, _ string) (map[string]float64, error) {
	best := make(map[string]float64)
	for line := range strings.Lines(string(out)) {
		before, _, ok := strings.Cut(line, " us/")
		at := strings.LastIndexByte(before, ' ')
		if !ok || at < 0 {
			continue
		}
		us, err := strconv.ParseFloat(before[at+1:], 64)
		if err != nil {
			return nil, err
		}
		best[strings.TrimSpace(before[:at])] = us * 1e3
	}
	return best, nil
}

// criterionLine reads the samples that criterion leaves in its home of the one benchmark that ran.
func criterionLine(line string) func([]byte, string) (map[string]float64, error) {
	return func(_ []byte, home string) (map[string]float64, error) {
		names, _ := filepath.Glob(filepath.Join(home, "*", "new", "sample.json"))
		if len(names) != 1 {
			return nil, fmt.Errorf("%d files of samples, want 1", len(names))
		}
		b, err := os.ReadFile(names[0])
		if err != nil {
			return nil, err
		}
		var samples struct{ Iters, Times []float64 }
		if err := json.Unmarshal(b, &samples); err != nil {
			return nil, err
		}
		best := math.Inf(1)
		for i, t := range samples.Times {
			best = min(best, t/samples.Iters[i])
		}
		return map[string]float64{line: best}, nil
	}
}

// compare compares each rival with its own benchmark: the worst of its lines, as how many times slower it is here. A
// rival without an entry has no line there.
func (b *ownBench) compare(ctx context.Context, program string, rivals []contestant) (map[string]float64, error) {
	type side struct {
		ownLine
		job        job
		own, there float64
	}
	var sides []*side
	for _, l := range b.lines {
		i := slices.IndexFunc(rivals, func(c contestant) bool { return c.name == l.rival })
		if i < 0 {
			continue // it does not run here
		}
		work, err := newBatch(l.work)
		if err != nil {
			return nil, err
		}
		j, err := rivals[i].start(work)
		if err != nil {
			return nil, err
		}
		sides = append(sides, &side{l, j, math.Inf(1), math.Inf(1)})
	}
	worst := make(map[string]float64)
	for turn := range ownMaxTurns {
		times, err := b.once(ctx, program)
		if err != nil {
			return nil, err
		}
		clear(worst)
		most := 0.0
		for _, s := range sides {
			own, ok := times[s.line]
			if !ok {
				continue
			}
			there, err := bestOf(&s.job)
			if err != nil {
				return nil, err
			}
			s.own, s.there = min(s.own, own), min(s.there, there)
			worst[s.rival] = max(worst[s.rival], s.there/s.own)
			most = max(most, s.there/s.own)
		}
		if turn+1 >= ownMinTurns && most <= ownTolerance {
			break
		}
	}
	return worst, nil
}

// once runs the benchmark.
func (b *ownBench) once(ctx context.Context, program string) (map[string]float64, error) {
	home, err := os.MkdirTemp("", "tapecommit-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(home)
	cmd := exec.CommandContext(ctx, program, b.args...)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "CRITERION_HOME="+home)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("benchmark %s of %s: %w\n%s", b.name, b.crate, err, stderr.Bytes())
	}
	best, err := b.best(out, home)
	if err != nil {
		return nil, fmt.Errorf("benchmark %s of %s: %w", b.name, b.crate, err)
	}
	return best, nil
}

// bestOf is the best of many parts of a job, in nanoseconds.
func bestOf(j *job) (float64, error) {
	e := entry{key: key{Cores: 1}, jobs: []job{*j}, parts: ownParts, slot: ownSlot}
	if err := e.calibrate(); err != nil {
		return 0, err
	}
	return e.sample()
}
