//go:build darwin || linux

package main

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/tapecommit/tapecommit/commit"
)

// rustBytes and rustBatch have the layout that rust/src/lib.rs gives them.
type rustBytes struct {
	data *byte
	len  int
}

type rustBatch struct {
	prefix         rustBytes
	bodies, joined *rustBytes
	digests        *commit.Hash
	count          int
}

// A rustLib is the library of the rivals in Rust, in this process: their code runs on the memory that everybody's does,
// in the thread that everybody's does.
type rustLib struct {
	name   func(rival int) *byte
	lacks  func(rival int) *byte
	choice func() *byte
	hash   func(rival int, batches *rustBatch, count, times int)
	empty  func(rival int, batches *rustBatch, count, times int)
}

func openRust(path string) (*rustLib, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	var l rustLib
	for _, f := range []struct {
		symbol string
		to     any
	}{
		{"rival_name", &l.name}, {"rival_lacks", &l.lacks}, {"tape_choice", &l.choice},
		{"rival_hash", &l.hash}, {"rival_nothing", &l.empty},
	} {
		at, err := purego.Dlsym(handle, f.symbol)
		if err != nil {
			return nil, err
		}
		purego.RegisterFunc(f.to, at)
	}
	return &l, nil
}

// contestants are the rivals of the library that run here, and notes on those that do not.
func (l *rustLib) contestants() (all []contestant, absent []rivalNote) {
	for rival := 0; ; rival++ {
		name := cString(l.name(rival))
		if name == "" {
			return all, absent
		}
		if lacks := cString(l.lacks(rival)); lacks != "" {
			absent = append(absent, rivalNote{Name: name, Absent: "the CPU has no " + lacks})
			continue
		}
		all = append(all, contestant{name: name, load: func(b *batch) job { return l.job(rival, b) }})
	}
}

// pins hold what the library is told of where it is, for as long as the program runs.
var pins runtime.Pinner

func (l *rustLib) job(rival int, b *batch) job {
	digests, parents := make([]commit.Hash, len(b.joined)), make([]commit.Hash, len(b.framed))
	var batches []rustBatch
	if len(digests) > 0 {
		batches = append(batches, newRustBatch(b.prefix, b.bodies, b.joined, digests))
	}
	if len(parents) > 0 {
		batches = append(batches, newRustBatch("", b.framed, b.framed, parents))
	}
	pins.Pin(&batches[0])
	return job{
		run: func(times int) error {
			l.hash(rival, &batches[0], len(batches), times)
			return nil
		},
		check: func() error { return b.checkRival(digests, parents) },
	}
}

func newRustBatch(prefix string, bodies, joined [][]byte, digests []commit.Hash) rustBatch {
	pins.Pin(&digests[0])
	return rustBatch{
		prefix:  rustBytes{pinned([]byte(prefix)), len(prefix)},
		bodies:  rustList(bodies),
		joined:  rustList(joined),
		digests: &digests[0],
		count:   len(digests),
	}
}

func rustList(msgs [][]byte) *rustBytes {
	list := make([]rustBytes, len(msgs))
	for i, m := range msgs {
		list[i] = rustBytes{pinned(m), len(m)}
	}
	pins.Pin(&list[0])
	return &list[0]
}

// pinned is where b begins, which the collector leaves there.
func pinned(b []byte) *byte {
	p := unsafe.SliceData(b)
	if len(b) > 0 {
		pins.Pin(p)
	}
	return p
}

// cString reads a string of C; nil is empty.
func cString(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return unsafe.String(p, n)
}

// tapeChoice is the backend that tape-sha256 chooses here.
func (l *rustLib) tapeChoice() string { return cString(l.choice()) }

// call is a job that calls into the library and does nothing there.
func (l *rustLib) call() job {
	return job{run: func(times int) error {
		for range times {
			l.empty(0, nil, 0, 1)
		}
		return nil
	}}
}
