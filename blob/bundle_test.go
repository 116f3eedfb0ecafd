package blob_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// TestBundleReadsLittle makes bundles of one slice of a blob of 1 GiB, whole and where that slice has to be rebuilt, and
// counts what is read for it: the manifest, a window of roots and a group's leaf hashes, and slices.
func TestBundleReadsLittle(t *testing.T) {
	const most = 64 << 10
	z := newZeros(t, 1<<30)
	h := z.header
	last := h.Groups() - 1
	for _, c := range []struct {
		at   commit.Pos
		lost bool
		most int64
	}{
		{commit.Pos{}, false, most},
		{commit.Pos{Group: 12_345, Lane: 6}, false, most},
		{commit.Pos{Group: 12_345, Lane: 19}, false, most},
		{commit.Pos{Group: last, Lane: h.K - 1}, false, most},
		{commit.Pos{Group: last, Lane: h.N - 1}, false, most},
		{commit.Pos{Group: 12_345, Lane: 6}, true, most + int64(h.K*h.SliceSize)}, // and K others
	} {
		z.lost = ""
		if c.lost {
			z.lost = fmt.Sprintf("lane-%02d", c.at.Lane)
		}
		z.calls.Store(0)
		z.bytes.Store(0)
		var bundle bytes.Buffer
		if err := proof.Write(t.Context(), &bundle, open(t, z, h.ID()), slices.Values([]commit.Pos{c.at})); err != nil {
			t.Fatal(err)
		}
		n, calls := z.bytes.Load(), z.calls.Load()
		if n >= c.most {
			t.Errorf("slice %v: %d bytes read, want fewer than %d", c.at, n, c.most)
		}
		t.Logf("slice %v, lost: %v: %d bytes read in %d calls, of %d that are stored", c.at, c.lost, n, calls, z.stored())
		for s, err := range proof.Open(h.ID(), &bundle, slices.Values([]commit.Pos{c.at})) {
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(s.Bytes(), make([]byte, h.SizeOf(c.at.Group))) {
				t.Errorf("slice %v is another", s.Pos())
			}
		}
	}
}

// TestZeros holds the blob of zeros against one that was written.
func TestZeros(t *testing.T) {
	const length = 3*40960 + 5000
	z, s := newZeros(t, length), blob.NewMem()
	h := write(t, s, blob.Options{}, make([]byte, length))
	if h != z.header {
		t.Fatalf("header %+v, want %+v", z.header, h)
	}
	for _, name := range objects(h) {
		if !bytes.Equal(object(t, z, h.ID(), name), object(t, s, h.ID(), name)) {
			t.Errorf("%s is another", name)
		}
	}
}

// zeros is a store of one blob of zeros, of any length: its objects repeat themselves, and take little memory. It counts
// what is read.
type zeros struct {
	blob.Store   // whose other methods are not called
	header       commit.Header
	objects      map[string]repeated
	lost         string // the name of an object that is not there
	calls, bytes atomic.Int64
}

// repeated is an object: a unit some times, then an end.
type repeated struct {
	unit  []byte
	times int64
	end   []byte
}

func (r repeated) size() int64 { return int64(len(r.unit))*r.times + int64(len(r.end)) }

// copy copies what lies at off into p, and returns how many bytes there are.
func (r repeated) copy(p []byte, off int64) (n int) {
	body := int64(len(r.unit)) * r.times
	for n < len(p) && off < body {
		in := off % int64(len(r.unit))
		k := copy(p[n:], r.unit[in:])
		n, off = n+k, off+int64(k)
	}
	if n < len(p) && off < r.size() {
		n += copy(p[n:], r.end[off-body:])
	}
	return n
}

func newZeros(t *testing.T, length int64) *zeros {
	t.Helper()
	p := commit.Params{K: 10, N: 20, SliceSize: 4096}
	shape := commit.Header{Params: p, Length: length}
	groups := shape.Groups()

	// All slices of a group are zeros, parity too.
	hashes := func(group int) (leaves, root []byte) {
		leaf, roots := make([]commit.Hash, 1), make([]commit.Hash, 1)
		commit.HashLeaves(leaf, [][]byte{make([]byte, shape.SizeOf(group))})
		commit.GroupRoots(roots, slices.Repeat(leaf, p.N), p.N)
		return bytes.Repeat(leaf[0][:], p.N), roots[0][:]
	}
	leaves, root := hashes(0)
	lastLeaves, lastRoot := hashes(groups - 1)

	var b commit.Builder
	b.Add(slices.Repeat([]commit.Hash{commit.Hash(root)}, groups-1))
	b.Add([]commit.Hash{commit.Hash(lastRoot)})
	m, err := b.Manifest(p, length)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	z := &zeros{header: m.Header(), objects: map[string]repeated{
		"manifest": {end: manifest},
		"roots":    {root, int64(groups - 1), lastRoot},
		"leaves":   {leaves, int64(groups - 1), lastLeaves},
	}}
	end := append(make([]byte, shape.SizeOf(groups-1)), manifest[:commit.HeaderLen]...)
	for i := range p.N {
		z.objects[fmt.Sprintf("lane-%02d", i)] = repeated{make([]byte, p.SliceSize), int64(groups - 1), end}
	}
	return z
}

// stored is how many bytes all objects have.
func (z *zeros) stored() (n int64) {
	for _, r := range z.objects {
		n += r.size()
	}
	return n
}

func (z *zeros) Open(_ context.Context, id commit.ID) (blob.Objects, error) {
	if id != z.header.ID() {
		return nil, fs.ErrNotExist
	}
	return z, nil
}

func (z *zeros) ReadAt(_ context.Context, name string, p []byte, off int64) (int, error) {
	r, ok := z.objects[name]
	if !ok || name == z.lost {
		return 0, fs.ErrNotExist
	}
	n := r.copy(p, off)
	z.calls.Add(1)
	z.bytes.Add(int64(n))
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (z *zeros) Size(_ context.Context, name string) (int64, error) {
	r, ok := z.objects[name]
	if !ok || name == z.lost {
		return 0, fs.ErrNotExist
	}
	return r.size(), nil
}

func (z *zeros) Close() error { return nil }
