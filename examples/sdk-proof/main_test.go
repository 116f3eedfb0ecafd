package main

import (
	"context"
	"fmt"
	"os"
)

func Example() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// proof of 3 slices: 544 bytes
	// accepted
	// changed byte: refused, breaks rule proof-root
	// moved slice: refused, breaks rule set-other
}
