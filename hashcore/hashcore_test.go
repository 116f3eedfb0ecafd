package hashcore

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// TestMain prints which kernels the run covers, so that a log shows what was not.
func TestMain(m *testing.M) {
	for _, k := range Kernels() {
		if k.Err != nil {
			fmt.Printf("kernel %s: cannot run here: %v\n", k.Name, k.Err)
		} else {
			fmt.Printf("kernel %s: tested\n", k.Name)
		}
	}
	os.Exit(m.Run())
}

// eachKernel runs f with every kernel that this machine can run pinned in turn, with the
// choice made at start, and with what other machines would choose, where this one can.
func eachKernel(t *testing.T, f func(t *testing.T)) {
	t.Cleanup(func() { Pin("") })
	for _, k := range Kernels() {
		if k.Err != nil {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			if err := Pin(k.Name); err != nil {
				t.Fatal(err)
			}
			f(t)
		})
	}
	for name, p := range otherPlans() {
		t.Run(name, func(t *testing.T) {
			current.Store(&p)
			f(t)
		})
	}
	t.Run("default", func(t *testing.T) {
		if err := Pin(""); err != nil {
			t.Fatal(err)
		}
		f(t)
	})
}

// plainGo tells whether the kernel in use is the generic one, some thirty times slower than
// the others.
func plainGo() bool {
	p := current.Load()
	return p.lanes > 0 && p.by == alone(generic).by
}

// prefixes are none, one byte, tape's, Solana's, and lengths around whole blocks.
var prefixes = []string{
	"", "\x00", "LEAF", "\x00SOLANA_MERKLE_SHREDS_LEAF",
	strings.Repeat("p", 55), strings.Repeat("q", 63), strings.Repeat("r", 64), strings.Repeat("s", 65), strings.Repeat("t", 200),
}

// random returns n bytes that depend on n alone.
func random(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n), byte(n >> 8)}).Read(b)
	return b
}

// want is the digest by crypto/sha256.
func want(parts ...[]byte) (d Digest) {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	h.Sum(d[:0])
	return d
}

// checkSum hashes a batch, with room before and behind the digests that must stay as it is.
func checkSum(t *testing.T, prefix string, msgs [][]byte) {
	t.Helper()
	const margin = 2
	canary := Digest{0: 0xa5, 31: 0x5a}
	room := make([]Digest, len(msgs)+2*margin)
	for i := range room {
		room[i] = canary
	}
	dst := room[margin : margin+len(msgs)]
	Sum(dst, prefix, msgs)
	for i, m := range msgs {
		if w := want([]byte(prefix), m); dst[i] != w {
			t.Fatalf("message %d of %d, %d+%d bytes:\n got %x\nwant %x", i, len(msgs), len(prefix), len(m), dst[i], w)
		}
	}
	for i := range margin {
		if room[i] != canary || room[len(room)-1-i] != canary {
			t.Fatalf("batch of %d: wrote outside its output", len(msgs))
		}
	}
}

// lengths are 0 to 300 and those around each block edge up to a full slice, or every
// seventh: the padding grows by a block nine bytes before the edge, and a prefix moves all
// of it.
func lengths() []int {
	var ns []int
	for n := range 301 {
		ns = append(ns, n)
	}
	step := blockSize
	if testing.Short() {
		step *= 7
	}
	for edge := 320; edge <= 4160; edge += step {
		for n := edge - 14; n <= edge+2; n++ {
			ns = append(ns, n)
		}
		for n := edge - 31; n <= edge-25; n++ {
			ns = append(ns, n)
		}
	}
	for n := 4160; n <= 4200; n++ {
		ns = append(ns, n)
	}
	return ns
}

func TestSumLengths(t *testing.T) {
	data := random(5000)
	eachKernel(t, func(t *testing.T) {
		for _, prefix := range prefixes {
			for _, n := range lengths() {
				// A few lanes of one length, each its own bytes: swapped lanes show.
				msgs := [][]byte{data[:n], data[1 : 1+n], data[2 : 2+n]}
				checkSum(t, prefix, msgs[:1+n%3])
			}
		}
	})
}

func TestSumAlignments(t *testing.T) {
	data := random(400)
	eachKernel(t, func(t *testing.T) {
		for at := range 64 {
			var msgs [][]byte
			for l := range 17 {
				msgs = append(msgs, data[at+l:][:200+l])
			}
			checkSum(t, "LEAF", msgs)
		}
		// Output at every offset: digests lie in bytes, as they do in a stored object.
		for at := range 64 {
			out := make([]byte, at+20*len(Digest{}))
			var msgs [][]byte
			for l := range 20 {
				msgs = append(msgs, data[:100+l])
			}
			Sum(digests(out[at:]), "LEAF", msgs)
			for i, m := range msgs {
				if w := want([]byte("LEAF"), m); !bytes.Equal(out[at+32*i:][:32], w[:]) {
					t.Fatalf("output at offset %d, message %d: wrong", at, i)
				}
			}
		}
	})
}

func TestSumBatches(t *testing.T) {
	data := random(5000)
	eachKernel(t, func(t *testing.T) {
		step := 1
		if testing.Short() {
			step = 3
		}
		for size := 0; size <= 72; size += step {
			equal, short, mixed := make([][]byte, size), make([][]byte, size), make([][]byte, size)
			rng := rand.New(rand.NewPCG(1, uint64(size)))
			for i := range size {
				equal[i], short[i] = data[i:][:300], data[i:][:60]
				at := rng.IntN(500)
				mixed[i] = data[at:][:mixedLength(rng)]
			}
			for _, prefix := range prefixes[:4] {
				checkSum(t, prefix, equal)
				checkSum(t, prefix, short)
				checkSum(t, prefix, mixed)
			}
		}
	})
}

// mixedLength favours short messages and those around block edges, and has some long ones.
func mixedLength(rng *rand.Rand) int {
	switch rng.IntN(4) {
	case 0:
		return rng.IntN(3)
	case 1:
		return max(0, blockSize*rng.IntN(8)+rng.IntN(20)-14)
	case 2:
		return rng.IntN(4200)
	default:
		return rng.IntN(130)
	}
}

// TestSumNil has messages that are nil beside empty ones.
func TestSumNil(t *testing.T) {
	eachKernel(t, func(t *testing.T) {
		checkSum(t, "", nil)
		checkSum(t, "", [][]byte{nil, {}, nil, {1}, nil})
		checkSum(t, "LEAF", [][]byte{nil, {}, nil, {1}, nil})
	})
}

// TestSumLong has a message of more blocks than one kernel call takes, alone and beside
// short ones.
func TestSumLong(t *testing.T) {
	long := random(2*1024*blockSize + 77)
	eachKernel(t, func(t *testing.T) {
		checkSum(t, "LEAF", [][]byte{long})
		checkSum(t, "LEAF", [][]byte{long[:9], long, long[:4096], nil, long[1:], long[:64]})
	})
}

var schemes = []struct {
	name string
	f    Labels
}{
	{"tape", Labels{"LEFT", "RIGHT", 32}},
	{"rfc6962", Labels{"\x01", "", 32}},
	{"shred", Labels{"\x01SOLANA_MERKLE_SHREDS_NODE", "", 20}},
	{"bare", Labels{"", "", 32}},
	{"half", Labels{"LEFT", "RIGHT", 16}},
	{"less than half", Labels{"LEFT", "RIGHT", 15}},
	{"odd", Labels{"LEFT", "RIGHT", 31}},
	{"one block", Labels{"L", "R", 20}},
	{"labels alone", Labels{"LEFT", "RIGHT", 0}},
	{"longest", Labels{strings.Repeat("l", 30), strings.Repeat("r", 25), 32}},
	{"ends before the length", Labels{"", strings.Repeat("r", 15), 20}},
	{"ends in the length", Labels{strings.Repeat("l", 16), "", 20}},
}

func TestSumPairs(t *testing.T) {
	nodes := digests(random(2 * 70 * 32))
	eachKernel(t, func(t *testing.T) {
		for _, s := range schemes {
			t.Run(s.name, func(t *testing.T) {
				for size := range 71 {
					wants := make([]Digest, size)
					for i := range wants {
						wants[i] = want([]byte(s.f.Left), nodes[2*i][:s.f.Width], []byte(s.f.Right), nodes[2*i+1][:s.f.Width])
					}
					from := append([]Digest(nil), nodes[:2*size]...)
					dst := make([]Digest, size+1)
					SumPairs(dst[:size], s.f, from)
					for i := range wants {
						if dst[i] != wants[i] {
							t.Fatalf("pair %d of %d: got %x, want %x", i, size, dst[i], wants[i])
						}
					}
					if dst[size] != (Digest{}) {
						t.Fatalf("%d pairs: wrote outside its output", size)
					}
					for i := range from {
						if from[i] != nodes[i] {
							t.Fatalf("%d pairs: changed node %d", size, i)
						}
					}
					SumPairs(from[:size], s.f, from)
					for i := range wants {
						if from[i] != wants[i] {
							t.Fatalf("in place, pair %d of %d: got %x, want %x", i, size, from[i], wants[i])
						}
					}
					for i := size; i < 2*size; i++ {
						if from[i] != nodes[i] {
							t.Fatalf("in place, %d pairs: changed node %d", size, i)
						}
					}
				}
			})
		}
	})
}

func TestSumPairsAlignments(t *testing.T) {
	data := random(64 + 40*32)
	tape := schemes[0].f
	eachKernel(t, func(t *testing.T) {
		for at := range 64 {
			nodes := digests(data[at:][:40*32])
			out := make([]byte, at+20*32)
			SumPairs(digests(out[at:]), tape, nodes)
			for i := range 20 {
				w := want([]byte("LEFT"), nodes[2*i][:], []byte("RIGHT"), nodes[2*i+1][:])
				if !bytes.Equal(out[at+32*i:][:32], w[:]) {
					t.Fatalf("offset %d, pair %d: wrong", at, i)
				}
			}
		}
	})
}

func TestPanics(t *testing.T) {
	three := make([]Digest, 3)
	two := three[:2]
	for _, c := range []struct {
		name string
		f    func()
		want string
	}{
		{"too few digests", func() { Sum(two, "", make([][]byte, 3)) }, "hashcore: Sum: room for 2 digests, but 3 messages"},
		{"too many digests", func() { Sum(two, "", nil) }, "hashcore: Sum: room for 2 digests, but 0 messages"},
		{"odd nodes", func() { SumPairs(two[:1], Labels{}, three) }, "hashcore: SumPairs: room for 1 digests, but 3 nodes"},
		{"too few nodes", func() { SumPairs(two, Labels{}, two) }, "hashcore: SumPairs: room for 2 digests, but 2 nodes"},
		{"negative width", func() { SumPairs(two[:1], Labels{Width: -1}, two) }, "hashcore: SumPairs: width -1, want 0 to 32"},
		{"too wide", func() { SumPairs(two[:1], Labels{Width: 33}, two) }, "hashcore: SumPairs: width 33, want 0 to 32"},
		{"three blocks", func() { SumPairs(two[:1], Labels{Left: strings.Repeat("l", 56), Width: 32}, two) }, "hashcore: SumPairs: a framed pair has 120 bytes, more than 119"},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if got := recover(); got != c.want {
					t.Fatalf("panic %v, want %q", got, c.want)
				}
			}()
			c.f()
		})
	}
}

func TestAllocs(t *testing.T) {
	long := strings.Repeat("s", 200)
	data := random(4200)
	eachKernel(t, func(t *testing.T) {
		count := func(name string, f func()) {
			if n := testing.AllocsPerRun(20, f); n != 0 {
				t.Errorf("%s: %v allocations a batch", name, n)
			}
		}
		for _, prefix := range []string{"", "LEAF", long} {
			count(fmt.Sprintf("Sum with a prefix of %d", len(prefix)), func() {
				// Made here: nothing that is passed may escape either.
				var body [100]byte
				var dst [21]Digest
				var msgs [21][]byte
				for i := range 20 {
					msgs[i] = data[:4096-200*i]
				}
				msgs[20] = body[:]
				Sum(dst[:], prefix, msgs[:])
			})
		}
		count("SumPairs", func() {
			var nodes [40]Digest
			SumPairs(nodes[:20], Labels{"LEFT", "RIGHT", 32}, nodes[:])
		})
	})
}

func FuzzSum(f *testing.F) {
	f.Add("LEAF", []byte("some bytes"), uint8(21), uint64(1))
	f.Add("", []byte{}, uint8(0), uint64(2))
	f.Add(strings.Repeat("p", 64), random(4096), uint8(40), uint64(3))
	f.Fuzz(func(t *testing.T, prefix string, data []byte, count uint8, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 0))
		msgs := make([][]byte, count)
		wants := make([]Digest, count)
		for i := range msgs {
			at := rng.IntN(len(data) + 1)
			msgs[i] = data[at:][:rng.IntN(len(data)-at+1)]
			wants[i] = want([]byte(prefix), msgs[i])
		}
		dst := make([]Digest, count)
		eachKernelOf(t, func(kernel string) {
			Sum(dst, prefix, msgs)
			for i := range wants {
				if dst[i] != wants[i] {
					t.Fatalf("%s: message %d of %d, %d+%d bytes: wrong", kernel, i, count, len(prefix), len(msgs[i]))
				}
			}
		})
	})
}

func FuzzSumPairs(f *testing.F) {
	f.Add("LEFT", "RIGHT", uint8(32), random(640))
	f.Add("\x01SOLANA_MERKLE_SHREDS_NODE", "", uint8(20), random(64))
	f.Fuzz(func(t *testing.T, left, right string, width uint8, data []byte) {
		l := Labels{left, right, int(width % 33)}
		if l.size() > maxPadded {
			return
		}
		nodes := digests(data[:len(data)/64*64])
		eachKernelOf(t, func(kernel string) {
			from := append([]Digest(nil), nodes...)
			SumPairs(from[:len(from)/2], l, from)
			for i := range len(from) / 2 {
				if from[i] != want([]byte(left), nodes[2*i][:l.Width], []byte(right), nodes[2*i+1][:l.Width]) {
					t.Fatalf("%s: pair %d of %d, %+v: wrong", kernel, i, len(from)/2, l)
				}
			}
		})
	})
}

// eachKernelOf pins every kernel that runs here in turn, without subtests.
func eachKernelOf(t *testing.T, f func(kernel string)) {
	defer Pin("")
	for _, k := range Kernels() {
		if k.Err != nil {
			continue
		}
		if err := Pin(k.Name); err != nil {
			t.Fatal(err)
		}
		f(k.Name)
	}
}
