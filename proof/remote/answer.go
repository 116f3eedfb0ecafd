package remote

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

const (
	// stall is how long the next piece of an answer, of pieceLen bytes or the rest, may take.
	stall    = time.Minute
	pieceLen = 64 << 10
)

// A watch ends a request that does not get on. Answers are read without pauses, so that the time between two pieces is the
// gateway's.
type watch struct {
	parent, ctx context.Context
	cancel      context.CancelCauseFunc
	timer       *time.Timer
	piece       int // bytes of the next piece that are there
}

func newWatch(parent context.Context) *watch {
	w := &watch{parent: parent}
	w.ctx, w.cancel = context.WithCancelCause(parent)
	w.timer = time.AfterFunc(stall, func() {
		w.cancel(fmt.Errorf("less than %d bytes and not the end in %v: %w", pieceLen, stall, os.ErrDeadlineExceeded))
	})
	return w
}

// heard notes that n bytes have come.
func (w *watch) heard(n int) {
	if w.piece += n; w.piece >= pieceLen {
		w.piece = 0
		w.timer.Reset(stall)
	}
}

// reason is err, or why the request was ended.
func (w *watch) reason(err error) error {
	switch {
	case w.parent.Err() != nil:
		return w.parent.Err()
	case w.ctx.Err() != nil:
		return context.Cause(w.ctx)
	}
	return err
}

func (w *watch) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

// An answer is a response under watch. It is its own body.
type answer struct {
	*http.Response
	*watch
	err error // of Read, and of all that follow
}

func (a *answer) Read(p []byte) (int, error) {
	if a.err != nil {
		return 0, a.err
	}
	n, err := a.Body.Read(p)
	a.heard(n)
	if err != nil && err != io.EOF {
		err = a.reason(err)
	}
	a.err = err
	return n, err
}

// ended reports whether the answer has no byte left.
func (a *answer) ended() (bool, error) {
	var b [1]byte
	switch _, err := io.ReadFull(a, b[:]); err {
	case nil:
		return false, nil
	case io.EOF:
		return true, nil
	default:
		return false, err
	}
}

// Close drops what was not read.
func (a *answer) Close() {
	a.stop()
	a.Body.Close()
}
