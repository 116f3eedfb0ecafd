package blob

import (
	"context"
	"fmt"
	"io/fs"
	"iter"

	"github.com/tapecommit/tapecommit/commit"
)

// A Store keeps the objects of blobs, by blob and name. Nobody needs to trust
// it: whatever reads from a Store checks what it gets. The names are
// "manifest", "roots", "leaves" and "lane-00" to "lane-19"; a Store refuses any
// other.
//
// What is not there, blob or object, is an error that wraps [fs.ErrNotExist]. A
// done context is its error, whatever else holds. All of a Store serves many
// goroutines.
type Store interface {
	// Open opens the objects of a blob, of which any may be missing.
	Open(ctx context.Context, id commit.ID) (Objects, error)

	// Create begins a blob.
	Create(ctx context.Context) (Upload, error)

	// Remove deletes a blob with all its objects. It is gone for whoever opens
	// it from then on.
	Remove(ctx context.Context, id commit.ID) error

	// IDs yields the blobs of the store in ascending order, damaged ones too.
	// After an error it ends.
	IDs(ctx context.Context) iter.Seq2[commit.ID, error]
}

// Objects are the objects of one blob. Its methods serve many goroutines; after
// Close they fail with [fs.ErrClosed].
type Objects interface {
	// ReadAt reads len(p) bytes of an object from byte off on, under the rules
	// of [io.ReaderAt]: fewer come with an error, which is io.EOF itself where
	// the object ends.
	ReadAt(ctx context.Context, name string, p []byte, off int64) (int, error)

	// Size is the size of an object in bytes.
	Size(ctx context.Context, name string) (int64, error)

	// Close releases what the Objects hold. A second Close does nothing.
	Close() error
}

// Repairable are Objects that can be mended in place. Objects that are missing
// are not made: see [Upload.Commit].
type Repairable interface {
	Objects

	// WriteAt writes p over an object from byte off on, and makes it longer
	// where it ends before that.
	WriteAt(ctx context.Context, name string, p []byte, off int64) error

	// Truncate cuts an object to size bytes, or makes it longer with zeros.
	Truncate(ctx context.Context, name string, size int64) error

	// Sync returns when all that was written before is sure to last.
	Sync(ctx context.Context) error
}

// An Upload is objects of a blob whose ID is not known yet. They are invisible
// until Commit. After Commit or Close its methods, but Close, fail with
// [fs.ErrClosed].
type Upload interface {
	// Append adds p at the end of an object, which begins empty; p is not kept.
	// Goroutines may append to different objects at a time, and one goroutine
	// at a time to each. An empty p makes an empty object. After a failed
	// Append the Upload cannot be committed.
	//
	// A Writer appends the slices of 8 groups at a time. A store where a call
	// costs more than its bytes collects some.
	Append(ctx context.Context, name string, p []byte) error

	// Commit makes the objects those of blob id and returns when they are sure
	// to last. A blob that was not there appears with all of them at once, or
	// not at all. Of a blob that was there the objects of the same names are
	// replaced and the others stay, so an Upload of some objects repairs.
	// Nothing may be appended meanwhile. However Commit ends, it is the last
	// call but Close.
	Commit(ctx context.Context, id commit.ID) error

	// Close discards what was not committed. A second Close, or one after
	// Commit, does nothing.
	Close() error
}

// errUploadEnded is the error of an Upload after Commit or Close.
var errUploadEnded = fmt.Errorf("blob: upload has ended: %w", fs.ErrClosed)

// yieldIDs yields ids until ctx is done.
func yieldIDs(ctx context.Context, ids []commit.ID, yield func(commit.ID, error) bool) {
	for _, id := range ids {
		if ctx.Err() != nil {
			break
		}
		if !yield(id, nil) {
			return
		}
	}
	if err := ctx.Err(); err != nil {
		yield(commit.ID{}, err)
	}
}
