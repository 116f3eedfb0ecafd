package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

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

// deliver hands fill a writer into the file at path, which then appears whole or
// not at all, or onto stdout where path is empty.
func (p *program) deliver(path string, fill func(io.Writer) error) error {
	if path == "" {
		w := bufio.NewWriterSize(p.stdout, outputBuffer)
		// What came before an error was as right as without it.
		return errors.Join(fill(w), w.Flush())
	}
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
