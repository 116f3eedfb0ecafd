//go:build !purego

package hashcore

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// otherPlans are the choices, other than this machine's, that it has what it takes for.
func otherPlans() map[string]plan {
	plans := make(map[string]plan)
	seen := [][maxLanes + 1]engine{automatic.by, {}} // with no engine it is crypto/sha256
	has := detect().has
	for i, c := range choices {
		if has&c.needs == c.needs && !slices.Contains(seen, c.plan.by) {
			seen = append(seen, c.plan.by)
			plans[fmt.Sprintf("choice-%d", i)] = c.plan
		}
	}
	return plans
}

func TestChoose(t *testing.T) {
	const (
		avx2   = hasAVX | hasAVX2
		all    = hasAVX512 | hasSHA
		shani  = "shani-x1 shani-x2 shani-x4 "
		wide   = "avx512-x16 avx512-x32 "
		both   = "hybrid-x20 split-x4 split-x8 "
		lanes8 = "avx2-x8 "
	)
	none := plan{}
	eight := plan{lanes: 8}.fill(1, 8, avx2x8)
	wider := plan{lanes: 32}.fill(1, 16, avx512x16).fill(17, 32, avx512x32)
	zen4 := streams(8).fill(3, 6, split4).fill(7, 8, split8)
	zen5 := streams(32).fill(11, 16, avx512x16).fill(17, 20, hybrid20).fill(21, 32, avx512x32)
	for _, c := range []struct {
		name string
		m    machine
		plan plan
		runs string
	}{
		{"nothing", machine{}, none, ""},
		{"Zen 3", machine{has: avx2 | hasSHA, vendor: amd, family: 25}, streams(4), shani + lanes8},
		{"Zen 4", machine{has: all, vendor: amd, family: 25}, zen4, shani + wide + both + lanes8},
		{"Zen 5", machine{has: all, vendor: amd, family: 26}, zen5, shani + wide + both + lanes8},
		{"after Zen 5", machine{has: all, vendor: amd, family: 27}, zen5, shani + wide + both + lanes8},
		{"all elsewhere", machine{has: all, family: 6}, streams(4), shani + wide + both + lanes8},
		{"SHA elsewhere", machine{has: avx2 | hasSHA, family: 6}, streams(4), shani + lanes8},
		{"AVX-512, no SHA", machine{has: hasAVX512, family: 6}, wider, wide + lanes8},
		{"Zen 4 with SHA turned off", machine{has: hasAVX512, vendor: amd, family: 25}, wider, wide + lanes8},
		{"Zen 4 without ZMM state", machine{has: avx2 | hasSHA, vendor: amd, family: 25}, streams(4), shani + lanes8},
		{"Zen 5 without BW", machine{has: all &^ hasAVX512BW, vendor: amd, family: 26}, streams(4), shani + lanes8},
		{"Zen 5 without VL", machine{has: all &^ hasAVX512VL, vendor: amd, family: 26}, streams(4), shani + lanes8},
		{"AVX-512 with no more than F", machine{has: avx2 | hasAVX512F, family: 6}, eight, lanes8},
		{"AVX2, no SHA", machine{has: avx2, family: 6}, eight, lanes8},
		{"Zen 3 with SHA turned off", machine{has: avx2, vendor: amd, family: 25}, eight, lanes8},
		{"SHA, no AVX", machine{has: hasSHA, family: 6}, none, ""},
		{"SHA, no AVX2", machine{has: hasAVX | hasSHA, family: 6}, streams(4), shani},
		{"system without AVX state", machine{has: all &^ hasAVX, vendor: amd, family: 25}, none, ""},
		{"AVX alone", machine{has: hasAVX, family: 6}, none, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, p := choose(c.m)
			if p.lanes != c.plan.lanes || p.by != c.plan.by {
				t.Errorf("chose %v, want %v", p.by, c.plan.by)
			}
			errs := make(map[engine]error)
			for i, k := range list {
				if i < len(common) {
					continue
				}
				w := wants[i-len(common)]
				runs := strings.Contains(c.runs, k.Name+" ")
				if (k.Err == nil) != runs {
					t.Errorf("%s: %v, want it to run: %t", k.Name, k.Err, runs)
				}
				if lacks := fmt.Sprintf("CPU or operating system without %v", w.needs&^c.m.has); !runs && k.Err.Error() != lacks {
					t.Errorf("%s: %v, want %s", k.Name, k.Err, lacks)
				}
				if (k.Use == "") != (k.Err != nil) {
					t.Errorf("%s: use %q, error %v", k.Name, k.Use, k.Err)
				}
				errs[w.engine] = k.Err
			}
			for n := p.lanes; n > 0; n-- {
				if err := errs[p.by[n]]; err != nil || p.by[n] == generic {
					t.Errorf("chose engine %d for %d lanes: %v", p.by[n], n, err)
				}
			}
		})
	}
}

func TestMachineString(t *testing.T) {
	for want, m := range map[string]machine{
		"AuthenticAMD family 25 with AVX and AVX2 and SHA": {has: hasAVX | hasAVX2 | hasSHA, vendor: amd, family: 25},
		"GenuineIntel family 6":                            {vendor: "GenuineIntel", family: 6},
	} {
		if got := m.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := CPU(); got != detect().String() {
		t.Errorf("CPU is %q, want %q", got, detect())
	}
}

// TestPlans checks what the tables must keep.
func TestPlans(t *testing.T) {
	check := func(name string, p plan) {
		if p.lanes > maxLanes {
			t.Errorf("%s: %d lanes", name, p.lanes)
		}
		for n := 1; n <= p.lanes; n++ {
			if room := p.room(n); room < p.room(n-1) || room > maxLanes || p.lanes <= 8 && room > 8 || p.lanes <= 4 && room > 4 {
				t.Errorf("%s: room for %d lanes, to take %d on", name, room, n)
			}
		}
	}
	for _, k := range kernels {
		check(k.Name, k.alone)
	}
	for i, c := range choices {
		check(fmt.Sprint("choice ", i), c.plan)
		for name := range c.use {
			if !slices.ContainsFunc(kernels, func(k kernel) bool { return k.Name == name }) {
				t.Errorf("choice %d: use of %q, which is no kernel", i, name)
			}
		}
	}
	if last := choices[len(choices)-1]; last.needs != 0 {
		t.Errorf("the last choice needs %v", last.needs)
	}
}

// TestWants compares what a kernel is said to need with what the assembly says it uses.
func TestWants(t *testing.T) {
	requires := regexp.MustCompile(`(?m)^// Requires: (.*)$`)
	for _, w := range wants {
		isa, lanes, _ := strings.Cut(w.name, "-")
		text, err := os.ReadFile("sha256" + lanes + "_" + isa + "_amd64.s")
		if err != nil {
			t.Fatal(err)
		}
		found := requires.FindAllSubmatch(text, -1)
		if len(found) != 2 {
			t.Errorf("%s: %d functions say what they require, want 2", w.name, len(found))
		}
		// That does not count what an instruction needs for the registers from 16 on.
		asked := strings.Split(w.needs.String(), " and ")
		for _, f := range found {
			for _, used := range strings.Split(string(f[1]), ", ") {
				if !slices.Contains(asked, used) {
					t.Errorf("%s: uses %s, dispatch asks for %v", w.name, used, w.needs)
				}
			}
		}
	}
	files, err := filepath.Glob("sha256*_amd64.s")
	if err != nil || len(files) != len(wants) {
		t.Errorf("%d files of assembly, %d kernels, %v", len(files), len(wants), err)
	}
}

// TestNoKernelSkipped asks the operating system what the CPU has: a kernel that could run
// and does not is a fault, above all where these tests are to cover it.
func TestNoKernelSkipped(t *testing.T) {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		if runtime.GOOS == "linux" && os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("no second source for the CPU's extensions here")
	}
	defer f.Close()
	flagged := map[string]extension{
		"avx": hasAVX, "avx2": hasAVX2, "avx512bw": hasAVX512BW, "avx512f": hasAVX512F, "avx512vl": hasAVX512VL, "sha_ni": hasSHA,
	}
	var has extension
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if flags, ok := strings.CutPrefix(lines.Text(), "flags"); ok {
			for _, flag := range strings.Fields(flags) {
				has |= flagged[flag]
			}
			break
		}
	}
	if got := detect().has; got != has {
		t.Errorf("detected %v, the system says %v", got, has)
	}
	list := Kernels()
	for _, w := range wants {
		i := slices.IndexFunc(list, func(k Kernel) bool { return k.Name == w.name })
		if runs := has&w.needs == w.needs; runs != (list[i].Err == nil) {
			t.Errorf("%s: can run: %t, but: %v", w.name, runs, list[i].Err)
		}
	}
}

// TestPairsBound has more pairs than one call may take: it takes as many as the bound on
// its blocks allows, in whole waves.
func TestPairsBound(t *testing.T) {
	nodes := make([]Digest, 2*4096)
	dst := make([]Digest, len(nodes)/2)
	var frames [2 * maxLanes]block2
	for _, w := range wants {
		if detect().has&w.needs != w.needs {
			continue
		}
		for blocks := 1; blocks <= 2; blocks++ {
			n := w.engine.pairs(dst, nodes, frames[:], 0, 32, 32, blocks)
			want := engines[w.engine].lanes * (engines[w.engine].blocks / blocks)
			if w.engine == split4 && blocks == 1 {
				want = 0 // it takes two blocks at a time, or leaves pairs to blocks
			}
			if n != want {
				t.Errorf("%s: a call of %d pairs of %d blocks, want %d", w.name, n, blocks, want)
			}
		}
	}
}

// BenchmarkKernels is what the choices are made from: a slice with its prefix in each lane,
// in ns a block of one message.
func BenchmarkKernels(b *testing.B) {
	const blocks = 63
	data := random(maxLanes*4224 + 4160)
	perBlock := func(b *testing.B, messages int) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*messages*blocks), "ns/block")
	}
	b.Run("crypto-sha256", func(b *testing.B) {
		for b.Loop() {
			sha256.Sum256(data[:blocks*blockSize-9])
		}
		perBlock(b, 1)
	})
	for _, w := range wants {
		b.Run(w.name, func(b *testing.B) {
			if lacks := w.needs &^ detect().has; lacks != 0 {
				b.Skipf("CPU or operating system without %v", lacks)
			}
			p := alone(w.engine)
			var h [maxLanes]state
			var places [maxLanes]change
			for l := range p.lanes {
				places[l] = change{at: sourceOf(data[4224*l:][:blocks*blockSize]), lane: l}
			}
			for b.Loop() {
				p.advance(h[:], &iv, p.lanes, []step{{p.lanes, blocks}}, places[:p.lanes])
			}
			perBlock(b, p.lanes)
		})
	}
}
