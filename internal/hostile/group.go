package hostile

import (
	"fmt"
	"slices"

	"github.com/tapecommit/tapecommit/internal/reference"
)

// GroupIn is a manifest with its ID, a window of it, the leaf hashes of one of its groups in a row, and what is there
// of that group's slices: null where nothing is.
type GroupIn struct {
	ID       Hex   `json:"id"`
	Manifest Hex   `json:"manifest"`
	Window   int   `json:"window"`
	Roots    Hex   `json:"roots"`
	Group    int64 `json:"group"`
	Leaves   Hex   `json:"leaves"`
	Slices   []Hex `json:"slices"`
}

// GroupOut has a verdict for each slice: all "unproven" where the leaf hashes do not lead to the group's root, else
// "good", "wrong" or, where nothing is there, "absent".
type GroupOut struct {
	Verdicts []string `json:"verdicts"`
}

func groups(b *blobs) *list[GroupIn, GroupOut] {
	l := &list[GroupIn, GroupOut]{}
	// group is a group as it is stored.
	group := func(b *reference.Blob, window int, number int64) (GroupIn, [][]byte, [][]byte) {
		o := b.Objects()
		end := min(32*1024*(window+1), len(o["roots"]))
		set := b.Header.N * int(number)
		leaves, bodies := raw(b.Leaves[set:set+b.N]), b.Slices[set:set+b.N]
		return GroupIn{idOf(b.Header.Bytes()), o["manifest"], window, o["roots"][32*1024*window : end], number,
			slices.Concat(leaves...), asHex(bodies)}, leaves, bodies
	}
	all := func(n int, verdict string, but ...string) GroupOut {
		v := slices.Repeat([]string{verdict}, n)
		for i := 0; i < len(but); i += 2 {
			lane := int(but[i][0]-'0')*10 + int(but[i][1]-'0')
			v[lane] = but[i+1]
		}
		return GroupOut{v}
	}

	first, leaves0, bodies0 := group(b.plain, 0, 0)
	l.good("first", "all slices of a full group", first, all(5, "good"))
	last, _, short := group(b.plain, 0, 2)
	l.good("last", "all slices of a last group of shorter slices", last, all(5, "good"))
	wide, _, _ := group(b.wide, 0, 3)
	l.good("wide", "a group of 20 slices", wide, all(20, "good"))
	pair, _, _ := group(b.pair, 1, 1025)
	l.good("second-window", "a group of a second window", pair, all(2, "good"))
	odd, leavesOdd, _ := group(b.odd, 0, 1)
	l.good("odd", "a group of 19 slices", odd, all(19, "good"))

	body := func(name, about string, lane int, slice []byte, verdict string) {
		in := first
		in.Slices = replaced(first.Slices, lane, slice)
		l.bent("first", name, about, in, all(5, "good", "0"+string(rune('0'+lane)), verdict))
	}
	body("slice-absent", "a slice is not there", 1, nil, "absent")
	body("first-bit", "a bit of a slice's first byte changed", 0, flip(bodies0[0], 0), "wrong")
	body("last-bit", "a bit of a slice's last byte changed", 4, flip(bodies0[4], -1), "wrong")
	body("slice-less-1", "the last byte of a slice cut off", 3, bodies0[3][:127], "wrong")
	body("slice-plus-1", "a zero byte behind a slice", 3, more(bodies0[3], 0), "wrong")
	body("slice-empty", "a slice without bytes", 2, []byte{}, "wrong")
	body("slice-of-lane-0", "the slice of another lane", 2, bodies0[0], "wrong")
	body("slice-of-group-1", "the slice of another group", 2, b.plain.Slices[5+2], "wrong")
	body("slice-is-leaf-hash", "a leaf hash for a slice", 1, leaves0[1], "wrong")
	body("slice-zero", "a slice of zeros", 1, make([]byte, 128), "wrong")
	absent := first
	absent.Slices = make([]Hex, 5)
	l.bent("first", "all-absent", "no slice is there", absent, all(5, "absent"))

	leaf := func(name, about string, leaves [][]byte) {
		in := first
		in.Leaves = slices.Concat(leaves...)
		l.bent("first", name, about, in, all(5, "unproven"))
	}
	for i := range leaves0 {
		leaf("leaf-"+string(rune('0'+i))+"-bent", "a bit of a leaf hash changed", replaced(leaves0, i, flip(leaves0[i], 8*i)))
	}
	leaf("leaves-swapped", "two leaf hashes swapped", swapped(leaves0, 0, 1))
	leaf("leaves-of-group-1", "the leaf hashes of another group", raw(b.plain.Leaves[5:10]))
	empty0 := reference.Empty(0)
	leaf("leaf-padding", "empty(0) for a leaf hash", replaced(leaves0, 4, empty0[:]))
	node := b.plain.Node(1, 0)
	leaf("leaf-is-node", "the node above for a leaf hash", replaced(leaves0, 0, node[:]))
	other := first
	other.Group = 1
	l.bent("first", "as-group-1", "offered as the next group", other, all(5, "unproven"))

	// A slice of a short last group, filled up with zeros to the size of the other groups' slices.
	long := last
	long.Slices = replaced(last.Slices, 1, Hex(more(short[1], make([]byte, 64)...)))
	l.bent("last", "slice-over-long", "a slice of the last group filled up to the size of the other groups' slices", long, all(5, "good", "01", "wrong"))
	shorter := last
	shorter.Slices = replaced(last.Slices, 4, Hex(short[4][:63]))
	l.bent("last", "slice-less-1", "the last byte of a slice cut off", shorter, all(5, "good", "04", "wrong"))
	lone := wide
	lone.Slices = replaced(wide.Slices, 19, Hex(flip(b.wide.Slices[3*20+19], 5)))
	l.bent("wide", "last-slice-bent", "a bit of the last slice changed", lone, all(20, "good", "19", "wrong"))
	lone = wide
	lone.Leaves = flip(wide.Leaves, 19*32)
	l.bent("wide", "last-leaf-bent", "a bit of the last leaf hash changed", lone, all(20, "unproven"))
	// The writer who committed to bodies of other lengths.
	root := b.liar.header.Root
	liar := GroupIn{idOf(b.liar.header.Bytes()), b.liar.header.Bytes(), 0, root[:], 0, slices.Concat(raw(leaves(b.liar.bodies))...), make([]Hex, 5)}
	liar.Slices[0], liar.Slices[2] = b.liar.bodies[0], b.liar.bodies[2]
	l.good("liar", "a group whose writer committed to leaf hashes of bodies of other lengths; the slices that are right are there", liar,
		GroupOut{[]string{"good", "absent", "good", "absent", "absent"}})
	for _, x := range []struct {
		lane  int
		about string
	}{{1, "a byte shorter than a slice"}, {3, "a byte longer than a slice"}, {4, "empty, as padding is"}} {
		in := liar
		in.Slices = replaced(liar.Slices, x.lane, Hex(b.liar.bodies[x.lane]))
		want := []string{"good", "absent", "good", "absent", "absent"}
		l.bent("liar", fmt.Sprintf("body-%d", x.lane), "the body that the writer committed to, "+x.about, in, GroupOut{replaced(want, x.lane, "wrong")})
	}

	twice := odd
	twice.Leaves = slices.Concat(replaced(leavesOdd, 17, leavesOdd[18])...)
	l.bent("odd", "leaf-repeated", "the last leaf hash in the place before it, too", twice, all(19, "unproven"))
	return l
}
