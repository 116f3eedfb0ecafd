package proof_test

import (
	"bytes"
	"runtime"
	"testing"
	"weak"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// TestNothingKept wants no slice kept alive by what checked it.
func TestNothingKept(t *testing.T) {
	tr := smallTree(t)
	l := tr.loaded(0, 3)
	for name, f := range map[string]func(body []byte){
		"Leaves.Open": func(body []byte) {
			var dst [1]proof.Slice
			if l.Open(dst[:], tr.at(1), [][]byte{body}); !dst[0].Valid() {
				t.Fatal("the slice is refused")
			}
		},
		"Check": func(body []byte) {
			c := tr.claim(1)
			c.Slices[0] = body
			if err := check(c); err != nil {
				t.Fatal(err)
			}
		},
		"Check that refuses": func(body []byte) {
			c := tr.claim(1)
			c.Slices[0] = body
			w := cut(c.Proof)
			w.nodes[0][0] ^= 1
			c.Proof = w.bytes()
			wantRule(t, "a bent node", check(c), commit.ProofRoot)
		},
	} {
		body := bytes.Clone(tr.b.Slices[1])
		kept := weak.Make(&body[0])
		f(body)
		body = nil
		runtime.GC()
		if kept.Value() != nil {
			t.Errorf("%s keeps the slice", name)
		}
	}
	runtime.KeepAlive(l)
}
