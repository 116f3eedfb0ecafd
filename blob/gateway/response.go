package gateway

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// An Exchange is a request and how it was answered.
type Exchange struct {
	Method string
	Route  string // the path with <id> in place of an ID: one of a few values, whatever was asked for
	Status int    // 0 where there was no answer
	Bytes  int64  // of the answer's body

	FirstByte time.Duration // from the request's header to the first byte of the answer's body; 0 where it has none
	Took      time.Duration // to the end

	// Refusal is why the request was not served as asked, or empty. It is the client's doing where it is path,
	// unknown (no such blob), method, query, range, condition, token, read-only, large (a body) or body (one that is
	// malformed or came too slowly), or gone (the client itself); this side's where it is busy, lost, miscoded (by the
	// blob's writer), full, store or shutdown.
	Refusal string

	// Broken says that the connection was broken in the middle of the body.
	Broken bool
}

// A response sends an answer piece by piece, each with a deadline, and keeps what is to be known of it. Nothing is sent
// before the first byte of the body is there, so that until then the answer can still become another.
type response struct {
	w       http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
	began   time.Time

	page   *frame // of a page, where people look at the answer
	status int    // to be sent
	sent   bool   // the header was
	err    error
	seen   Exchange
}

// pieceLen is how many bytes of a body go through a connection within one deadline.
const pieceLen = 64 << 10

func newResponse(w http.ResponseWriter, r *http.Request, stall time.Duration) *response {
	x := &response{
		w:       w,
		control: http.NewResponseController(w),
		stall:   stall,
		began:   time.Now(),
		status:  http.StatusOK,
	}
	// Where a writer knows no deadlines, as in some tests, there are none. The first is for answers that are sent by
	// the server after the handler is done.
	x.control.SetWriteDeadline(x.began.Add(stall))
	if r.ContentLength == 0 {
		// The server waits for the client to go away, and takes a deadline for that.
		x.control.SetReadDeadline(time.Time{})
	} else {
		// What is left of a body is read by the server after the handler is done.
		x.control.SetReadDeadline(x.began.Add(stall))
	}
	return x
}

func (x *response) Header() http.Header { return x.w.Header() }

func (x *response) setHeader(header map[string]string) {
	for name, value := range header {
		x.Header().Set(name, value)
	}
}

// WriteHeader sets the status that is sent with the first byte, or by finish.
func (x *response) WriteHeader(status int) { x.status = status }

func (x *response) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	x.finish()
	if x.seen.FirstByte == 0 {
		x.seen.FirstByte = time.Since(x.began)
	}
	written := 0
	for written < len(p) {
		x.control.SetWriteDeadline(time.Now().Add(x.stall))
		n, err := x.w.Write(p[written:min(len(p), written+pieceLen)])
		written += n
		x.seen.Bytes += int64(n)
		if err != nil {
			return written, &refusal{http.StatusServiceUnavailable, "gone", "the client takes no more", err}
		}
	}
	return written, nil
}

// finish sends the header unless that was sent.
func (x *response) finish() {
	if !x.sent {
		x.sent = true
		x.seen.Status = x.status
		x.w.WriteHeader(x.status)
	}
}

// refuse answers with an error, and where an answer has begun breaks the connection.
func (x *response) refuse(r *http.Request, err error) {
	e := refusalOf(r, err)
	x.err = e
	x.seen.Refusal = e.reason
	if x.sent {
		x.seen.Broken = true
		panic(http.ErrAbortHandler)
	}
	h := x.Header()
	for _, name := range []string{"Content-Length", "Content-Range", "ETag", "Accept-Ranges", "Last-Modified"} {
		if e.status != http.StatusRequestedRangeNotSatisfiable || name != "Content-Range" {
			h.Del(name)
		}
	}
	h.Set("Cache-Control", "no-store")
	kind, body := "text/plain; charset=utf-8", []byte(e.text+"\n")
	if x.page != nil {
		kind, body = "text/html; charset=utf-8", x.page.errorPage(e)
	}
	h.Set("Content-Type", kind)
	if e.status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	x.WriteHeader(e.status)
	if r.Method == http.MethodHead {
		x.finish()
		return
	}
	x.Write(body)
}

// log writes the line of a request.
func (h *Handler) log(x *response, r *http.Request) {
	level := slog.LevelInfo
	if x.seen.Refusal != "gone" && (x.seen.Status >= 500 || x.seen.Broken) {
		level = slog.LevelWarn
	}
	if !h.o.Log.Enabled(context.Background(), level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", r.Method),
		slog.String("path", cut(r.URL.EscapedPath())),
		slog.Int("status", x.seen.Status),
		slog.Int64("bytes", x.seen.Bytes),
		slog.Duration("first_byte", x.seen.FirstByte),
		slog.Duration("took", x.seen.Took),
		slog.String("client", r.RemoteAddr),
	}
	if ranges := strings.Join(r.Header["Range"], ", "); ranges != "" {
		attrs = append(attrs, slog.String("range", cut(ranges)))
	}
	if r.URL.RawQuery != "" {
		attrs = append(attrs, slog.String("query", cut(r.URL.RawQuery)))
	}
	if x.err != nil {
		attrs = append(attrs, slog.String("refusal", x.seen.Refusal), slog.String("error", x.err.Error()))
	}
	if x.seen.Broken {
		attrs = append(attrs, slog.Bool("broken", true))
	}
	h.o.Log.LogAttrs(r.Context(), level, "request", attrs...)
}

// cut keeps what a client chose from filling a log.
func cut(s string) string {
	const most = 200
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}
