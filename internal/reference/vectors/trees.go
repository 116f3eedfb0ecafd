package vectors

import "testing"

// Path is the siblings of a leaf, lowest first.
type Path struct {
	Index    int    `json:"index"`
	Siblings []Hash `json:"siblings"`
}

// TapeTree is the file tape-tree.json.
type TapeTree struct {
	Empty []Hash `json:"empty"` // by height
	Join  struct {
		Left  Hash `json:"left"`
		Right Hash `json:"right"`
		Hash  Hash `json:"hash"`
	} `json:"join"`
	Cases []TapeTreeCase `json:"cases"`
}

// TapeTreeCase is a tree over a few leaves.
type TapeTreeCase struct {
	Height int `json:"height"`
	Leaves []struct {
		Seed uint64 `json:"seed"`
		Len  int    `json:"len"`
		Hash Hash   `json:"hash"`
	} `json:"leaves"`
	Root   Hash   `json:"root"`
	Proofs []Path `json:"proofs"`
}

// ReadTapeTree reads tape-tree.json.
func ReadTapeTree(t testing.TB) TapeTree {
	t.Helper()
	var file TapeTree
	load(t, "tape-tree.json", &file)
	leaves, proofs := 0, 0
	for _, c := range file.Cases {
		leaves += len(c.Leaves)
		proofs += len(c.Proofs)
	}
	count(t, "empty roots", len(file.Empty), 32)
	count(t, "tape trees", len(file.Cases), 49)
	count(t, "leaves of tape trees", leaves, 796)
	count(t, "proofs of tape trees", proofs, 316)
	return file
}

// BlobTree is the tree of a blob, a case of tape-blob-tree.json: slice i of group g is
// Stream(FirstSeed + 32g + i, SliceLen).
type BlobTree struct {
	FirstSeed  uint64          `json:"first_seed"`
	Groups     int             `json:"groups"`
	N          int             `json:"n"`
	SliceLen   int             `json:"slice_len"`
	Height     int             `json:"height"`
	GroupRoots []Hash          `json:"group_roots"`
	Root       Hash            `json:"root"`
	Proofs     []BlobTreeProof `json:"proofs"`
}

// BlobTreeProof is the path of slice Slice of group Group, which is leaf Index.
type BlobTreeProof struct {
	Group    int    `json:"group"`
	Slice    int    `json:"slice"`
	Index    int    `json:"index"`
	Leaf     Hash   `json:"leaf"`
	Siblings []Hash `json:"siblings"`
}

// ReadBlobTrees reads tape-blob-tree.json.
func ReadBlobTrees(t testing.TB) []BlobTree {
	t.Helper()
	var file struct {
		Cases []BlobTree `json:"cases"`
	}
	load(t, "tape-blob-tree.json", &file)
	roots, proofs := 0, 0
	for _, c := range file.Cases {
		roots += len(c.GroupRoots)
		proofs += len(c.Proofs)
	}
	count(t, "blob trees", len(file.Cases), 13)
	count(t, "group roots", roots, 234)
	count(t, "proofs of blob trees", proofs, 39)
	return file.Cases
}

// SubLeaf is the file tape-sub-leaf.json: trees of Height over pieces of SubLeafBytes.
type SubLeaf struct {
	EmptySliceRoot Hash          `json:"empty_slice_root"`
	Height         int           `json:"height"`
	SubLeafBytes   int           `json:"sub_leaf_bytes"`
	WindowHeight   int           `json:"window_height"`
	Cases          []SubLeafCase `json:"cases"`
}

// SubLeafCase is the tree over one long slice, Stream(Seed, Len); Sidecar is its nodes at WindowHeight.
type SubLeafCase struct {
	Seed      uint64 `json:"seed"`
	Len       int    `json:"len"`
	SubLeaves int    `json:"sub_leaves"`
	Root      Hash   `json:"root"`
	Sidecar   []Hash `json:"sidecar"`
	Proofs    []struct {
		SubLeaf  int    `json:"sub_leaf"`
		Leaf     Hash   `json:"leaf"`
		Siblings []Hash `json:"siblings"`
	} `json:"proofs"`
}

// ReadSubLeaf reads tape-sub-leaf.json.
func ReadSubLeaf(t testing.TB) SubLeaf {
	t.Helper()
	var file SubLeaf
	load(t, "tape-sub-leaf.json", &file)
	nodes, proofs := 0, 0
	for _, c := range file.Cases {
		nodes += len(c.Sidecar)
		proofs += len(c.Proofs)
	}
	count(t, "trees over one slice", len(file.Cases), 13)
	count(t, "sidecar nodes", nodes, 17)
	count(t, "proofs of pieces", proofs, 29)
	return file
}

// Shreds is a tree of the Solana shape, a case of solana-shreds.json: leaf i is Stream(FirstSeed + i,
// LeafLen), prefixes are cut to PrefixBytes, children to NodeBytes.
type Shreds struct {
	Kind        string `json:"kind"`
	NodeBytes   int    `json:"node_bytes"`
	PrefixBytes int    `json:"prefix_bytes"`
	Leaves      int    `json:"leaves"`
	FirstSeed   uint64 `json:"first_seed"`
	LeafLen     int    `json:"leaf_len"`
	Depth       int    `json:"depth"`
	Leaf0       Hash   `json:"leaf0"`
	Root        Hash   `json:"root"`
	Proofs      []struct {
		Index    int   `json:"index"`
		Siblings []Hex `json:"siblings"` // NodeBytes each
	} `json:"proofs"`
}

// ReadShreds reads solana-shreds.json.
func ReadShreds(t testing.TB) []Shreds {
	t.Helper()
	var file struct {
		Cases []Shreds `json:"cases"`
	}
	load(t, "solana-shreds.json", &file)
	proofs := 0
	for _, c := range file.Cases {
		proofs += len(c.Proofs)
	}
	count(t, "shred trees", len(file.Cases), 87)
	count(t, "proofs of shred trees", proofs, 327)
	return file.Cases
}
