package blob

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"github.com/tapecommit/tapecommit/commit"
)

// A dirUpload is a locked folder in buildFolder, with a file for each object.
type dirUpload struct {
	files files
	path  string
	lock  io.Closer // nil after Close

	mu      sync.Mutex
	err     error           // why Append and Commit fail from now on
	objects map[string]file // open to write
}

func (u *dirUpload) Append(ctx context.Context, name string, p []byte) error {
	f, err := u.object(ctx, name)
	if err != nil {
		return err
	}
	if _, err := f.Write(p); err != nil {
		err = fileError(u.path+"/"+name, err)
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.err == nil {
			u.err = err
		}
		return err
	}
	return nil
}

// object is the file of an object, made where it is not there yet.
func (u *dirUpload) object(ctx context.Context, name string) (file, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.err == nil {
		u.err = ctx.Err()
	}
	if u.err == nil {
		u.err = checkName(name)
	}
	if u.err != nil {
		return nil, u.err
	}
	f, ok := u.objects[name]
	if !ok {
		var err error
		if f, err = u.files.create(u.path + "/" + name); err != nil {
			u.err = fileError(u.path+"/"+name, err)
			return nil, u.err
		}
		u.objects[name] = f
	}
	return f, nil
}

func (u *dirUpload) Commit(ctx context.Context, id commit.ID) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.err != nil {
		return u.err
	}
	u.err = errUploadEnded
	return u.commit(ctx, id.String())
}

// commit is the order in which a blob comes to last: its bytes, their names, the
// name of the whole. A crash before the last leaves no blob, or the one that was
// there. Once a name has changed, ctx stops nothing.
func (u *dirUpload) commit(ctx context.Context, id string) error {
	names := slices.Sorted(maps.Keys(u.objects))
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := u.objects[name].Sync(); err != nil {
			return fileError(u.path+"/"+name, err)
		}
		err := u.objects[name].Close()
		delete(u.objects, name)
		if err != nil {
			return fileError(u.path+"/"+name, err)
		}
	}
	// A blob that was there may be removed meanwhile. As long as none of these
	// objects went with it, it is as if it had been removed before.
	const tries = 10
	for range tries {
		moved, err := u.place(id, names)
		if err != errRemoved {
			return err
		}
		if moved > 0 {
			break
		}
	}
	return fileError(id, errRemoved)
}

var errRemoved = errors.New("removed while it was written")

// place gives the blob its name, or its objects to the blob that is there. It returns
// how many were given to that.
func (u *dirUpload) place(id string, names []string) (moved int, err error) {
	there, err := u.clear(id)
	if err != nil {
		return 0, err
	}
	if there {
		return u.replace(id, names)
	}
	if err := u.files.syncFolder(u.path); err != nil {
		return 0, fileError(u.path, err)
	}
	if err := u.files.rename(u.path, id); err != nil {
		if errors.Is(err, fs.ErrExist) { // another writer of the same bytes was faster
			return u.replace(id, names)
		}
		return 0, fileError(id, err)
	}
	if err := u.files.syncFolder("."); err != nil {
		return 0, fileError(id, err)
	}
	return 0, nil
}

// replace puts the objects into the folder of a blob that is there already. The
// other writer may not have come to the last sync, so it is done here too.
func (u *dirUpload) replace(id string, names []string) (moved int, err error) {
	for _, name := range names {
		path := id + "/" + name
		if err := u.aside(path, name); err != nil {
			return moved, u.replaceError(id, path, err)
		}
		if err := u.files.rename(u.path+"/"+name, path); err != nil {
			return moved, u.replaceError(id, path, err)
		}
		moved++
	}
	for _, path := range []string{id, "."} {
		if err := u.files.syncFolder(path); err != nil {
			return moved, u.replaceError(id, id, err)
		}
	}
	return moved, nil
}

// replaceError is err of what was done at path, unless the whole blob is gone.
func (u *dirUpload) replaceError(id, path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := u.files.lstat(id); errors.Is(err, fs.ErrNotExist) {
			return errRemoved
		}
	}
	return fileError(path, err)
}

// clear returns whether there is a folder for blob id. Anything else that is there
// in its place it removes.
func (u *dirUpload) clear(id string) (there bool, err error) {
	info, err := u.files.lstat(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fileError(id, err)
	case info.IsDir():
		return true, nil
	}
	if err := u.files.removeAll(id); err != nil {
		return false, fileError(id, err)
	}
	return false, nil
}

// aside moves a folder that is in the place of an object to where Close removes
// it: a rename replaces anything else, but not a folder.
func (u *dirUpload) aside(path, name string) error {
	info, err := u.files.lstat(path)
	if err == nil && info.IsDir() {
		err = u.files.rename(path, u.path+"/not-"+name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Close removes what Commit did not move.
func (u *dirUpload) Close() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.err = errUploadEnded
	if u.lock == nil {
		return nil
	}
	for name, f := range u.objects {
		f.Close()
		delete(u.objects, name)
	}
	err := u.files.removeAll(u.path)
	if err != nil {
		err = fileError(u.path, err)
	}
	u.lock.Close()
	u.lock = nil
	return err
}
