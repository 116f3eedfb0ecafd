// Command tapecommit keeps files as erasure-coded blobs named by what they
// hold: it writes, reads, verifies and repairs them, proves parts of them, and
// audits whoever stores them.
//
// It exits with 0 for done or yes, with 1 for no (an unknown ID, damage, a
// refused proof), with 2 for wrong use or where its own input or output failed,
// and with 130 where a signal ended it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	// The first signal ends the work in good order. A second one, should a read
	// or write block, ends the program at once.
	context.AfterFunc(ctx, stop)
	// A reader that went away is an error of the write, as for any other output.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// endings are the signals that end the program. One that it was started to ignore, as under
// nohup, stays ignored.
func endings() []os.Signal {
	signals := []os.Signal{syscall.SIGTERM}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	return signals
}
