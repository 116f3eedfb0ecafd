package emit

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// prefetch is no kernel: it has the CPU fetch the ends of a message that will be hashed.
// Go has no such instruction.
func prefetch() {
	TEXT("prefetch", NOSPLIT, "func(first, last *byte)")
	Doc("prefetch asks for the first four cache lines of a message, and the line of its last",
		"byte. It may be asked for lines behind the message, which are not there or not needed.")
	Pragma("noescape")
	first, last := Load(Param("first"), GP64()), Load(Param("last"), GP64())
	for line := range 4 {
		PREFETCHT0(Mem{Base: first, Disp: 64 * line})
	}
	PREFETCHT0(Mem{Base: last})
	RET()
}
