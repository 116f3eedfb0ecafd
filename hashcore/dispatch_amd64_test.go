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
	const all = hasAVX | hasAVX2 | hasSHA
	streams, lanes := choices[0].plan.by, alone(avx2x8).by
	for _, c := range []struct {
		name  string
		m     machine
		by    [maxLanes + 1]engine
		lacks map[string]string // kernels that must not run, and why
	}{
		{"nothing", machine{}, [maxLanes + 1]engine{}, map[string]string{
			"shani-x1": "AVX and SHA", "shani-x2": "AVX and SHA", "shani-x4": "AVX and SHA", "avx2-x8": "AVX and AVX2",
		}},
		{"Zen 3", machine{has: all, amd: true, family: 25}, streams, nil},
		{"Zen 5", machine{has: all, amd: true, family: 26}, streams, nil},
		{"SHA elsewhere", machine{has: all, family: 6}, streams, nil},
		{"AVX2, no SHA", machine{has: hasAVX | hasAVX2, family: 6}, lanes, map[string]string{
			"shani-x1": "SHA", "shani-x2": "SHA", "shani-x4": "SHA",
		}},
		{"SHA, no AVX", machine{has: hasSHA, family: 6}, [maxLanes + 1]engine{}, map[string]string{
			"shani-x1": "AVX", "shani-x2": "AVX", "shani-x4": "AVX", "avx2-x8": "AVX and AVX2",
		}},
		{"SHA, no AVX2", machine{has: hasAVX | hasSHA, family: 6}, streams, map[string]string{"avx2-x8": "AVX2"}},
		{"system without AVX state", machine{has: hasSHA | hasAVX2, amd: true, family: 25}, [maxLanes + 1]engine{}, map[string]string{
			"shani-x1": "AVX", "shani-x2": "AVX", "shani-x4": "AVX", "avx2-x8": "AVX",
		}},
		{"Zen 3 with SHA turned off", machine{has: hasAVX | hasAVX2, amd: true, family: 25}, lanes, map[string]string{
			"shani-x1": "SHA", "shani-x2": "SHA", "shani-x4": "SHA",
		}},
		{"AVX alone", machine{has: hasAVX, family: 6}, [maxLanes + 1]engine{}, map[string]string{
			"shani-x1": "SHA", "shani-x2": "SHA", "shani-x4": "SHA", "avx2-x8": "AVX2",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, p := choose(c.m)
			if p.by != c.by {
				t.Errorf("chose %v, want %v", p.by, c.by)
			}
			errs := make(map[engine]error)
			for i, k := range list {
				want, lacks := c.lacks[k.Name]
				if lacks && (k.Err == nil || k.Err.Error() != "CPU or operating system without "+want) {
					t.Errorf("%s: %v, want it to lack %s", k.Name, k.Err, want)
				}
				if !lacks && k.Err != nil {
					t.Errorf("%s: %v", k.Name, k.Err)
				}
				if (k.Use == "") != (k.Err != nil) {
					t.Errorf("%s: use %q, error %v", k.Name, k.Use, k.Err)
				}
				errs[list[i].alone.by[1]] = k.Err
			}
			for _, e := range p.by[1:] {
				if errs[e] != nil {
					t.Errorf("chose engine %d: %v", e, errs[e])
				}
			}
		})
	}
}

// TestPlans checks what the tables must keep.
func TestPlans(t *testing.T) {
	check := func(name string, p plan) {
		if p.lanes > maxLanes {
			t.Errorf("%s: %d lanes", name, p.lanes)
		}
		for n := 1; n <= p.lanes; n++ {
			if w := width[p.by[n]]; w < n {
				t.Errorf("%s: %d lanes for a kernel of %d", name, n, w)
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
		for _, f := range found {
			if got, want := string(f[1]), strings.ReplaceAll(w.needs.String(), " and ", ", "); got != want {
				t.Errorf("%s: uses %s, dispatch asks for %s", w.name, got, want)
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
	var has extension
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if flags, ok := strings.CutPrefix(lines.Text(), "flags"); ok {
			for _, flag := range strings.Fields(flags) {
				has |= map[string]extension{"avx": hasAVX, "avx2": hasAVX2, "sha_ni": hasSHA}[flag]
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
	nodes := make([]Digest, 4*maxBlocks)
	dst := make([]Digest, len(nodes)/2)
	var frames [2 * maxLanes]block2
	for _, w := range wants {
		if detect().has&w.needs != w.needs {
			continue
		}
		for blocks := 1; blocks <= 2; blocks++ {
			n := w.engine.pairs(dst, nodes, frames[:], 0, 32, blocks)
			if n == 0 || n%width[w.engine] != 0 || n*blocks > maxBlocks || n*blocks < maxBlocks-width[w.engine] {
				t.Errorf("%s: a call of %d pairs of %d blocks", w.name, n, blocks)
			}
		}
	}
}

// BenchmarkKernels is what the choices are made from: a slice with its prefix in each lane,
// in ns a block of one message.
func BenchmarkKernels(b *testing.B) {
	const blocks = 65
	data := random(maxLanes*4224 + 4160)
	perBlock := func(b *testing.B, messages int) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*messages*blocks), "ns/block")
	}
	b.Run("crypto-sha256", func(b *testing.B) {
		for b.Loop() {
			sha256.Sum256(data[:4100])
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
			var in [maxLanes][]byte
			for l := range p.lanes {
				in[l] = data[4224*l:][:blocks*blockSize]
			}
			for b.Loop() {
				p.advance(h[:], in[:], p.lanes, blocks)
			}
			perBlock(b, p.lanes)
		})
	}
}
