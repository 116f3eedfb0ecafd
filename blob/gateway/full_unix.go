//go:build unix

package gateway

import (
	"errors"
	"syscall"
)

// isFull reports whether a store failed for want of room.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
