package gateway

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/tapecommit/tapecommit/blob"
)

// ErrShutdown is for a server that ends before its requests do: the cause with which it cancels the context that their
// contexts come from ([net/http.Server.BaseContext]), before it breaks their connections. They are refused with 503 as far
// as that still can be, and are not taken for clients that went away.
var ErrShutdown = errors.New("gateway: the server ends")

// A refusal is an error that says how to answer it.
type refusal struct {
	status int
	reason string // see Exchange
	text   string // for the client
	err    error  // for the log
}

func (e *refusal) Error() string {
	if e.err != nil {
		return e.err.Error()
	}
	return "gateway: " + e.text
}

func (e *refusal) Unwrap() error { return e.err }

func refusef(status int, reason, format string, args ...any) *refusal {
	return &refusal{status: status, reason: reason, text: fmt.Sprintf(format, args...)}
}

// refusalOf makes a refusal of any error. What it tells the client of a store's failure is that it failed: the rest is
// the operator's business.
func refusalOf(r *http.Request, err error) *refusal {
	var known *refusal
	var lost *blob.LostError
	var miscoded *blob.EncodingError
	switch {
	case context.Cause(r.Context()) == ErrShutdown:
		return &refusal{http.StatusServiceUnavailable, "shutdown", "the server ends", err}
	case errors.As(err, &known):
		return known
	case r.Context().Err() != nil:
		// Nobody is there to be told.
		return &refusal{http.StatusServiceUnavailable, "gone", "interrupted", context.Cause(r.Context())}
	case errors.As(err, &lost):
		return &refusal{http.StatusInternalServerError, "lost", fmt.Sprintf("group %d of the blob is lost", lost.Group), err}
	case errors.As(err, &miscoded):
		return &refusal{http.StatusInternalServerError, "miscoded",
			fmt.Sprintf("group %d of the blob was coded wrongly by its writer", miscoded.Group), err}
	case errors.Is(err, blob.ErrNoHeader):
		return &refusal{http.StatusInternalServerError, "lost", "no header of the blob is left", err}
	case errors.Is(err, blob.ErrNoRoots):
		return &refusal{http.StatusInternalServerError, "lost", "the group roots of the blob are lost", err}
	case isFull(err):
		return &refusal{http.StatusInsufficientStorage, "full", "the store is full", err}
	}
	return &refusal{http.StatusInternalServerError, "store", "the store failed", err}
}

// unknown makes of an error of finding a blob one that says so where the blob is not there.
func unknown(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &refusal{http.StatusNotFound, "unknown", "no such blob", err}
	}
	return err
}
