package gateway

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"mime"
	"net/http"
	"path"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/tapecommit/tapecommit/commit"
)

//go:embed page
var pageFiles embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"size":  formatSize,
	"long":  func(n any) string { return formatLong(reflect.ValueOf(n).Int()) },
	"time":  func(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") },
	"stamp": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
}).ParseFS(pageFiles, "page/*.html"))

// serveList shows a list of blobs.
func (h *Handler) serveList(x *response, r *http.Request) error {
	l, err := h.list(r, pageBlobs)
	if err != nil {
		return err
	}
	return sendPage(x, r, "list.html", struct {
		*list
		First   bool  // no page is before
		Uploads bool  // are allowed
		Limit   int64 // of an upload
	}{l, r.URL.RawQuery == "", h.o.Uploads != nil, h.uploadLimit()})
}

func (h *Handler) uploadLimit() int64 {
	if h.o.Uploads == nil {
		return 0
	}
	return h.o.Uploads.Limit
}

// serveView shows a blob.
func (h *Handler) serveView(x *response, r *http.Request, id commit.ID) error {
	leave, err := h.enter(r.Context(), h.listings, 1)
	if err != nil {
		return err
	}
	defer leave()
	l, err := h.look(r.Context(), id)
	if err != nil {
		return unknown(err)
	}
	return sendPage(x, r, "view.html", l)
}

// Says is what a person reads of it.
func (h health) Says() string {
	switch h {
	case whole:
		return "Whole"
	case unverified:
		return "Not verified yet"
	case damaged:
		return "Damaged"
	}
	return "Lost in part"
}

// Explains says what it means.
func (h health) Explains() string {
	switch h {
	case whole:
		return "Every object has its size, and the last verify found nothing wrong."
	case unverified:
		return "Every object has its size. What they hold has not been verified."
	case damaged:
		return "Something is missing, wrong or cannot be read. What is read is rebuilt from the other lanes and checked."
	}
	return "Too little is left to read all of it. What can be read is checked as ever."
}

// State is a class for the style of an object: whole, short, long or missing, to which what cannot be read counts.
func (x object) State() string {
	switch {
	case x.Size < 0:
		return "missing"
	case x.Size < x.Want:
		return "short"
	case x.Size > x.Want:
		return "long"
	}
	return "whole"
}

// Says is what a person reads of its size.
func (x object) Says() string {
	switch {
	case x.failed:
		return unreadable
	case x.Size < 0:
		return "missing"
	case x.Size != x.Want:
		return "should be " + formatLong(x.Want)
	}
	return "right"
}

// Number is the number of a lane.
func (x object) Number() string { return x.Name[len(x.Name)-2:] }

// Known reports whether there is a header.
func (l listing) Known() bool { return l.shape != nil }

// Lanes are the objects that are lanes.
func (s *shape) Lanes() []object { return s.objects[:s.N] }

// Objects are all objects.
func (s *shape) Objects() []object { return s.objects }

// Root is the root of the blob's tree.
func (s *shape) Root() string { return hex.EncodeToString(s.header.Root[:]) }

// Stored is how many bytes all objects have.
func (s *shape) Stored() int64 {
	n := int64(0)
	for _, x := range s.objects {
		n += max(x.Size, 0)
	}
	return n
}

// formatSize writes a number of bytes for people.
func formatSize(n int64) string {
	if n < 1024 {
		return count(n, "byte")
	}
	f, unit := float64(n), ""
	for _, unit = range []string{"KiB", "MiB", "GiB", "TiB"} {
		if f /= 1024; f < 1024 {
			break
		}
	}
	if f < 9.95 {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0") + " " + unit
	}
	return fmt.Sprintf("%.0f %s", f, unit)
}

// formatLong writes a number with spaces between its thousands.
func formatLong(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// A frame is what is around a page: where its links go.
type frame struct {
	Base string // the way from the page's folder to that of "/"
}

// errorPage tells a person of a refusal.
func (f *frame) errorPage(e *refusal) []byte {
	var b bytes.Buffer
	err := pages.ExecuteTemplate(&b, "error.html", struct {
		frame
		Title, Text string
	}{*f, http.StatusText(e.status), strings.ToUpper(e.text[:1]) + e.text[1:] + "."})
	if err != nil {
		panic(err) // the template is wrong
	}
	return b.Bytes()
}

func sendPage(x *response, r *http.Request, name string, data any) error {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, data); err != nil {
		return err
	}
	x.Header().Set("Cache-Control", "no-cache")
	return sendWhole(x, r, "text/html; charset=utf-8", b.Bytes())
}

// serveAsset serves a file that pages refer to.
func serveAsset(x *response, r *http.Request) error {
	name := path.Base(r.URL.Path)
	b, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		return err
	}
	d := sha256.Sum256(b)
	tag := fmt.Sprintf(`"%x"`, d[:8])
	x.Header().Set("ETag", tag)
	x.Header().Set("Cache-Control", "no-cache")
	if l := r.Header["If-None-Match"]; l != nil && matches(l, tag, true) {
		x.WriteHeader(http.StatusNotModified)
		x.finish()
		return nil
	}
	return sendWhole(x, r, mime.TypeByExtension(path.Ext(name)), b)
}

// sendWhole sends a body that is there.
func sendWhole(x *response, r *http.Request, kind string, b []byte) error {
	x.Header().Set("Content-Type", kind)
	x.Header().Set("Content-Length", strconv.Itoa(len(b)))
	if r.Method == http.MethodHead {
		x.finish()
		return nil
	}
	_, err := x.Write(b)
	return err
}
