package gateway

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// serveBytes is not http.ServeContent, which sends the status before it reads the first byte, reads several ranges in a
// goroutine that may outlive the request, and does not tell a part that is lost from one that was sent.
func (h *Handler) serveBytes(x *response, r *http.Request, id commit.ID) error {
	b, leave, err := h.shelf.take(r.Context(), id)
	if err != nil {
		return err
	}
	defer leave()
	setImmutable(x.Header(), id)
	x.Header().Set("Accept-Ranges", "bytes")
	if done, err := checkConditions(x, r, id); done || err != nil {
		return err
	}
	header := b.blob.Header()
	spans, ranged := []span{{0, header.Length}}, false // RFC 9110 has no ranges but for GET
	if r.Method == http.MethodGet {
		if spans, ranged, err = spansOf(r, id, header.Length); err != nil {
			x.Header().Set("Content-Range", fmt.Sprintf("bytes */%d", header.Length))
			return refusef(http.StatusRequestedRangeNotSatisfiable, "range", "%v", err)
		}
	}
	groups := int64(1) // for the media type
	if r.Method == http.MethodGet {
		groups = groupsOf(header, spans)
	}
	free, err := h.enter(r.Context(), h.memory, readMemory(header, groups))
	if err != nil {
		return err
	}
	defer free()
	kind, err := b.mediaType(r.Context())
	if err != nil {
		if r.Method == http.MethodHead || r.Context().Err() != nil {
			return err
		}
		kind = "application/octet-stream" // other bytes may be asked for than those that it takes to tell
	}
	parts := makeParts(spans)
	switch {
	case !ranged:
		x.Header().Set("Content-Type", kind)
	case len(parts) == 1:
		x.Header().Set("Content-Type", kind)
		x.Header().Set("Content-Range", spans[0].contentRange(header.Length))
		x.WriteHeader(http.StatusPartialContent)
	default:
		boundary := rand.Text()
		frameParts(parts, boundary, kind, header.Length)
		x.Header().Set("Content-Type", "multipart/byteranges; boundary="+boundary)
		x.WriteHeader(http.StatusPartialContent)
	}
	x.Header().Set("Content-Length", strconv.FormatInt(lengthOf(parts), 10))
	if r.Method == http.MethodHead {
		x.finish()
		return nil
	}
	return send(r.Context(), x, b.blob, spans, parts)
}

func (s span) contentRange(size int64) string {
	return fmt.Sprintf("bytes %d-%d/%d", s.first, s.end-1, size)
}

// A part is a span and what is sent around it.
type part struct {
	span
	before, behind string
}

func makeParts(spans []span) []part {
	parts := make([]part, len(spans))
	for i, s := range spans {
		parts[i].span = s
	}
	return parts
}

// frameParts makes multipart/byteranges of several parts.
func frameParts(parts []part, boundary, kind string, size int64) {
	for i := range parts {
		p := &parts[i]
		p.before = fmt.Sprintf("--%s\r\nContent-Type: %s\r\nContent-Range: %s\r\n\r\n", boundary, kind, p.contentRange(size))
		p.behind = "\r\n"
	}
	parts[len(parts)-1].behind = "\r\n--" + boundary + "--\r\n"
}

// lengthOf is the bytes of a body of parts.
func lengthOf(parts []part) int64 {
	n := int64(0)
	for _, p := range parts {
		n += int64(len(p.before)) + p.end - p.first + int64(len(p.behind))
	}
	return n
}

var sendBuffers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, pieceLen) }}

// send sends parts of a blob, spans with what is around them. At an error, some of it was sent or nothing.
func send(ctx context.Context, x *response, src proof.Source, spans []span, parts []part) error {
	out := sendBuffers.Get().(*bufio.Writer)
	out.Reset(x)
	defer func() {
		out.Reset(nil)
		sendBuffers.Put(out)
	}()
	h := src.Header()
	for s, err := range src.Slices(ctx, cover(h, spans)) {
		if err != nil {
			return err
		}
		off, n := h.Span(s.Pos())
		if parts, err = sendSlice(out, parts, span{off, off + int64(n)}, s.Bytes()); err != nil {
			return err
		}
	}
	if len(parts) > 0 && parts[0].end > parts[0].first {
		return io.ErrUnexpectedEOF // a Source that ended early
	}
	if err := out.Flush(); err != nil {
		return err
	}
	x.finish() // where there was no byte
	return nil
}

// sendSlice sends what a slice holds of parts, and returns the parts that are not done.
func sendSlice(out *bufio.Writer, parts []part, s span, b []byte) ([]part, error) {
	for len(parts) > 0 && parts[0].first < s.end {
		p := &parts[0]
		from, to := max(p.first, s.first), min(p.end, s.end)
		if from == p.first {
			if _, err := out.WriteString(p.before); err != nil {
				return nil, err
			}
		}
		if _, err := out.Write(b[from-s.first : to-s.first]); err != nil {
			return nil, err
		}
		if to < p.end {
			break
		}
		if _, err := out.WriteString(p.behind); err != nil {
			return nil, err
		}
		parts = parts[1:]
	}
	return parts, nil
}

// readMemory is the memory of a read of that many groups of a blob: of the runs of slices that are worked on and the one
// that is sent. See blob.Options.Workers.
func readMemory(h commit.Header, groups int64) int64 {
	switch {
	case groups <= 1:
	case groups <= 8:
		groups = 8
	default:
		groups = min(groups+commit.RunGroups-1, (readWorkers+1)*commit.RunGroups)
	}
	return pieceLen + groups*int64(h.N)*int64(h.SliceSize)
}
