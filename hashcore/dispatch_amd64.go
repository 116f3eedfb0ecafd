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
	hasAVX512BW
	hasAVX512F
	hasAVX512VL
	hasSHA
)

const hasAVX512 = hasAVX | hasAVX2 | hasAVX512BW | hasAVX512F | hasAVX512VL

func (e extension) String() string {
	var names []string
	for i, name := range []string{"AVX", "AVX2", "AVX512BW", "AVX512F", "AVX512VL", "SHA"} {
		if e>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " and ")
}

// machine is what dispatch knows of the CPU.
type machine struct {
	has    extension
	vendor string // as the CPU spells it
	family int
}

const amd = "AuthenticAMD"

func detect() machine {
	m := machine{vendor: cpuid.CPU.VendorString, family: cpuid.CPU.Family}
	for _, e := range []struct {
		extension
		has bool
	}{
		{hasAVX, cpu.X86.HasAVX},
		{hasAVX2, cpu.X86.HasAVX2},
		{hasAVX512BW, cpu.X86.HasAVX512BW},
		{hasAVX512F, cpu.X86.HasAVX512F},
		{hasAVX512VL, cpu.X86.HasAVX512VL},
		{hasSHA, cpuid.CPU.Supports(cpuid.SHA)},
	} {
		if e.has {
			m.has |= e.extension
		}
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
	{"avx512-x16", avx512x16, hasAVX512},
	{"avx512-x32", avx512x32, hasAVX512},
	{"hybrid-x20", hybrid20, hasAVX512 | hasSHA},
	{"split-x8", split8, hasAVX512 | hasSHA},
	{"split-x4", split4, hasAVX512 | hasSHA},
}

// choice is what machines of one kind run, and why.
type choice struct {
	fits  func(machine) bool
	needs extension
	plan  plan
	use   map[string]string // by kernel; those without an entry are unused
}

func anyMachine(machine) bool { return true }

// fill sets by[from] to by[to] to an engine.
func (p plan) fill(from, to int, e engine) plan {
	for n := from; n <= to; n++ {
		p.by[n] = e
	}
	return p
}

// streams are kernels of the SHA unit for up to four lanes, and four at a time for more.
func streams(lanes int) plan {
	p := plan{lanes: lanes}
	return p.fill(1, 1, shani1).fill(2, 2, shani2).fill(3, lanes, shani4)
}

// choices: the first that fits is taken, and the last fits every machine. Times are for a
// block of one message on one core, from go test -bench Kernels. Cycles were measured before
// these kernels were written, with others of the same kind and no loading of messages.
var choices = []choice{
	{
		// Zen 4. A step of split-x8 is 8 x 41 cycles, of split-x4 4 x 41, of one or two
		// streams 131; so for five and six lanes a split-x4 and streams are better than a
		// split-x8 with idle lanes.
		fits:  func(m machine) bool { return m.vendor == amd && m.family == 25 },
		needs: hasAVX512 | hasSHA,
		plan:  streams(8).fill(3, 6, split4).fill(7, 8, split8),
		use: map[string]string{
			"split-x8":   "batches of eight and more: 39 to 42 cycles a block, four streams 54 (Zen 4)",
			"split-x4":   "the last three to six messages of a batch: 41 cycles a block, four streams 54 (Zen 4)",
			"shani-x2":   "the last two messages of a batch: 65 cycles a block (Zen 4)",
			"shani-x1":   "the last message of a batch: 131 cycles a block (Zen 4)",
			"shani-x4":   "no batch: 54 cycles a block, split-x8 39 to 42 (Zen 4)",
			"avx512-x32": "no batch: 55 to 58 cycles a block, split-x8 39 to 42 (Zen 4)",
			"avx512-x16": "no batch: 63 cycles a block, split-x8 39 to 42 (Zen 4)",
			"hybrid-x20": "no batch: 54 cycles a block, split-x8 39 to 42 (Zen 4)",
			"avx2-x8":    "no batch: 124 cycles a block, split-x8 39 to 42 (Zen 4)",
			"stdlib":     "no batch: 131 cycles a block, split-x8 39 to 42 (Zen 4)",
		},
	},
	{
		// Zen 5, and what comes after it. A step of avx512-x32 is 32 x 26 cycles, of
		// hybrid-x20 20 x 36.5, of avx512-x16 16 x 41, of four streams 4 x 63, of one or
		// two 120 to 130; by[n] is what is least for n.
		fits:  func(m machine) bool { return m.vendor == amd && m.family >= 26 },
		needs: hasAVX512 | hasSHA,
		plan:  streams(32).fill(11, 16, avx512x16).fill(17, 20, hybrid20).fill(21, 32, avx512x32),
		use: map[string]string{
			"avx512-x32": "batches of 21 and more: 25 cycles a block, crypto/sha256 120 (Zen 5)",
			"hybrid-x20": "batches of 17 to 20, and the last so many messages of larger ones: 36.5 cycles a block (Zen 5)",
			"avx512-x16": "the last 11 to 16 messages: 38 to 44 cycles a block (Zen 5)",
			"shani-x4":   "the last three to ten messages: 63 cycles a block (Zen 5)",
			"shani-x2":   "the last two messages of a batch: 65 cycles a block (Zen 5)",
			"shani-x1":   "the last message of a batch: 120 cycles a block (Zen 5)",
			"split-x8":   "no batch: the SHA unit takes 64 cycles a block at least, avx512-x32 25 (Zen 5)",
			"split-x4":   "no batch: the SHA unit takes 64 cycles a block at least, avx512-x32 25 (Zen 5)",
			"stdlib":     "no batch: 120 cycles a block, avx512-x32 25 (Zen 5)",
		},
	},
	{
		// Zen 3: EPYC, family 25 model 1, at about 3.1 GHz, go1.26.
		fits:  func(m machine) bool { return m.vendor == amd && m.family == 25 },
		needs: hasAVX | hasSHA,
		plan:  streams(4),
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
		plan:  streams(4),
		use: map[string]string{
			"shani-x4": "every batch: four streams hide how long the SHA unit takes for a round (not measured on this CPU)",
			"shani-x2": "the last two messages of a batch",
			"shani-x1": "the last message of a batch",
		},
	},
	{
		// Not measured. Sixteen lanes have the instructions that eight must do without,
		// and time for eight to wait.
		fits:  anyMachine,
		needs: hasAVX512,
		plan:  plan{lanes: 32, few: 2}.fill(1, 16, avx512x16).fill(17, 32, avx512x32),
		use: map[string]string{
			"avx512-x32": "batches of 17 and more: the CPU has no SHA unit (not measured on this CPU)",
			"avx512-x16": "batches of 3 to 16, and the last so many messages of larger ones",
			"stdlib":     "batches of one or two",
		},
	},
	{
		// Measured on the Zen 3 above, its SHA unit hidden from crypto/sha256 by
		// GODEBUG=cpu.sha=off: 43.7 ns with all lanes full, 146 by crypto/sha256. So two
		// messages are better off there.
		fits:  anyMachine,
		needs: hasAVX | hasAVX2,
		plan:  plan{lanes: 8, few: 2}.fill(1, 8, avx2x8),
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

// String is what an operator is told of it.
func (m machine) String() string {
	s := fmt.Sprintf("%s family %d", m.vendor, m.family)
	if m.has != 0 {
		s += " with " + m.has.String()
	}
	return s
}

var (
	here               = detect()
	cpuName            = here.String()
	kernels, automatic = choose(here)
)
