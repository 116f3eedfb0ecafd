package house

import (
	"regexp"
	"strings"
	"testing"
)

// Names that belong to one machine or one way of fetching things, and not in the project.
// They are put together here so that this file does not hold them.
var foreign = regexp.MustCompile(strings.Join([]string{
	`(^|[^\w.])/` + `work/`,
	`/tmp/` + `briefs`,
	`/root/` + `go/`,
	`\bproxy\.` + `golang\.org`,
	`\bsum\.` + `golang\.org`,
	`\bgoproxy\.` + `io\b`,
	`\bregistry\.` + `npmjs\.org`,
	`\bdeb\.` + `debian\.org`,
	`\bsecurity\.` + `debian\.org`,
	`\barchive\.` + `ubuntu\.com`,
	`\bpypi\.` + `org`,
	`\bcrates\.` + `io\b`,
	`\brepo1?\.` + `maven\b`,
}, "|"))

func TestNoForeignNames(t *testing.T) {
	n := 0
	for _, name := range files(t) {
		n++
		if m := foreign.FindString(read(t, name)); m != "" {
			t.Errorf("%s names %q", name, m)
		}
	}
	if n < 50 {
		t.Fatalf("only %d files", n)
	}
}
