package blob

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"

	"github.com/tapecommit/tapecommit/commit"
)

// buildFolder is where blobs are that are not there yet, or no more, each in a
// folder of its own.
const buildFolder = "tmp"

// OpenDir opens the store in a folder that exists. The objects of a blob are
// the files in its folder <id>, and [Repairable]. An object that is no regular
// file is missing, and a blob that is no folder is not there.
//
// Blobs are built in tmp/<random>, locked. A Create sweeps what writers left there
// that ended before their Close; where the system has no flock, it stays. Machines
// that share a store have to share its locks.
func OpenDir(path string) (Store, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	return &dir{rootFiles{root}}, nil
}

type dir struct{ files files }

func (d *dir) Open(ctx context.Context, id commit.ID) (Objects, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := d.find(id.String()); err != nil {
		return nil, err
	}
	return newDirObjects(d.files, id.String()), nil
}

// find returns nil where a blob has a folder.
func (d *dir) find(id string) error {
	info, err := d.files.lstat(id)
	if err != nil {
		return fileError(id, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("blob: %s: not a folder: %w", id, fs.ErrNotExist)
	}
	return nil
}

func (d *dir) Create(ctx context.Context) (Upload, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := d.makeBuildFolder(); err != nil {
		return nil, err
	}
	// The sweep of another Create may come between mkdir and lock, and take the
	// new folder for a leftover.
	const tries = 100
	var err error
	for range tries {
		u := &dirUpload{files: d.files, path: buildPath(), objects: make(map[string]file)}
		if err := d.files.mkdir(u.path); err != nil {
			return nil, fileError(u.path, err)
		}
		u.lock, err = d.files.lock(u.path, false)
		if err == nil {
			d.sweep(u.path)
			return u, nil
		}
		err = fileError(u.path, err)
		if !errors.Is(err, errLocked) && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(err, d.files.removeAll(u.path))
		}
	}
	return nil, err
}

func (d *dir) makeBuildFolder() error {
	if err := d.files.mkdir(buildFolder); err != nil && !errors.Is(err, fs.ErrExist) {
		return fileError(buildFolder, err)
	}
	return nil
}

// buildPath is a path in buildFolder that nothing else has.
func buildPath() string { return buildFolder + "/" + rand.Text() }

// sweep removes what is in buildFolder, except the folder at path, and is locked
// by nobody. What it cannot remove stays for another time.
func (d *dir) sweep(except string) {
	entries, err := d.files.list(buildFolder)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := buildFolder + "/" + e.Name()
		if path == except || !e.IsDir() {
			continue
		}
		lock, err := d.files.lock(path, true)
		if err != nil {
			continue
		}
		d.files.removeAll(path)
		lock.Close()
	}
}

// Remove moves the blob's folder out of the way, so that it is gone at once and
// whole, also after a crash; only then its files go.
func (d *dir) Remove(ctx context.Context, id commit.ID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	name := id.String()
	if err := d.find(name); err != nil {
		return err
	}
	if err := d.makeBuildFolder(); err != nil {
		return err
	}
	path := buildPath()
	if err := d.files.rename(name, path); err != nil {
		return fileError(name, err)
	}
	if err := d.files.syncFolder("."); err != nil {
		return fileError(name, err)
	}
	if err := d.files.removeAll(path); err != nil {
		return fileError(name, err)
	}
	return nil
}

func (d *dir) IDs(ctx context.Context) iter.Seq2[commit.ID, error] {
	return func(yield func(commit.ID, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(commit.ID{}, err)
			return
		}
		entries, err := d.files.list(".")
		if err != nil {
			yield(commit.ID{}, fmt.Errorf("blob: list the store: %w", err))
			return
		}
		var ids []commit.ID
		for _, e := range entries {
			if id, err := commit.ParseID(e.Name()); err == nil && e.IsDir() {
				ids = append(ids, id)
			}
		}
		yieldIDs(ctx, ids, yield)
	}
}
