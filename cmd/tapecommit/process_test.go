package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tapecommit/tapecommit/internal/reference"
)

// writeStore writes a blob of that length into a new store and returns the store, the
// ID and the bytes.
func writeStore(t *testing.T, length int) (store, id string, data []byte) {
	t.Helper()
	store = filepath.Join(t.TempDir(), "store")
	data = reference.Stream(1, length)
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"write", "--store", store, "-"}, bytes.NewReader(data), &stdout, &stderr); code != 0 {
		t.Fatalf("write: exit code %d: %s", code, &stderr)
	}
	return store, strings.TrimSpace(stdout.String()), data
}

// inFolder checks that a folder holds so many entries.
func inFolder(t *testing.T, folder string, want int) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != want {
		t.Errorf("%s holds %v, want %d entries", folder, entries, want)
	}
}

// TestSignalled interrupts a write in the middle of its input.
func TestSignalled(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			store := filepath.Join(t.TempDir(), "store")
			cmd := exec.Command("tapecommit", "write", "--store", store, "-")
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// The pipe holds less than this, so that when it is written the program reads.
			if _, err := in.Write(make([]byte, 16<<20)); err != nil {
				t.Fatal(err)
			}
			inFolder(t, filepath.Join(store, "tmp"), 1)
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			err = cmd.Wait() // stdin is still open
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 130 {
				t.Errorf("ended with %v, want exit code 130", err)
			}
			if stdout.Len() > 0 || stderr.String() != "tapecommit: interrupted\n" {
				t.Errorf("stdout %q, stderr %q", &stdout, &stderr)
			}
			inFolder(t, store, 1)
			inFolder(t, filepath.Join(store, "tmp"), 0)
		})
	}
}

// TestIgnoredSignals sends signals that the program was started to ignore, as by nohup, and in the background by a script.
func TestIgnoredSignals(t *testing.T) {
	cmd := exec.Command("sh", "-c", `trap "" HUP INT; exec tapecommit id -`)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The pipe holds less than this, so that when it is written the program reads.
	if _, err := in.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := in.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil || stdout.Len() == 0 {
		t.Errorf("ended with %v: %s", err, &stderr)
	}
}

// TestReaderGone closes the pipe that a read writes to.
func TestReaderGone(t *testing.T) {
	store, id, data := writeStore(t, 4<<20)
	cmd := exec.Command("tapecommit", "read", "--store", store, id)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 1000)
	if _, err := io.ReadFull(out, head); err != nil || !bytes.Equal(head, data[:1000]) {
		t.Errorf("first bytes: %v", err)
	}
	out.Close()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("ended with %v, want exit code 2", err)
	}
	if stderr.Len() > 0 {
		t.Errorf("stderr %q, want nothing", &stderr)
	}
}

// cancelWriter cancels at the first write.
type cancelWriter struct {
	bytes.Buffer
	cancel context.CancelFunc
}

func (c *cancelWriter) Write(b []byte) (int, error) {
	c.cancel()
	return c.Buffer.Write(b)
}

// TestCancelled cancels reads: what came out before is right, and no file appears.
func TestCancelled(t *testing.T) {
	store, id, data := writeStore(t, 16<<20)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdout := &cancelWriter{cancel: cancel}
	var stderr bytes.Buffer
	if code := run(ctx, []string{"read", "--store", store, id}, nil, stdout, &stderr); code != 130 {
		t.Errorf("exit code %d, want 130: %s", code, &stderr)
	}
	if n := stdout.Len(); n == len(data) || !bytes.Equal(stdout.Bytes(), data[:n]) {
		t.Errorf("%d bytes came out, right ones: %v", n, bytes.HasPrefix(data, stdout.Bytes()))
	}
	for _, args := range [][]string{
		{"read", id}, {"read", id, "--output"}, {"prove", id, "--range", "0-99999999"}, {"prove", id, "--range", "0-99999999", "--output"},
		{"verify", id}, {"verify", "--all"}, {"repair", id}, {"list"}, {"write", "-"}, {"id", "-"},
	} {
		folder := t.TempDir()
		args = append([]string{args[0], "--store", store}, args[1:]...)
		if args[len(args)-1] == "--output" {
			args = append(args, filepath.Join(folder, "file"))
		}
		var stdout, stderr bytes.Buffer
		if code := run(ctx, args, bytes.NewReader(data), &stdout, &stderr); code != 130 {
			t.Errorf("%q: exit code %d, want 130: %s", args, code, &stderr)
		}
		inFolder(t, folder, 0)
	}
	inFolder(t, filepath.Join(store, "tmp"), 0)
}

// failingReader fails behind its bytes.
type failingReader struct {
	io.Reader
	err error
}

func (f failingReader) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	if err == io.EOF {
		err = f.err
	}
	return n, err
}

// TestInputFails lets stdin fail: nothing is stored, and what was read is not taken
// for a malformed proof.
func TestInputFails(t *testing.T) {
	store, id, data := writeStore(t, 1<<20)
	broken := errors.New("the wire is cut")
	for _, args := range [][]string{{"write", "--store", store, "-"}, {"id", "-"}, {"check", id, "-"}, {"audit", "answer", "--store", store, "-"}} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), args, failingReader{bytes.NewReader(data[:len(data)-1]), broken}, &stdout, &stderr)
		if args[0] == "check" || args[0] == "audit" {
			// The bytes are refused before the error is met.
			code = run(t.Context(), args, failingReader{bytes.NewReader(nil), broken}, &stdout, &stderr)
		}
		if code != 2 || stdout.Len() > 0 || !strings.Contains(stderr.String(), broken.Error()) {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", args, code, &stdout, &stderr)
		}
	}
	inFolder(t, store, 2)
	inFolder(t, filepath.Join(store, "tmp"), 0)
}

// slowReader gives one byte or none at a time.
type slowReader struct {
	data []byte
	turn int
}

func (s *slowReader) Read(b []byte) (int, error) {
	if s.turn++; s.turn%2 == 0 {
		return 0, nil
	}
	if len(s.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:1], s.data)
	s.data = s.data[n:]
	return n, nil
}

func TestSlowInput(t *testing.T) {
	store, id, data := writeStore(t, 50_000)
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"write", "--store", store, "-"}, &slowReader{data: data}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	if got := strings.TrimSpace(stdout.String()); got != id {
		t.Errorf("ID %s, want %s", got, id)
	}
}

// TestDeliver checks that a file appears whole or not at all.
func TestDeliver(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	p := &program{}
	failed := errors.New("no more")
	write := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			io.WriteString(w, text)
			return err
		}
	}
	if err := p.deliver(path, write("half", failed)); !errors.Is(err, failed) {
		t.Errorf("deliver: %v, want %v", err, failed)
	}
	inFolder(t, folder, 0)
	if err := p.deliver(path, write("whole", nil)); err != nil {
		t.Fatal(err)
	}
	if err := p.deliver(path, write("half", failed)); !errors.Is(err, failed) {
		t.Errorf("deliver: %v, want %v", err, failed)
	}
	inFolder(t, folder, 1)
	if b, err := os.ReadFile(path); err != nil || string(b) != "whole" {
		t.Errorf("file holds %q, %v", b, err)
	}

	// On stdout, what came before the error is there.
	var stdout bytes.Buffer
	p.stdout = &output{w: &stdout}
	if err := p.deliver("", write("half", failed)); !errors.Is(err, failed) || stdout.String() != "half" {
		t.Errorf("deliver: %v, stdout %q", err, &stdout)
	}
}
