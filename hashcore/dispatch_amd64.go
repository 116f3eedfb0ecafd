//go:build !purego

package hashcore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"
	"golang.org/x/sys/cpu"
)

// extension is a set of what a CPU may have beyond amd64's base.
type extension uint8

const (
	hasAVX  extension = 1 << iota // and the operating system saves its registers
	hasAVX2                       // likewise
	hasSHA
)

func (e extension) String() string {
	var names []string
	for i, name := range []string{"AVX", "AVX2", "SHA"} {
		if e>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " and ")
}

// machine is what dispatch knows of the CPU.
type machine struct {
	has    extension
	amd    bool
	family int
}

func detect() machine {
	m := machine{amd: cpuid.CPU.IsVendor(cpuid.AMD), family: cpuid.CPU.Family}
	if cpu.X86.HasAVX {
		m.has |= hasAVX
	}
	if cpu.X86.HasAVX2 {
		m.has |= hasAVX2
	}
	if cpuid.CPU.Supports(cpuid.SHA) {
		m.has |= hasSHA
	}
	return m
}

// wants are the lane kernels of this build beyond the generic, and what they need.
var wants = []struct {
	name   string
	engine engine
	needs  extension
}{
	{"shani-x1", shani1, hasAVX | hasSHA},
	{"shani-x2", shani2, hasAVX | hasSHA},
	{"shani-x4", shani4, hasAVX | hasSHA},
	{"avx2-x8", avx2x8, hasAVX | hasAVX2},
}

// choice is what machines of one kind run, and why.
type choice struct {
	fits  func(machine) bool
	needs extension
	plan  plan
	use   map[string]string // by kernel; those without an entry are unused
}

func anyMachine(machine) bool { return true }

var streams = [maxLanes + 1]engine{1: shani1, 2: shani2, 3: shani4, 4: shani4}

// choices: the first that fits is taken, and the last fits every machine. Times are for a
// block of one message on one core, from go test -bench Kernels.
var choices = []choice{
	{
		// Zen 3: EPYC, family 25 model 1, at about 3.1 GHz, go1.26.
		fits:  func(m machine) bool { return m.amd && m.family == 25 },
		needs: hasAVX | hasSHA,
		plan:  plan{lanes: 4, by: streams},
		use: map[string]string{
			"shani-x4": "every batch: 17.2 ns a block, crypto/sha256 43.0 (Zen 3)",
			"shani-x2": "the last two messages of a batch: 20.9 ns a block (Zen 3)",
			"shani-x1": "the last message of a batch: 41.5 ns a block (Zen 3)",
			"avx2-x8":  "no batch: 43.5 ns a block, the SHA unit 17.2 (Zen 3)",
			"stdlib":   "no batch: 43.0 ns a block, four at a time 17.2 (Zen 3)",
		},
	},
	{
		// Not measured. A SHA unit's rounds take longer one after the other than side by
		// side, whichever it is.
		fits:  anyMachine,
		needs: hasAVX | hasSHA,
		plan:  plan{lanes: 4, by: streams},
		use: map[string]string{
			"shani-x4": "every batch: four streams hide how long the SHA unit takes for a round (not measured on this CPU)",
			"shani-x2": "the last two messages of a batch",
			"shani-x1": "the last message of a batch",
		},
	},
	{
		// Measured on the Zen 3 above, its SHA unit hidden from crypto/sha256 by
		// GODEBUG=cpu.sha=off: 43.7 ns with all lanes full, 146 by crypto/sha256. So two
		// messages are better off there.
		fits:  anyMachine,
		needs: hasAVX | hasAVX2,
		plan:  plan{lanes: 8, few: 2, by: alone(avx2x8).by},
		use: map[string]string{
			"avx2-x8": "batches of three and more: 43.7 ns a block, crypto/sha256 without a SHA unit 146 (Zen 3)",
			"stdlib":  "batches of one or two: the time of eight lanes is that of 2.4 messages (Zen 3)",
		},
	},
	{
		fits: anyMachine,
		use:  map[string]string{"stdlib": "every batch: the CPU lacks what the other kernels need"},
	},
}

const unused = "no batch"

// choose is the whole of dispatch.
func choose(m machine) ([]kernel, plan) {
	var c choice
	for _, c = range choices {
		if c.fits(m) && m.has&c.needs == c.needs {
			break
		}
	}
	list := slices.Clone(common)
	for _, w := range wants {
		k := kernel{Kernel{Name: w.name}, alone(w.engine)}
		if lacks := w.needs &^ m.has; lacks != 0 {
			k.Err = fmt.Errorf("CPU or operating system without %v", lacks)
		}
		list = append(list, k)
	}
	for i := range list {
		k := &list[i]
		if use, ok := c.use[k.Name]; ok {
			k.Use = use
		} else if k.Err == nil && k.Name != "generic" {
			k.Use = unused
		}
	}
	return list, c.plan
}

var kernels, automatic = choose(detect())
