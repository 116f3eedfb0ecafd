package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestExit(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	plain := errors.New("plain")
	for _, c := range []struct {
		name   string
		ctx    context.Context
		err    error
		code   int
		stderr string
	}{
		{"yes", t.Context(), nil, 0, ""},
		{"yes, then a signal", done, nil, 0, ""},
		{"no", t.Context(), refusal{plain}, 1, "tapecommit: plain\n"},
		{"no, wrapped", t.Context(), fmt.Errorf("in: %w", refusal{plain}), 1, "tapecommit: in: plain\n"},
		{"wrong use", t.Context(), wrongUse{plain}, 2, "tapecommit: plain\nRun 'it --help' for usage.\n"},
		{"input or output", t.Context(), plain, 2, "tapecommit: plain\n"},
		{"several lines", t.Context(), errors.Join(plain, plain), 2, "tapecommit: plain; plain\n"},
		{"signal", done, refusal{plain}, 130, "tapecommit: interrupted\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stderr strings.Builder
			p := &program{stdout: &output{}, stderr: &stderr}
			if code := p.exit(c.ctx, &cobra.Command{Use: "it"}, c.err); code != c.code || stderr.String() != c.stderr {
				t.Errorf("exit code %d, stderr %q, want %d, %q", code, &stderr, c.code, c.stderr)
			}
		})
	}
}
