package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/klauspost/cpuid/v2"
	"github.com/spf13/cobra"

	"github.com/tapecommit/tapecommit/hashcore"
)

// kernelReport is one way to compute SHA-256 of this build.
type kernelReport struct {
	Name  string `json:"name"`
	Use   string `json:"use,omitempty"`   // what it is used for here, and why
	Error string `json:"error,omitempty"` // why it cannot run here
}

// kernelReports tells of the kernels of this build.
func kernelReports() []kernelReport {
	var list []kernelReport
	pin := os.Getenv("TAPECOMMIT_KERNEL")
	for _, k := range hashcore.Kernels() {
		r := kernelReport{Name: k.Name, Use: k.Use}
		switch {
		case k.Err != nil:
			r = kernelReport{Name: k.Name, Error: k.Err.Error()}
		case pin == k.Name:
			r.Use = "every batch: TAPECOMMIT_KERNEL says so"
		case pin != "":
			r.Use = "no batch: TAPECOMMIT_KERNEL names another"
		}
		list = append(list, r)
	}
	return list
}

// machineReport is the machine that kernels are chosen for.
type machineReport struct {
	CPU string `json:"cpu"`           // its own name
	Has string `json:"has,omitempty"` // what the choice knows of it
}

func cpuReport() machineReport {
	return machineReport{cmp.Or(cpuid.CPU.BrandName, runtime.GOARCH), hashcore.CPU()}
}

func (m machineReport) String() string {
	if m.Has == "" {
		return m.CPU + ": this build has no kernels for it"
	}
	return m.CPU + ": " + m.Has
}

// used reports whether a kernel is used for anything.
func (r kernelReport) used() bool { return r.Error == "" && !strings.HasPrefix(r.Use, "no batch") }

func (p *program) kernels() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kernels",
		Short: "List the SHA-256 kernels of this build, and what each is used for here",
		Long: `Show what this CPU has, then the SHA-256 kernels of this build: what each is used for
on this machine, and why, or why it cannot run.
$TAPECOMMIT_KERNEL names one to be used for everything.`,
		Args: operands(),
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
		if cpu := cpuReport(); *asJSON {
			p.printJSON(cpu)
		} else {
			fmt.Fprintf(w, "CPU\t%s\n", cpu)
		}
		for _, r := range kernelReports() {
			switch {
			case *asJSON:
				p.printJSON(r)
			case r.Error != "":
				fmt.Fprintf(w, "%s\tcannot run: %s\n", r.Name, r.Error)
			default:
				fmt.Fprintf(w, "%s\t%s\n", r.Name, r.Use)
			}
		}
		return w.Flush()
	}
	return cmd
}
