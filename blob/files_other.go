//go:build !unix

package blob

const openNonblock = 0

// syncFolder does nothing: there is no way to sync a folder here.
func (r rootFiles) syncFolder(path string) error { return nil }
