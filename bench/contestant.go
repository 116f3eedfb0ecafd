package main

import (
	"crypto/sha256"
	"fmt"
	"time"

	sha256simd "github.com/minio/sha256-simd"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/hashcore"
)

// A contestant hashes batches.
type contestant struct {
	name string
	load func(*batch) job
	end  func() // for one that holds more than memory, or nil
}

// A job is one batch in the hands of one contestant. It serves one goroutine.
type job struct {
	ready func() error          // before a sample, outside its time; or nil
	run   func(times int) error // hashes the batch so many times
	took  func() time.Duration  // what the last run took, where that is not to be timed from here; or nil
	check func() error          // compares what the last run left
}

// Names of contestants that ratios speak of.
const (
	byDefault  = "default"
	standard   = "crypto/sha256"
	minio      = "minio/sha256-simd"
	minioLanes = "minio server, 20 goroutines"
	tape       = "tape-sha256"
	commonware = "commonware hash_many"
	coderOnly  = "klauspost/reedsolomon"
)

// inGo are ours, by default choice and by each kernel that runs here, and the rivals in Go.
func inGo() (all []contestant, absent []rivalNote) {
	all = append(all, ours(byDefault, ""))
	for _, k := range kernels() {
		all = append(all, ours(k, k))
	}
	all = append(all, oneByOne(standard, sha256.Sum256), oneByOne(minio, sha256simd.Sum256))
	_, err := minioServer()
	if err == nil {
		var c contestant
		if c, err = outsider(minioLanes); err == nil {
			all = append(all, c)
		}
	}
	if err != nil {
		absent = append(absent, rivalNote{Name: minioLanes, Absent: err.Error()})
	}
	return all, absent
}

// kernels are the names of those that run here.
func kernels() []string {
	var names []string
	for _, k := range hashcore.Kernels() {
		if k.Err == nil {
			names = append(names, k.Name)
		}
	}
	return names
}

// pin makes a function that pins a kernel, or takes the default choice back.
func pin(kernel string) func() error {
	return func() error { return hashcore.Pin(kernel) }
}

// ours makes the tree from the leaves' digests, level by level.
func ours(name, kernel string) contestant {
	return contestant{name: name, load: func(b *batch) job {
		digests := make([]commit.Hash, len(b.digests))
		copy(digests, b.digests)
		if len(b.bodies) > 0 {
			clear(digests)
		}
		roots := make([]commit.Hash, b.groups)
		return job{
			ready: pin(kernel),
			run: func(times int) error {
				for range times {
					if len(b.bodies) > 0 {
						hashcore.Sum(digests, b.prefix, b.bodies)
					}
					if b.groups > 0 {
						commit.GroupRoots(roots, digests, defaults.N)
					}
				}
				return nil
			},
			check: func() error { return b.check(digests, nil, roots) },
		}
	}}
}

// oneByOne hashes joined messages one after the other.
func oneByOne(name string, sum func([]byte) [32]byte) contestant {
	return contestant{name: name, load: func(b *batch) job {
		digests, parents := make([]commit.Hash, len(b.joined)), make([]commit.Hash, len(b.framed))
		return job{
			run: func(times int) error {
				for range times {
					for i, m := range b.joined {
						digests[i] = sum(m)
					}
					for i, m := range b.framed {
						parents[i] = sum(m)
					}
				}
				return nil
			},
			check: func() error { return b.checkRival(digests, parents) },
		}
	}}
}

// checkRival is check for those who are given the joins: where there are no bodies there are no digests of them.
func (b *batch) checkRival(digests, parents []commit.Hash) error {
	if len(b.bodies) == 0 {
		digests = nil
	}
	return b.check(digests, parents, nil)
}

func (j *job) prepare() error {
	if j.ready == nil {
		return nil
	}
	return j.ready()
}

// start loads a batch and looks at what a first run makes of it, before any is timed.
func (c *contestant) start(b *batch) (job, error) {
	j := c.load(b)
	err := j.prepare()
	if err == nil {
		err = j.run(1)
	}
	if err == nil {
		err = j.check()
	}
	if err != nil {
		return job{}, fmt.Errorf("%s on %s: %w", c.name, b, err)
	}
	return j, nil
}
