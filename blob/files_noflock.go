//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package blob

import (
	"errors"
	"io"
)

func (r rootFiles) lock(path string, exclusive bool) (io.Closer, error) {
	if exclusive {
		return nil, errors.ErrUnsupported
	}
	return noLock{}, nil
}

type noLock struct{}

func (noLock) Close() error { return nil }
