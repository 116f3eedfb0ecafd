package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
)

// programs are what the test binary can be run as; some systems have more of them.
var programs = map[string]func(){"tapecommit": main}

func TestMain(m *testing.M) { testscript.Main(m, programs) }

// TestScripts runs the program as a user does. The scripts' own commands are below.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("TAPECOMMIT_STORE", "")
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Getuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":  exits,
			"set":    set,
			"stream": stream,
			"model":  model,
			"flip":   flip,
			"resize": resize,
			"names":  names,
			"same":   same,
			"serve":  serve,
			"lie":    lie,
		},
	})
}

// exits CODE PROGRAM ARG... [> FILE] runs a program that ends with that exit code, and
// checks what holds of each run of ours: an error is one line that names the program,
// and there is one exactly where the code is not 0. With a file, stdout is not shown
// where a script fails: it need not be text.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code program arg... [> file]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	command := args[1:]
	if at := len(command) - 2; at > 0 && command[at] == ">" {
		command = append([]string{"sh", "-c", `out=$1; shift; exec "$@" >"$out"`, "sh", command[at+1]}, command[:at]...)
	}
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(command[0], command[1:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
	if args[1] != "tapecommit" {
		return
	}
	complaints := 0
	for line := range strings.Lines(ts.ReadFile("stderr")) {
		if strings.HasPrefix(line, "tapecommit: ") {
			complaints++
		}
	}
	if complaints != min(want, 1) {
		ts.Fatalf("exit code %d with %d lines of error", want, complaints)
	}
}

// set NAME puts the one line of the last stdout into the environment.
func set(ts *testscript.TestScript, neg bool, args []string) {
	out := ts.ReadFile("stdout")
	if neg || len(args) != 1 || strings.Count(out, "\n") != 1 || !strings.HasSuffix(out, "\n") {
		ts.Fatalf("set wants one name, and one line on stdout: %q", out)
	}
	ts.Setenv(args[0], strings.TrimSuffix(out, "\n"))
}

// stream FILE SEED LENGTH writes bytes that the seed makes.
func stream(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: stream file seed length")
	}
	n := integers(ts, args[1:])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), reference.Stream(uint64(n[0]), int(n[1])), 0o666))
}

// model STORE FILE K N SLICESIZE stores a file as the second model does, and puts the
// ID into $ID.
func model(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 5 {
		ts.Fatalf("usage: model store file k n slicesize")
	}
	n := integers(ts, args[2:])
	b := reference.Make(reference.Params{K: int(n[0]), N: int(n[1]), SliceSize: int(n[2])}, []byte(ts.ReadFile(args[1])))
	id := commit.ID(b.ID()).String()
	folder := filepath.Join(ts.MkAbs(args[0]), id)
	ts.Check(os.MkdirAll(folder, 0o777))
	for name, object := range b.Objects() {
		ts.Check(os.WriteFile(filepath.Join(folder, name), object, 0o666))
	}
	ts.Setenv("ID", id)
}

// flip FILE OFFSET... changes bytes of a file; from the end where negative.
func flip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: flip file offset...")
	}
	b := []byte(ts.ReadFile(args[0]))
	for _, off := range integers(ts, args[1:]) {
		if off < 0 {
			off += int64(len(b))
		}
		b[off] ^= 0x55
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o666))
}

// resize FILE DELTA cuts a file or adds bytes to it.
func resize(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: resize file delta")
	}
	b := []byte(ts.ReadFile(args[0]))
	delta := integers(ts, args[1:])[0]
	if delta < 0 {
		b = b[:int64(len(b))+delta]
	} else {
		b = append(b, reference.Stream(1, int(delta))...)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o666))
}

// names FOLDER NAME... checks what a folder holds, in order.
func names(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: names folder name...")
	}
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(args[1:], " ") {
		ts.Fatalf("%s holds %q, want %q", args[0], got, args[1:])
	}
}

// same A B [OFFSET [LENGTH]] compares two files, or a file with that piece of another, as
// cmp does, but shows no bytes of them.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 4 {
		ts.Fatalf("usage: same file file [offset [length]]")
	}
	a, b := ts.ReadFile(args[0]), ts.ReadFile(args[1])
	if piece := integers(ts, args[2:]); len(piece) > 0 {
		b = b[piece[0]:]
		if len(piece) > 1 {
			b = b[:piece[1]]
		}
	}
	if (a == b) == neg {
		ts.Fatalf("%s has %d bytes, %s has %d; equal: %v", args[0], len(a), args[1], len(b), a == b)
	}
}

func integers(ts *testscript.TestScript, args []string) []int64 {
	n := make([]int64, len(args))
	for i, s := range args {
		var err error
		n[i], err = strconv.ParseInt(s, 10, 64)
		ts.Check(err)
	}
	return n
}
