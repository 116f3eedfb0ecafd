package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tapecommit/tapecommit/commit"
)

// decimal is an integer flag in plain decimal; pflag's own integers take signs,
// octal and hex too.
type decimal int

func (d *decimal) String() string { return strconv.Itoa(int(*d)) }
func (d *decimal) Type() string   { return "number" }

func (d *decimal) Set(s string) error {
	v, ok := parseDecimal(s)
	if !ok || v > math.MaxInt32 {
		return errors.New("want a decimal number")
	}
	*d = decimal(v)
	return nil
}

// codeFlags are the flags that say how a blob is cut.
type codeFlags struct{ k, n, sliceSize decimal }

func (c *codeFlags) add(fs *pflag.FlagSet) {
	*c = codeFlags{k: 10, n: 20, sliceSize: commit.MaxSliceSize}
	fs.VarP(&c.k, "k", "k", "slices of a group that suffice to read it")
	fs.VarP(&c.n, "n", "n", fmt.Sprintf("slices of a group, at most %d", commit.MaxSlices))
	fs.Var(&c.sliceSize, "slice-size", "bytes of a slice, a multiple of 64")
}

func (c *codeFlags) params() (commit.Params, error) {
	p := commit.Params{K: int(c.k), N: int(c.n), SliceSize: int(c.sliceSize)}
	if err := p.Validate(); err != nil {
		return p, wrongUse{err}
	}
	return p, nil
}

// operands wants exactly the operands named.
func operands(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return fmt.Errorf("missing %s", strings.Join(names[len(args):], " and "))
		case len(args) > len(names):
			return fmt.Errorf("surplus operand %q", args[len(names)])
		}
		return nil
	}
}

// jsonFlag adds --json.
func jsonFlag(cmd *cobra.Command) *bool {
	return cmd.Flags().Bool("json", false, "print JSON, one value a line")
}
