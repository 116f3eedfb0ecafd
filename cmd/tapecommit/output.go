package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tapecommit/tapecommit/commit"
)

// output is a writer that keeps its first error: it tells a failure of ours to
// write from one to read, and nothing printed is lost unnoticed.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(b)
	o.err = err
	return n, err
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	if o, ok := stream.(*output); ok {
		stream = o.w
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// printf prints to stdout.
func (p *program) printf(format string, args ...any) { fmt.Fprintf(p.stdout, format, args...) }

// printJSON prints v as one line.
func (p *program) printJSON(v any) error {
	e := json.NewEncoder(p.stdout)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// count is a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// noTerminal refuses to write bytes that are no text to a terminal.
func (p *program) noTerminal(what string) error {
	if isTerminal(p.stdout) {
		return wrongUsef("%s is binary and stdout is a terminal: redirect it", what)
	}
	return nil
}

// outputBuffer is the size of the writes to stdout and files.
const outputBuffer = 1 << 18

// outputFlag is the flag -o of a command whose output is one stream.
type outputFlag struct{ path string }

func (o *outputFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.path, "output", "o", "", "write to `FILE` instead of stdout, which is -")
}

// file is where the output goes: empty for stdout.
func (o *outputFlag) file(cmd *cobra.Command) (string, error) {
	if o.path == "-" {
		return "", nil
	}
	return o.path, wantName(cmd, "output")
}

// wantName refuses an empty value of a flag that names a file or folder.
func wantName(cmd *cobra.Command, flag string) error {
	if f := cmd.Flags().Lookup(flag); f.Changed && f.Value.String() == "" {
		return wrongUsef("--%s has no name", flag)
	}
	return nil
}

// wantFile is wantName for a flag that cannot be stdout.
func wantFile(cmd *cobra.Command, flag string) error {
	if cmd.Flags().Lookup(flag).Value.String() == "-" {
		return wrongUsef("--%s cannot be stdout: ./- is a file or folder of that name", flag)
	}
	return wantName(cmd, flag)
}

// deliver hands fill a writer into the file that a user calls path, through a link too,
// or onto stdout where path is empty.
func (p *program) deliver(path string, fill func(io.Writer) error) error {
	if path == "" {
		w := bufio.NewWriterSize(p.stdout, outputBuffer)
		// What came before an error was as right as without it.
		return errors.Join(fill(w), w.Flush())
	}
	path, err := followed(path)
	if err != nil {
		return err
	}
	return place(path, fill)
}

// place hands fill a writer into the file at path, which then appears whole or not at
// all, over what is there. It follows no link: others may write to a folder of which
// this program chooses the names.
func place(path string, fill func(io.Writer) error) error {
	f, err := createTemp(path)
	if err != nil {
		return err
	}
	defer f.discard()
	sink := &output{w: f.File}
	w := bufio.NewWriterSize(sink, outputBuffer)
	err = errors.Join(fill(w), w.Flush())
	if sink.err != nil {
		return sink.err
	}
	if err != nil {
		return err
	}
	return f.commit(path)
}

// note prints a line on stderr that is no error.
func (p *program) note(format string, args ...any) {
	fmt.Fprintf(p.stderr, format+"\n", args...)
}

// slicePos is a commit.Pos that JSON has as G:I.
type slicePos commit.Pos

func (p slicePos) MarshalText() ([]byte, error) { return []byte(commit.Pos(p).String()), nil }
