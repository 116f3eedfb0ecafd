package blob

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A hooked calls hook before each operation and does what it returns: nothing
// special, errSkip to leave the operation out, a lateError to fail with after the
// operation, or any other error to fail with instead.
type hooked struct {
	files
	hook func(op string) error
}

var errSkip = errors.New("left out")

type lateError struct{ error }

// do calls hook and, unless told otherwise, f.
func (h hooked) do(op string, f func() error) error {
	err := h.hook(op)
	if err == errSkip {
		return nil
	}
	if late, ok := err.(lateError); ok {
		f()
		return late.error
	}
	if err != nil {
		return err
	}
	return f()
}

func (h hooked) list(path string) (entries []fs.DirEntry, err error) {
	err = h.do("list "+path, func() error { entries, err = h.files.list(path); return err })
	return entries, err
}

func (h hooked) lstat(path string) (info fs.FileInfo, err error) {
	err = h.do("lstat "+path, func() error { info, err = h.files.lstat(path); return err })
	return info, err
}

func (h hooked) open(path string, write bool) (f file, err error) {
	err = h.do("open "+path, func() error { f, err = h.files.open(path, write); return err })
	return hookedFile{f, path, h}, err
}

func (h hooked) mkdir(path string) error {
	return h.do("mkdir "+path, func() error { return h.files.mkdir(path) })
}

func (h hooked) create(path string) (f file, err error) {
	err = h.do("create "+path, func() error { f, err = h.files.create(path); return err })
	return hookedFile{f, path, h}, err
}

func (h hooked) rename(from, to string) error {
	return h.do("rename "+from+" "+to, func() error { return h.files.rename(from, to) })
}

func (h hooked) removeAll(path string) error {
	return h.do("remove "+path, func() error { return h.files.removeAll(path) })
}

func (h hooked) syncFolder(path string) error {
	return h.do("sync "+path, func() error { return h.files.syncFolder(path) })
}

func (h hooked) lock(path string, exclusive bool) (lock io.Closer, err error) {
	op := "lock "
	if exclusive {
		op = "lock to sweep "
	}
	err = h.do(op+path, func() error { lock, err = h.files.lock(path, exclusive); return err })
	return lock, err
}

type hookedFile struct {
	file
	path string
	h    hooked
}

func (f hookedFile) Write(p []byte) (n int, err error) {
	err = f.h.do("write "+f.path, func() error { n, err = f.file.Write(p); return err })
	return n, err
}

func (f hookedFile) WriteAt(p []byte, off int64) (n int, err error) {
	err = f.h.do("write "+f.path, func() error { n, err = f.file.WriteAt(p, off); return err })
	return n, err
}

func (f hookedFile) Truncate(size int64) error {
	return f.h.do("truncate "+f.path, func() error { return f.file.Truncate(size) })
}

func (f hookedFile) Sync() error {
	return f.h.do("sync "+f.path, f.file.Sync)
}

// Close closes the file also where it fails.
func (f hookedFile) Close() error {
	err := f.file.Close()
	return f.h.do("close "+f.path, func() error { return err })
}

// A sim is a file system of which it is known what a crash leaves: of a file the
// bytes at its last sync, of a folder the names at its last sync, at the least. What
// came after may be there as well.
type sim struct {
	mu   sync.Mutex
	root *simNode
}

// A simNode is a file, or a folder where names is not nil.
type simNode struct {
	names, savedNames map[string]*simNode
	data, savedData   []byte
	shared            int
	exclusive         bool
}

func newFolder() *simNode {
	return &simNode{names: map[string]*simNode{}, savedNames: map[string]*simNode{}}
}

func newSim() *sim { return &sim{root: newFolder()} }

// crashes calls f with each state that a crash now may leave: any of the folders
// with their names of now or of their last sync, and all files likewise.
func (s *sim) crashes(f func(*sim)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var unsaved []*simNode
	seen := map[*simNode]bool{}
	var visit func(*simNode)
	visit = func(n *simNode) {
		if seen[n] {
			return
		}
		seen[n] = true
		if !maps.Equal(n.names, n.savedNames) {
			unsaved = append(unsaved, n)
		}
		for _, names := range []map[string]*simNode{n.names, n.savedNames} {
			for _, kid := range names {
				visit(kid)
			}
		}
	}
	visit(s.root)
	for mask := range 1 << len(unsaved) {
		for _, keepData := range []bool{false, true} {
			lost := map[*simNode]bool{}
			for i, n := range unsaved {
				lost[n] = mask>>i&1 != 0
			}
			copies := map[*simNode]*simNode{}
			var clone func(*simNode) *simNode
			clone = func(n *simNode) *simNode {
				if c, ok := copies[n]; ok {
					return c
				}
				c := &simNode{}
				copies[n] = c
				if n.names == nil {
					c.data = n.savedData
					if keepData {
						c.data = n.data
					}
					c.data = slices.Clone(c.data)
					c.savedData = slices.Clone(c.data)
					return c
				}
				c.names = map[string]*simNode{}
				names := n.names
				if lost[n] {
					names = n.savedNames
				}
				for name, kid := range names {
					c.names[name] = clone(kid)
				}
				c.savedNames = maps.Clone(c.names)
				return c
			}
			f(&sim{root: clone(s.root)})
		}
	}
}

// at is what is at p, or nil, and the folder that it is or would be in, or nil.
func (s *sim) at(p string) (folder, node *simNode) {
	node = s.root
	if p == "." {
		return nil, node
	}
	for name := range strings.SplitSeq(p, "/") {
		folder, node = node, nil
		if folder == nil || folder.names == nil {
			return nil, nil
		}
		node = folder.names[name]
	}
	return folder, node
}

func pathError(op, p string, err error) error { return &fs.PathError{Op: op, Path: p, Err: err} }

func (s *sim) list(p string) ([]fs.DirEntry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, n := s.at(p)
	if n == nil || n.names == nil {
		return nil, pathError("open", p, syscall.ENOENT)
	}
	var all []fs.DirEntry
	for _, name := range slices.Sorted(maps.Keys(n.names)) {
		all = append(all, fs.FileInfoToDirEntry(simInfo{name, n.names[name]}))
	}
	return all, nil
}

func (s *sim) lstat(p string) (fs.FileInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, n := s.at(p)
	if n == nil {
		return nil, pathError("lstat", p, syscall.ENOENT)
	}
	return simInfo{path.Base(p), n}, nil
}

func (s *sim) open(p string, write bool) (file, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, n := s.at(p)
	if n == nil || n.names != nil {
		return nil, pathError("open", p, syscall.ENOENT)
	}
	return &simFile{s: s, n: n}, nil
}

// add puts a new node at p.
func (s *sim) add(op, p string, n *simNode) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	folder, there := s.at(p)
	switch {
	case folder == nil:
		return pathError(op, p, syscall.ENOENT)
	case there != nil:
		return pathError(op, p, syscall.EEXIST)
	}
	folder.names[path.Base(p)] = n
	return nil
}

func (s *sim) mkdir(p string) error { return s.add("mkdir", p, newFolder()) }

func (s *sim) create(p string) (file, error) {
	n := &simNode{}
	return &simFile{s: s, n: n}, s.add("create", p, n)
}

func (s *sim) rename(from, to string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	fromFolder, n := s.at(from)
	toFolder, there := s.at(to)
	switch {
	case n == nil || toFolder == nil:
		return pathError("rename", from, syscall.ENOENT)
	case there != nil && there.names != nil:
		return pathError("rename", to, syscall.EEXIST)
	case there != nil && n.names != nil:
		return pathError("rename", to, syscall.ENOTDIR)
	}
	delete(fromFolder.names, path.Base(from))
	toFolder.names[path.Base(to)] = n
	return nil
}

// removeAll empties the folders that it removes, as a crash may leave them.
func (s *sim) removeAll(p string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	folder, n := s.at(p)
	if n == nil {
		return nil
	}
	var empty func(*simNode)
	empty = func(n *simNode) {
		for _, kid := range n.names {
			empty(kid)
		}
		clear(n.names)
	}
	empty(n)
	delete(folder.names, path.Base(p))
	return nil
}

func (s *sim) syncFolder(p string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, n := s.at(p)
	if n == nil || n.names == nil {
		return pathError("sync", p, syscall.ENOENT)
	}
	n.savedNames = maps.Clone(n.names)
	return nil
}

func (s *sim) lock(p string, exclusive bool) (io.Closer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, n := s.at(p)
	switch {
	case n == nil || n.names == nil:
		return nil, pathError("open", p, syscall.ENOENT)
	case n.exclusive || exclusive && n.shared > 0:
		return nil, errLocked
	case exclusive:
		n.exclusive = true
	default:
		n.shared++
	}
	return simLock{s, n, exclusive}, nil
}

type simLock struct {
	s         *sim
	n         *simNode
	exclusive bool
}

func (l simLock) Close() error {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	if l.exclusive {
		l.n.exclusive = false
	} else {
		l.n.shared--
	}
	return nil
}

type simFile struct {
	s   *sim
	n   *simNode
	off int64
}

func (f *simFile) Write(p []byte) (int, error) {
	n, err := f.WriteAt(p, f.off)
	f.off += int64(n)
	return n, err
}

func (f *simFile) WriteAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, syscall.EINVAL
	}
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	if more := int(off) + len(p) - len(f.n.data); len(p) > 0 && more > 0 {
		f.n.data = append(f.n.data, make([]byte, more)...)
	}
	if len(p) > 0 {
		copy(f.n.data[off:], p)
	}
	return len(p), nil
}

func (f *simFile) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, syscall.EINVAL
	}
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	return bytes.NewReader(f.n.data).ReadAt(p, off)
}

func (f *simFile) Truncate(size int64) error {
	if size < 0 {
		return syscall.EINVAL
	}
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	f.n.data = append(f.n.data, make([]byte, max(0, int(size)-len(f.n.data)))...)[:size:size]
	return nil
}

func (f *simFile) Sync() error {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	f.n.savedData = slices.Clone(f.n.data)
	return nil
}

func (f *simFile) Stat() (fs.FileInfo, error) { return simInfo{"", f.n}, nil }

func (f *simFile) Close() error { return nil }

// simInfo is what there is to know of a node.
type simInfo struct {
	name string
	n    *simNode
}

func (i simInfo) Name() string       { return i.name }
func (i simInfo) IsDir() bool        { return i.n.names != nil }
func (i simInfo) Size() int64        { return int64(len(i.n.data)) }
func (i simInfo) ModTime() time.Time { return time.Time{} }
func (i simInfo) Sys() any           { return nil }
func (i simInfo) Mode() fs.FileMode {
	if i.IsDir() {
		return fs.ModeDir
	}
	return 0
}
