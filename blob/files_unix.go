//go:build unix

package blob

import (
	"errors"
	"syscall"
)

// openNonblock keeps an open from waiting for the other end of a pipe, should one
// have come in the place of a file. To a file it makes no difference.
const openNonblock = syscall.O_NONBLOCK

func (r rootFiles) syncFolder(path string) error {
	f, err := r.root.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	err = f.Sync()
	// Some file systems do not sync folders, and say so; there is nothing to wait
	// for then.
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}
