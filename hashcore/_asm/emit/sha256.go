// Package emit describes the kernels of package hashcore in avo's terms. What SHA-256 is
// stands here once, and each file adds one way to compute it side by side:
//
//	sha256.go   the constants, and the tables made of them
//	code.go     instructions that are woven before they are written
//	graph.go    operations that are put in order, then into registers
//	entries.go  the two functions that every kernel has, and that for pairs of nodes
//	blocks.go   that for messages of any length
//	shani.go    streams on the CPU's SHA instructions
//	vector.go   a message in each 32-bit lane of vector registers; avx2.go and avx512.go have
//	            the instructions
//	hybrid.go   sixteen such lanes with four streams woven in
//	split.go    the schedule in vector registers, the rounds on the SHA unit
//	prefetch.go what the planner says of messages to come
package emit

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Kernels are the emitters by the names that hashcore gives their kernels, and prefetch.
var Kernels = map[string]func(){
	"shani-x1":   func() { entries(&shani{streams: 1}) },
	"shani-x2":   func() { entries(&shani{streams: 2}) },
	"shani-x4":   func() { entries(&shani{streams: 4}) },
	"avx2-x8":    func() { entries(&vector{isa: avx2{}, waves: 1}) },
	"avx512-x16": func() { entries(&vector{isa: avx512{low: true}, waves: 1}) },
	"avx512-x32": func() { entries(&vector{isa: avx512{low: true}, waves: 2}) },
	"hybrid-x20": func() { entries(newHybrid()) },
	"split-x8":   func() { entries(&split{messages: 8}) },
	"split-x4":   func() { entries(&split{messages: 4}) },
	"prefetch":   prefetch,
}

const (
	blockSize = 64
	stateSize = 32
)

// roundConstants are those of FIPS 180-4, 4.2.2.
var roundConstants = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}

// initial are the words a to h of the state before the first block (5.3.3).
var initial = [8]uint32{
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
}

// constants is read-only data, one for all functions of a file, and where its parts are:
// each round constant repeat times, 64 bytes that reverse the bytes of words, and initial,
// once in order and once as the SHA unit wants it.
type constants struct {
	mem    Mem
	repeat int
}

var constantsBase = RAX

func declareConstants(repeat int) constants {
	c := constants{GLOBL("constants", RODATA|NOPTR), repeat}
	at := 0
	put := func(w uint32) { DATA(at, U32(w)); at += 4 }
	for _, k := range roundConstants {
		for range repeat {
			put(k)
		}
	}
	for i := range uint32(16) {
		w := 4 * i % 16
		put(w<<24 | (w+1)<<16 | (w+2)<<8 | (w + 3))
	}
	for _, w := range initial {
		put(w)
	}
	for _, i := range []int{5, 4, 1, 0, 7, 6, 3, 2} {
		put(initial[i])
	}
	return c
}

func (c constants) base()                { LEAQ(c.mem, constantsBase) }
func (c constants) at(n int) Mem         { return Mem{Base: constantsBase, Disp: n} }
func (c constants) tables() int          { return 4 * c.repeat * len(roundConstants) }
func (c constants) round(t int) Mem      { return c.at(4 * c.repeat * t) } // or the first of those of several rounds
func (c constants) reverse() Mem         { return c.at(c.tables()) }
func (c constants) initial(i int) Mem    { return c.at(c.tables() + 64 + 4*i) }
func (c constants) initialSHA(i int) Mem { return c.at(c.tables() + 64 + stateSize + 16*i) }

// frame is a kernel's memory on the stack, from a multiple of 64 bytes on.
var frameBase = RDX

func frame(at int) Mem { return Mem{Base: frameBase, Disp: at} }

func allocFrame(size int) {
	const align = 64
	local := AllocLocal(size + align)
	LEAQ(local.Offset(align-1), frameBase)
	ANDQ(I32(-align), frameBase)
}
