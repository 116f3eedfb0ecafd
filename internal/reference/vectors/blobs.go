package vectors

import "testing"

// Parity is the parity of a group, a case of tape-rs.json: data slice i is Stream(FirstSeed + i, Len).
type Parity struct {
	K         int    `json:"k"`
	M         int    `json:"m"`
	Len       int    `json:"len"`
	FirstSeed uint64 `json:"first_seed"`
	First16   []Hex  `json:"parity_first16"`
	SHA256    []Hash `json:"parity_sha256"`
}

// ReadParity reads tape-rs.json.
func ReadParity(t testing.TB) []Parity {
	t.Helper()
	var file struct {
		Data  string   `json:"data"`
		Cases []Parity `json:"cases"`
	}
	load(t, "tape-rs.json", &file)
	slices := 0
	for _, c := range file.Cases {
		count(t, "parity slices", len(c.SHA256), c.M)
		count(t, "parity slices", len(c.First16), c.M)
		slices += c.M
	}
	count(t, "codes", len(file.Cases), 78)
	count(t, "parity slices", slices, 468)
	return file.Cases
}

// Blob is a blob and what is made from it, a case of blob.json: the plaintext is Stream(Seed, Len).
type Blob struct {
	K         int               `json:"k"`
	N         int               `json:"n"`
	SliceSize int               `json:"slice_size"`
	Seed      uint64            `json:"seed"`
	Len       int               `json:"len"`
	Groups    int               `json:"groups"`
	LastSlice int               `json:"last_slice"` // size of the slices of the last group
	Header    Hex               `json:"header"`
	ID        Hash              `json:"id"`
	Objects   map[string]Object `json:"objects"`
	Sets      []Set             `json:"sets"`
	Ranges    []Range           `json:"ranges"`
	Audits    []Audit           `json:"audits"`
}

// Object is a stored object.
type Object struct {
	Len    int  `json:"len"`
	SHA256 Hash `json:"sha256"`
}

// Set is the proof of a set, of so many nodes, and its bundle. Proof is there only for some; BundleSHA256 is
// nil where the set does not fit into a bundle.
type Set struct {
	Positions    []int64 `json:"positions"`
	Nodes        int     `json:"nodes"`
	Proof        Hex     `json:"proof"`
	ProofSHA256  Hash    `json:"proof_sha256"`
	BundleSHA256 *Hash   `json:"bundle_sha256"`
}

// Range is the bundles of bytes [First, Last] of the plaintext.
type Range struct {
	First  int64 `json:"first"`
	Last   int64 `json:"last"`
	Len    int   `json:"len"`
	SHA256 Hash  `json:"sha256"`
}

// Audit is a challenge, its samples, its answer, and the answer that says of the first sample that it is
// absent.
type Audit struct {
	Seed               Hash    `json:"seed"`
	Lanes              uint32  `json:"lanes"`
	Count              int     `json:"count"`
	ChallengeSHA256    Hash    `json:"challenge_sha256"`
	Positions          []int64 `json:"positions"`
	AnswerLen          int     `json:"answer_len"`
	AnswerSHA256       Hash    `json:"answer_sha256"`
	WithoutFirstSHA256 Hash    `json:"without_first_sha256"`
}

// Evidence is evidence, from lanes Lanes, against a badly encoded group of a blob.
type Evidence struct {
	What      string `json:"what"`
	K         int    `json:"k"`
	N         int    `json:"n"`
	SliceSize int    `json:"slice_size"`
	Seed      uint64 `json:"seed"`
	Len       int    `json:"len"`
	Group     int64  `json:"group"`
	Lanes     []int  `json:"lanes"`
	ID        Hash   `json:"id"`
	Evidence  Hex    `json:"evidence"`
}

// The bad encodings of which blob.json has evidence.
const (
	ParityOff  = "parity off by one slice" // slice 4 of group 1 with every byte xor 1
	PaddingSet = "padding not zero"        // the last padding byte of slice 2 of the last group is 7, and the group is encoded from that
)

// ReadBlobs reads blob.json.
func ReadBlobs(t testing.TB) ([]Blob, []Evidence) {
	t.Helper()
	var file struct {
		Cases    []Blob     `json:"cases"`
		Evidence []Evidence `json:"evidence"`
	}
	load(t, "blob.json", &file)
	var objects, sets, proofs, bundles, ranges, audits int
	for _, c := range file.Cases {
		objects += len(c.Objects)
		sets += len(c.Sets)
		ranges += len(c.Ranges)
		audits += len(c.Audits)
		for _, s := range c.Sets {
			if s.Proof != nil {
				proofs++
			}
			if s.BundleSHA256 != nil {
				bundles++
			}
		}
	}
	count(t, "blobs", len(file.Cases), 95)
	count(t, "objects", objects, 1693)
	count(t, "sets", sets, 220)
	count(t, "proofs in full", proofs, 44)
	count(t, "bundles", bundles, 218)
	count(t, "ranges", ranges, 176)
	count(t, "audits", audits, 322)
	count(t, "pieces of evidence", len(file.Evidence), 2)
	return file.Cases, file.Evidence
}
