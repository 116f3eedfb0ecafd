package hashcore

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

// digests views bytes as digests, at whatever address they lie.
func digests(b []byte) []Digest {
	return unsafe.Slice((*Digest)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/len(Digest{}))
}

func TestKernels(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Kernels() {
		if k.Name == "" || strings.ContainsAny(k.Name, " \t\n") || seen[k.Name] {
			t.Errorf("bad or repeated name %q", k.Name)
		}
		seen[k.Name] = true
		if k.Err == nil && k.Use == "" {
			t.Errorf("%s: does not say what it is for", k.Name)
		}
	}
	for _, name := range []string{"generic", "stdlib"} {
		if !seen[name] {
			t.Errorf("no kernel %s", name)
		}
	}
	list := Kernels()
	list[0].Name = "changed"
	if Kernels()[0].Name == "changed" {
		t.Error("a caller can change the list")
	}
}

func TestPin(t *testing.T) {
	defer Pin("")
	if err := Pin("generic"); err != nil {
		t.Fatal(err)
	}
	before := current.Load()
	err := Pin("x87")
	if err == nil || !strings.HasPrefix(err.Error(), `hashcore: no kernel "x87" in this build; it has `) {
		t.Errorf("Pin of an unknown kernel: %v", err)
	}
	if current.Load() != before {
		t.Error("a failed Pin changed the kernel")
	}
	if err := Pin(""); err != nil || current.Load() != atStart {
		t.Errorf("Pin of nothing: %v", err)
	}
	for _, k := range Kernels() {
		if err := Pin(k.Name); !errors.Is(err, k.Err) {
			t.Errorf("Pin(%s): %v, want %v", k.Name, err, k.Err)
		}
	}
}

func TestLanes(t *testing.T) {
	defer Pin("")
	for name, want := range map[string]int{"stdlib": 1, "generic": genericLanes} {
		if err := Pin(name); err != nil {
			t.Fatal(err)
		}
		if got := Lanes(); got != want {
			t.Errorf("%s: %d lanes, want %d", name, got, want)
		}
	}
}

// TestPinWhileHashing changes kernels under running batches; the race detector watches.
func TestPinWhileHashing(t *testing.T) {
	defer Pin("")
	msgs := [][]byte{random(100), random(1000), random(10)}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				var dst [3]Digest
				Sum(dst[:], "LEAF", msgs)
				for i, m := range msgs {
					if dst[i] != want([]byte("LEAF"), m) {
						t.Errorf("message %d: wrong", i)
						return
					}
				}
			}
		})
	}
	for range 50 {
		for _, k := range Kernels() {
			if err := Pin(k.Name); err != nil && k.Err == nil {
				t.Error(err)
			}
		}
	}
	wg.Wait()
}

// child is set in the environment of a run of this test binary that only says which
// kernel it would use.
const child = "HASHCORE_TEST_CHILD"

// TestEnvironment runs this test binary again under each value that it should take, and
// some that it should not.
func TestEnvironment(t *testing.T) {
	if os.Getenv(child) != "" {
		// Many goroutines make the first call at once.
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				var dst [1]Digest
				if Sum(dst[:], "a", [][]byte{{'b'}}); dst[0] != want([]byte("ab")) {
					t.Error("wrong digest")
				}
			})
		}
		wg.Wait()
		fmt.Printf("child uses %+v\n", *current.Load())
		return
	}
	if _, err := os.Executable(); err != nil {
		t.Skipf("this platform starts no programs: %v", err)
	}
	run := func(kernel string) (stdout, stderr string, code int) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestEnvironment$", "-test.v")
		cmd.Env = append(os.Environ(), child+"=1", envKernel+"="+kernel)
		var out, diag bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &diag
		var exit *exec.ExitError
		if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
			t.Skipf("this platform starts no programs: %v", err)
		}
		return out.String(), diag.String(), cmd.ProcessState.ExitCode()
	}
	refused := func(kernel, want string) {
		t.Helper()
		_, stderr, code := run(kernel)
		if code != 2 || stderr != want {
			t.Errorf("%s=%s: exit %d, stderr %q; want exit 2 and %q", envKernel, kernel, code, stderr, want)
		}
	}
	for _, k := range Kernels() {
		if k.Err != nil {
			refused(k.Name, fmt.Sprintf("hashcore: %s: kernel %s cannot run here: %v\n", envKernel, k.Name, k.Err))
			continue
		}
		p, err := pinned(k.Name)
		if err != nil {
			t.Fatal(err)
		}
		if stdout, stderr, code := run(k.Name); code != 0 || !strings.Contains(stdout, fmt.Sprintf("child uses %+v\n", *p)) {
			t.Errorf("%s=%s: exit %d\n%s%s", envKernel, k.Name, code, stdout, stderr)
		}
	}
	if stdout, stderr, code := run(""); code != 0 || !strings.Contains(stdout, fmt.Sprintf("child uses %+v\n", automatic)) {
		t.Errorf("%s empty: exit %d\n%s%s", envKernel, code, stdout, stderr)
	}
	_, err := pinned("x87")
	refused("x87", fmt.Sprintf("hashcore: %s: %v\n", envKernel, err))
}
