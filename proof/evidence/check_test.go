package evidence_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/tapecommit/tapecommit/commit"
	"github.com/tapecommit/tapecommit/internal/reference"
	"github.com/tapecommit/tapecommit/proof/evidence"
)

// parts are evidence taken apart.
type parts struct {
	magic  string
	header []byte
	group  uint64
	leaves [][]byte
	nodes  [][]byte
	mask   uint32
	slices [][]byte
}

// cut takes evidence of lanes against a group apart.
func cut(tr tree, group int64, lanes ...int) parts {
	p := parts{magic: "TPE1", header: tr.b.Header.Bytes(), group: uint64(group)}
	var set []int64
	for i := range int64(tr.b.N) {
		at := int64(tr.b.N)*group + i
		set = append(set, at)
		p.leaves = append(p.leaves, bytes.Clone(tr.b.Leaves[at][:]))
		if slices.Contains(lanes, int(i)) {
			p.mask |= 1 << i
			p.slices = append(p.slices, bytes.Clone(tr.b.Slices[at]))
		}
	}
	for _, x := range tr.b.Nodes(set) {
		p.nodes = append(p.nodes, bytes.Clone(x[:]))
	}
	return p
}

func (p parts) bytes() []byte {
	b := append([]byte(p.magic), p.header...)
	b = binary.LittleEndian.AppendUint64(b, p.group)
	b = append(b, slices.Concat(p.leaves...)...)
	b = append(b, slices.Concat(p.nodes...)...)
	b = binary.LittleEndian.AppendUint32(b, p.mask)
	return append(b, slices.Concat(p.slices...)...)
}

func leafOf(slice []byte) []byte {
	x := reference.Leaf(slice)
	return x[:]
}

// badGroup is a blob whose group 1 has a wrong slice 4.
func badGroup() tree { return bad(xor(10, 0, 1)) }

// TestCheckRefuses bends one thing of evidence that holds.
func TestCheckRefuses(t *testing.T) {
	tr, good := badGroup(), honest()
	whole := cut(tr, 1, 0, 2, 3)
	if f, err := evidence.Check(tr.id(), whole.bytes()); err != nil || f != (evidence.Finding{Group: 1, Wrong: 1 << 4}) {
		t.Fatalf("%+v, %v", f, err)
	}
	change := func(f func(h *reference.Header)) []byte {
		h := tr.b.Header
		f(&h)
		return h.Bytes()
	}
	for _, c := range []struct {
		name string
		rule commit.Rule
		bend func(p *parts)
	}{
		{"magic", commit.EvidenceMagic, func(p *parts) { p.magic = "TPP1" }},
		{"the honest blob's header", commit.HeaderID, func(p *parts) { p.header = good.b.Header.Bytes() }},
		{"another length", commit.HeaderID, func(p *parts) { p.header = change(func(h *reference.Header) { h.Length++ }) }},
		{"another root", commit.HeaderID, func(p *parts) { p.header[63] ^= 1 }},

		{"group G", commit.EvidenceGroup, func(p *parts) { p.group = 3 }},
		{"group + 2^31", commit.EvidenceGroup, func(p *parts) { p.group += 1 << 31 }},
		{"group + 2^32", commit.EvidenceGroup, func(p *parts) { p.group += 1 << 32 }},
		{"group + 2^63", commit.EvidenceGroup, func(p *parts) { p.group += 1 << 63 }},
		{"group -1", commit.EvidenceGroup, func(p *parts) { p.group = math.MaxUint64 }},
		{"another group", commit.EvidenceRoot, func(p *parts) { p.group = 0 }},
		{"the short group", commit.EvidenceSize, func(p *parts) { p.group = 2 }},

		{"leaf hash bent", commit.EvidenceRoot, func(p *parts) { p.leaves[5][0] ^= 1 }},
		{"leaf hash of the right parity", commit.EvidenceRoot, func(p *parts) { copy(p.leaves[4], good.b.Leaves[10][:]) }},
		{"leaf hashes swapped", commit.EvidenceRoot, func(p *parts) { p.leaves[0], p.leaves[1] = p.leaves[1], p.leaves[0] }},
		{"a leaf hash fewer", commit.EvidenceSize, func(p *parts) { p.leaves = p.leaves[1:] }},
		{"a leaf hash more", commit.EvidenceSize, func(p *parts) { p.leaves = append(p.leaves, make([]byte, 32)) }},
		{"node bent", commit.EvidenceRoot, func(p *parts) { p.nodes[0][31] ^= 1 }},
		{"nodes swapped", commit.EvidenceRoot, func(p *parts) { p.nodes[0], p.nodes[1] = p.nodes[1], p.nodes[0] }},
		{"a node fewer", commit.EvidenceSize, func(p *parts) { p.nodes = p.nodes[:1] }},
		{"a node more", commit.EvidenceSize, func(p *parts) { p.nodes = append(p.nodes, make([]byte, 32)) }},
		{"a node of 31 bytes", commit.EvidenceSize, func(p *parts) { p.nodes[1] = p.nodes[1][:31] }},

		{"no lanes", commit.EvidenceSize, func(p *parts) { p.mask, p.slices = 0, nil }},
		{"no lanes, slices shown", commit.EvidenceLanes, func(p *parts) { p.mask = 0 }},
		{"a lane fewer", commit.EvidenceLanes, func(p *parts) { p.mask &^= 1 }},
		{"a lane more", commit.EvidenceLanes, func(p *parts) { p.mask |= 1 << 4 }},
		{"all 32 lanes", commit.EvidenceLanes, func(p *parts) { p.mask = math.MaxUint32 }},
		{"lane n", commit.EvidenceLanes, func(p *parts) { p.mask = 1 | 1<<2 | 1<<6 }},
		{"lane 31", commit.EvidenceLanes, func(p *parts) { p.mask = 1 | 1<<2 | 1<<31 }},
		{"another lane", commit.EvidenceSlice, func(p *parts) { p.mask = 1 | 1<<1 | 1<<3 }},
		{"a lane fewer, with its slice", commit.EvidenceSize, func(p *parts) { p.mask &^= 1; p.slices = p.slices[1:] }},
		{"a lane more, with its slice", commit.EvidenceSize, func(p *parts) {
			p.mask |= 1 << 5
			p.slices = append(p.slices, tr.b.Slices[11])
		}},

		{"slice bent", commit.EvidenceSlice, func(p *parts) { p.slices[1][0] ^= 1 }},
		{"slice bent, leaf hash of that", commit.EvidenceRoot, func(p *parts) {
			p.slices[0][0] ^= 1
			p.leaves[0] = leafOf(p.slices[0])
		}},
		{"slices swapped", commit.EvidenceSlice, func(p *parts) { p.slices[0], p.slices[1] = p.slices[1], p.slices[0] }},
		{"slice of another group", commit.EvidenceSlice, func(p *parts) { p.slices[0] = tr.b.Slices[0] }},
		{"slice a byte short", commit.EvidenceSize, func(p *parts) { p.slices[2] = p.slices[2][1:] }},
		{"a byte behind", commit.EvidenceSize, func(p *parts) { p.slices = append(p.slices, []byte{0}) }},
		{"a slice behind", commit.EvidenceSize, func(p *parts) { p.slices = append(p.slices, p.slices[0]) }},

		{"a well coded group", commit.EvidenceHonest, func(p *parts) { *p = cut(tr, 0, 0, 2, 3) }},
		{"the well coded short group", commit.EvidenceHonest, func(p *parts) { *p = cut(tr, 2, 3, 4, 5) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := cut(tr, 1, 0, 2, 3)
			c.bend(&p)
			f, err := evidence.Check(tr.id(), p.bytes())
			wantRule(t, "Check", err, c.rule)
			if c.rule != commit.EvidenceHonest && f != (evidence.Finding{}) {
				t.Errorf("finds %+v", f)
			}
			if _, err := reference.CheckEvidence(tr.id(), p.bytes()); err == nil {
				t.Error("the second model accepts it")
			}
		})
	}
}

// TestCheckEveryByte changes each byte of evidence that holds, and cuts it at each length.
func TestCheckEveryByte(t *testing.T) {
	tr := badGroup()
	whole := cut(tr, 1, 0, 2, 3).bytes()
	leaves, mask := 4+64+8, len(whole)-3*128-4
	for i := range whole {
		var want commit.Rule
		switch {
		case i < 4:
			want = commit.EvidenceMagic
		case i < 68:
			want = commit.HeaderID
		case i < leaves:
			want = commit.EvidenceGroup
		case i < mask:
			want = commit.EvidenceRoot
		case i < mask+4:
			want = commit.EvidenceLanes
		default:
			want = commit.EvidenceSlice
		}
		for _, x := range []byte{0x40, 0x80} { // group and mask grow too large
			bent := bytes.Clone(whole)
			bent[i] ^= x
			_, err := evidence.Check(tr.id(), bent)
			wantRule(t, fmt.Sprintf("byte %d ^ %#x", i, x), err, want)
		}
		_, err := evidence.Check(tr.id(), whole[:i])
		wantRule(t, fmt.Sprintf("%d of %d bytes", i, len(whole)), err, commit.EvidenceSize)
	}
	_, err := evidence.Check(tr.id(), nil)
	wantRule(t, "nothing", err, commit.EvidenceSize)
	_, err = evidence.Check(honest().id(), whole)
	wantRule(t, "against the honest blob", err, commit.HeaderID)
}

// TestNoEvidenceAgainstHonest searches mutations of what evidence against an honest blob
// would be: none is accepted.
func TestNoEvidenceAgainstHonest(t *testing.T) {
	tr := honest()
	forger := bad(both(xor(1, 0, 1), xor(10, 5, 7), xor(14, 9, 1)))
	rng := rand.New(rand.NewPCG(2, 2))
	all := masks(tr.b.K, tr.b.N)
	rules := map[commit.Rule]int{}
	runs := 8_000
	if testing.Short() {
		runs = 1_000
	}
	for range runs {
		group := rng.Int64N(3)
		p := cut(tr, group, lanesOf(all[rng.IntN(len(all))])...)
		other := cut(forger, rng.Int64N(3), lanesOf(all[rng.IntN(len(all))])...)
		for range rng.IntN(4) {
			i, j := rng.IntN(6), rng.IntN(3)
			switch rng.IntN(13) {
			case 0:
				p.slices[j] = other.slices[rng.IntN(3)]
			case 1:
				p.leaves[i] = other.leaves[rng.IntN(6)]
			case 2:
				p.nodes[rng.IntN(len(p.nodes))] = other.nodes[0]
			case 3:
				p.leaves, p.nodes = other.leaves, other.nodes
			case 4:
				p.slices, p.mask = other.slices, other.mask
			case 5:
				p.mask = uint32(all[rng.IntN(len(all))])
			case 6:
				p.group = rng.Uint64N(5)
			case 7: // a slice bent, and its leaf hash made to fit
				if k := lanesOf(commit.Lanes(p.mask)); j < len(k) && k[j] < 6 {
					p.slices[j] = bytes.Clone(p.slices[j])
					p.slices[j][rng.IntN(64)] ^= 1 << rng.IntN(8)
					p.leaves[k[j]] = leafOf(p.slices[j])
				}
			case 8:
				p.leaves[i] = reference.Stream(rng.Uint64(), 32)
			case 9: // leaves and nodes shift over the border between them
				p.leaves, p.nodes = append(p.leaves, p.nodes...)[:6], append(p.leaves, p.nodes...)[6:]
				p.leaves[i], p.leaves[j] = p.leaves[j], p.leaves[i]
			case 10:
				p.header = other.header
			case 11:
				p.mask |= 1 << rng.IntN(32)
			case 12: // a leaf hash that the group root, an inner node or padding is
				x := tr.b.Node(rng.IntN(6), 0)
				p.leaves[i] = x[:]
			}
		}
		b := p.bytes()
		if rng.IntN(4) == 0 {
			b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
		}
		f, err := evidence.Check(tr.id(), b)
		if err == nil {
			t.Fatalf("%+v of an honest blob: %x", f, b)
		}
		for _, r := range []commit.Rule{
			commit.EvidenceMagic, commit.HeaderID, commit.EvidenceGroup, commit.EvidenceSize, commit.EvidenceLanes,
			commit.EvidenceRoot, commit.EvidenceSlice, commit.EvidenceHonest,
		} {
			if errors.Is(err, r) {
				rules[r]++
			}
		}
	}
	total := 0
	for _, n := range rules {
		total += n
	}
	if total != runs || len(rules) < 8 {
		t.Errorf("%d refusals of %d name a rule, %d rules", total, runs, len(rules))
	}
	t.Logf("%d mutations, none accepted; refused by %v", runs, rules)
}

// TestClaimsCostLittle gives Check evidence against the largest blob there is, without
// what must follow.
func TestClaimsCostLittle(t *testing.T) {
	h := commit.Header{Params: commit.Params{K: 19, N: 20, SliceSize: 4096}, Length: 19 * 4096 << 27}
	b, err := h.AppendBinary([]byte("TPE1"))
	if err != nil {
		t.Fatal(err)
	}
	b = append(binary.LittleEndian.AppendUint64(b, 1<<27-1), make([]byte, 64)...)
	evidence.Check(h.ID(), b) // whatever is made once
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = evidence.Check(h.ID(), b)
	runtime.ReadMemStats(&after)
	wantRule(t, "Check", err, commit.EvidenceSize)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}

func TestFindingString(t *testing.T) {
	for f, want := range map[evidence.Finding]string{
		{Group: 3, Wrong: 1 << 4}:                       "group 3 is badly encoded: lane 4 does not follow from the others",
		{Group: 0, Wrong: 1 | 1<<19}:                    "group 0 is badly encoded: lanes 0, 19 do not follow from the others",
		{Group: 1 << 20, Padding: true}:                 "group 1048576 is badly encoded: padding is not zero",
		{Group: 1, Wrong: 1<<10 | 1<<11, Padding: true}: "group 1 is badly encoded: lanes 10, 11 do not follow from the others; padding is not zero",
	} {
		if got := f.String(); got != want {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
}

func FuzzCheck(f *testing.F) {
	trees := []tree{badGroup(), honest(), bad(xor(14, 9, 1)), bad(xor(1, 0, 1))}
	for which, tr := range trees {
		for g := range int64(3) {
			for _, lanes := range [][]int{{0, 1, 2}, {0, 3, 5}, {3, 4, 5}} {
				b := tr.b.Evidence(g, lanes)
				f.Add(which, false, b)
				f.Add(which, true, b)
				for _, i := range []int{7, 20, 70, len(b) - 1, len(b) - 3*64 - 2} {
					bent := bytes.Clone(b)
					bent[i] ^= 1
					f.Add(which, true, bent)
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, which int, own bool, b []byte) {
		tr := trees[uint(which)%uint(len(trees))]
		id := tr.id()
		if own && len(b) >= 68 { // the ID that the header has, whatever it says
			id = commit.ID(sha256.Sum256(append([]byte("BLOB"), b[4:68]...)))
		}
		got, err := evidence.Check(id, b)
		want, rerr := reference.CheckEvidence(id, b)
		if (err == nil) != (rerr == nil) || err == nil && got != finding(want) {
			t.Fatalf("%+v, %v, the second model says %+v, %v", got, err, want, rerr)
		}
		if err != nil || id != tr.id() {
			return
		}
		if which := uint(which) % uint(len(trees)); which == 1 {
			t.Fatalf("%+v of an honest blob", got)
		}
		mask := binary.LittleEndian.Uint32(b[len(b)-3*tr.b.SizeOf(int64(got.Group))-4:])
		if !bytes.Equal(b, tr.b.Evidence(int64(got.Group), lanesOf(commit.Lanes(mask)))) {
			t.Fatal("accepted, and not the evidence of these lanes")
		}
	})
}
