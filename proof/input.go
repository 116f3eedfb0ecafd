package proof

import (
	"io"
	"slices"
)

// appendN appends the next n bytes of r to dst. Memory grows as bytes arrive, and not
// because n says so. Where r ends first the error is io.EOF: io.ReadFull's would be one
// that readers also have of their own, for a connection that was cut.
func appendN(dst []byte, r io.Reader, n int) ([]byte, error) {
	const step = 256 << 10
	for end := len(dst) + n; len(dst) < end; {
		dst = slices.Grow(dst, min(end-len(dst), max(step, len(dst))))
		m, err := r.Read(dst[len(dst):min(end, cap(dst))])
		dst = dst[:len(dst)+m]
		if err != nil && len(dst) < end {
			return dst, err
		}
	}
	return dst, nil
}
