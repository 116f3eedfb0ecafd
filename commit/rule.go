package commit

// Rule names the rule of FORMAT.md that refused bytes broke. Errors about bytes
// from outside wrap one: errors.Is finds a certain rule, errors.As any.
type Rule string

// Error returns the name of the rule in a phrase.
func (r Rule) Error() string { return "breaks rule " + string(r) }

// Rules of the header and the ID.
const (
	HeaderSize      Rule = "header-size"       // a header is 64 bytes
	HeaderID        Rule = "header-id"         // the header's hash is the ID
	HeaderMagic     Rule = "header-magic"      // it begins with "TPB1"
	HeaderScheme    Rule = "header-scheme"     // scheme is 1
	HeaderCodec     Rule = "header-codec"      // codec is 1
	HeaderCode      Rule = "header-code"       // 1 <= k < n <= 20
	HeaderSliceSize Rule = "header-slice-size" // a multiple of 64 from 64 to 4096
	HeaderReserved  Rule = "header-reserved"   // bytes 12 to 15 are zero
	HeaderLength    Rule = "header-length"     // not negative, at most 2^27 groups
	HeaderGroups    Rule = "header-groups"     // the group count that follows from the length
	HeaderRoot      Rule = "header-root"       // an empty blob's root is empty(5)
)

// Rules of stored tree nodes.
const (
	ManifestSize  Rule = "manifest-size"  // as long as the header says
	ManifestNodes Rule = "manifest-nodes" // its nodes lead to the header's root
	WindowSize    Rule = "window-size"    // as many group roots as the window has groups
	WindowRoots   Rule = "window-roots"   // the group roots lead to the window's node
)

// Rules of a set of positions.
const (
	SetCount Rule = "set-count" // 1 to 65,536 positions
	SetOrder Rule = "set-order" // strictly ascending
	SetRange Rule = "set-range" // below n G
	SetOther Rule = "set-other" // the positions that were asked for and no others
)

// Rules of proofs and bundles.
const (
	ProofMagic  Rule = "proof-magic"  // it begins with "TPP1"
	ProofSize   Rule = "proof-size"   // as long as its set says: no byte fewer, none more
	ProofRoot   Rule = "proof-root"   // slices and nodes lead to the header's root
	SliceSize   Rule = "slice-size"   // a slice has the size that the header says
	BundleSize  Rule = "bundle-size"  // as long as its set says
	BundleRun   Rule = "bundle-run"   // positions of one run of 64 groups
	BundleRange Rule = "bundle-range" // several bundles together are one range
)

// Rules of audits.
const (
	ChallengeMagic Rule = "challenge-magic" // it begins with "TPC1"
	ChallengeSize  Rule = "challenge-size"  // 76 bytes
	ChallengeLanes Rule = "challenge-lanes" // at least one lane, none from n on
	ChallengeCount Rule = "challenge-count" // 1 to the number of slices asked about, at most 65,536
	AnswerMagic    Rule = "answer-magic"    // it begins with "TPA1"
	AnswerSize     Rule = "answer-size"     // as long as challenge, header and marks say
	AnswerMark     Rule = "answer-mark"     // 0 or 1 before each sample
)

// Rules of evidence.
const (
	EvidenceMagic  Rule = "evidence-magic"  // it begins with "TPE1"
	EvidenceGroup  Rule = "evidence-group"  // a group of the blob
	EvidenceLanes  Rule = "evidence-lanes"  // exactly k lanes, none from n on
	EvidenceSize   Rule = "evidence-size"   // as long as its header and group say
	EvidenceRoot   Rule = "evidence-root"   // leaf hashes and nodes lead to the header's root
	EvidenceSlice  Rule = "evidence-slice"  // each slice matches its leaf hash
	EvidenceHonest Rule = "evidence-honest" // the slices shown follow the code: they accuse nobody
)
