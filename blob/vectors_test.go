package blob_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
)

// vector is a blob of testvectors/blob.json.
type vector struct {
	K, N      int
	SliceSize int `json:"slice_size"`
	Len       int
	Seed      uint64
	Header    string
	ID        commit.ID
	Objects   map[string]struct {
		Len    int64
		SHA256 string
	}
}

func (v vector) params() commit.Params { return commit.Params{K: v.K, N: v.N, SliceSize: v.SliceSize} }

func (v vector) String() string {
	return fmt.Sprintf("%d of %d slices of %d, %d bytes", v.K, v.N, v.SliceSize, v.Len)
}

func vectors(t *testing.T) []vector {
	b, err := os.ReadFile("../testvectors/blob.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []vector }
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) == 0 {
		t.Fatal("no vectors")
	}
	return file.Cases
}

// stream is the byte generator of the vectors.
func stream(seed uint64, n int) []byte {
	var b []byte
	for i := uint64(0); len(b) < n; i++ {
		block := sha256.Sum256(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, seed), i))
		b = append(b, block[:]...)
	}
	return b[:n]
}

func TestVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.String(), func(t *testing.T) {
			plain := stream(v.Seed, v.Len)
			s := blob.NewMem()
			h := write(t, s, blob.Options{Params: v.params()}, plain)
			if h.ID() != v.ID {
				t.Fatalf("ID %v, want %v", h.ID(), v.ID)
			}
			if b, err := h.AppendBinary(nil); err != nil || hex.EncodeToString(b) != v.Header {
				t.Errorf("header %x, %v, want %s", b, err, v.Header)
			}
			for name, want := range v.Objects {
				b := object(t, s, v.ID, name)
				if sum := sha256.Sum256(b); int64(len(b)) != want.Len || hex.EncodeToString(sum[:]) != want.SHA256 {
					t.Errorf("%s of %d bytes with SHA-256 %x, want %d and %s", name, len(b), sum, want.Len, want.SHA256)
				}
			}
			if got := read(t, s, v.ID); !bytes.Equal(got, plain) {
				t.Error("read gives other bytes than were written")
			}
		})
	}
}
