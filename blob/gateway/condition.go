package gateway

import (
	"net/http"
	"strings"

	"github.com/tapecommit/tapecommit/commit"
)

// tagOf is the entity tag of whatever is served of a blob. It is a strong one: an ID has but one content.
func tagOf(id commit.ID) string { return `"` + id.String() + `"` }

// setImmutable says of an answer that it never becomes another.
func setImmutable(h http.Header, id commit.ID) {
	h.Set("ETag", tagOf(id))
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
}

// checkConditions checks If-Match and If-None-Match, in the order of RFC 9110, section 13.2.2. The conditions on dates
// are void, for a blob has none. It reports whether the request is answered: the client has the content.
func checkConditions(x *response, r *http.Request, id commit.ID) (done bool, err error) {
	tag := tagOf(id)
	if l := r.Header["If-Match"]; l != nil && !matches(l, tag, false) {
		return false, refusef(http.StatusPreconditionFailed, "condition", "If-Match does not hold")
	}
	if l := r.Header["If-None-Match"]; l != nil && matches(l, tag, true) {
		x.WriteHeader(http.StatusNotModified)
		x.finish()
		return true, nil
	}
	return false, nil
}

// matches reports whether a list of entity tags has tag in it, also as a weak one where weak is true.
func matches(lines []string, tag string, weak bool) bool {
	rest := strings.Join(lines, ",")
	for {
		rest = strings.TrimLeft(rest, " \t,")
		if rest == "" {
			return false
		}
		if rest[0] == '*' {
			return true
		}
		opaque, isWeak := strings.CutPrefix(rest, "W/")
		if !strings.HasPrefix(opaque, `"`) {
			return false
		}
		end := strings.IndexByte(opaque[1:], '"')
		if end < 0 {
			return false
		}
		if opaque[:end+2] == tag && (weak || !isWeak) {
			return true
		}
		rest = opaque[end+2:]
	}
}
