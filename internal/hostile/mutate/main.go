// Mutate removes each check from the verifier in turn and wants a vector of testvectors/hostile to notice:
//
//	go run ./internal/hostile/mutate
//
// It is run from the root of the repository and touches no file there. All changes are built into one test binary, of
// sources that go test -overlay puts in the place of the real ones, and an environment variable says which change is
// made in a run. Each change is one of
//
//   - a check that refuses bytes is gone: its condition never holds;
//   - an error from a check is passed over;
//   - a part of such a condition is gone;
//   - the edge of a comparison in it is off by one;
//   - a comparison that decides a verdict always holds, or never.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("mutate: ")
	verbose := flag.Bool("v", false, "list every change")
	flag.Parse()
	if err := run(*verbose); err != nil {
		log.Fatal(err)
	}
}

func run(verbose bool) error {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sources, err := load()
	if err != nil {
		return err
	}
	changes, err := number(sources)
	if err != nil {
		return err
	}
	binary, err := build(dir, sources)
	if err != nil {
		return err
	}
	if o := try(binary, 0, vectors+"|"+makers); o != survived {
		return fmt.Errorf("the tests do not pass without a change: %v", o)
	}

	outcomes := make([]outcome, len(changes))
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				outcomes[i] = fate(binary, changes[i].id)
			}
		})
	}
	for i := range changes {
		next <- i
	}
	close(next)
	wg.Wait()
	return report(changes, outcomes, verbose)
}

// fate tries the vectors, and where they notice nothing those who make such bytes.
func fate(binary string, change int) outcome {
	o := try(binary, change, vectors)
	if o != survived {
		return o
	}
	if o = try(binary, change, makers); o == byVector {
		return byMaker
	}
	return o
}

// outcome is what became of a change.
type outcome int

const (
	survived  outcome = iota
	byVector          // a vector got another verdict
	byMaker           // what the vector refuses was made by the other side
	byHanging         // a vector kept the verifier busy for ever
	broken            // the tests did not end as tests end
)

func (o outcome) String() string {
	return [...]string{"SURVIVED", "noticed by a vector", "noticed where such bytes are made", "noticed by a vector that keeps the verifier busy for ever", "CRASHED"}[o]
}

// The tests of internal/hostile, as patterns.
const (
	vectors = "^TestVectors$|^TestTogether$"
	makers  = "NotMade$"
)

// try runs tests with a change.
func try(binary string, change int, tests string) outcome {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-test.failfast", "-test.timeout", "20s", "-test.run", tests)
	cmd.Dir = filepath.Join("internal", "hostile")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", variable, change))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return survived
	case errors.As(err, &exit) && exit.ExitCode() == 1 && bytes.Contains(out, []byte("--- FAIL")):
		return byVector
	case bytes.Contains(out, []byte("panic: test timed out")):
		return byHanging
	}
	log.Printf("change %d: %v\n%s", change, err, out)
	return broken
}

// report prints the counts, and fails where a change survived that is not exempt.
func report(changes []change, outcomes []outcome, verbose bool) error {
	counts := map[string]map[outcome]int{}
	used := make([]bool, len(exempt))
	faults, exempted := 0, 0
	for i, c := range changes {
		o := outcomes[i]
		if counts[c.kind] == nil {
			counts[c.kind] = map[outcome]int{}
		}
		counts[c.kind][o]++
		line := fmt.Sprintf("%v: %v: %v", c, o, c.text)
		if x := exemptAs(c); x >= 0 && o == survived {
			used[x] = true
			exempted++
			line += ": exempt: " + exempt[x].why
		} else if o == survived || o == broken {
			faults++
			fmt.Println(line)
			continue
		}
		if verbose {
			fmt.Println(line)
		}
	}
	for i, x := range exempt {
		if !used[i] {
			faults++
			fmt.Printf("no change survived that is exempt as %s: %s: %s\n", x.function, x.kind, x.text)
		}
	}
	for _, kind := range kinds {
		n := counts[kind]
		fmt.Printf("%-24s %3d by a vector, %2d where such bytes are made, %2d survived\n", kind+":", n[byVector]+n[byHanging], n[byMaker], n[survived]+n[broken])
	}
	fmt.Printf("%d changes, %d survived and are exempt, %d faults\n", len(changes), exempted, faults)
	if faults > 0 {
		return fmt.Errorf("%d faults", faults)
	}
	return nil
}
