// Package proof turns bytes that nobody vouches for into slices that an ID
// vouches for, and makes what that takes.
//
// A [Source] is an open blob: it yields slices, and each [Slice] was checked
// against the blob's [commit.ID] before anybody saw it. A [Reader] over a Source
// is the plaintext. A [Tree] is a Source that can be proven from:
//
//   - [Append] makes the proof of a set of slices, [Check] checks any number of
//     them at once;
//   - [Write] makes bundles, proofs with their slices behind them, and [Open] reads
//     them, so that a client that holds nothing but the ID can check as it reads;
//   - a [Challenge] asks an archive for slices of a seed's choosing; [Challenge.Answer]
//     and [Challenge.Judge] are the two sides of the audit.
//
// Checking needs the ID, the proof and the slices, and nothing else: this package
// does not know the erasure code. Refused bytes give an error that wraps the
// [commit.Rule] they broke, and nothing is allocated in proportion to a number
// that stands in them.
package proof
