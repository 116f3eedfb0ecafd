// Package reference is a second model of everything that tapecommit commits to, stores and sends: the
// trees, the coding, the blob and its objects, proofs, bundles, audits and evidence, and the checks of
// them. It is written to be compared with, not used: small, slow, all in memory, on the standard library
// alone, and it shares no code with the packages it is the measure of. Each function says what the format
// says, in the order in which the format says it.
//
// A blob and what can be made from it:
//
//	b := reference.Make(reference.Params{K: 3, N: 5, SliceSize: 192}, plaintext)
//	b.ID(), b.Objects(), b.Proof(set), b.Bundle(set), b.Range(first, last), b.Answer(c, nil), b.Evidence(g, lanes)
//
// and the pairs that check bytes of unknown origin, strictly, for tests that compare verdicts:
// [OpenHeader], [CheckProof], [OpenBundles], [ParseChallenge], [Judge], [CheckEvidence], and for plain
// trees [TapeCheck], [ShredKind.Check], [RFC6962Check].
//
// A slice is named by its position, n g + i for slice i of group g. Functions that make things panic where
// their arguments make no sense; functions that check return an error for any bytes at all.
package reference
