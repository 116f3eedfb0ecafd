// Command kernels prints the names of the hash kernels that can run on this machine, one a line.
package main

import (
	"fmt"

	"github.com/tapecommit/tapecommit/hashcore"
)

func main() {
	for _, k := range hashcore.Kernels() {
		if k.Err == nil {
			fmt.Println(k.Name)
		}
	}
}
