package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// input is what a command reads: a file, or stdin.
type input struct {
	io.Reader
	name string
	size int64 // -1 where it is not known
	file *os.File
	err  error // the first error of reading
}

// openInput opens a file, or stdin for "-". Reads end with ctx.
func (p *program) openInput(ctx context.Context, name string) (*input, error) {
	if name == "-" {
		return &input{Reader: interruptible(ctx, p.stdin), name: "stdin", size: -1}, nil
	}
	return openFile(ctx, name)
}

// openFile opens a file of any kind but a folder.
func openFile(ctx context.Context, name string) (*input, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	switch {
	case err != nil:
		f.Close()
		return nil, err
	case fi.IsDir():
		f.Close()
		return nil, wrongUsef("%s is a folder", name)
	case fi.Mode().IsRegular():
		return &input{Reader: f, name: name, size: fi.Size(), file: f}, nil
	}
	return &input{Reader: interruptible(ctx, f), name: name, size: -1, file: f}, nil
}

// openRegular opens a regular file. Whatever else may be at path, or come there, is
// neither waited for, as a pipe would be, nor read without end.
func openRegular(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s: %w", path, errIrregular)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err = f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", path, errIrregular)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

var errIrregular = errors.New("no regular file")

// Read keeps the first error: it tells a failure of ours to read from bytes that
// are refused.
func (in *input) Read(b []byte) (int, error) {
	n, err := in.Reader.Read(b)
	if err != nil && err != io.EOF && in.err == nil {
		in.err = err
	}
	return n, err
}

func (in *input) Close() error {
	if in.file == nil {
		return nil
	}
	return in.file.Close()
}

// interruptible makes reads from r end with ctx, which a read from a pipe or a
// terminal does not do by itself. What is left blocked ends with the program.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	pr, pw := io.Pipe()
	context.AfterFunc(ctx, func() { pw.CloseWithError(ctx.Err()) })
	go func() {
		// The wrappers keep io.Copy from a path that would choose its own buffer.
		_, err := io.CopyBuffer(struct{ io.Writer }{pw}, struct{ io.Reader }{r}, make([]byte, 1<<20))
		pw.CloseWithError(err)
	}()
	return pr
}
