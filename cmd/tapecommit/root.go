package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

const long = `tapecommit keeps files as erasure-coded blobs. A blob is cut into groups of slices,
10 of 20 by default, and any 10 of a group's 20 suffice to read it. Its ID, 64 hex
digits, commits to every byte of it: what is read under an ID is checked against
the ID before it is handed on, and where it is stored need not be trusted.

A store is a folder: the one of --store, else of $TAPECOMMIT_STORE, else
./tapecommit-store. It is created by the first write. Commands that only read take
the URL of a gateway as well, which need not be trusted either.

Exit codes: 0 done, or yes; 1 no (an unknown ID, damage, a proof refused, too few
slices left); 2 wrong use, or reading input or writing output failed; 130 ended by
a signal.`

// root is the command that holds all others.
func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:     "tapecommit",
		Short:   "Erasure-coded blobs that are checked against the hash that names them",
		Long:    long,
		Version: version(),
		RunE: func(*cobra.Command, []string) error {
			return wrongUsef("missing command")
		},
		SilenceErrors:      true,
		SilenceUsage:       true,
		DisableSuggestions: true, // they would not fit on the one line of an error
	}
	root.SetHelpCommand(help())
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.AddCommand(
		p.write(), p.read(), p.verify(), p.repair(),
		p.info(), p.list(), p.rm(), p.id(),
		p.prove(), p.check(), p.audit(),
		p.serve(), p.tree(), p.kernels(), p.bench(),
	)
	return root
}

// help is the command help. Cobra's own takes any operand for right.
func help() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return wrongUsef("no command %q", strings.Join(args, " "))
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}

// group makes a command that only holds others.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	var names []string
	for _, c := range commands {
		names = append(names, c.Name())
	}
	g := &cobra.Command{
		Use:   use,
		Short: short,
		// So that an unknown command is reported as one, whatever flags follow it.
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q, want one of %s", args[0], strings.Join(names, ", "))
			}
			return fmt.Errorf("missing command, one of %s", strings.Join(names, ", "))
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	g.AddCommand(commands...)
	return g
}

// version says which build this is.
func version() string {
	v := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok {
		v = info.Main.Version
	}
	return fmt.Sprintf("%s %s %s/%s", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
