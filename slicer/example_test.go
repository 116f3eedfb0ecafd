package slicer_test

import (
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/slicer"
)

func Example() {
	p := commit.Params{K: 2, N: 4, SliceSize: 64}
	b, err := slicer.New(p, commit.RunGroups)
	if err != nil {
		log.Fatal(err)
	}

	// Write: bytes become data slices, and parity is added.
	if _, err := b.Fill(strings.NewReader("any two of these four slices will do")); err != io.EOF {
		log.Fatal(err)
	}
	b.Encode(0, b.Groups())
	length, stored := b.Len(), make([][]byte, p.N)
	for i := range stored {
		stored[i] = append([]byte(nil), b.Lane(i)...)
	}

	// Read: two lanes are gone, and come back from the others.
	b.Reset(length)
	copy(b.Lane(1), stored[1])
	copy(b.Lane(3), stored[3])
	if err := b.Rebuild(slicer.Loss{Lo: 0, Hi: b.Groups(), Have: 1<<1 | 1<<3, Want: 1 << 0}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", b.Slices()[0][:length])
	// Output: any two of these four slices will do
}
