package blob

import (
	"errors"
	"strings"
	"syscall"
	"testing"
)

// TestFaults lets each single file operation of a change fail, instead of what it
// does or after it: the blob is whole or not there, the cause is in the error, and
// nothing is left behind.
func TestFaults(t *testing.T) {
	for name, c := range crashCases {
		t.Run(name, func(t *testing.T) {
			for _, late := range []bool{false, true} {
				for n := 0; runFault(t, c, n, late); n++ {
				}
			}
		})
	}
}

// runFault lets operation n fail. It returns false where there are fewer.
func runFault(t *testing.T, c crashCase, n int, late bool) bool {
	t.Helper()
	s := newSim()
	c.before(t, s)
	failed, ops := "", 0
	d := &dir{hooked{s, func(op string) error {
		if ops++; ops-1 != n {
			return nil
		}
		failed = op
		// There is no lock without one.
		if late && !strings.HasPrefix(op, "lock ") {
			return lateError{syscall.ENOSPC}
		}
		return syscall.ENOSPC
	}}}
	err := c.change(d)
	got, getErr := get(&dir{s}, crashID)
	switch {
	case failed == "":
		if err != nil {
			t.Fatalf("nothing failed, but: %v", err)
		}
	case err != nil && !errors.Is(err, syscall.ENOSPC):
		t.Errorf("%q failed: error %v does not say why", failed, err)
	case err == nil && !spared(failed):
		t.Errorf("%q failed: no error", failed)
	}
	allowed := c.during
	if err == nil {
		allowed = c.after
	}
	if !allowed(got, getErr) {
		t.Errorf("%q failed, error %v: objects %v, error %v", failed, err, got, getErr)
	}
	put(t, &dir{s}, crashID, right)
	want(t, &dir{s}, crashID, right)
	if entries, err := s.list(buildFolder); err != nil || len(entries) > 0 {
		t.Errorf("%q failed: %v, error %v in the folder of builds", failed, entries, err)
	}
	return failed != ""
}

// spared reports whether a change may succeed although op failed: a sweep is for
// others, and the folder of a build that was committed can be swept.
func spared(op string) bool {
	return strings.HasPrefix(op, "list ") || strings.HasPrefix(op, "lock to sweep ") || strings.HasPrefix(op, "remove tmp/")
}
