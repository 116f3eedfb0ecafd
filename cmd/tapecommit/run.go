package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// program is one run: the three streams, and the commands as its methods.
type program struct {
	stdin    io.Reader
	stdout   *output
	stderr   io.Writer
	patience time.Duration // work that is done before shows no bar
}

// run runs the program with args and returns its exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{stdin: stdin, stdout: &output{w: stdout}, stderr: stderr, patience: time.Second}
	began := false
	root := p.root()
	root.PersistentPreRun = func(*cobra.Command, []string) { began = true }
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(p.stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !began {
		err = wrongUse{err} // the flags, the operands or the name of the command
	}
	return p.exit(ctx, cmd, err)
}

// exit reports err and chooses the exit code.
func (p *program) exit(ctx context.Context, cmd *cobra.Command, err error) int {
	switch {
	case err != nil && ctx.Err() != nil:
		p.complain(errors.New("interrupted"))
		return 130
	case p.stdout.err != nil:
		// What was to be said did not arrive. To a reader that went away there is
		// nothing to add.
		if !errors.Is(p.stdout.err, syscall.EPIPE) {
			p.complain(p.stdout.err)
		}
		return 2
	case err == nil:
		return 0
	case errors.As(err, new(refusal)):
		p.complain(err)
		return 1
	}
	p.complain(err)
	if errors.As(err, new(wrongUse)) {
		fmt.Fprintf(p.stderr, "Run '%s --help' for usage.\n", cmd.CommandPath())
	}
	return 2
}

// complain prints err as one line.
func (p *program) complain(err error) {
	fmt.Fprintf(p.stderr, "tapecommit: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
}

// wrongUse is an error of whoever typed the command.
type wrongUse struct{ error }

func (e wrongUse) Unwrap() error { return e.error }

func wrongUsef(format string, args ...any) error {
	return wrongUse{fmt.Errorf(format, args...)}
}

// refusal is the answer no: nothing failed, but what was asked for is not there,
// not whole or not true.
type refusal struct{ error }

func (e refusal) Unwrap() error { return e.error }

func refusalf(format string, args ...any) error {
	return refusal{fmt.Errorf(format, args...)}
}
