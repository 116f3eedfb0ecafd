//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// outsider is a contestant in a process of its own, which stands still unless it is its turn. minio's server wants that:
// it has a goroutine that wakes up every microsecond, and nothing ends it.
//
// The process makes the same batches from the same names, checks the digests, and times itself.
func outsider(name string) (contestant, error) {
	program, err := os.Executable()
	if err != nil {
		return contestant{}, err
	}
	cmd := exec.Command(program, "-outsider", name)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return contestant{}, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return contestant{}, err
	}
	if err := cmd.Start(); err != nil {
		return contestant{}, err
	}
	answers := bufio.NewReader(out)
	ask := func(shape string, times int) (time.Duration, error) {
		if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
			return 0, err
		}
		defer cmd.Process.Signal(syscall.SIGSTOP)
		if _, err := fmt.Fprintln(in, shape, times); err != nil {
			return 0, err
		}
		answer, err := answers.ReadString('\n')
		if err == io.EOF {
			return 0, fmt.Errorf("the process of %s ended", name)
		} else if err != nil {
			return 0, err
		}
		ns, err := strconv.ParseInt(answer[:len(answer)-1], 10, 64)
		return time.Duration(ns), err
	}
	return contestant{
		name: name,
		load: func(b *batch) job {
			var took time.Duration
			return job{
				run: func(times int) (err error) {
					took, err = ask(b.name, times)
					return err
				},
				took:  func() time.Duration { return took },
				check: func() error { return nil }, // the process ends where a digest is wrong
			}
		},
		end: func() {
			cmd.Process.Kill()
			cmd.Wait()
		},
	}, nil
}
