package commit_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
)

// stream is the generator of the vectors' bytes: see testvectors/README.md.
func stream(seed uint64, n int) []byte {
	var b []byte
	for j := uint64(0); len(b) < n; j++ {
		var x [16]byte
		binary.LittleEndian.PutUint64(x[:], seed)
		binary.LittleEndian.PutUint64(x[8:], j)
		sum := sha256.Sum256(x[:])
		b = append(b, sum[:]...)
	}
	return b[:n]
}

func load(t *testing.T, name string, v any) {
	t.Helper()
	b, err := os.ReadFile("../testvectors/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatal(err)
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEmptyVectors(t *testing.T) {
	var v struct {
		Empty []string
		Join  struct{ Left, Right, Hash string }
	}
	load(t, "tape-tree.json", &v)
	if len(v.Empty) != 32 {
		t.Fatalf("%d empty nodes in the vectors, want 32", len(v.Empty))
	}
	for h, want := range v.Empty {
		if got := commit.Empty(h); !bytes.Equal(got[:], unhex(t, want)) {
			t.Errorf("Empty(%d) = %x, want %s", h, got, want)
		}
	}
	var got [1]commit.Hash
	commit.HashPairs(got[:], []commit.Hash{commit.Hash(unhex(t, v.Join.Left)), commit.Hash(unhex(t, v.Join.Right))})
	if !bytes.Equal(got[0][:], unhex(t, v.Join.Hash)) {
		t.Errorf("join = %x, want %s", got[0], v.Join.Hash)
	}
}

func TestBlobTreeVectors(t *testing.T) {
	var v struct {
		Cases []struct {
			FirstSeed  uint64 `json:"first_seed"`
			SliceLen   int    `json:"slice_len"`
			N          int
			Groups     int
			Height     int
			GroupRoots []string `json:"group_roots"`
			Root       string
			Proofs     []struct {
				Group, Slice int
				Index        int64
				Leaf         string
				Siblings     []string
			}
		}
	}
	load(t, "tape-blob-tree.json", &v)
	if len(v.Cases) != 13 {
		t.Fatalf("%d cases, want 13", len(v.Cases))
	}
	proofs := 0
	for _, c := range v.Cases {
		slices := make([][]byte, 0, c.N*c.Groups)
		for g := range c.Groups {
			for i := range c.N {
				slices = append(slices, stream(c.FirstSeed+uint64(32*g+i), c.SliceLen))
			}
		}
		leaves := make([]commit.Hash, len(slices))
		commit.HashLeaves(leaves, slices)
		roots := make([]commit.Hash, c.Groups)
		commit.GroupRoots(roots, leaves, c.N)
		for g, want := range c.GroupRoots {
			if !bytes.Equal(roots[g][:], unhex(t, want)) {
				t.Errorf("%d groups of %d: root of group %d = %x, want %s", c.Groups, c.N, g, roots[g], want)
			}
		}

		// A code of 1 in n (or 1 in 2, for the vectors' groups of one slice) gives
		// the blob's geometry as many groups.
		p := commit.Params{K: 1, N: max(c.N, 2), SliceSize: 64}
		var b commit.Builder
		b.Add(roots)
		m, err := b.Manifest(p, int64(c.Groups)*64)
		if err != nil {
			t.Fatal(err)
		}
		h := m.Header()
		if !bytes.Equal(h.Root[:], unhex(t, c.Root)) || h.Height() != c.Height {
			t.Errorf("%d groups of %d: root %x at height %d, want %s at %d", c.Groups, c.N, h.Root, h.Height(), c.Root, c.Height)
		}
		windows := make([]*commit.Window, h.Windows())
		for i := range windows {
			lo := i * commit.WindowGroups
			if windows[i], err = m.OpenWindow(i, roots[lo:min(lo+commit.WindowGroups, len(roots))]); err != nil {
				t.Fatal(err)
			}
		}
		for _, proof := range c.Proofs {
			proofs++
			for height, want := range proof.Siblings {
				if height < commit.GroupHeight {
					continue // nodes within a group are package proof's
				}
				n := commit.Node{Height: height, Index: proof.Index>>height ^ 1}
				got, ok := windows[proof.Group/commit.WindowGroups].Node(n)
				if !ok {
					got, ok = m.Node(n)
				}
				if !ok || !bytes.Equal(got[:], unhex(t, want)) {
					t.Errorf("%d groups of %d: node %v = %x, %v, want %s", c.Groups, c.N, n, got, ok, want)
				}
			}
		}
	}
	if proofs == 0 {
		t.Error("no proofs in the vectors")
	}
}

func TestBlobHeaderVectors(t *testing.T) {
	var v struct {
		Cases []struct {
			K, N      int
			SliceSize int `json:"slice_size"`
			LastSlice int `json:"last_slice"`
			Len       int64
			Groups    int
			Header    string
			ID        string
			Objects   map[string]struct{ Len int64 }
		}
	}
	load(t, "blob.json", &v)
	if len(v.Cases) != 95 {
		t.Fatalf("%d cases, want 95", len(v.Cases))
	}
	for _, c := range v.Cases {
		id, err := commit.ParseID(c.ID)
		if err != nil {
			t.Fatal(err)
		}
		b := unhex(t, c.Header)
		h, err := commit.OpenHeader(id, b)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		if want := (commit.Params{K: c.K, N: c.N, SliceSize: c.SliceSize}); h.Params != want || h.Length != c.Len || h.Groups() != c.Groups || h.ID() != id {
			t.Errorf("%s: opened as %+v", c.ID, h)
		}
		if c.Groups > 0 && h.SizeOf(c.Groups-1) != c.LastSlice {
			t.Errorf("%s: last slices of %d bytes, want %d", c.ID, h.SizeOf(c.Groups-1), c.LastSlice)
		}
		if got, err := h.AppendBinary(nil); err != nil || !bytes.Equal(got, b) {
			t.Errorf("%s: encoded as %x, %v", c.ID, got, err)
		}
		if got, want := h.LaneOffset(h.Groups())+commit.HeaderLen, c.Objects["lane-00"].Len; got != want {
			t.Errorf("%s: lane of %d bytes, want %d", c.ID, got, want)
		}
		if got, want := h.ManifestLen(), c.Objects["manifest"].Len; got != want {
			t.Errorf("%s: manifest of %d bytes, want %d", c.ID, got, want)
		}
	}
}
