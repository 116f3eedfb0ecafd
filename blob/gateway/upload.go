package gateway

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
)

// formOverhead is how many bytes a form may have besides the blob.
const formOverhead = 64 << 10

func (h *Handler) serveUpload(x *response, r *http.Request) error {
	up := h.o.Uploads
	if up == nil {
		return refusef(http.StatusForbidden, "read-only", "nothing can be stored here")
	}
	authorized, err := h.checkBearer(r)
	if err != nil {
		x.Header().Set("WWW-Authenticate", "Bearer")
		return err
	}
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	isForm := kind == "multipart/form-data"
	if isForm && !authorized {
		// As the page sends it: a person looks at what comes of it.
		x.setHeader(pageHeader)
		x.page = &frame{""}
	}
	if !authorized && !isForm {
		x.Header().Set("WWW-Authenticate", "Bearer")
		return refusef(http.StatusUnauthorized, "token", "want the token")
	}
	if r.Header["Content-Range"] != nil {
		// RFC 9110, section 14.5: a part must not be taken for the whole.
		return refusef(http.StatusBadRequest, "range", "Content-Range: only whole blobs can be stored")
	}
	limit := up.Limit
	if isForm {
		limit += formOverhead
	}
	if r.ContentLength > limit {
		return tooLarge(up.Limit)
	}
	body := &upload{x: x, r: http.MaxBytesReader(x.w, r.Body, limit)}
	content := &content{r: body, left: up.Limit}
	if isForm {
		if content.r, err = h.openForm(multipart.NewReader(body, params["boundary"]), authorized); err != nil {
			content.err = err
			return uploadRefusal(body, content, up.Limit, err)
		}
	}
	free, err := h.enter(r.Context(), h.memory, writeMemory(up.Params))
	if err != nil {
		return err
	}
	defer free()
	header, added, err := h.storeBlob(r.Context(), content)
	if err != nil {
		return uploadRefusal(body, content, up.Limit, err)
	}
	return h.answerUpload(x, r, header, added, x.page != nil)
}

func tooLarge(limit int64) *refusal {
	return refusef(http.StatusRequestEntityTooLarge, "large", "more than %s", count(limit, "byte"))
}

// checkBearer reports whether a request has the token in its header. A wrong one is an error.
func (h *Handler) checkBearer(r *http.Request) (bool, error) {
	auth := r.Header.Get("Authorization")
	if auth == "" {
		return false, nil
	}
	scheme, token, _ := strings.Cut(auth, " ")
	if !strings.EqualFold(scheme, "Bearer") || !h.isToken(strings.TrimLeft(token, " ")) {
		return false, refusef(http.StatusUnauthorized, "token", "wrong token")
	}
	return true, nil
}

// isToken compares digests, so that the time it takes tells neither bytes nor length of the token.
func (h *Handler) isToken(s string) bool {
	d := sha256.Sum256([]byte(s))
	return subtle.ConstantTimeCompare(d[:], h.token[:]) == 1
}

// openForm returns the content of the field file. Unless the request is authorized, the field token has to come before.
func (h *Handler) openForm(form *multipart.Reader, authorized bool) (io.Reader, error) {
	for {
		part, err := form.NextPart()
		switch {
		case err == io.EOF:
			return nil, refusef(http.StatusBadRequest, "body", "form without a file")
		case err != nil:
			return nil, err
		}
		switch part.FormName() {
		case "token":
			token, err := io.ReadAll(io.LimitReader(part, 4<<10))
			if err != nil {
				return nil, err
			}
			if !h.isToken(string(token)) {
				return nil, refusef(http.StatusUnauthorized, "token", "wrong token")
			}
			authorized = true
		case "file":
			if !authorized {
				return nil, refusef(http.StatusUnauthorized, "token", "want the token, before the file")
			}
			return part, nil
		}
	}
}

// storeBlob stores a blob and reports whether it is new.
func (h *Handler) storeBlob(ctx context.Context, content io.Reader) (header commit.Header, added bool, err error) {
	s := &addingStore{Store: h.store}
	w, err := blob.NewWriter(ctx, s, blob.Options{Params: h.o.Uploads.Params, Workers: readWorkers, Stats: h.o.Stats})
	if err != nil {
		return header, false, err
	}
	defer w.Close()
	if _, err := w.ReadFrom(content); err != nil {
		return header, false, err
	}
	if header, err = w.Commit(); err != nil {
		return header, false, err
	}
	h.shelf.drop(header.ID()) // objects of it may have been replaced
	return header, s.added, nil
}

// answerUpload tells a program the ID, and shows a person the page of the blob.
func (h *Handler) answerUpload(x *response, r *http.Request, header commit.Header, added, page bool) error {
	id := header.ID()
	x.Header().Set("Cache-Control", "no-store")
	if page {
		x.Header().Set("Location", "view/"+id.String())
		x.WriteHeader(http.StatusSeeOther)
		x.finish()
		return nil
	}
	// The path as it was asked for, where a handler around this one may have changed it.
	path, _, _ := strings.Cut(r.RequestURI, "?")
	x.Header().Set("Location", path+"/"+id.String())
	if added {
		x.WriteHeader(http.StatusCreated)
	}
	return sendJSON(x, r, struct {
		ID   commit.ID `json:"id"`
		Size int64     `json:"size"`
	}{id, header.Length})
}

// writeMemory is the memory of a blob.Writer.
func writeMemory(p commit.Params) int64 {
	return int64(readWorkers+1) * commit.RunGroups * int64(p.N) * int64(p.SliceSize)
}

// An addingStore notes whether the blob that is written to it was there before.
type addingStore struct {
	blob.Store
	added bool
}

func (s *addingStore) Create(ctx context.Context) (blob.Upload, error) {
	u, err := s.Store.Create(ctx)
	if err != nil {
		return nil, err
	}
	return &addingUpload{u, s}, nil
}

type addingUpload struct {
	blob.Upload
	s *addingStore
}

func (u *addingUpload) Commit(ctx context.Context, id commit.ID) error {
	if o, err := u.s.Open(ctx, id); err == nil {
		o.Close()
	} else {
		u.s.added = true
	}
	return u.Upload.Commit(ctx, id)
}

// An upload is the body of a request, each piece of which has to come within a deadline.
type upload struct {
	x   *response
	r   io.Reader
	err error // of reading it
}

func (u *upload) Read(p []byte) (int, error) {
	u.x.control.SetReadDeadline(time.Now().Add(u.x.stall))
	n, err := u.r.Read(p[:min(len(p), pieceLen)])
	if err == io.EOF {
		// From here on the server reads to see whether the client is still there.
		u.x.control.SetReadDeadline(time.Time{})
	}
	if err != nil && err != io.EOF {
		u.err = err
	}
	return n, err
}

// A content is the bytes of a blob as they come.
type content struct {
	r    io.Reader
	left int64 // that may come
	err  error // of r
}

var errLimit = errors.New("gateway: the upload is too large")

func (c *content) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.left -= int64(n); c.left < 0 {
		err = errLimit
	}
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

// uploadRefusal makes a refusal of an error of an upload where what came is at fault, and not the store.
func uploadRefusal(body *upload, content *content, limit int64, err error) error {
	var known *refusal
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		if known.status == http.StatusUnauthorized {
			body.x.Header().Set("WWW-Authenticate", "Bearer")
		}
		return known
	case errors.As(content.err, &large), errors.Is(content.err, errLimit):
		return tooLarge(limit)
	case errors.Is(body.err, os.ErrDeadlineExceeded):
		return &refusal{http.StatusRequestTimeout, "body", "the body came too slowly", body.err}
	case content.err != nil:
		return &refusal{http.StatusBadRequest, "body", "malformed body", content.err}
	}
	return err
}
