// Package blob writes, reads, verifies and repairs whole blobs in stores that nobody needs to trust.
//
// A [Writer] cuts what is written to it into groups of N slices, of which any K suffice, and names the blob by its
// [commit.ID]. [Open] opens a blob of that name: a [Blob] gives its slices, each checked against the ID, where it must by
// rebuilding them from others. It is a [proof.Tree], so a [proof.Reader] over it is the plaintext, and package proof makes
// proofs from it. [Blob.Verify] checks all that is stored, and [Blob.Repair] rewrites what is missing or wrong.
//
// # What is stored
//
// FORMAT.md, beside this file, is the specification. A blob has these objects, each of which may be lost or changed:
//
//	manifest           the header, and for larger blobs some nodes of the tree
//	roots              the roots of all groups
//	leaves             the leaf hashes of all slices
//	lane-00, lane-01   ... up to N lanes: slice i of every group, and the header
//
// Any K whole lanes and the ID are the blob: the other objects are caches, which are made again where they do not lead to
// the ID. Losses may differ from group to group, for a group takes any K of its slices.
//
// # Reading
//
// What a run of 64 groups needs is asked for at once. A small read takes one round of calls to the store, or up to three
// where slices are missing or wrong:
//
//	ID -> manifest -> window of 1024 group roots -> leaf hashes of a group -> slice
//	     (at Open)    (kept)
//
// Memory is bounded by Options.Workers, whatever the length of the blob, and nothing that a loop started outlives it.
package blob
