package blob

import (
	"context"
	"fmt"
	"io/fs"
	"iter"

	"github.com/tapecommit/tapecommit/commit"
)

// Discard is a Store that keeps nothing: a [Writer] into it computes an ID.
var Discard Store = discard{}

type discard struct{}

func (discard) Open(ctx context.Context, id commit.ID) (Objects, error) {
	return nil, discard{}.Remove(ctx, id)
}

func (discard) Create(ctx context.Context) (Upload, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return discard{}, nil
}

func (discard) Remove(ctx context.Context, id commit.ID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return fmt.Errorf("blob: %v: %w", id, fs.ErrNotExist)
}

func (discard) IDs(ctx context.Context) iter.Seq2[commit.ID, error] {
	return func(yield func(commit.ID, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(commit.ID{}, err)
		}
	}
}

func (discard) Append(ctx context.Context, name string, p []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return checkName(name)
}

func (discard) Commit(ctx context.Context, id commit.ID) error { return ctx.Err() }

func (discard) Close() error { return nil }
