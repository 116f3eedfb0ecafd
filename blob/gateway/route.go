package gateway

import (
	"net/http"
	"strings"

	"github.com/tapecommit/tapecommit/commit"
)

// A route is how a path is answered.
type route struct {
	name    string            // for logs and metrics: the path with <id> in place of an ID
	methods string            // as in an Allow header
	header  map[string]string // of all answers, errors too
	serve   func(*response, *http.Request) error
	page    *frame   // where people look at the answer
	free    bool     // costs next to nothing, and need not wait for its turn
	refusal *refusal // where serve is nil
}

const reading = "GET, HEAD"

func (r *route) allows(method string) bool {
	for m := range strings.SplitSeq(r.methods, ", ") {
		if m == method {
			return true
		}
	}
	return false
}

// Whoever uploads chooses the bytes, so these may do nothing in the name of the origin that serves them.
var blobHeader = map[string]string{
	"X-Content-Type-Options":  "nosniff",
	"Content-Security-Policy": "sandbox; default-src 'none'",
}

var pageHeader = map[string]string{
	"X-Content-Type-Options": "nosniff",
	"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; " +
		"base-uri 'none'; frame-ancestors 'none'",
	"Referrer-Policy": "no-referrer",
}

// route finds the route of a request. It compares the path as it was sent, without undoing escapes: each path that is
// answered has one spelling.
func (h *Handler) route(r *http.Request) route {
	path := r.URL.EscapedPath()
	switch path {
	case "/":
		return route{name: path, methods: reading, header: pageHeader, serve: h.serveList, page: &frame{""}}
	case "/style.css", "/icon.svg":
		return route{name: path, methods: reading, header: pageHeader, serve: serveAsset, free: true}
	case "/blobs.json":
		return route{name: path, methods: reading, header: blobHeader, serve: h.serveJSON}
	case "/blobs":
		if r.Method == http.MethodPost || r.Method == http.MethodPut {
			return route{name: path, methods: reading + ", POST, PUT", header: blobHeader, serve: h.serveUpload}
		}
		methods := reading
		if h.o.Uploads != nil {
			methods += ", POST, PUT"
		}
		return route{name: path, methods: methods, header: blobHeader, serve: h.serveJSON}
	}
	if rest, ok := strings.CutPrefix(path, "/view/"); ok {
		view := ofBlob("/view/<id>", pageHeader, rest, h.serveView)
		if view.serve != nil {
			view.page = &frame{"../"}
		}
		return view
	}
	if rest, ok := strings.CutPrefix(path, "/blobs/"); ok {
		switch id, of, _ := strings.Cut(rest, "/"); rest[len(id):] {
		case "":
			return ofBlob("/blobs/<id>", blobHeader, id, h.serveBytes)
		case "/header":
			return ofBlob("/blobs/<id>/"+of, blobHeader, id, h.serveHeader)
		case "/bundles":
			return ofBlob("/blobs/<id>/"+of, blobHeader, id, h.serveBundles)
		}
		return nowhere(blobHeader)
	}
	return nowhere(pageHeader)
}

// ofBlob is a route to something about one blob.
func ofBlob(name string, header map[string]string, id string, serve func(*response, *http.Request, commit.ID) error) route {
	parsed, err := commit.ParseID(id)
	if err != nil {
		return nowhere(header)
	}
	return route{
		name:    name,
		methods: reading,
		header:  header,
		serve:   func(x *response, r *http.Request) error { return serve(x, r, parsed) },
	}
}

func nowhere(header map[string]string) route {
	return route{
		name:    "other",
		header:  header,
		refusal: refusef(http.StatusNotFound, "path", "nothing here"),
	}
}
