package proof

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/tapecommit/tapecommit/commit"
)

// Reader is the plaintext of a blob, every byte of it checked. ReadAt serves many
// goroutines; Read, Seek and WriteTo share an offset and serve one.
type Reader struct {
	ctx context.Context
	src Source
	h   commit.Header
	off int64

	ahead    []byte // plaintext from aheadOff on, so that small Reads do not check a slice again and again
	aheadOff int64
}

var _ interface {
	io.ReadSeeker
	io.ReaderAt
	io.WriterTo
} = (*Reader)(nil)

// NewReader returns a Reader at the beginning of the blob. ctx ends its reads.
func NewReader(ctx context.Context, src Source) *Reader {
	return &Reader{ctx: ctx, src: src, h: src.Header()}
}

// Size returns the length of the plaintext in bytes.
func (r *Reader) Size() int64 { return r.h.Length }

// aheadGroups is how many groups Read fetches at once.
const aheadGroups = 8

// Read reads up to len(p) bytes. Small reads are served from a buffer of some groups.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if r.off >= r.h.Length {
		return 0, io.EOF
	}
	if at := r.off - r.aheadOff; at < 0 || at >= int64(len(r.ahead)) {
		group := int64(r.h.K) * int64(r.h.SliceSize)
		end := min((r.off/group+aheadGroups)*group, r.h.Length)
		if int64(len(p)) >= end-r.off {
			n, err := r.ReadAt(p, r.off)
			r.off += int64(n)
			if n > 0 {
				err = nil // an end or an error shows again at the next Read
			}
			return n, err
		}
		r.ahead = resize(r.ahead, int(end-r.off))
		n, err := r.ReadAt(r.ahead, r.off)
		r.ahead, r.aheadOff = r.ahead[:n], r.off
		if n == 0 {
			return 0, err
		}
	}
	n := copy(p, r.ahead[r.off-r.aheadOff:])
	r.off += int64(n)
	return n, nil
}

// ReadAt reads len(p) bytes from off on. Where it returns fewer, the error says why,
// and the bytes before the error are right.
func (r *Reader) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("proof: read at offset %d", off)
	}
	n := 0
	for s, err := range r.src.Slices(r.ctx, r.h.Cover(off, int64(len(p)))) {
		if err != nil {
			return n, err
		}
		b, err := s.plain(&r.h, off+int64(n))
		if err != nil {
			return n, err
		}
		n += copy(p[n:], b)
	}
	if n < len(p) {
		if off+int64(n) < r.h.Length {
			return n, io.ErrUnexpectedEOF // a Source that ended early
		}
		return n, io.EOF
	}
	return n, nil
}

// Seek sets the offset of the next Read.
func (r *Reader) Seek(off int64, whence int) (int64, error) {
	from := int64(0)
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		from = r.off
	case io.SeekEnd:
		from = r.h.Length
	default:
		return 0, fmt.Errorf("proof: seek with whence %d", whence)
	}
	if off > math.MaxInt64-from {
		return 0, fmt.Errorf("proof: seek to %d behind %d: out of range", off, from)
	}
	off += from
	if off < 0 {
		return 0, errors.New("proof: seek to before the beginning")
	}
	r.off = off
	return off, nil
}

// writeSize is what WriteTo writes at a time: little enough to be in the L2 cache with
// the slices that it comes from.
const writeSize = 64 << 10

// WriteTo writes what is left of the blob to w. At an error w has the bytes before
// it and none behind.
func (r *Reader) WriteTo(w io.Writer) (int64, error) {
	from := r.off
	next := from // in the blob, of what goes to buf
	buf := bufio.NewWriterSize(&offsetWriter{w, &r.off}, writeSize)
	for s, err := range r.src.Slices(r.ctx, r.h.Cover(from, r.h.Length)) {
		var b []byte
		if err == nil {
			b, err = s.plain(&r.h, next)
		}
		if err != nil {
			if ferr := buf.Flush(); ferr != nil {
				err = errors.Join(err, ferr)
			}
			return r.off - from, err
		}
		if _, err := buf.Write(b); err != nil {
			return r.off - from, err
		}
		next += int64(len(b))
	}
	err := buf.Flush()
	if err == nil && r.off < r.h.Length {
		err = io.ErrUnexpectedEOF
	}
	return r.off - from, err
}

// offsetWriter counts what arrives at w.
type offsetWriter struct {
	w   io.Writer
	off *int64
}

func (o *offsetWriter) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	*o.off += int64(n)
	return n, err
}
