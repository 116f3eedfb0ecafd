package slicer_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/slicer"
)

// TestCodes compares every code with the model, and rebuilds from the last k lanes.
func TestCodes(t *testing.T) {
	for n := 2; n <= commit.MaxSlices; n++ {
		for k := 1; k < n; k++ {
			p := commit.Params{K: k, N: n, SliceSize: 64}
			b := newBatch(t, p, 2)
			b.Append(random(uint64(n<<8|k), 64*k+64*k/2+1))
			b.Finish()
			b.Encode(0, 2)
			for g := range 2 {
				group := b.Slices()[g*n : (g+1)*n]
				for i, s := range group {
					if !bytes.Equal(s, modelLane(group[:k], i)) {
						t.Fatalf("k=%d, n=%d: slice %d:%d differs from the model", k, n, g, i)
					}
				}
			}
			all := commit.Lanes(1)<<n - 1
			last := all &^ (1<<(n-k) - 1)
			rebuild(t, b, p, slicer.Loss{Lo: 0, Hi: 2, Have: last, Want: all &^ last})
		}
	}
}

// rebuild destroys the lanes of l that are not among the first K it has, rebuilds
// those wanted and compares all lanes: those neither had nor wanted stay destroyed.
func rebuild(t *testing.T, b *slicer.Batch, p commit.Params, l slicer.Loss) {
	t.Helper()
	whole := make([][]byte, p.N)
	for i := range whole {
		whole[i] = slices.Clone(b.Lane(i))
	}
	used := 0
	wiped := make([]bool, p.N)
	for i := range p.N {
		if l.Have.Has(i) && used < p.K {
			used++
			continue
		}
		wiped[i] = true
		for g := l.Lo; g < l.Hi; g++ {
			s := b.Slices()[g*p.N+i]
			for j := range s {
				s[j] = ^s[j]
			}
		}
	}
	if err := b.Rebuild(l); err != nil {
		t.Fatalf("%+v: %v", l, err)
	}
	for i := range p.N {
		if wiped[i] && !l.Want.Has(i) {
			for g := l.Lo; g < l.Hi; g++ {
				s := b.Slices()[g*p.N+i]
				for j := range s {
					s[j] = ^s[j]
				}
			}
		}
		if !bytes.Equal(b.Lane(i), whole[i]) {
			t.Fatalf("%+v: lane %d differs", l, i)
		}
	}
}

func TestEncodeRanges(t *testing.T) {
	p := commit.Params{K: 4, N: 7, SliceSize: 128}
	const groups = 5
	plain := random(1, groups*p.K*p.SliceSize-300)
	want := newBatch(t, p, groups)
	want.Append(plain)
	want.Finish()
	for g := range groups {
		want.Encode(g, g+1)
	}
	for lo := range groups + 1 {
		for hi := lo; hi <= groups; hi++ {
			b := newBatch(t, p, groups)
			b.Append(plain)
			b.Finish()
			b.Encode(lo, hi)
			for i := range p.N {
				w := slices.Clone(want.Lane(i))
				if i >= p.K {
					for g := range groups {
						if g < lo || g >= hi {
							clear(w[g*p.SliceSize : min((g+1)*p.SliceSize, len(w))])
						}
					}
				}
				if !bytes.Equal(b.Lane(i), w) {
					t.Fatalf("Encode(%d, %d): lane %d differs", lo, hi, i)
				}
			}
		}
	}
}

// TestEncodeForgets wants parity that depends on the data alone, not on what the
// lanes held before.
func TestEncodeForgets(t *testing.T) {
	for _, p := range []commit.Params{{K: 10, N: 20, SliceSize: 64}, {K: 2, N: 20, SliceSize: 64}, {K: 17, N: 20, SliceSize: 64}} {
		fresh, used := newBatch(t, p, 2), newBatch(t, p, 2)
		for n := range 2 * 64 {
			used.Reset(used.Cap())
			for i := range p.N {
				copy(used.Lane(i), random(uint64(n*p.N+i), len(used.Lane(i))))
			}
			for _, b := range []*slicer.Batch{fresh, used} {
				b.Reset(0)
				b.Append(random(uint64(n), n*p.K))
				b.Finish()
				b.Encode(0, b.Groups())
			}
			for i := range p.N {
				if !bytes.Equal(fresh.Lane(i), used.Lane(i)) {
					t.Fatalf("%v, %d bytes: lane %d differs", p, n*p.K, i)
				}
			}
		}
	}
}

func TestRebuild(t *testing.T) {
	for _, p := range []commit.Params{
		{K: 10, N: 20, SliceSize: 64}, {K: 1, N: 2, SliceSize: 64}, {K: 1, N: 20, SliceSize: 128},
		{K: 19, N: 20, SliceSize: 64}, {K: 12, N: 20, SliceSize: 192}, {K: 5, N: 16, SliceSize: 64},
	} {
		t.Run(fmt.Sprintf("%d of %d", p.K, p.N), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			const groups = 4
			b := newBatch(t, p, groups)
			b.Append(random(3, groups*p.K*p.SliceSize-p.K*p.SliceSize/2))
			b.Finish()
			b.Encode(0, groups)
			for range 300 {
				l := slicer.Loss{Lo: r.IntN(groups + 1)}
				l.Hi = l.Lo + r.IntN(groups+1-l.Lo)
				order := r.Perm(p.N)
				for _, i := range order[:p.K+r.IntN(p.N-p.K+1)] {
					l.Have |= 1 << i
				}
				for _, i := range order[r.IntN(p.N+1):] {
					l.Want |= 1 << i
				}
				rebuild(t, b, p, l)
			}
		})
	}
}

func TestRebuildTooFew(t *testing.T) {
	p := commit.Params{K: 3, N: 6, SliceSize: 64}
	b := newBatch(t, p, 2)
	b.Append(random(1, 2*3*64))
	b.Finish()
	b.Encode(0, 2)
	before := slices.Clone(b.Lane(5))
	for _, have := range []commit.Lanes{0, 1, 0b100010, 0b11} {
		if err := b.Rebuild(slicer.Loss{Lo: 0, Hi: 2, Have: have, Want: 1 << 5}); err == nil {
			t.Errorf("lanes %#b are enough", have)
		}
	}
	if !bytes.Equal(b.Lane(5), before) {
		t.Error("a lane changed")
	}
}

// TestRebuildTrusts shows what a caller has to know: wrong lanes rebuild wrong
// lanes, and nobody notices.
func TestRebuildTrusts(t *testing.T) {
	p := commit.Params{K: 3, N: 6, SliceSize: 64}
	b := newBatch(t, p, 1)
	b.Append(random(1, 3*64))
	b.Finish()
	b.Encode(0, 1)
	want := slices.Clone(b.Lane(0))
	b.Lane(1)[7] ^= 1
	if err := b.Rebuild(slicer.Loss{Lo: 0, Hi: 1, Have: 0b111110, Want: 1}); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(b.Lane(0), want) {
		t.Error("lane 0 is right, made of a lane that is not")
	}
}

// TestLossPatterns rebuilds for 200,000 sets of lanes, more than there are of ten
// in twenty, and wants the memory that it took to be free again.
func TestLossPatterns(t *testing.T) {
	patterns := 200_000
	if testing.Short() {
		patterns = 5_000
	}
	p := commit.Params{K: 10, N: 20, SliceSize: 64}
	b := newBatch(t, p, 1)
	b.Append(random(1, 640))
	b.Finish()
	b.Encode(0, 1)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what lay in a pool goes with the second
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	r := rand.New(rand.NewPCG(1, 2))
	before := heap()
	for range patterns {
		l := slicer.Loss{Lo: 0, Hi: 1}
		for _, i := range r.Perm(20)[:10] {
			l.Have |= 1 << i
		}
		lost := (1<<20 - 1) &^ l.Have
		l.Want = lost & -lost
		if err := b.Rebuild(l); err != nil {
			t.Fatal(err)
		}
	}
	if grown := int64(heap()) - int64(before); grown > 256<<10 {
		t.Errorf("%d patterns left %d bytes behind", patterns, grown)
	}
	checkPlain(t, b, p, random(1, 640))
	runtime.KeepAlive(b)
}

// TestAllocations counts what a batch allocates for each use: nothing for a group,
// and nothing of ours for a call. The coder keeps its tables in a pool whose every
// use costs one header, and more where a code has over ten lanes of a kind.
func TestAllocations(t *testing.T) {
	for _, c := range []struct {
		p     commit.Params
		coder float64
	}{
		{commit.Params{K: 10, N: 20, SliceSize: 256}, 1},
		{commit.Params{K: 7, N: 20, SliceSize: 256}, 2},
		{commit.Params{K: 16, N: 20, SliceSize: 256}, 2},
	} {
		t.Run(fmt.Sprintf("%d of %d", c.p.K, c.p.N), func(t *testing.T) {
			if raceDetector {
				c.coder += 2 // a sync.Pool forgets a quarter of what it is given
			}
			b := newBatch(t, c.p, 64)
			plain := random(1, b.Cap()-100)
			src := bytes.NewReader(plain)
			var sizes int
			for _, use := range []struct {
				name string
				most float64
				f    func()
			}{
				{"Append", 0, func() { b.Reset(0); b.Append(plain); b.Finish() }},
				{"Fill", 0, func() {
					src.Seek(0, io.SeekStart)
					if n, err := b.Fill(src); n != len(plain) || err != io.EOF {
						t.Fatal(n, err)
					}
				}},
				{"Lane, Slices", 0, func() { sizes = len(b.Lane(3)) + len(b.Slices()) }},
				{"Encode", c.coder, func() { b.Encode(0, 64) }},
				{"Rebuild", c.coder, func() {
					if err := b.Rebuild(slicer.Loss{Lo: 0, Hi: 64, Have: 0xffff8, Want: 7}); err != nil {
						t.Fatal(err)
					}
				}},
				{"Reset", 0, func() { b.Reset(len(plain)); b.Reset(len(plain) / 2) }},
			} {
				if got := testing.AllocsPerRun(20, use.f); got > use.most {
					t.Errorf("%s: %v allocations, want at most %v", use.name, got, use.most)
				}
			}
			_ = sizes
		})
	}
}
