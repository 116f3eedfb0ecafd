package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/klauspost/cpuid/v2"
	"github.com/spf13/cobra"
)

// benchReport is what bench measured, and on what.
type benchReport struct {
	CPU     string         `json:"cpu"`
	Go      string         `json:"go"`
	Arch    string         `json:"arch"`
	Kernels []kernelReport `json:"kernels"` // those in use
	Rounds  int            `json:"rounds"`
	Results []benchResult  `json:"results"`
}

// benchResult is one kind of work beside crypto/sha256 doing the hashing of it.
type benchResult struct {
	Name     string  `json:"name"`
	Bytes    int64   `json:"bytes"`     // that one time of the work is about
	Ns       float64 `json:"ns"`        // one time of it, median
	SHA256Ns float64 `json:"sha256_ns"` // its hashing in crypto/sha256, median
	Ratio    float64 `json:"ratio"`     // median of the rounds' SHA256Ns / Ns
}

const (
	benchRounds = 15
	benchSlot   = 10 * time.Millisecond // the least that one side works in a round
)

func (p *program) bench() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure hashing, coding, writing and reading here",
		Long: `Measure hashing, coding, writing and reading in memory on one goroutine at the default
parameters. Beside each stands crypto/sha256 doing the hashing of that work alone,
message by message, the messages joined beforehand; the ratio says how many times
the work is done meanwhile. The two take turns, and medians are printed.`,
		Args: operands(),
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		works, err := benchWorks(cmd.Context())
		if err != nil {
			return err
		}
		results, err := measure(cmd.Context(), works, benchRounds, benchSlot)
		if err != nil {
			return err
		}
		r := benchReport{
			CPU: cpuid.CPU.BrandName, Go: runtime.Version(), Arch: runtime.GOARCH,
			Rounds: benchRounds, Results: results,
		}
		for _, k := range kernelReports() {
			if k.used() {
				r.Kernels = append(r.Kernels, k)
			}
		}
		if *asJSON {
			return p.printJSON(r)
		}
		return p.printBench(r)
	}
	return cmd
}

func (p *program) printBench(r benchReport) error {
	p.printf("%s, %s, %s\n", r.CPU, r.Arch, r.Go)
	for _, k := range r.Kernels {
		p.printf("kernel %s: %s\n", k.Name, k.Use)
	}
	p.printf("\n")
	w := tabwriter.NewWriter(p.stdout, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "work\tMB/s\tcrypto/sha256\tratio\t")
	for _, res := range r.Results {
		// Bytes in a nanosecond are thousands of MB in a second.
		fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%.2f\t\n", res.Name,
			float64(res.Bytes)/res.Ns*1e3, float64(res.Bytes)/res.SHA256Ns*1e3, res.Ratio)
	}
	return w.Flush()
}

// measure runs each work and its rival in turns, rounds times, each for at least a
// slot.
func measure(ctx context.Context, works []benchWork, rounds int, slot time.Duration) ([]benchResult, error) {
	ours := make([][]float64, len(works))
	theirs := make([][]float64, len(works))
	ratios := make([][]float64, len(works))
	for range rounds {
		for i, w := range works {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			a, err := timePer(slot, w.run)
			if err != nil {
				return nil, fmt.Errorf("bench: %s: %w", w.name, err)
			}
			b, err := timePer(slot, func() error { w.rival(); return nil })
			if err != nil {
				return nil, err
			}
			ours[i] = append(ours[i], a)
			theirs[i] = append(theirs[i], b)
			ratios[i] = append(ratios[i], b/a)
		}
	}
	results := make([]benchResult, len(works))
	for i, w := range works {
		results[i] = benchResult{w.name, w.bytes, median(ours[i]), median(theirs[i]), median(ratios[i])}
	}
	return results, nil
}

// timePer repeats f for at least a slot and returns the nanoseconds it takes.
func timePer(slot time.Duration, f func() error) (float64, error) {
	start := time.Now()
	for n := 1; ; n++ {
		if err := f(); err != nil {
			return 0, err
		}
		if d := time.Since(start); d >= slot {
			return float64(d.Nanoseconds()) / float64(n), nil
		}
	}
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
