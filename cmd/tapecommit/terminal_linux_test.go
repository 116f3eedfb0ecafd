package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openTerminal opens a pseudo-terminal. screen closes it and returns what was shown.
func openTerminal(t *testing.T) (terminal *os.File, screen func() string) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal can be opened here: %v", err)
	}
	fd := int(ours.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	shown := make(chan string, 1)
	go func() {
		// It ends with EIO when the other side is closed.
		b, _ := io.ReadAll(ours)
		ours.Close()
		shown <- string(b)
	}()
	return terminal, func() string {
		terminal.Close()
		return <-shown
	}
}

// TestTerminalGetsNoBinary checks that what is no text does not go to a terminal.
func TestTerminalGetsNoBinary(t *testing.T) {
	store, id, _ := writeStore(t, 1000)
	challenge := []byte(runs(t, 0, nil, "audit", "challenge", "--store", store, id))
	for _, args := range [][]string{
		{"prove", "--store", store, id, "--at", "0:0"},
		{"audit", "challenge", "--store", store, id},
		{"audit", "answer", "--store", store, "-"},
	} {
		terminal, screen := openTerminal(t)
		var stderr bytes.Buffer
		if code := run(t.Context(), args, bytes.NewReader(challenge), terminal, &stderr); code != 2 {
			t.Errorf("%q: exit code %d, want 2", args, code)
		}
		if shown := screen(); shown != "" || !strings.Contains(stderr.String(), "terminal") {
			t.Errorf("%q: shown %q, stderr %q", args, shown, &stderr)
		}
	}
}

// TestProgress checks that there is a bar on a terminal, after a while, and nowhere
// else.
func TestProgress(t *testing.T) {
	work := func(p *program) {
		bar := p.progress("work", 1000)
		bar.add(400)
		bar.clear()
		bar.add(500)
		bar.done()
	}
	terminal, screen := openTerminal(t)
	work(&program{stderr: terminal})
	shown := screen()
	if !strings.Contains(shown, "work  40%") {
		t.Errorf("shown %q, want a bar", shown)
	}
	if left := shown[strings.LastIndex(shown, "\r")+1:]; left != "" {
		t.Errorf("%q is left on the line", left)
	}
	terminal, screen = openTerminal(t)
	work(&program{stderr: terminal, patience: time.Hour})
	if shown = screen(); shown != "" {
		t.Errorf("shown %q, want nothing before an hour has gone", shown)
	}
	var stderr bytes.Buffer
	work(&program{stderr: &stderr})
	if stderr.Len() > 0 {
		t.Errorf("stderr %q, want nothing", &stderr)
	}
}
