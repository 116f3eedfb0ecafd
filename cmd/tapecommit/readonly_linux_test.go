package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tapecommit/tapecommit/internal/reference"
)

// TestReadOnlyStore verifies a store that cannot be written to: all is done that was asked for.
func TestReadOnlyStore(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("no tmpfs can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		// The stores that were opened are closed when the collector finds them.
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	store := filepath.Join(disk, "store")
	id := strings.TrimSpace(runs(t, 0, reference.Stream(1, 1000), "write", "--store", store, "-"))
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args    []string
		code    int
		out, or string
	}{
		{[]string{"verify", id}, 0, "whole: ", "the report is not kept: "},
		{[]string{"verify", "--all"}, 0, "whole: ", "the report is not kept: "},
		{[]string{"repair", id}, 0, "whole: ", "the report is not kept: "},
		{[]string{"verify", id, "--rate", "1MiB/s"}, 0, "whole: ", "the position of the scrub is not kept: "},
		{[]string{"verify", "--all", "--rate", "1MiB/s"}, 0, "whole: ", "the position of the scrub is not kept: "},
		{[]string{"list"}, 0, id, ""},
		{[]string{"info", id}, 0, id, ""},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), append(c.args, "--store", store), nil, &stdout, &stderr)
		if code != c.code || !strings.Contains(stdout.String(), c.out) || !strings.Contains(stderr.String(), c.or) {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", c.args, code, &stdout, &stderr)
		}
		if c.or != "" && !strings.Contains(stderr.String(), syscall.EROFS.Error()) {
			t.Errorf("%q: stderr %q", c.args, &stderr)
		}
	}

	// A scrub that is stopped there says in its report that no other goes on with it.
	ctx, cancel := context.WithCancelCause(t.Context())
	stdout := &cancelWriter{cancel: func() { cancel(errors.New("a signal came")) }}
	var stderr bytes.Buffer
	if code := run(ctx, []string{"verify", id, "--rate", "1MiB/s", "--store", store}, nil, stdout, &stderr); code != 130 ||
		!strings.Contains(stdout.String(), "\nnot finished: a signal came; the position of the scrub is not kept: ") ||
		strings.Count(stderr.String(), "not kept") != 1 {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, &stderr)
	}
}
