package blob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/tapecommit/tapecommit/commit"
)

// ReadHeader returns the header of a blob and reads nothing else of it. It fails as [Open] does.
func ReadHeader(ctx context.Context, s Store, id commit.ID) (commit.Header, error) {
	o, err := s.Open(ctx, id)
	if err != nil {
		return commit.Header{}, cmp.Or(contextError(ctx), err)
	}
	defer o.Close()
	var buf [commit.HeaderLen]byte
	h, _, err := findHeader(ctx, o, id, buf[:])
	return h, err
}

// findHeader reads the manifest into buf, and where that does not begin with the header that id names, the last bytes of
// each lane. It returns what it read of the manifest.
func findHeader(ctx context.Context, o Objects, id commit.ID, buf []byte) (h commit.Header, manifest []byte, err error) {
	n, err := readAt(ctx, o, nameManifest, buf, 0)
	if ctx.Err() != nil {
		return commit.Header{}, nil, contextError(ctx)
	}
	h, refused := commit.OpenHeader(id, buf[:min(n, commit.HeaderLen)])
	if refused == nil {
		return h, buf[:n], nil
	}
	var tails [commit.MaxSlices]tail
	new(crew).each(len(tails), func(i int) { tails[i].read(ctx, o, id, nameLane(i)) })
	if ctx.Err() != nil {
		return commit.Header{}, nil, contextError(ctx)
	}
	for i := range tails {
		if tails[i].err == nil {
			return tails[i].h, buf[:n], nil
		}
	}
	if n > 0 || err == ErrShort {
		return commit.Header{}, nil, fmt.Errorf("%w: %v: manifest: %w", ErrNoHeader, id, refused)
	}
	err = noHeader(ctx, o, id, err, tails[:])
	return commit.Header{}, nil, cmp.Or(contextError(ctx), err)
}

// tail is what the end of a lane holds.
type tail struct {
	h     commit.Header
	err   error // of the store, or why the bytes are no header of the blob
	found bool  // the object is there and was read
}

func (t *tail) read(ctx context.Context, o Objects, id commit.ID, name string) {
	size, err := o.Size(ctx, name)
	if err != nil {
		t.err = err
		return
	}
	var b [commit.HeaderLen]byte
	n := 0
	if size >= commit.HeaderLen {
		if n, err = readAt(ctx, o, name, b[:], size-commit.HeaderLen); n < len(b) && err != ErrShort {
			t.err = err
			return
		}
	}
	t.found = true
	t.h, t.err = commit.OpenHeader(id, b[:n])
}

// noHeader tells why there is no header, where there is no manifest because of err.
func noHeader(ctx context.Context, o Objects, id commit.ID, err error, tails []tail) error {
	failed := err
	for i, t := range tails {
		if t.found {
			return fmt.Errorf("%w: %v: %s: %w", ErrNoHeader, id, nameLane(i), t.err)
		}
		if errors.Is(failed, fs.ErrNotExist) {
			failed = t.err
		}
	}
	if !errors.Is(failed, fs.ErrNotExist) {
		return fmt.Errorf("blob: %v cannot be read: %w", id, failed)
	}
	for _, name := range []string{nameRoots, nameLeaves} {
		if _, err := o.Size(ctx, name); err == nil {
			return fmt.Errorf("%w: %v has neither a manifest nor a lane", ErrNoHeader, id)
		}
	}
	return fmt.Errorf("blob: %v has no objects: %w", id, fs.ErrNotExist)
}
