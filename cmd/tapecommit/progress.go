package main

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress is a bar on stderr with rate and time left. The nil progress shows
// nothing.
type progress struct{ bar *progressbar.ProgressBar }

// progress starts a bar of total bytes, -1 where it is not known. It is nil where
// stderr is no terminal.
func (p *program) progress(what string, total int64) *progress {
	if !isTerminal(p.stderr) {
		return nil
	}
	return &progress{progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(&late{w: p.stderr, from: time.Now().Add(p.patience)}),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(true),
		progressbar.OptionUseIECUnits(true),
		progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(20),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

func (b *progress) add(n int64) {
	if b != nil {
		b.bar.Add64(n)
	}
}

// clear takes the bar away until it is drawn next.
func (b *progress) clear() {
	if b != nil {
		b.bar.Clear()
	}
}

// done takes the bar away for good.
func (b *progress) done() {
	if b != nil {
		b.bar.Finish()
		b.bar.Clear()
	}
}

// late drops what is written before a time: short work shows no bar.
type late struct {
	w    io.Writer
	from time.Time
}

func (l *late) Write(b []byte) (int, error) {
	if time.Now().Before(l.from) {
		return len(b), nil
	}
	return l.w.Write(b)
}

// counted adds what is read from r to a bar.
type counted struct {
	r   io.Reader
	bar *progress
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.bar.add(int64(n))
	return n, err
}
