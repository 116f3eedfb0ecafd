package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"time"
)

// beOutsider is what the process of an outsider does: it answers lines of a shape's name and how many times to hash it
// with the nanoseconds that it took.
func beOutsider(name string, in io.Reader, out io.Writer) error {
	var c contestant
	switch name {
	case minioLanes:
		var err error
		if c, err = minioServer(); err != nil {
			return err
		}
	case standard:
		c = oneByOne(standard, sha256.Sum256)
	default:
		return fmt.Errorf("%q is no outsider", name)
	}
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(1)
	jobs := make(map[string]job)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var shape string
		var times int
		if _, err := fmt.Sscan(lines.Text(), &shape, &times); err != nil {
			return fmt.Errorf("line %q: %w", lines.Text(), err)
		}
		j, ok := jobs[shape]
		if !ok {
			s, err := shapeNamed(shape)
			if err != nil {
				return err
			}
			b, err := newBatch(s)
			if err != nil {
				return err
			}
			if j, err = c.start(b); err != nil {
				return err
			}
			jobs[shape] = j
		}
		runtime.GC()
		// Stopped, it has lost its caches.
		if err := j.run(1); err != nil {
			return err
		}
		start := time.Now()
		if err := j.run(times); err != nil {
			return err
		}
		fmt.Fprintln(out, time.Since(start).Nanoseconds())
	}
	return nil
}
