// Command main writes the assembly of one of hashcore's kernels; generate.go there has the
// commands. It is one file, so that the command that avo puts into what it writes is exact.
package main

import (
	"flag"
	"log"
	"maps"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/tapecommit/tapecommit/hashcore/_asm/emit"
)

func main() {
	log.SetFlags(0)
	name := flag.String("kernel", "", "the kernel to write: "+strings.Join(slices.Sorted(maps.Keys(emit.Kernels)), ", "))
	flag.Parse()
	kernel, ok := emit.Kernels[*name]
	if !ok {
		log.Fatalf("no kernel %q", *name)
	}
	build.ConstraintExpr("!purego")
	kernel()
	build.Generate()
}
