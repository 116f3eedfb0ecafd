package hashcore

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"testing"
)

// shapes are batches and, for trees over groups of 20, the joins that follow.
var shapes = []struct {
	name          string
	count, length int
	groups        int
}{
	{"group", 20, 4096, 1},
	{"groups-8", 160, 4096, 8},
	{"shreds-64x1057", 64, 1057, 0},
	{"64x64B", 64, 64, 0},
	{"64x1KiB", 64, 1024, 0},
}

// levels are how many pairs a group of 20 joins at each height.
var levels = []int{10, 5, 3, 2, 1}

// Rivals hash messages that were joined with their prefix outside the timing.
func BenchmarkSum(b *testing.B) {
	for _, s := range shapes {
		joined, msgs := make([][]byte, s.count), make([][]byte, s.count)
		for i := range msgs {
			joined[i] = append([]byte("LEAF"), random(s.length + i)[:s.length]...)
			msgs[i] = random(s.length + i)[:s.length]
		}
		total := int64(s.count * s.length)
		b.Run(s.name+"/rival=crypto-sha256", func(b *testing.B) {
			b.SetBytes(total)
			b.ReportAllocs()
			dst := make([]Digest, s.count)
			var join [73]byte
			for b.Loop() {
				for i, m := range joined {
					dst[i] = sha256.Sum256(m)
				}
				for range 21 * s.groups {
					dst[0] = sha256.Sum256(join[:])
				}
			}
		})
		eachKernelBench(b, s.name, func(b *testing.B) {
			b.SetBytes(total)
			b.ReportAllocs()
			dst := make([]Digest, 32*max(1, s.groups, s.count/20))
			for b.Loop() {
				Sum(dst[:s.count], "LEAF", msgs)
				for _, n := range levels {
					SumPairs(dst[:n*s.groups], Labels{"LEFT", "RIGHT", 32}, dst[:2*n*s.groups])
				}
			}
		})
	}
}

// BenchmarkMixed has messages of one length, and of random lengths of the same total.
func BenchmarkMixed(b *testing.B) {
	const count = 160
	rng := rand.New(rand.NewPCG(1, 1))
	data := random(8192)
	for _, mean := range []int{1024, 4096} {
		mixed, equal := make([][]byte, count), make([][]byte, count)
		total := 0
		for i := range mixed {
			mixed[i] = data[:rng.IntN(2*mean)]
			total += len(mixed[i])
		}
		for i := range equal {
			equal[i] = data[:total/count]
		}
		for name, msgs := range map[string][][]byte{"mixed": mixed, "equal": equal} {
			eachKernelBench(b, fmt.Sprintf("mean=%d/%s", mean, name), func(b *testing.B) {
				b.SetBytes(int64(total))
				dst := make([]Digest, count)
				for b.Loop() {
					Sum(dst, "LEAF", msgs)
				}
			})
		}
	}
}

func BenchmarkJoins(b *testing.B) {
	const pairs = 80
	nodes := make([]Digest, 2*pairs)
	b.Run("rival=crypto-sha256", func(b *testing.B) {
		b.SetBytes(64 * pairs)
		b.ReportAllocs()
		var join [73]byte
		for b.Loop() {
			for i := range pairs {
				nodes[i] = sha256.Sum256(join[:])
			}
		}
	})
	eachKernelBench(b, "", func(b *testing.B) {
		b.SetBytes(64 * pairs)
		b.ReportAllocs()
		for b.Loop() {
			SumPairs(nodes[:pairs], Labels{"LEFT", "RIGHT", 32}, nodes)
		}
	})
}

func eachKernelBench(b *testing.B, name string, f func(b *testing.B)) {
	b.Cleanup(func() { Pin("") })
	if name != "" {
		name += "/"
	}
	for _, k := range append([]Kernel{{Name: ""}}, Kernels()...) {
		if k.Err != nil {
			continue
		}
		if err := Pin(k.Name); err != nil {
			b.Fatal(err)
		}
		if k.Name == "" {
			k.Name = "default"
		}
		b.Run(name+"kernel="+k.Name, f)
	}
}
