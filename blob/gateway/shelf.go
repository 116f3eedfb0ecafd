package gateway

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/proof"
)

const (
	// keptBlobs is how many blobs stay open while nobody uses them, each with the files, roots and memory that it
	// has.
	keptBlobs = 32

	// keptFor is how long a blob is used before it is opened anew: an open blob holds on to objects that others were
	// put in place of.
	keptFor = time.Minute

	// maxOpens is how many blobs are opened at a time, for each takes room for the largest manifest.
	maxOpens = 8
)

// A shelf keeps blobs open from one request to the next.
type shelf struct {
	store   blob.Store
	options blob.Options
	opens   chan struct{}

	mu     sync.Mutex
	closed bool
	books  map[commit.ID]*book
}

// A book is a blob on the shelf, or one that is being opened.
type book struct {
	ready  chan struct{} // closed when blob and err are there
	blob   *blob.Blob
	err    error
	broken bool // whoever opened it went away
	opened time.Time

	users int       // under the shelf's lock
	left  time.Time // by the last user
	off   bool      // the shelf: closed with the last user

	kind atomic.Pointer[string] // the media type, once it is known
}

func newShelf(store blob.Store, o blob.Options) *shelf {
	return &shelf{store: store, options: o, opens: make(chan struct{}, maxOpens), books: make(map[commit.ID]*book)}
}

// take returns an open blob, which leave gives back.
func (s *shelf) take(ctx context.Context, id commit.ID) (b *book, leave func(), err error) {
	// What was removed from the store is not served from memory.
	o, err := s.store.Open(ctx, id)
	if err != nil {
		s.drop(id)
		return nil, nil, unknown(err)
	}
	o.Close()
	for {
		b, mine := s.book(id)
		leave = func() { s.leave(b) }
		if mine {
			b.blob, b.err = s.open(ctx, id)
			b.broken = b.err != nil && ctx.Err() != nil
			if b.err != nil {
				s.dropBook(id, b)
			}
			close(b.ready)
		}
		select {
		case <-b.ready:
		case <-ctx.Done():
			leave()
			return nil, nil, ctx.Err()
		}
		switch {
		case b.err == nil:
			return b, leave, nil
		case !b.broken || mine:
			leave()
			return nil, nil, unknown(b.err)
		}
		leave()
	}
}

func (s *shelf) open(ctx context.Context, id commit.ID) (*blob.Blob, error) {
	select {
	case s.opens <- struct{}{}:
		defer func() { <-s.opens }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return blob.Open(ctx, s.store, id, s.options)
}

// book returns the book of a blob, with one user more, and whether it is the caller's to open.
func (s *shelf) book(id commit.ID) (b *book, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	b, ok := s.books[id]
	if ok && now.Sub(b.opened) > keptFor {
		s.remove(id, b)
		ok = false
	}
	if !ok {
		b = &book{ready: make(chan struct{}), opened: now, off: s.closed}
		if !s.closed {
			s.books[id] = b
			s.tidy()
		}
	}
	b.users++
	return b, !ok
}

// tidy removes the books left first where there are too many without users.
func (s *shelf) tidy() {
	for {
		idle, oldest := 0, commit.ID{}
		for id, b := range s.books {
			if b.users > 0 {
				continue
			}
			if idle == 0 || b.left.Before(s.books[oldest].left) {
				oldest = id
			}
			idle++
		}
		if idle <= keptBlobs {
			return
		}
		s.remove(oldest, s.books[oldest])
	}
}

// remove takes a book off the shelf.
func (s *shelf) remove(id commit.ID, b *book) {
	if s.books[id] == b {
		delete(s.books, id)
	}
	b.off = true
	if b.users == 0 && b.blob != nil {
		b.blob.Close()
	}
}

func (s *shelf) leave(b *book) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b.users--
	b.left = time.Now()
	if b.off && b.users == 0 && b.blob != nil {
		b.blob.Close()
	}
	s.tidy()
}

// drop makes the next user of a blob open it anew.
func (s *shelf) drop(id commit.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, ok := s.books[id]; ok {
		s.remove(id, b)
	}
}

func (s *shelf) dropBook(id commit.ID, b *book) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(id, b)
}

func (s *shelf) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for id, b := range s.books {
		s.remove(id, b)
	}
	return nil
}

// mediaType returns the media type of a blob, by its first bytes.
func (b *book) mediaType(ctx context.Context) (string, error) {
	if kind := b.kind.Load(); kind != nil {
		return *kind, nil
	}
	head := make([]byte, min(sniffLen, b.blob.Header().Length))
	if _, err := proof.NewReader(ctx, b.blob).ReadAt(head, 0); err != nil {
		return "", err
	}
	kind := mediaType(head)
	b.kind.Store(&kind)
	return kind, nil
}
