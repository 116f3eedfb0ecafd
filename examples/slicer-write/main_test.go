package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	data := make([]byte, 5<<20+12345)
	for i := range data {
		data[i] = byte(rand.Uint32())
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}

	var out bytes.Buffer
	if err := run("", file, nil, &out); err != nil {
		t.Fatal(err)
	}
	want := `^[0-9a-f]{64}\nread back ` + strconv.Itoa(len(data)) + ` bytes from ten lanes of twenty\n$`
	if !regexp.MustCompile(want).Match(out.Bytes()) {
		t.Errorf("printed %q", out.String())
	}

	// The same bytes on standard input, into a store that is there, are the same blob.
	var again bytes.Buffer
	store := t.TempDir()
	if err := run(store, "-", bytes.NewReader(data), &again); err != nil {
		t.Fatal(err)
	}
	if again.String() != out.String() {
		t.Errorf("printed %q, then %q", out.String(), again.String())
	}
	id, _, _ := strings.Cut(again.String(), "\n")
	if _, err := os.Stat(filepath.Join(store, id, "lane-01")); err != nil {
		t.Error(err)
	}
}

func TestRunMissingFile(t *testing.T) {
	var out bytes.Buffer
	err := run("", filepath.Join(t.TempDir(), "none"), nil, &out)
	if !os.IsNotExist(err) || out.Len() != 0 {
		t.Errorf("error %v, output %q", err, out.String())
	}
}
