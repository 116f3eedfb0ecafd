package hashcore

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
)

// Kernel is one implementation.
type Kernel struct {
	Name string
	Use  string // what it is chosen for on this machine, and why; empty where it cannot run
	Err  error  // why it cannot run on this machine, or nil
}

// Kernels lists the kernels of this build, whether or not they run on this machine.
func Kernels() []Kernel {
	list := make([]Kernel, len(kernels))
	for i := range kernels {
		list[i] = kernels[i].Kernel
	}
	return list
}

// CPU says what the choice of kernels knows of this machine, such as "AuthenticAMD family 25
// with AVX and AVX2 and SHA". It is empty where the build has no choice.
func CPU() string { return cpuName }

// Pin makes all later batches use one kernel, or with "" the choice made when the program
// started. It is for tests and operators: no choice changes a digest. An error says that
// there is no such kernel or why it cannot run on this machine, and changes nothing.
func Pin(name string) error {
	p := atStart
	if name != "" {
		var err error
		if p, err = pinned(name); err != nil {
			return fmt.Errorf("hashcore: %w", err)
		}
	}
	current.Store(p)
	return nil
}

// Lanes returns how many messages the kernels in use take side by side, at most: a batch of
// a multiple leaves no lane idle. It is 1 to 32.
func Lanes() int { return max(1, current.Load().lanes) }

// envKernel names the environment variable that pins a kernel when the program starts.
const envKernel = "TAPECOMMIT_KERNEL"

var (
	current atomic.Pointer[plan] // what the next batch uses
	atStart *plan                // what Pin("") goes back to
)

func init() {
	atStart = &automatic
	if name := os.Getenv(envKernel); name != "" {
		p, err := pinned(name)
		if err != nil {
			fmt.Fprintf(os.Stderr, "hashcore: %s: %v\n", envKernel, err)
			os.Exit(2)
		}
		atStart = p
	}
	current.Store(atStart)
}

// pinned is the plan that uses the named kernel for everything.
func pinned(name string) (*plan, error) {
	names := make([]string, len(kernels))
	for i := range kernels {
		k := &kernels[i]
		if k.Name == name {
			if k.Err != nil {
				return nil, fmt.Errorf("kernel %s cannot run here: %w", name, k.Err)
			}
			return &k.alone, nil
		}
		names[i] = k.Name
	}
	return nil, fmt.Errorf("no kernel %q in this build; it has %s", name, strings.Join(names, ", "))
}
