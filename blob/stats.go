package blob

import "sync/atomic"

// Stats count the work on any number of blobs. The zero Stats are ready, and all of it serves many goroutines.
type Stats struct {
	Bytes    atomic.Uint64 // read from stores or written to them
	Verified atomic.Uint64 // slices read that match their leaf hashes
	Rebuilt  atomic.Uint64 // slices made from others that match their leaf hashes
	Missing  atomic.Uint64 // slices asked for that did not come whole
	Wrong    atomic.Uint64 // slices read that do not match their leaf hashes
}
