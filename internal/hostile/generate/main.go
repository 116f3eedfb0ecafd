// Generate writes the vectors of testvectors/hostile anew:
//
//	go run ./internal/hostile/generate
package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/tapecommit/tapecommit/internal/hostile"
)

func main() {
	log.SetFlags(0)
	dir := filepath.Join("testvectors", "hostile")
	for name, b := range hostile.Files() {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			log.Fatal("generate: ", err)
		}
	}
}
