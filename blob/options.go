package blob

import (
	"fmt"
	"runtime"

	"github.com/tapecommit/tapecommit/commit"
)

// The code of a blob whose Options leave it open.
const (
	defaultK         = 10
	defaultN         = 20
	defaultSliceSize = 4096
)

// maxWorkers bounds memory and goroutines, which an absurd number of workers would take before there is any work.
const maxWorkers = 1 << 10

// Options say how a blob is written or read. A field that is zero has its default.
type Options struct {
	// Params cut a blob that is written: 10 of 20 slices of 4096 bytes by default. A blob that is opened has its
	// own.
	Params commit.Params

	// Workers is how many parts of a blob are worked on at a time: GOMAXPROCS by default, 1,024 at the most. A Writer
	// holds no more than the memory of 2 Workers + 1 pieces of 8 groups, each loop over a Blob that of Workers + 1 runs
	// of 64 groups, and Verify and Repair twice that. A group takes N slices.
	Workers int

	// Stats, if there are any, count what is done. Many blobs may share them.
	Stats *Stats
}

// resolve returns o with defaults in place of zeros.
func (o Options) resolve() (Options, error) {
	if o.Params.K == 0 {
		o.Params.K = defaultK
	}
	if o.Params.N == 0 {
		o.Params.N = defaultN
	}
	if o.Params.SliceSize == 0 {
		o.Params.SliceSize = defaultSliceSize
	}
	if o.Workers == 0 {
		o.Workers = min(runtime.GOMAXPROCS(0), maxWorkers)
	}
	if o.Workers < 0 || o.Workers > maxWorkers {
		return Options{}, fmt.Errorf("blob: %d workers, want 1 to %d", o.Workers, maxWorkers)
	}
	if o.Stats == nil {
		o.Stats = new(Stats)
	}
	return o, o.Params.Validate()
}
