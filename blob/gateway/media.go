package gateway

import (
	"net/http"
	"strings"
)

// sniffLen is how many bytes http.DetectContentType looks at.
const sniffLen = 512

// mediaType chooses the media type of a blob by its first bytes, of those types that a browser shows or plays without
// running anything in them.
func mediaType(head []byte) string {
	t := http.DetectContentType(head)
	switch kind, _, _ := strings.Cut(t, "/"); {
	case strings.HasPrefix(t, "image/svg"):
	case kind == "image", kind == "audio", kind == "video", strings.HasPrefix(t, "text/plain"):
		return t
	}
	return "application/octet-stream"
}
