package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/tapecommit/tapecommit/internal/reference"
)

// TestMemoryOfLongStreams wants the program to need no more memory for a long stream than for a short one.
func TestMemoryOfLongStreams(t *testing.T) {
	const short = 16 << 20
	long := int64(4 * short)
	switch {
	case testing.Short():
		long = 2 * short
	case os.Getenv("TAPECOMMIT_LONG") != "":
		long = 4 << 30
	}
	store := t.TempDir()
	write := func(length int64) (id string) {
		var out strings.Builder
		peak(t, &repeated{left: length}, &out, "write", "--store", store, "-")
		return strings.TrimSpace(out.String())
	}
	small, large := write(short), write(min(long, 1<<30))
	id := func(length int64) int { return peak(t, &repeated{left: length}, io.Discard, "id", "-") }
	stored := func(command, id string) int { return peak(t, nil, io.Discard, command, "--store", store, id) }
	for _, c := range []struct {
		name      string
		few, many int
	}{
		{"id", id(short), id(long)},
		{"read", stored("read", small), stored("read", large)},
		{"verify", stored("verify", small), stored("verify", large)},
	} {
		t.Logf("%s: %d KiB for a short stream, %d KiB for a long one", c.name, c.few, c.many)
		if c.many > c.few+16<<10 {
			t.Errorf("%s takes more for a long stream", c.name)
		}
	}
}

// peak is the memory that a run of the program took, in KiB.
func peak(t *testing.T, stdin io.Reader, stdout io.Writer, args ...string) int {
	t.Helper()
	cmd := exec.Command("tapecommit", args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return int(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
}

// repeated reads one piece again and again.
type repeated struct {
	left int64
	at   int
}

// Made when it is read: this binary is also the program, which tests start hundreds of times.
var piece = sync.OnceValue(func() []byte { return reference.Stream(9, 1<<20) })

func (r *repeated) Read(b []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(int64(len(b)), r.left)], piece()[r.at:])
	r.left -= int64(n)
	r.at = (r.at + n) % len(piece())
	return n, nil
}
