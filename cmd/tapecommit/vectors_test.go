package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/internal/reference/vectors"
)

// runs runs the program and checks the exit code.
func runs(t *testing.T, code int, stdin []byte, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := run(t.Context(), args, bytes.NewReader(stdin), &stdout, &stderr); got != code {
		t.Fatalf("%q: exit code %d, want %d: %s", args, got, code, &stderr)
	}
	return stdout.String()
}

// TestVectors meets the vectors through the commands.
func TestVectors(t *testing.T) {
	cases, _ := vectors.ReadBlobs(t)
	for i, c := range cases {
		t.Run(fmt.Sprintf("%d of %d, %d bytes, %d", c.K, c.N, c.Len, i), func(t *testing.T) {
			plain := reference.Stream(c.Seed, c.Len)
			params := []string{"-k", fmt.Sprint(c.K), "-n", fmt.Sprint(c.N), "--slice-size", fmt.Sprint(c.SliceSize), "-"}
			id := hex.EncodeToString(c.ID[:])
			if got := runs(t, 0, plain, append([]string{"id"}, params...)...); got != id+"\n" {
				t.Fatalf("id printed %q, want %s", got, id)
			}
			if len(c.Sets)+len(c.Audits) == 0 || testing.Short() && c.Groups > 8 {
				return // nothing more to meet, or a case for a long test
			}
			store := filepath.Join(t.TempDir(), "store")
			t.Setenv("TAPECOMMIT_STORE", store)
			runs(t, 0, plain, append([]string{"write"}, params...)...)
			for name, want := range c.Objects {
				b, err := os.ReadFile(filepath.Join(store, id, name))
				if err != nil || len(b) != want.Len || sha256.Sum256(b) != want.SHA256 {
					t.Errorf("%s: %d bytes, want %d, %v", name, len(b), want.Len, err)
				}
			}
			model := reference.Make(reference.Params{K: c.K, N: c.N, SliceSize: c.SliceSize}, plain)
			for _, r := range c.Ranges {
				arg := fmt.Sprintf("%d-%d", r.First, r.Last)
				got := runs(t, 0, nil, "prove", id, "--range", arg)
				if len(got) != r.Len || sha256.Sum256([]byte(got)) != r.SHA256 {
					t.Errorf("prove --range %s wrote other bytes", arg)
				}
				checkProves(t, model, model.Cover(r.First, r.Last), []byte(got))
				if got := runs(t, 0, nil, "read", id, "--range", arg); got != string(plain[r.First:r.Last+1]) {
					t.Errorf("read --range %s wrote other bytes", arg)
				}
			}
			for _, s := range c.Sets {
				if s.BundleSHA256 == nil {
					continue
				}
				checkProves(t, model, s.Positions, model.Bundle(s.Positions))
				if len(s.Positions) > 1 {
					continue
				}
				at := commit.Pos{Group: int(s.Positions[0]) / c.N, Lane: int(s.Positions[0]) % c.N}
				if got := runs(t, 0, nil, "prove", id, "--at", at.String()); sha256.Sum256([]byte(got)) != *s.BundleSHA256 {
					t.Errorf("prove --at %v wrote other bytes", at)
				}
			}
			for _, a := range c.Audits {
				auditVector(t, store, c, a)
			}
		})
	}
}

// checkProves checks that check says of a bundle what it proves.
func checkProves(t *testing.T, model *reference.Blob, positions []int64, bundle []byte) {
	t.Helper()
	var plain, parity string
	first, end := int64(-1), int64(-1) // of the run of plaintext
	flush := func() {
		if first >= 0 {
			plain += fmt.Sprintf("bytes %d-%d\n", first, end-1)
		}
		first = -1
	}
	for _, p := range positions {
		g, i := p/int64(model.N), p%int64(model.N)
		off, n := model.Span(p)
		switch {
		case i >= int64(model.K):
			parity += fmt.Sprintf("slice %d:%d\n", g, i)
		case n == 0:
		case first >= 0 && off == end:
			end = off + n
		default:
			flush()
			first, end = off, off+n
		}
	}
	flush()
	id := commit.ID(model.ID()).String()
	if got := runs(t, 0, bundle, "check", id, "-"); got != plain+parity {
		t.Errorf("check of %v printed\n%swant\n%s", positions, got, plain+parity)
	}
}

// auditVector makes, answers and judges one challenge, and again with the first sample
// spoilt.
func auditVector(t *testing.T, store string, c vectors.Blob, a vectors.Audit) {
	t.Helper()
	id := hex.EncodeToString(c.ID[:])
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	made := runs(t, 0, nil, "audit", "challenge", id, "--lanes", commit.Lanes(a.Lanes).String(),
		"--count", fmt.Sprint(a.Count), "--seed", hex.EncodeToString(a.Seed[:]))
	if sha256.Sum256([]byte(made)) != a.ChallengeSHA256 {
		t.Errorf("challenge of %d in %#x is another", a.Count, a.Lanes)
	}
	challenge := file("challenge", made)
	answered := runs(t, 0, nil, "audit", "answer", challenge)
	if len(answered) != a.AnswerLen || sha256.Sum256([]byte(answered)) != a.AnswerSHA256 {
		t.Errorf("answer to %d in %#x is another", a.Count, a.Lanes)
	}
	verdicts := runs(t, 0, nil, "audit", "judge", challenge, file("answer", answered))
	if strings.Count(verdicts, " good\n") != a.Count || strings.Count(verdicts, "\n") != a.Count {
		t.Errorf("verdicts of %d:\n%s", a.Count, verdicts)
	}
	first, _, _ := strings.Cut(verdicts, " ")
	at, err := parsePos(first)
	if err != nil || int64(at.Group)*int64(c.N)+int64(at.Lane) != a.Positions[0] {
		t.Fatalf("first sample %v, %v", at, err)
	}
	lane := filepath.Join(store, id, fmt.Sprintf("lane-%02d", at.Lane))
	b, err := os.ReadFile(lane)
	if err != nil {
		t.Fatal(err)
	}
	b[at.Group*c.SliceSize] ^= 1
	if err := os.WriteFile(lane, b, 0o666); err != nil {
		t.Fatal(err)
	}
	spoilt := runs(t, 0, nil, "audit", "answer", challenge)
	if sha256.Sum256([]byte(spoilt)) != a.WithoutFirstSHA256 {
		t.Errorf("answer to %d in %#x without the first is another", a.Count, a.Lanes)
	}
	verdicts = runs(t, 1, nil, "audit", "judge", challenge, file("spoilt", spoilt))
	if !strings.HasPrefix(verdicts, first+" absent\n") || strings.Count(verdicts, " good\n") != a.Count-1 {
		t.Errorf("verdicts of %d without the first:\n%s", a.Count, verdicts)
	}
	b[at.Group*c.SliceSize] ^= 1
	if err := os.WriteFile(lane, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestEvidence stores the badly coded blobs of the vectors, and wants the evidence that
// they have.
func TestEvidence(t *testing.T) {
	_, cases := vectors.ReadBlobs(t)
	store := t.TempDir()
	t.Setenv("TAPECOMMIT_STORE", store)
	file := filepath.Join(t.TempDir(), "evidence")
	id := strings.TrimSpace(runs(t, 0, reference.Stream(1, 10_000), "write", "-"))
	runs(t, 0, nil, "verify", id, "--evidence", file)
	for _, c := range cases {
		params := reference.Params{K: c.K, N: c.N, SliceSize: c.SliceSize}
		honest := reference.Make(params, reference.Stream(c.Seed, c.Len))
		all := slices.Clone(honest.Slices)
		for i := range all {
			all[i] = bytes.Clone(all[i])
		}
		at := int(c.Group) * c.N
		var says string
		switch c.What {
		case vectors.ParityOff:
			for i := range all[at+4] {
				all[at+4][i] ^= 1
			}
			says = "group 1 is badly encoded: lane 4 does not follow from the others\n"
		case vectors.PaddingSet:
			all[at+2][len(all[at+2])-1] = 7
			copy(all[at:], reference.EncodeGroup(c.N, all[at:at+c.K]))
			says = "group 2 is badly encoded: padding is not zero\n"
		default:
			t.Fatalf("unknown kind %q", c.What)
		}
		bad := reference.Commit(params, int64(c.Len), all)
		id := hex.EncodeToString(c.ID[:])
		if bad.ID() != c.ID {
			t.Fatalf("%s: ID %x, want %s", c.What, bad.ID(), id)
		}
		if err := os.Mkdir(filepath.Join(store, id), 0o777); err != nil {
			t.Fatal(err)
		}
		for name, object := range bad.Objects() {
			if name == "leaves" {
				continue // they follow from the slices
			}
			if err := os.WriteFile(filepath.Join(store, id, name), object, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := os.Stat(file); err == nil {
			t.Fatalf("%s: there is evidence before", c.What)
		}
		report := runs(t, 1, nil, "verify", id, "--evidence", file)
		if !strings.Contains(report, fmt.Sprintf("group %d: coded wrongly by the writer", c.Group)) {
			t.Errorf("%s: report\n%s", c.What, report)
		}
		shown, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if c.What == vectors.ParityOff && !bytes.Equal(shown, c.Evidence) { // the others show other lanes
			t.Errorf("%s: other evidence", c.What)
		}
		for _, b := range [][]byte{shown, c.Evidence} {
			if got := runs(t, 0, b, "check", id, "-"); got != says {
				t.Errorf("%s: check prints %q, want %q", c.What, got, says)
			}
			runs(t, 1, b[:len(b)-1], "check", id, "-")
			runs(t, 1, append(bytes.Clone(b), 0), "check", id, "-")
			runs(t, 1, append(bytes.Clone(b), make([]byte, 1<<20)...), "check", id, "-")
		}
		if got := runs(t, 0, shown, "check", id, "-", "--json"); !strings.HasPrefix(got, `{"id":"`+id+`","group":`) {
			t.Errorf("%s: check --json prints %q", c.What, got)
		}
		runs(t, 2, nil, "verify", id, "--evidence", store)
		runs(t, 2, nil, "verify", id, "--evidence", "")

		// With all, the first blob in order is the one; repair leaves the group alone.
		os.Remove(file)
		runs(t, 1, nil, "verify", "--all", "--evidence", file)
		if b, err := os.ReadFile(file); err != nil || len(b) == 0 {
			t.Errorf("%s: no evidence with --all: %v", c.What, err)
		}
		os.Remove(file)
		runs(t, 1, nil, "repair", id)
		for i, lane := range []int{0, 2, c.N - 1} {
			name := fmt.Sprintf("lane-%02d", lane)
			b, err := os.ReadFile(filepath.Join(store, id, name))
			if err != nil || !bytes.Equal(b, bad.Objects()[name]) {
				t.Errorf("%s: %d: repair changed %s, %v", c.What, i, name, err)
			}
		}
		runs(t, 1, nil, "verify", id)
	}
}
