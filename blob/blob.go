package blob

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

// A Blob is an open blob. It is a [proof.Tree]; where a slice is missing or wrong it fetches others and rebuilds it.
// All of it serves many goroutines. Where a context is done, what had it fails with an error that wraps both that of the
// context and its cause.
type Blob struct {
	store   Store
	objects Objects
	near    viewer // the objects, or nil
	m       *commit.Manifest
	h       commit.Header
	workers int
	stats   *Stats
	closed  atomic.Bool

	windows    windows
	recovering chan struct{} // has a token while a window is made again: one at a time, for it takes memory
	absent     atomic.Uint32 // a hint: objects that were missing, bit i for object i as in objectName
	pools      [len(runSizes)]sync.Pool
}

var _ proof.Tree = (*Blob)(nil)

// Open opens the blob of an ID: it reads the manifest and checks it. Where that is missing or wrong, Open makes it again
// of what else is stored, which may take reading all of it.
//
// An unknown ID is an error that wraps [fs.ErrNotExist]. A blob that is there fails with [ErrNoHeader] or [ErrNoRoots],
// or where its objects cannot be read with the error of the store.
func Open(ctx context.Context, s Store, id commit.ID, o Options) (*Blob, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	objects, err := s.Open(ctx, id)
	if err != nil {
		return nil, cmp.Or(contextError(ctx), err)
	}
	b := &Blob{store: s, objects: objects, workers: o.Workers, stats: o.Stats, recovering: make(chan struct{}, 1)}
	b.near, _ = objects.(viewer)
	if err := b.open(ctx, id); err != nil {
		objects.Close()
		return nil, err
	}
	return b, nil
}

// firstManifest is what Open asks for of a manifest: it has the nodes of 20 GB in slices of 4096 bytes. The rest of a
// longer one is asked for when the header tells how long it is.
const firstManifest = 16 << 10

func (b *Blob) open(ctx context.Context, id commit.ID) error {
	h, manifest, err := findHeader(ctx, b.objects, id, make([]byte, firstManifest))
	if err != nil {
		return err
	}
	b.h = h
	b.stats.Bytes.Add(uint64(len(manifest)))
	size := int(h.ManifestLen())
	switch {
	case size == commit.HeaderLen:
		if manifest, err = h.AppendBinary(nil); err != nil {
			return err
		}
	case size > firstManifest && len(manifest) == firstManifest:
		manifest = append(make([]byte, 0, size), manifest...)
		n, _ := b.readAt(ctx, nameManifest, manifest[firstManifest:size], firstManifest)
		manifest = manifest[:firstManifest+n]
	}
	if len(manifest) >= size {
		if b.m, err = commit.OpenManifest(id, manifest[:size]); err == nil {
			return nil
		}
	}
	if err := contextError(ctx); err != nil {
		return err
	}
	b.m, err = b.recoverManifest(ctx, id)
	return err
}

// Header returns the header of the blob.
func (b *Blob) Header() commit.Header { return b.h }

// Close releases the blob. No loop over it may be running. What takes the store from then on fails with
// [fs.ErrClosed].
func (b *Blob) Close() error {
	b.closed.Store(true)
	return b.objects.Close()
}

// errBlobClosed is the error of a loop over a Blob after Close: no object can be read then, but the blob is not lost.
var errBlobClosed = fmt.Errorf("blob: Blob is closed: %w", fs.ErrClosed)

// readAt reads an object from off on until p is full. n is as many bytes as came, and where that is fewer than asked
// for err tells why.
func (b *Blob) readAt(ctx context.Context, name string, p []byte, off int64) (n int, err error) {
	n, err = readAt(ctx, b.objects, name, p, off)
	b.stats.Bytes.Add(uint64(n))
	return n, err
}

func readAt(ctx context.Context, o Objects, name string, p []byte, off int64) (n int, err error) {
	n, err = o.ReadAt(ctx, name, p, off)
	switch {
	case n < 0 || n > len(p):
		return 0, fmt.Errorf("blob: store read %d bytes of %s, asked for %d", n, name, len(p))
	case n == len(p):
		return n, nil
	}
	return n, causeOf(err)
}

// noteAbsent keeps in mind whether an object is missing.
func (b *Blob) noteAbsent(object int, absent bool) {
	bit := uint32(1) << object
	if absent {
		b.absent.Or(bit)
	} else if b.absent.Load()&bit != 0 {
		b.absent.And(^bit)
	}
}
