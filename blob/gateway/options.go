package gateway

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
)

// Options say how a [Handler] serves. A field that is zero has its default.
type Options struct {
	// Log gets a line for each request, at level Info, or Warn where it was this side that failed. Without it
	// nothing is logged.
	Log *slog.Logger

	// Stats count what is done with the blobs.
	Stats *blob.Stats

	// Observe, if set, is called at the end of each request. It serves many goroutines.
	Observe func(Exchange)

	// Report, if set, finds the last verify report of a blob. An error that wraps [io/fs.ErrNotExist] says that
	// there is none. It serves many goroutines.
	Report ReportFunc

	// Memory is how many bytes the slices of all requests together may take: 256 MiB by default. It is the bulk of
	// what a Handler uses; what the garbage collector has not found yet comes on top.
	Memory int64

	// Requests is how many requests are served at a time: 256 by default.
	Requests int

	// Wait is how long a request waits for its turn, and then for memory, before it is refused with 503: 10 seconds
	// by default.
	Wait time.Duration

	// Stall is how long a client may take for 64 KiB, of a body that it gets or sends, before its connection is
	// broken: 30 seconds by default. It takes the place of the timeouts that a server sets for whole requests.
	Stall time.Duration

	// Uploads allow storing. Without them the Handler only reads.
	Uploads *Uploads
}

// Uploads say who may store what.
type Uploads struct {
	// Token is the secret that an upload has to show: 16 bytes or more, in "Authorization: Bearer <token>" or in the
	// field token of a form.
	Token string

	// Limit is how many bytes a blob may have: 1 GiB by default.
	Limit int64

	// Params cut the blobs: 10 of 20 slices of 4096 bytes by default.
	Params commit.Params
}

const (
	// readWorkers is how many runs of 64 groups each read works on ahead of what it sends. One already takes reading
	// and checking off the path of sending; more would cost each read more memory.
	readWorkers = 1

	maxListings = 4 // at a time: one looks at the sizes of all objects of many blobs
	minToken    = 16
)

func (o Options) resolve() (Options, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Stats == nil {
		o.Stats = new(blob.Stats)
	}
	if o.Memory == 0 {
		o.Memory = 256 << 20
	}
	if o.Requests == 0 {
		o.Requests = 256
	}
	if o.Wait == 0 {
		o.Wait = 10 * time.Second
	}
	if o.Stall == 0 {
		o.Stall = 30 * time.Second
	}
	if o.Memory < 0 || o.Requests < 0 || o.Wait < 0 || o.Stall < 0 {
		return o, errors.New("gateway: a negative option")
	}
	if o.Uploads == nil {
		return o, nil
	}
	u := *o.Uploads
	o.Uploads = &u
	if u.Limit == 0 {
		u.Limit = 1 << 30
	}
	if u.Limit < 0 {
		return o, errors.New("gateway: a negative option")
	}
	if len(u.Token) < minToken {
		return o, fmt.Errorf("gateway: a token of %d bytes, want %d or more", len(u.Token), minToken)
	}
	if u.Params == (commit.Params{}) {
		u.Params = commit.Params{K: 10, N: 20, SliceSize: commit.MaxSliceSize}
	}
	return o, u.Params.Validate()
}
