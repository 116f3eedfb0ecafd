// Package gateway serves blobs over HTTP, and never sends a byte of one that it has not verified.
//
// A [Handler] answers
//
//	GET  /blobs/<id>           the bytes, or ranges of them
//	GET  /blobs/<id>/header    the 64 bytes of the header
//	GET  /blobs/<id>/bundles   proofs and slices, for clients that hold the ID and trust nobody else:
//	                           ?range=A-B for bytes, both ends included, or ?at=G:I&at=G:I for slices
//	GET  /blobs                a list for programs, also as /blobs.json
//	POST /blobs                stores the body, or of a form the field file; or PUT; where [Options] allow it
//	GET  /                     a list for people, and /view/<id> about one blob
//
// and HEAD wherever GET. No other spelling of these paths is answered: none with escapes, doubled slashes or a slash
// at the end. The links in its pages are relative, so that it can be mounted anywhere with [net/http.StripPrefix].
//
// Where a blob is damaged beyond what can be rebuilt, a request for the part that is lost fails with 500, or where that
// shows after the first byte was sent, the connection is broken: a body never ends early as if it were whole.
package gateway

import (
	"crypto/sha256"
	"net/http"
	"time"

	"github.com/tapecommit/tapecommit/blob"
)

// A Handler serves the blobs of a store. It has to be the handler of a [net/http.Server], or of one like it, whose
// connections break where a handler panics with [net/http.ErrAbortHandler].
type Handler struct {
	store    blob.Store
	o        Options
	token    [sha256.Size]byte // of Uploads.Token
	shelf    *shelf
	requests *budget // slots
	memory   *budget // bytes
	listings *budget // slots
}

// New makes a Handler for a store.
func New(store blob.Store, o Options) (*Handler, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	h := &Handler{
		store:    store,
		o:        o,
		shelf:    newShelf(store, blob.Options{Workers: readWorkers, Stats: o.Stats}),
		requests: newBudget(int64(o.Requests)),
		memory:   newBudget(o.Memory),
		listings: newBudget(maxListings),
	}
	if o.Uploads != nil {
		h.token = sha256.Sum256([]byte(o.Uploads.Token))
	}
	return h, nil
}

// Close closes the blobs that are kept open between requests. Requests may still be running, or come: what these open
// is closed with them.
func (h *Handler) Close() error { return h.shelf.close() }

// Load returns how many requests are at work and how many bytes of memory they have reserved.
func (h *Handler) Load() (requests int, memory int64) {
	return int(h.requests.used()), h.memory.used()
}

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := newResponse(w, r, h.o.Stall)
	defer h.conclude(x, r)
	route := h.route(r)
	x.seen.Route = route.name
	if err := h.serve(x, r, route); err != nil {
		x.refuse(r, err)
	}
}

func (h *Handler) serve(x *response, r *http.Request, route route) error {
	x.setHeader(route.header)
	x.page = route.page
	if route.serve == nil {
		return route.refusal
	}
	if !route.allows(r.Method) {
		x.Header().Set("Allow", route.methods)
		return refusef(http.StatusMethodNotAllowed, "method", "want %s", route.methods)
	}
	if route.free {
		return route.serve(x, r)
	}
	leave, err := h.enter(r.Context(), h.requests, 1)
	if err != nil {
		return err
	}
	defer leave()
	return route.serve(x, r)
}

// conclude reports on a request, however it ended.
func (h *Handler) conclude(x *response, r *http.Request) {
	x.seen.Method = r.Method
	x.seen.Took = time.Since(x.began)
	h.log(x, r)
	if h.o.Observe != nil {
		h.o.Observe(x.seen)
	}
}
