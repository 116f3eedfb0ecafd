package evidence_test

import (
	"bytes"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference/vectors"
	"github.com/tapecommit/tapecommit/proof/evidence"
)

// TestVectors checks the evidence of blob.json, offline.
func TestVectors(t *testing.T) {
	_, all := vectors.ReadBlobs(t)
	if len(all) != 2 {
		t.Fatalf("%d pieces of evidence, want 2", len(all))
	}
	for _, v := range all {
		want := evidence.Finding{Group: int(v.Group)}
		switch v.What {
		case vectors.ParityOff:
			want.Wrong = 1 << 4
		case vectors.PaddingSet:
			want.Padding = true
		default:
			t.Fatalf("unknown kind %q", v.What)
		}
		got, err := evidence.Check(commit.ID(v.ID), v.Evidence)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", v.What, got, err, want)
		}
		for i := range v.Evidence {
			bent := bytes.Clone(v.Evidence)
			bent[i] ^= 1
			if f, err := evidence.Check(commit.ID(v.ID), bent); err == nil {
				t.Errorf("%s: accepted with byte %d bent: %+v", v.What, i, f)
			}
		}
	}
}
