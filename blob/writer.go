package blob

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/tapecommit/tapecommit/commit"
)

const (
	readSize      = 64 << 10 // what ReadFrom asks for at a time
	maxEmptyReads = 100      // in a row, as in package bufio
)

// A Writer writes a blob of any length in constant memory: see [Options]. It cuts what is written to it into pieces of
// a few groups; each is encoded, hashed and stored in the background while the next fills. It serves one goroutine at a
// time.
//
// The blob appears in the store with Commit. The first error of any part ends the Writer: all calls from then on
// return it.
type Writer struct {
	params  commit.Params
	workers int
	tile    int // groups
	stats   *Stats
	upload  Upload

	ctx    context.Context
	cancel context.CancelCauseFunc
	unhook func() bool // so that the caller's ctx does not keep the Writer

	length int64
	cur    *piece        // being filled, or nil
	made   int           // pieces made
	free   chan *piece   // pieces that are done
	coding chan struct{} // a token for each piece that is encoded and hashed
	buf    []byte        // of ReadFrom

	builder commit.Builder // belongs to the piece whose turn it is

	mu       sync.Mutex
	err      error // the first; nothing is launched once it is set
	launched int   // pieces
	turn     int   // of the piece that is stored next
	turned   sync.Cond
	jobs     sync.WaitGroup

	end   sync.Mutex // of whoever ends the Writer
	ended bool
}

// NewWriter begins a blob in s. When ctx is done the Writer ends, discards what it stored and leaves no goroutine
// behind, whether or not it is closed.
func NewWriter(ctx context.Context, s Store, o Options) (*Writer, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	upload, err := s.Create(ctx)
	if err != nil {
		return nil, cmp.Or(contextError(ctx), err)
	}
	w := &Writer{
		params:  o.Params,
		workers: o.Workers,
		tile:    tileGroups(),
		stats:   o.Stats,
		upload:  upload,
		free:    make(chan *piece, maxPieces(o.Workers)),
		coding:  make(chan struct{}, o.Workers),
	}
	w.turned.L = &w.mu
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.end.Lock() // for what AfterFunc calls, perhaps at once, needs unhook
	defer w.end.Unlock()
	w.unhook = context.AfterFunc(ctx, func() { w.discard(contextError(ctx)) })
	return w, nil
}

// Write adds p to the blob. It does not keep p.
func (w *Writer) Write(p []byte) (int, error) {
	written := 0
	for {
		if err := w.failed(); err != nil {
			return written, err
		}
		if len(p) == 0 {
			return written, nil
		}
		if err := w.makeRoom(); err != nil {
			return written, w.fail(err)
		}
		n := w.cur.batch.Append(p[:min(len(p), w.cur.tileRest())])
		p = p[n:]
		written += n
		w.length += int64(n)
		if w.cur.groups < pieceGroups {
			continue
		}
		if w.workers == 1 && w.cur.tileFull() {
			// Nothing else would run meanwhile, and here the tile is still in the cache.
			w.cur.code(w.cur.batch.Groups())
		}
		if w.cur.full() {
			w.launch()
		}
	}
}

// ReadFrom adds all that r gives. An error of r ends the Writer, so that no blob of a part of r is committed.
func (w *Writer) ReadFrom(r io.Reader) (int64, error) {
	// Who knows how much is left has it in memory, and no need of a copy in between.
	if m, ok := r.(interface {
		io.WriterTo
		Len() int
	}); ok {
		if err := w.failed(); err != nil {
			return 0, err
		}
		n, err := m.WriteTo(struct{ io.Writer }{w})
		if err != nil {
			err = w.fail(err)
		}
		return n, err
	}
	if w.buf == nil {
		w.buf = make([]byte, readSize)
	}
	total, empty := int64(0), 0
	for {
		if err := w.failed(); err != nil {
			return total, err
		}
		n, err := r.Read(w.buf)
		if n < 0 || n > len(w.buf) {
			return total, w.fail(fmt.Errorf("blob: reader returned %d bytes, asked for %d", n, len(w.buf)))
		}
		written, werr := w.Write(w.buf[:n])
		total += int64(written)
		switch {
		case werr != nil:
			return total, werr
		case err == io.EOF:
			return total, nil
		case err != nil:
			return total, w.fail(err)
		case n > 0:
			empty = 0
		default:
			if empty++; empty == maxEmptyReads {
				return total, w.fail(io.ErrNoProgress)
			}
		}
	}
}

// Commit ends the blob and makes it appear, whole. Where it fails, the blob is discarded.
func (w *Writer) Commit() (commit.Header, error) {
	w.end.Lock()
	defer w.end.Unlock()
	if w.ended {
		return commit.Header{}, w.failed()
	}
	if w.cur != nil {
		w.cur.batch.Finish()
		w.launch()
	}
	w.jobs.Wait()
	h, err := w.commit()
	if err != nil {
		err = w.fail(err)
	}
	w.finish(errCommitted)
	return h, err
}

// commit is Commit when all groups are stored.
func (w *Writer) commit() (commit.Header, error) {
	if err := w.failed(); err != nil {
		return commit.Header{}, err
	}
	m, err := w.builder.Manifest(w.params, w.length)
	if err != nil {
		return commit.Header{}, err
	}
	manifest, err := m.AppendBinary(nil)
	if err != nil {
		return commit.Header{}, err
	}
	names := append([]string{nameManifest}, laneNames[:w.params.N]...)
	if w.length == 0 {
		names = append(names, nameRoots, nameLeaves)
	}
	new(crew).each(len(names), func(i int) {
		switch name := names[i]; name {
		case nameManifest:
			w.append(name, manifest)
		case nameRoots, nameLeaves:
			w.append(name, nil) // no group made them
		default:
			w.append(name, manifest[:commit.HeaderLen])
		}
	})
	if err := w.failed(); err != nil {
		return commit.Header{}, err
	}
	if err := w.upload.Commit(w.ctx, m.ID()); err != nil {
		return commit.Header{}, err
	}
	return m.Header(), nil
}

// Close discards what was not committed; a second Close, or one after Commit, does nothing. It returns when nothing of
// the Writer runs any more.
func (w *Writer) Close() error { return w.discard(errClosed) }

var (
	errClosed    = fmt.Errorf("blob: Writer is closed: %w", fs.ErrClosed)
	errCommitted = fmt.Errorf("blob: Writer has committed: %w", fs.ErrClosed)
)

// discard ends the Writer because of err, once.
func (w *Writer) discard(err error) error {
	w.fail(err)
	w.end.Lock()
	defer w.end.Unlock()
	if w.ended {
		return nil
	}
	return w.finish(err)
}

// finish releases what the Writer holds. err is what all calls return from now on if nothing failed before. w.end is
// locked.
func (w *Writer) finish(err error) error {
	w.ended = true
	w.fail(err)
	w.unhook()
	w.jobs.Wait()
	return w.upload.Close()
}

// failed returns the error that ended the Writer, if one has.
func (w *Writer) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && w.ctx.Err() != nil {
		w.err = contextError(w.ctx)
	}
	return w.err
}

// fail ends the Writer because of err unless an error ended it before, and returns the one that did.
func (w *Writer) fail(err error) error {
	if first := w.failed(); first != nil {
		return first // err may be no more than how the store says that the context is done
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
		w.cancel(err)
	}
	return w.err
}

// append stores p behind an object.
func (w *Writer) append(name string, p []byte) {
	if err := w.upload.Append(w.ctx, name, p); err != nil {
		w.fail(err)
		return
	}
	w.stats.Bytes.Add(uint64(len(p)))
}
