package slicer_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/klauspost/reedsolomon"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/slicer"
)

type rsCase struct {
	K, M, Len     int
	FirstSeed     uint64   `json:"first_seed"`
	ParityFirst16 []string `json:"parity_first16"`
	ParitySHA256  []string `json:"parity_sha256"`
}

func (c rsCase) String() string { return fmt.Sprintf("k=%d,m=%d,len=%d", c.K, c.M, c.Len) }

func (c rsCase) data() [][]byte {
	data := make([][]byte, c.K)
	for i := range data {
		data[i] = stream(c.FirstSeed+uint64(i), c.Len)
	}
	return data
}

// check compares parity with what the reference made.
func (c rsCase) check(t *testing.T, parity [][]byte) {
	t.Helper()
	for i, p := range parity {
		sum := sha256.Sum256(p)
		if got := hex.EncodeToString(p[:16]); got != c.ParityFirst16[i] {
			t.Errorf("parity %d begins with %s, want %s", i, got, c.ParityFirst16[i])
		}
		if got := hex.EncodeToString(sum[:]); got != c.ParitySHA256[i] {
			t.Errorf("parity %d has SHA-256 %s, want %s", i, got, c.ParitySHA256[i])
		}
	}
}

func rsCases(t *testing.T) []rsCase {
	t.Helper()
	b, err := os.ReadFile("../testvectors/tape-rs.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []rsCase }
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range file.Cases {
		if len(c.ParityFirst16) != c.M || len(c.ParitySHA256) != c.M {
			t.Fatalf("%v: %d and %d parities", c, len(c.ParityFirst16), len(c.ParitySHA256))
		}
	}
	return file.Cases
}

func TestVectors(t *testing.T) {
	for _, c := range rsCases(t) {
		t.Run(c.String(), func(t *testing.T) {
			b, err := slicer.New(commit.Params{K: c.K, N: c.K + c.M, SliceSize: c.Len}, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range c.data() {
				b.Append(d)
			}
			b.Finish()
			b.Encode(0, 1)
			c.check(t, b.Slices()[c.K:])
		})
	}
}

// TestInstructionSets encodes with each set of instructions that the coder may
// use turned off, and with those before it in the table off too: whatever machine
// this runs on, it leaves the path that this machine prefers.
func TestInstructionSets(t *testing.T) {
	sets := []struct {
		name string
		off  reedsolomon.Option
	}{
		{"none", nil},
		{"AVX-512", reedsolomon.WithAVX512(false)},
		{"AVX-512 GFNI", reedsolomon.WithGFNI(false)},
		{"AVX GFNI", reedsolomon.WithAVXGFNI(false)},
		{"AVX2", reedsolomon.WithAVX2(false)},
		{"SSSE3", reedsolomon.WithSSSE3(false)},
		{"SSE2", reedsolomon.WithSSE2(false)},
		{"SVE", reedsolomon.WithSVE(false)},
		{"NEON", reedsolomon.WithNEON(false)},
	}
	encode := func(t *testing.T, c rsCase, data [][]byte, o ...reedsolomon.Option) [][]byte {
		t.Helper()
		code, err := slicer.NewCode(c.K, c.M, o...)
		if err != nil {
			t.Fatal(err)
		}
		shards := append([][]byte(nil), data...)
		for range c.M {
			shards = append(shards, make([]byte, len(data[0])))
		}
		if err := code.Encode(shards); err != nil {
			t.Fatal(err)
		}
		return shards[c.K:]
	}
	cases := rsCases(t)
	data := make([][][]byte, len(cases))
	for i, c := range cases {
		data[i] = c.data()
	}
	blobs := uint64(500)
	if testing.Short() {
		blobs = 50
	}
	var off []reedsolomon.Option
	for _, set := range sets {
		if set.off != nil {
			off = append(off, set.off)
		}
		t.Run(set.name, func(t *testing.T) {
			for i, c := range cases {
				c.check(t, encode(t, c, data[i], off[max(len(off)-1, 0):]...))
				c.check(t, encode(t, c, data[i], off...))
			}
		})
	}
	t.Run("random blobs", func(t *testing.T) {
		for seed := range blobs {
			c := rsCase{K: 1 + int(seed%19)}
			c.M = 1 + int(seed/19)%(20-c.K)
			data := make([][]byte, c.K)
			for i := range data {
				data[i] = random(seed<<8|uint64(i), 64*(1+int(seed%9)))
			}
			want := encode(t, c, data)
			for i := range off {
				for _, o := range [][]reedsolomon.Option{off[i : i+1], off[:i+1]} {
					for j, p := range encode(t, c, data, o...) {
						if !bytes.Equal(p, want[j]) {
							t.Fatalf("%v: parity %d differs without %s (%d options)", c, j, sets[i+1].name, len(o))
						}
					}
				}
			}
		}
	})
}
