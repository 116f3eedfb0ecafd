package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	data := make([]byte, 3<<20+12345)
	for i := range data {
		data[i] = byte(rand.Uint32())
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var out, log bytes.Buffer
	if err := run(file, nil, &out, &log); err != nil {
		t.Fatal(err)
	}
	want := `^[0-9a-f]{64}\nread 100000 bytes of 3158073 over HTTP, [1-9][0-9]* slices rebuilt\n` +
		`read 100000 bytes with proofs: the same, and true of the ID\n$`
	if !regexp.MustCompile(want).MatchString(out.String()) {
		t.Errorf("printed %q", out.String())
	}
	if n := strings.Count(log.String(), "msg=request"); n != 3 {
		t.Errorf("%d requests in the log, want 3: %s", n, log.String())
	}
}

func TestRunSmall(t *testing.T) {
	for _, text := range []string{"", "x", "a few words"} {
		var out, log bytes.Buffer
		if err := run("-", strings.NewReader(text), &out, &log); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestRunMissingFile(t *testing.T) {
	var out, log bytes.Buffer
	if err := run(filepath.Join(t.TempDir(), "none"), nil, &out, &log); !os.IsNotExist(err) || out.Len() != 0 {
		t.Errorf("error %v, output %q", err, out.String())
	}
}
