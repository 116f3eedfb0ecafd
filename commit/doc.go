// Package commit holds what the writer, the prover and the verifier of a blob
// share: its parameters, its header and ID, its geometry and its tree.
//
// A blob is cut into groups of N slices, K of which carry data. Slice i of group
// g is leaf 32g + i of one SHA-256 tree; places without a slice are empty:
//
//	height 15        window of 1,024 groups     (kept in the manifest)
//	          ┌──────────┴ ... ┐
//	height 5  group 0          group 1          (kept in the object "roots")
//	       ┌──┴─ ... ┐      ┌──┴─ ... ┐
//	height 0 slice 0 ... slice N-1, empty ...   (kept in the object "leaves")
//
//	leaf(s)    = SHA-256("LEAF" || s)
//	join(l, r) = SHA-256("LEFT" || l || "RIGHT" || r)
//
// The root alone binds neither the length of the plaintext nor the code, so a
// blob's name is its [ID], the hash of a 64-byte [Header] that holds them all.
//
// Trust is a chain of types, each made from the one before: an [ID] opens a
// [Manifest], a Manifest opens a [Window] of group roots, and package proof goes
// on to leaf hashes and slices. Bytes from outside that are refused give an error
// that wraps the [Rule] they broke. FORMAT.md in package blob is the
// specification.
package commit
