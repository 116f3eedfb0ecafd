package proof_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof"
)

// tree is a proof.Tree over a blob of the second model, all in memory. What it yields
// lasts until the next slice and no longer: then the memory holds other bytes.
type tree struct {
	t  testing.TB
	b  *reference.Blob
	m  *commit.Manifest
	ws []*commit.Window

	mu     sync.Mutex // of leaves, which are for one goroutine at a time
	leaves []proof.Leaves

	lost     map[int64]bool // positions without a slice
	rebuild  bool           // make lost slices of the others
	short    int            // where not zero, Slices ends after so many, without an error
	noHashes error          // of Hashes
	yielded  atomic.Int64   // slices
}

// errLost is what a lost slice gives.
var errLost = errors.New("lost")

func newTree(t testing.TB, b *reference.Blob) *tree {
	t.Helper()
	m, err := commit.OpenManifest(b.ID(), b.Objects()["manifest"])
	if err != nil {
		t.Fatal(err)
	}
	tr := &tree{t: t, b: b, m: m}
	for i := range m.Header().Windows() {
		var roots []commit.Hash
		for g := i * commit.WindowGroups; g < min((i+1)*commit.WindowGroups, m.Header().Groups()); g++ {
			roots = append(roots, b.Node(commit.GroupHeight, int64(g)))
		}
		w, err := m.OpenWindow(i, roots)
		if err != nil {
			t.Fatal(err)
		}
		tr.ws = append(tr.ws, w)
		tr.leaves = append(tr.leaves, proof.Leaves{})
		if bad := tr.leaves[i].Load(w, w.First(), tr.leafHashes(w.First(), w.First()+len(roots))); bad != nil {
			t.Fatalf("leaf hashes of groups %v refused", bad)
		}
	}
	return tr
}

// makeTree is a tree over n bytes of the vectors' generator.
func makeTree(t testing.TB, p commit.Params, seed uint64, n int) *tree {
	t.Helper()
	return newTree(t, reference.Make(reference.Params{K: p.K, N: p.N, SliceSize: p.SliceSize}, reference.Stream(seed, n)))
}

// smallTree has three groups of 3 of 5 slices, the last of them short.
func smallTree(t testing.TB) *tree {
	return makeTree(t, commit.Params{K: 3, N: 5, SliceSize: 192}, 1, 1252)
}

// runTree has groups of 2 of 3 slices of 64 bytes, whole runs of them and 8 more, of
// which the last holds one byte.
func runTree(t testing.TB, runs int) *tree {
	return makeTree(t, commit.Params{K: 2, N: 3, SliceSize: 64}, 2, 128*(64*runs+7)+1)
}

// randomTree is a small tree of any shape.
func randomTree(t testing.TB, rng *rand.Rand, groups int) *tree {
	n := 2 + rng.IntN(19)
	p := commit.Params{K: 1 + rng.IntN(n-1), N: n, SliceSize: 64 * (1 + rng.IntN(3))}
	group := p.K * p.SliceSize
	return makeTree(t, p, rng.Uint64(), group*(groups-1)+1+rng.IntN(group))
}

func (tr *tree) Header() commit.Header { return tr.m.Header() }

func (tr *tree) id() commit.ID { return tr.m.ID() }

func (tr *tree) Slices(ctx context.Context, at iter.Seq[commit.Pos]) iter.Seq2[proof.Slice, error] {
	return func(yield func(proof.Slice, error) bool) {
		h := tr.Header()
		o := opener{tr: tr, buf: make([]byte, h.SliceSize)}
		n := 0
		for p := range at {
			if err := ctx.Err(); err != nil {
				yield(proof.Slice{}, err)
				return
			}
			if !h.Has(p) {
				yield(proof.Slice{}, fmt.Errorf("no slice %v", p))
				return
			}
			if n++; tr.short > 0 && n > tr.short {
				return
			}
			var s proof.Slice
			var err error
			if body := tr.body(h.Position(p)); body == nil {
				err = fmt.Errorf("slice %v: %w", p, errLost)
			} else {
				s = o.open(p, body)
			}
			tr.yielded.Add(1)
			more := yield(s, err)
			for i := range o.buf {
				o.buf[i] = 0xaa
			}
			if !more {
				return
			}
		}
	}
}

// body returns a slice as it is stored, or nil.
func (tr *tree) body(position int64) []byte {
	if !tr.lost[position] {
		return tr.b.Slices[position]
	}
	if !tr.rebuild {
		return nil
	}
	group, lane := position/int64(tr.b.N), position%int64(tr.b.N)
	have := make([][]byte, tr.b.N)
	for i := range have {
		if at := group*int64(tr.b.N) + int64(i); !tr.lost[at] {
			have[i] = tr.b.Slices[at]
		}
	}
	return reference.EncodeGroup(tr.b.N, reference.DecodeGroup(tr.b.K, have))[lane]
}

// opener makes slices in memory that it reuses.
type opener struct {
	tr   *tree
	buf  []byte
	at   [1]commit.Pos
	data [1][]byte
	out  [1]proof.Slice
}

func (o *opener) open(p commit.Pos, body []byte) proof.Slice {
	o.at[0], o.data[0] = p, o.buf[:copy(o.buf, body)]
	o.tr.mu.Lock()
	o.tr.leaves[p.Group/commit.WindowGroups].Open(o.out[:], o.at[:], o.data[:])
	o.tr.mu.Unlock()
	if !o.out[0].Valid() {
		o.tr.t.Fatalf("slice %v refused", p)
	}
	return o.out[0]
}

func (tr *tree) Hashes(ctx context.Context, dst []commit.Hash, at []commit.Node) error {
	if tr.noHashes != nil {
		return tr.noHashes
	}
	for i, n := range at {
		dst[i] = tr.b.Node(n.Height, n.Index)
	}
	return ctx.Err()
}

// at returns the slices at some positions.
func (tr *tree) at(positions ...int64) []commit.Pos {
	at := make([]commit.Pos, len(positions))
	for i, p := range positions {
		at[i] = tr.Header().PosAt(p)
	}
	return at
}

// positions is what at was made of.
func (tr *tree) positions(at []commit.Pos) []int64 {
	positions := make([]int64, len(at))
	for i, p := range at {
		positions[i] = tr.Header().Position(p)
	}
	return positions
}

// randomSet is a set of slices, about one of each so many.
func (tr *tree) randomSet(rng *rand.Rand, oneOf int) []commit.Pos {
	var set []int64
	for p := range tr.b.Positions() {
		if rng.IntN(oneOf) == 0 {
			set = append(set, p)
		}
	}
	if set == nil {
		set = []int64{rng.Int64N(tr.b.Positions())}
	}
	return tr.at(set...)
}

// bodies returns the slices themselves.
func (tr *tree) bodies(at []commit.Pos) [][]byte {
	b := make([][]byte, len(at))
	for i, p := range at {
		b[i] = tr.b.Slices[tr.Header().Position(p)]
	}
	return b
}

// prove returns the proof of a set.
func (tr *tree) prove(at []commit.Pos) []byte {
	tr.t.Helper()
	b, err := proof.Append(tr.t.Context(), nil, tr, at)
	if err != nil {
		tr.t.Fatal(err)
	}
	return b
}

// claim returns a claim that holds, made by the second model.
func (tr *tree) claim(positions ...int64) proof.Claim {
	at := tr.at(positions...)
	return proof.Claim{ID: tr.id(), At: at, Slices: tr.bodies(at), Proof: tr.b.Proof(positions)}
}

// isSlice reports whether s is the slice of the blob that it says it is.
func (tr *tree) isSlice(s proof.Slice) bool {
	return s.Valid() && s.Header() == tr.Header() && bytes.Equal(s.Bytes(), tr.b.Slices[tr.Header().Position(s.Pos())])
}

// wantRule reports an error that does not name the rule.
func wantRule(t testing.TB, what string, err error, want commit.Rule) {
	t.Helper()
	var got commit.Rule
	if !errors.As(err, &got) || got != want {
		t.Errorf("%s: %v, want an error that %v", what, err, want)
	}
}

// live returns how many bytes are in use.
func live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// probe calls f once, when n bytes have passed through it.
type probe struct {
	n int
	f func()
}

func (p *probe) Write(b []byte) (int, error) {
	if n := p.n; n > 0 {
		if p.n -= len(b); p.n <= 0 {
			p.f()
		}
	}
	return len(b), nil
}

// allocated returns how many bytes f allocates, other goroutines included.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// fewestAllocs returns the number of allocations of a run of f in its steady state. The
// fewest of some runs, for a sync.Pool forgets now and then.
func fewestAllocs(f func()) float64 {
	fewest := testing.AllocsPerRun(1, f)
	for range 20 {
		fewest = min(fewest, testing.AllocsPerRun(1, f))
	}
	return fewest
}
