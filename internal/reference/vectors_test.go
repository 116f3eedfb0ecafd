package reference_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/internal/reference/vectors"
)

func TestTapeTree(t *testing.T) {
	file := vectors.ReadTapeTree(t)
	for h, want := range file.Empty {
		if got := reference.Empty(h); got != want {
			t.Errorf("Empty(%d) = %x, want %x", h, got, want)
		}
	}
	if got := reference.Join(file.Join.Left, file.Join.Right); got != file.Join.Hash {
		t.Errorf("Join = %x, want %x", got, file.Join.Hash)
	}
	for _, c := range file.Cases {
		t.Run(fmt.Sprintf("height=%d/leaves=%d", c.Height, len(c.Leaves)), func(t *testing.T) {
			var leaves []reference.Hash
			for i, l := range c.Leaves {
				leaf := reference.Leaf(reference.Stream(l.Seed, l.Len))
				if leaf != l.Hash {
					t.Errorf("leaf %d = %x, want %x", i, leaf, l.Hash)
				}
				leaves = append(leaves, leaf)
			}
			if len(leaves) == 0 {
				// A quirk of the program that made the file: it gives one level too few here.
				if c.Root != reference.Empty(c.Height-1) {
					t.Errorf("the file has root %x for no leaves", c.Root)
				}
				return
			}
			root := reference.TapeRoot(c.Height, leaves)
			if root != c.Root {
				t.Errorf("root = %x, want %x", root, c.Root)
			}
			for _, p := range c.Proofs {
				checkTapePath(t, c.Height, leaves, p.Index, p.Siblings)
			}
		})
	}
}

// checkTapePath compares a path with siblings, and checks siblings.
func checkTapePath(t *testing.T, height int, leaves []reference.Hash, i int, siblings []vectors.Hash) {
	t.Helper()
	want := hashes(siblings)
	if got := reference.TapePath(height, leaves, i); !slices.Equal(got, want) {
		t.Errorf("path of leaf %d = %x, want %x", i, got, want)
	}
	root := reference.TapeRoot(height, leaves)
	if !reference.TapeCheck(height, root, leaves[i], uint64(i), uint64(len(leaves)), want) {
		t.Errorf("the path of leaf %d does not check", i)
	}
}

func hashes(of []vectors.Hash) []reference.Hash {
	out := make([]reference.Hash, len(of))
	for i, h := range of {
		out[i] = h
	}
	return out
}

func TestBlobTree(t *testing.T) {
	for _, c := range vectors.ReadBlobTrees(t) {
		t.Run(fmt.Sprintf("groups=%d/n=%d", c.Groups, c.N), func(t *testing.T) {
			var all [][]byte
			var leaves []reference.Hash // with the places of each group that have no slice
			for g := range c.Groups {
				leaves = leaves[:32*g]
				for i := range c.N {
					slice := reference.Stream(c.FirstSeed+uint64(32*g+i), c.SliceLen)
					all = append(all, slice)
					leaves = append(leaves, reference.Leaf(slice))
				}
				for range 32 - c.N {
					leaves = append(leaves, reference.Empty(0))
				}
				if got := reference.TapeRoot(5, leaves[32*g:]); got != c.GroupRoots[g] {
					t.Errorf("root of group %d = %x, want %x", g, got, c.GroupRoots[g])
				}
			}
			if got := reference.TapeRoot(c.Height, leaves); got != c.Root {
				t.Errorf("root = %x, want %x", got, c.Root)
			}

			p := reference.Params{K: 1, N: c.N, SliceSize: c.SliceLen}
			b := reference.Commit(p, int64(c.Groups*c.SliceLen), all)
			if b.Root != c.Root || b.Height() != c.Height {
				t.Errorf("blob has root %x at height %d, want %x at %d", b.Root, b.Height(), c.Root, c.Height)
			}
			for _, proof := range c.Proofs {
				if got := leaves[proof.Index]; got != proof.Leaf || proof.Index != 32*proof.Group+proof.Slice {
					t.Errorf("leaf %d = %x, want %x", proof.Index, got, proof.Leaf)
				}
				checkTapePath(t, c.Height, leaves, proof.Index, proof.Siblings)
				for h, want := range proof.Siblings {
					if got := b.Node(h, int64(proof.Index>>h^1)); got != want {
						t.Errorf("leaf %d: sibling at height %d = %x, want %x", proof.Index, h, got, want)
					}
				}
			}
		})
	}
}

func TestSubLeaf(t *testing.T) {
	file := vectors.ReadSubLeaf(t)
	// The quirk of TestTapeTree again.
	if got := reference.Empty(file.Height - 1); got != file.EmptySliceRoot {
		t.Errorf("the file has root %x for no pieces", file.EmptySliceRoot)
	}
	for _, c := range file.Cases {
		t.Run(fmt.Sprintf("len=%d", c.Len), func(t *testing.T) {
			var leaves []reference.Hash
			for piece := range slices.Chunk(reference.Stream(c.Seed, c.Len), file.SubLeafBytes) {
				leaves = append(leaves, reference.Leaf(piece))
			}
			if len(leaves) != c.SubLeaves {
				t.Fatalf("%d pieces, want %d", len(leaves), c.SubLeaves)
			}
			if got := reference.TapeRoot(file.Height, leaves); got != c.Root {
				t.Errorf("root = %x, want %x", got, c.Root)
			}
			var sidecar []reference.Hash
			for window := range slices.Chunk(leaves, 1<<file.WindowHeight) {
				sidecar = append(sidecar, reference.TapeRoot(file.WindowHeight, window))
			}
			if want := hashes(c.Sidecar); !slices.Equal(sidecar, want) {
				t.Errorf("sidecar = %x, want %x", sidecar, want)
			}
			for _, p := range c.Proofs {
				if leaves[p.SubLeaf] != p.Leaf {
					t.Errorf("leaf %d = %x, want %x", p.SubLeaf, leaves[p.SubLeaf], p.Leaf)
				}
				checkTapePath(t, file.Height, leaves, p.SubLeaf, p.Siblings)
			}
		})
	}
}

func TestShreds(t *testing.T) {
	for _, c := range vectors.ReadShreds(t) {
		t.Run(fmt.Sprintf("%s/leaves=%d", c.Kind, c.Leaves), func(t *testing.T) {
			kind := reference.ShredKind{
				Leaf:  reference.Shred.Leaf[:c.PrefixBytes],
				Node:  reference.Shred.Node[:c.PrefixBytes],
				Width: c.NodeBytes,
			}
			if c.Kind == "shred" && kind != reference.Shred {
				t.Errorf("Shred is %q, the file has %q", reference.Shred, kind)
			}
			var leaves []reference.Hash
			for i := range c.Leaves {
				leaves = append(leaves, kind.HashLeaf(reference.Stream(c.FirstSeed+uint64(i), c.LeafLen)))
			}
			if leaves[0] != c.Leaf0 {
				t.Errorf("leaf 0 = %x, want %x", leaves[0], c.Leaf0)
			}
			if got := kind.Root(leaves); got != c.Root {
				t.Errorf("root = %x, want %x", got, c.Root)
			}
			for _, p := range c.Proofs {
				var want [][]byte
				for _, sibling := range p.Siblings {
					want = append(want, sibling)
				}
				if len(want) != c.Depth-1 {
					t.Errorf("path of leaf %d has %d siblings in the file", p.Index, len(want))
				}
				if got := kind.Path(leaves, p.Index); !slices.EqualFunc(got, want, bytes.Equal) {
					t.Errorf("path of leaf %d = %x, want %x", p.Index, got, want)
				}
				if !kind.Check(c.Root, leaves[p.Index], uint64(p.Index), uint64(c.Leaves), want) {
					t.Errorf("the path of leaf %d does not check", p.Index)
				}
			}
		})
	}
}

func TestParity(t *testing.T) {
	for _, c := range vectors.ReadParity(t) {
		t.Run(fmt.Sprintf("k=%d/m=%d/len=%d", c.K, c.M, c.Len), func(t *testing.T) {
			var data [][]byte
			for i := range c.K {
				data = append(data, reference.Stream(c.FirstSeed+uint64(i), c.Len))
			}
			group := reference.EncodeGroup(c.K+c.M, data)
			if !slices.EqualFunc(group[:c.K], data, bytes.Equal) {
				t.Error("the data slices are not the data")
			}
			for i, slice := range group[c.K:] {
				if !bytes.Equal(slice[:16], c.First16[i]) || sha256.Sum256(slice) != c.SHA256[i] {
					t.Errorf("parity slice %d differs", i)
				}
			}
			lossy := make([][]byte, c.K+c.M)
			copy(lossy[c.M:], group[c.M:])
			if got := reference.DecodeGroup(c.K, lossy); !slices.EqualFunc(got, data, bytes.Equal) {
				t.Errorf("the data does not come back without the first %d slices", c.M)
			}
		})
	}
}

func TestBlobs(t *testing.T) {
	cases, _ := vectors.ReadBlobs(t)
	for _, c := range cases {
		t.Run(fmt.Sprintf("k=%d/n=%d/size=%d/len=%d", c.K, c.N, c.SliceSize, c.Len), func(t *testing.T) {
			p := reference.Params{K: c.K, N: c.N, SliceSize: c.SliceSize}
			b := reference.Make(p, reference.Stream(c.Seed, c.Len))
			if !bytes.Equal(b.Header.Bytes(), c.Header) || b.ID() != c.ID {
				t.Fatalf("header %x, ID %x, want %x, %x", b.Header.Bytes(), b.ID(), c.Header, c.ID)
			}
			if b.Groups() != int64(c.Groups) {
				t.Errorf("%d groups, want %d", b.Groups(), c.Groups)
			}
			if c.Groups > 0 && b.SizeOf(b.Groups()-1) != c.LastSlice {
				t.Errorf("last slices of %d bytes, want %d", b.SizeOf(b.Groups()-1), c.LastSlice)
			}
			if h, err := reference.OpenHeader(c.ID, c.Header); err != nil || h != b.Header {
				t.Errorf("OpenHeader = %v, %v", h, err)
			}
			checkObjects(t, b, c.Objects)
			for _, set := range c.Sets {
				checkSet(t, b, set)
			}
			for _, r := range c.Ranges {
				checkRange(t, b, r)
			}
			for _, a := range c.Audits {
				checkAudit(t, b, a)
			}
		})
	}
}

func checkObjects(t *testing.T, b *reference.Blob, want map[string]vectors.Object) {
	t.Helper()
	objects := b.Objects()
	if len(objects) != len(want) {
		t.Errorf("%d objects, want %d", len(objects), len(want))
	}
	for name, object := range objects {
		if len(object) != want[name].Len || sha256.Sum256(object) != want[name].SHA256 {
			t.Errorf("object %s differs", name)
		}
	}
}

func checkSet(t *testing.T, b *reference.Blob, set vectors.Set) {
	t.Helper()
	proof := b.Proof(set.Positions)
	if sha256.Sum256(proof) != set.ProofSHA256 || set.Proof != nil && !bytes.Equal(proof, set.Proof) {
		t.Errorf("proof of %v = %x, want %x", set.Positions, proof, set.Proof)
	}
	if got := len(b.Nodes(set.Positions)); got != set.Nodes {
		t.Errorf("proof of %v has %d nodes, want %d", set.Positions, got, set.Nodes)
	}
	var pieces [][]byte
	for _, position := range set.Positions {
		pieces = append(pieces, b.Slices[position])
	}
	if err := reference.CheckProof(b.ID(), set.Positions, pieces, proof); err != nil {
		t.Errorf("proof of %v: %v", set.Positions, err)
	}
	if len(b.Runs(set.Positions)) > 1 {
		if set.BundleSHA256 != nil {
			t.Errorf("the file has a bundle of %v", set.Positions)
		}
		return
	}
	bundle := b.Bundle(set.Positions)
	if sha256.Sum256(bundle) != *set.BundleSHA256 {
		t.Errorf("bundle of %v differs", set.Positions)
	}
	checkBundles(t, b, bundle, set.Positions)
}

func checkRange(t *testing.T, b *reference.Blob, r vectors.Range) {
	t.Helper()
	bundles := b.Range(r.First, r.Last)
	if len(bundles) != r.Len || sha256.Sum256(bundles) != r.SHA256 {
		t.Errorf("range %d-%d differs", r.First, r.Last)
	}
	checkBundles(t, b, bundles, b.Cover(r.First, r.Last))
}

// checkBundles wants bundles to open to the slices at positions, asked for and not.
func checkBundles(t *testing.T, b *reference.Blob, bundles []byte, positions []int64) {
	t.Helper()
	for _, want := range [][]int64{nil, positions} {
		at, pieces, err := reference.OpenBundles(b.ID(), bundles, want)
		if err != nil || !slices.Equal(at, positions) {
			t.Errorf("bundles of %v are of %v: %v", positions, at, err)
		}
		for i, position := range at {
			if !bytes.Equal(pieces[i], b.Slices[position]) {
				t.Errorf("bundles of %v: slice %d differs", positions, position)
			}
		}
	}
}

func checkAudit(t *testing.T, b *reference.Blob, a vectors.Audit) {
	t.Helper()
	c := reference.Challenge{ID: b.ID(), Seed: a.Seed, Lanes: a.Lanes, Count: a.Count}
	if sha256.Sum256(c.Bytes()) != a.ChallengeSHA256 {
		t.Errorf("challenge %+v differs", c)
	}
	if parsed, err := reference.ParseChallenge(c.Bytes()); err != nil || parsed != c {
		t.Errorf("ParseChallenge = %+v, %v", parsed, err)
	}
	if got, err := c.Samples(b.Header); err != nil || !slices.Equal(got, a.Positions) {
		t.Errorf("samples %v, %v, want %v", got, err, a.Positions)
	}
	answer := b.Answer(c, nil)
	if len(answer) != a.AnswerLen || sha256.Sum256(answer) != a.AnswerSHA256 {
		t.Errorf("answer to %+v differs", c)
	}
	all := slices.Repeat([]reference.Verdict{reference.Good}, a.Count)
	checkVerdicts(t, c, answer, all)

	first := a.Positions[0]
	answer = b.Answer(c, map[int64][]byte{first: nil})
	if sha256.Sum256(answer) != a.WithoutFirstSHA256 {
		t.Errorf("answer to %+v without slice %d differs", c, first)
	}
	all[0] = reference.Absent
	checkVerdicts(t, c, answer, all)
}

func checkVerdicts(t *testing.T, c reference.Challenge, answer []byte, want []reference.Verdict) {
	t.Helper()
	if got, err := reference.Judge(c, answer); err != nil || !slices.Equal(got, want) {
		t.Errorf("verdicts %v, %v, want %v", got, err, want)
	}
}

func TestEvidence(t *testing.T) {
	_, cases := vectors.ReadBlobs(t)
	for _, c := range cases {
		t.Run(c.What, func(t *testing.T) {
			p := reference.Params{K: c.K, N: c.N, SliceSize: c.SliceSize}
			good := reference.Make(p, reference.Stream(c.Seed, c.Len))
			first := c.Group * int64(c.N)
			all := slices.Clone(good.Slices)
			var want reference.Finding
			switch c.What {
			case vectors.ParityOff:
				off := bytes.Clone(all[first+4])
				for i := range off {
					off[i] ^= 1
				}
				all[first+4] = off
				want = reference.Finding{Group: c.Group, Wrong: 1 << 4}
			case vectors.PaddingSet:
				data := slices.Clone(all[first:][:c.K])
				data[2] = bytes.Clone(data[2])
				data[2][len(data[2])-1] = 7
				copy(all[first:], reference.EncodeGroup(c.N, data))
				want = reference.Finding{Group: c.Group, Padding: true}
			default:
				t.Fatal("an encoding that this test does not know")
			}
			b := reference.Commit(p, int64(c.Len), all)
			if b.ID() != c.ID {
				t.Fatalf("ID %x, want %x", b.ID(), c.ID)
			}
			if got := b.Evidence(c.Group, c.Lanes); !bytes.Equal(got, c.Evidence) {
				t.Errorf("evidence %x, want %x", got, c.Evidence)
			}
			if got, err := reference.CheckEvidence(c.ID, c.Evidence); err != nil || got != want {
				t.Errorf("CheckEvidence = %+v, %v, want %+v", got, err, want)
			}
			if _, err := reference.CheckEvidence(good.ID(), good.Evidence(c.Group, c.Lanes)); err == nil {
				t.Error("evidence against a well coded group is accepted")
			}
		})
	}
}
