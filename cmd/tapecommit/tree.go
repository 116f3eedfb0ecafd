package main

import (
	"context"
	"crypto/sha256"
	"io"

	"github.com/spf13/cobra"

	"github.com/tapecommit/tapecommit/commit/tree"
	"github.com/tapecommit/tapecommit/hashcore"
)

// maxTreeHeight is the largest height of a tape tree.
const maxTreeHeight = 63

func (p *program) tree() *cobra.Command {
	var name string
	height := decimal(5)
	cmd := &cobra.Command{
		Use:   "tree FILE...",
		Short: "Print the root of a plain tree over files",
		Long: `Print the root of a plain tree that has the files as its leaves, in the order given.
The scheme is tape (of a fixed height, empty places behind the last leaf), shred
(Solana's; its root is printed as all 32 bytes) or rfc6962 (Certificate
Transparency). A tape or rfc6962 tree may have no leaves.`,
	}
	cmd.Flags().StringVar(&name, "scheme", "tape", "tape, shred or rfc6962")
	cmd.Flags().Var(&height, "height", "height of a tape tree")
	cmd.RegisterFlagCompletionFunc("scheme", cobra.FixedCompletions([]string{"tape", "shred", "rfc6962"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		scheme, err := parseScheme(name, int(height), cmd.Flags().Changed("height"), len(args))
		if err != nil {
			return err
		}
		leaves := make([]hashcore.Digest, len(args))
		for i, file := range args {
			if leaves[i], err = hashLeaf(cmd.Context(), scheme.prefix, file); err != nil {
				return err
			}
		}
		root, err := scheme.Root(leaves)
		if err != nil {
			return err
		}
		p.printf("%x\n", root)
		return nil
	}
	return cmd
}

// plainTree is a scheme, and the prefix of its leaves: a leaf here need not fit in
// memory, as those that a scheme hashes do.
type plainTree struct {
	tree.Scheme
	prefix string
}

// parseScheme finds the scheme for a number of leaves, or says what does not fit.
func parseScheme(name string, height int, heightGiven bool, leaves int) (plainTree, error) {
	if heightGiven && name != "tape" {
		return plainTree{}, wrongUsef("--height is for tape trees")
	}
	switch name {
	case "tape":
		if height > maxTreeHeight {
			return plainTree{}, wrongUsef("height %d: at most %d", height, maxTreeHeight)
		}
		if uint64(leaves) > 1<<height {
			return plainTree{}, wrongUsef("%d files do not fit under a tree of height %d", leaves, height)
		}
		return plainTree{tree.Tape(height), "LEAF"}, nil
	case "shred":
		if leaves == 0 {
			return plainTree{}, wrongUsef("a shred tree has at least one leaf")
		}
		return plainTree{tree.Shred(), "\x00SOLANA_MERKLE_SHREDS_LEAF"}, nil
	case "rfc6962":
		return plainTree{tree.RFC6962(), "\x00"}, nil
	}
	return plainTree{}, wrongUsef("scheme %q: want tape, shred or rfc6962", name)
}

// hashLeaf hashes a file as a leaf.
func hashLeaf(ctx context.Context, prefix, file string) (hashcore.Digest, error) {
	in, err := openFile(ctx, file)
	if err != nil {
		return hashcore.Digest{}, err
	}
	defer in.Close()
	sum := sha256.New()
	io.WriteString(sum, prefix)
	if _, err := io.Copy(sum, untilDone{ctx, in}); err != nil {
		return hashcore.Digest{}, err
	}
	return hashcore.Digest(sum.Sum(nil)), nil
}

// untilDone is a reader that ends with its context.
type untilDone struct {
	ctx context.Context
	io.Reader
}

func (s untilDone) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Reader.Read(b)
}
