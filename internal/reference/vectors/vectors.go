// Package vectors gives tests the values of the folder testvectors, whose README says what they are and
// where they come from. Each function reads one file and ends the test where the file is not there, holds
// a field that its type lacks, or has another number of values than it should have, so that a test over an
// emptied file cannot pass.
package vectors

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Hash is 32 bytes, in hex.
type Hash [32]byte

// UnmarshalText takes 64 hex digits.
func (h *Hash) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(string(text))
	if err == nil && len(b) != len(h) {
		err = errors.New("vectors: a hash is 32 bytes")
	}
	copy(h[:], b)
	return err
}

// Hex is any bytes, in hex.
type Hex []byte

// UnmarshalText takes an even number of hex digits.
func (h *Hex) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

// load reads a file into its type.
func load(t testing.TB, name string, into any) {
	t.Helper()
	file := open(t, name)
	defer file.Close()
	values := json.NewDecoder(file)
	values.DisallowUnknownFields()
	if err := values.Decode(into); err != nil {
		t.Fatalf("vectors: %s: %v", name, err)
	}
}

// open finds testvectors in a folder above that of the package under test, where its tests run.
func open(t testing.TB, name string) *os.File {
	t.Helper()
	up := "testvectors"
	for range 8 {
		if file, err := os.Open(filepath.Join(up, name)); err == nil {
			return file
		}
		up = filepath.Join("..", up)
	}
	t.Fatalf("vectors: no testvectors/%s in the folders above", name)
	return nil
}

// count ends the test where a file has another number of values than it should have.
func count(t testing.TB, what string, have, want int) {
	t.Helper()
	if have != want {
		t.Fatalf("vectors: %d %s, want %d", have, what, want)
	}
}
