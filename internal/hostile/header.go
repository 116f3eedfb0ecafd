package hostile

import (
	"fmt"
	"slices"

	"github.com/tapecommit/tapecommit/internal/reference"
)

// HeaderIn is a header and the ID that it is to be of.
type HeaderIn struct {
	ID     Hex `json:"id"`
	Header Hex `json:"header"`
}

// HeaderOut is what an accepted header says.
type HeaderOut struct {
	K         int   `json:"k"`
	N         int   `json:"n"`
	SliceSize int   `json:"slice_size"`
	Length    int64 `json:"length"`
	Groups    int64 `json:"groups"`
	LastSlice int   `json:"last_slice"` // size of the slices of the last group, 0 where there is none
}

// headerParts are the fields of a header, with room for anything.
type headerParts struct {
	magic          string
	scheme, codec  byte
	k, n           byte
	sliceSize      uint32
	reserved       [4]byte
	length, groups uint64
	root           reference.Hash
}

func partsOfHeader(h reference.Header) headerParts {
	return headerParts{"TPB1", 1, 1, byte(h.K), byte(h.N), uint32(h.SliceSize), [4]byte{}, uint64(h.Length), uint64(h.Groups()), h.Root}
}

func (p headerParts) bytes() []byte {
	b := append([]byte(p.magic), p.scheme, p.codec, p.k, p.n)
	b = append(le32(b, p.sliceSize), p.reserved[:]...)
	b = le64(le64(b, p.length), p.groups)
	return append(b, p.root[:]...)
}

// idOf is the ID that bytes have, a header or not.
func idOf(header []byte) []byte {
	return sum([]byte("BLOB"), header)
}

// headerBend is a change of a header, and the rule that is broken where the ID is made for the changed bytes.
type headerBend struct {
	name, rule, about string
	bend              func(*headerParts)
}

// fieldBends are changes of each field of a header that has at least one group.
func fieldBends(h reference.Header) []headerBend {
	full := uint64(h.K * h.SliceSize)
	longest := full << 27
	return []headerBend{
		{"magic-of-a-proof", "header-magic", "the magic is TPP1", func(p *headerParts) { p.magic = "TPP1" }},
		{"magic-of-version-2", "header-magic", "the magic is TPB2", func(p *headerParts) { p.magic = "TPB2" }},
		{"magic-in-lower-case", "header-magic", "the magic is tpb1", func(p *headerParts) { p.magic = "tpb1" }},
		{"magic-reversed", "header-magic", "the magic as a big-endian number", func(p *headerParts) { p.magic = "1BPT" }},
		{"magic-zero", "header-magic", "the magic is four zero bytes", func(p *headerParts) { p.magic = "\x00\x00\x00\x00" }},
		{"scheme-0", "header-scheme", "scheme 0", func(p *headerParts) { p.scheme = 0 }},
		{"scheme-2", "header-scheme", "scheme 2", func(p *headerParts) { p.scheme = 2 }},
		{"scheme-255", "header-scheme", "scheme 255", func(p *headerParts) { p.scheme = 255 }},
		{"codec-0", "header-codec", "codec 0", func(p *headerParts) { p.codec = 0 }},
		{"codec-2", "header-codec", "codec 2", func(p *headerParts) { p.codec = 2 }},
		{"codec-255", "header-codec", "codec 255", func(p *headerParts) { p.codec = 255 }},
		{"k-0", "header-code", "no data slices", func(p *headerParts) { p.k = 0 }},
		{"k-is-n", "header-code", "no parity slices", func(p *headerParts) { p.k = p.n }},
		{"k-above-n", "header-code", "more data slices than slices", func(p *headerParts) { p.k = p.n + 1 }},
		{"k-255", "header-code", "k is 255", func(p *headerParts) { p.k = 255 }},
		{"n-0", "header-code", "no slices", func(p *headerParts) { p.n = 0 }},
		{"n-21", "header-code", "one slice more than a group may have", func(p *headerParts) { p.n = 21 }},
		{"n-32", "header-code", "as many slices as a group's tree has places", func(p *headerParts) { p.n = 32 }},
		{"n-255", "header-code", "n is 255", func(p *headerParts) { p.n = 255 }},
		{"k-and-n-swapped", "header-code", "k and n swapped", func(p *headerParts) { p.k, p.n = p.n, p.k }},
		{"slice-size-0", "header-slice-size", "slices without bytes", func(p *headerParts) { p.sliceSize = 0 }},
		{"slice-size-32", "header-slice-size", "slices of 32 bytes", func(p *headerParts) { p.sliceSize = 32 }},
		{"slice-size-less-1", "header-slice-size", "slices a byte shorter", func(p *headerParts) { p.sliceSize-- }},
		{"slice-size-plus-1", "header-slice-size", "slices a byte longer", func(p *headerParts) { p.sliceSize++ }},
		{"slice-size-plus-32", "header-slice-size", "slices half a block longer", func(p *headerParts) { p.sliceSize += 32 }},
		{"slice-size-4160", "header-slice-size", "slices of the next size above 4096", func(p *headerParts) { p.sliceSize = 4160 }},
		{"slice-size-8192", "header-slice-size", "slices of 8192 bytes", func(p *headerParts) { p.sliceSize = 8192 }},
		{"slice-size-plus-65536", "header-slice-size", "right in the low 16 bits alone", func(p *headerParts) { p.sliceSize += 1 << 16 }},
		{"slice-size-2e31", "header-slice-size", "slices of 2^31 bytes", func(p *headerParts) { p.sliceSize = 1 << 31 }},
		{"slice-size-highest", "header-slice-size", "the highest multiple of 64 below 2^32", func(p *headerParts) { p.sliceSize = 1<<32 - 64 }},
		{"reserved-12", "header-reserved", "byte 12 is 1", func(p *headerParts) { p.reserved[0] = 1 }},
		{"reserved-13", "header-reserved", "byte 13 is 1", func(p *headerParts) { p.reserved[1] = 1 }},
		{"reserved-14", "header-reserved", "byte 14 is 1", func(p *headerParts) { p.reserved[2] = 1 }},
		{"reserved-15", "header-reserved", "byte 15 is 128", func(p *headerParts) { p.reserved[3] = 128 }},
		{"reserved-all", "header-reserved", "all reserved bits are set", func(p *headerParts) { p.reserved = [4]byte{255, 255, 255, 255} }},
		{"length-plus-a-group", "header-groups", "a length that takes a group more", func(p *headerParts) { p.length += full }},
		{"length-less-a-group", "header-groups", "a length that takes a group less", func(p *headerParts) { p.length -= full }},
		{"length-0", "header-groups", "a length of 0 with groups", func(p *headerParts) { p.length = 0 }},
		{"length-above-most", "header-length", "a byte more than 2^27 groups hold", func(p *headerParts) { p.length = longest + 1 }},
		{"length-plus-2e32-groups", "header-length", "a number of groups that is right in the low 32 bits alone", func(p *headerParts) { p.length += full << 32 }},
		{"length-2e62", "header-length", "a length of 2^62", func(p *headerParts) { p.length = 1 << 62 }},
		{"length-plus-2e62", "header-length", "the length plus 2^62", func(p *headerParts) { p.length += 1 << 62 }},
		{"length-highest-signed", "header-length", "a length of 2^63 - 1", func(p *headerParts) { p.length = 1<<63 - 1 }},
		{"length-plus-2e63", "header-length", "the length plus 2^63", func(p *headerParts) { p.length += 1 << 63 }},
		{"length-minus-1", "header-length", "a length of 2^64 - 1", func(p *headerParts) { p.length = 1<<64 - 1 }},
		{"length-negated", "header-length", "the length as a negative number", func(p *headerParts) { p.length = -p.length }},
		{"groups-0", "header-groups", "no groups with a length", func(p *headerParts) { p.groups = 0 }},
		{"groups-less-1", "header-groups", "a group too few", func(p *headerParts) { p.groups-- }},
		{"groups-plus-1", "header-groups", "a group too many", func(p *headerParts) { p.groups++ }},
		{"groups-rounded-up", "header-groups", "as many groups as the tree has places for", func(p *headerParts) { p.groups = 1 << (h.Height() - 5 + 1) }},
		{"groups-plus-2e31", "header-groups", "the number of groups plus 2^31", func(p *headerParts) { p.groups += 1 << 31 }},
		{"groups-plus-2e32", "header-groups", "the number of groups plus 2^32", func(p *headerParts) { p.groups += 1 << 32 }},
		{"groups-plus-2e62", "header-groups", "the number of groups plus 2^62", func(p *headerParts) { p.groups += 1 << 62 }},
		{"groups-plus-2e63", "header-groups", "the number of groups plus 2^63", func(p *headerParts) { p.groups += 1 << 63 }},
		{"groups-minus-1", "header-groups", "2^64 - 1 groups", func(p *headerParts) { p.groups = 1<<64 - 1 }},
	}
}

// fewBends are some of fieldBends, one for each rule, for the forms that a header stands in.
func fewBends(h reference.Header) []headerBend {
	names := []string{"magic-of-a-proof", "scheme-2", "codec-0", "k-and-n-swapped", "n-21", "slice-size-0", "reserved-13", "length-plus-a-group", "length-2e62", "groups-plus-1", "groups-plus-2e32"}
	var few []headerBend
	for _, b := range fieldBends(h) {
		if slices.Contains(names, b.name) {
			few = append(few, b)
		}
	}
	if len(few) != len(names) {
		panic("hostile: a bend of that name is missing")
	}
	return few
}

// inForms calls add with each of some bends of a header that stands in a larger form: with the ID that was asked for,
// and with the one that the bent header has. At last come bends that leave a header valid, with the old ID.
func inForms(h reference.Header, add func(name, rule, about string, id, header []byte)) {
	id := idOf(h.Bytes())
	for _, b := range fewBends(h) {
		p := partsOfHeader(h)
		b.bend(&p)
		header := p.bytes()
		add("header-"+b.name, "header-id", "in the header: "+b.about, id, header)
		add("header-"+b.name+"-own-id", b.rule, "in the header, for which the ID is made: "+b.about, idOf(header), header)
	}
	for _, b := range []headerBend{
		{"k-less-1", "header-id", "another k", func(p *headerParts) { p.k-- }},
		{"n-less-1", "header-id", "another n", func(p *headerParts) { p.n-- }},
		{"slice-size-plus-64", "header-id", "another slice size", func(p *headerParts) { p.sliceSize += 64 }},
		{"length-plus-1", "header-id", "a byte more", func(p *headerParts) { p.length++ }},
		{"length-less-1", "header-id", "a byte less", func(p *headerParts) { p.length-- }},
		{"root", "header-id", "another root", func(p *headerParts) { p.root[31] ^= 1 }},
	} {
		p := partsOfHeader(h)
		b.bend(&p)
		add("header-"+b.name, b.rule, "in the header: "+b.about, id, p.bytes())
	}
	add("id-of-another", "header-id", "the ID of another blob", flip(id, 0), h.Bytes())
}

func headers(b *blobs) *list[HeaderIn, HeaderOut] {
	l := &list[HeaderIn, HeaderOut]{}
	good := func(name, about string, h reference.Header) {
		out := HeaderOut{K: h.K, N: h.N, SliceSize: h.SliceSize, Length: h.Length, Groups: h.Groups()}
		if h.Groups() > 0 {
			out.LastSlice = h.SizeOf(h.Groups() - 1)
		}
		l.good(name, about, HeaderIn{idOf(h.Bytes()), h.Bytes()}, out)
	}
	made := func(k, n, sliceSize int, length int64) reference.Header {
		return reference.Header{Params: reference.Params{K: k, N: n, SliceSize: sliceSize}, Length: length, Root: hashes(uint64(length), 1)[0]}
	}
	good("plain", "a blob of three groups, the last with short slices", b.plain.Header)
	good("empty", "an empty blob", b.empty.Header)
	defaults := made(10, 20, 4096, 0)
	defaults.Root = reference.Empty(5)
	good("empty-defaults", "an empty blob at the defaults", defaults)
	good("one-byte", "one byte at the defaults: slices of 64 bytes", made(10, 20, 4096, 1))
	good("last-641", "a last group of 641 bytes, which takes slices of 128", made(10, 20, 4096, 641))
	good("group", "a group, full to the last byte", made(10, 20, 4096, 40960))
	good("group-and-a-byte", "a byte more than a group holds", made(10, 20, 4096, 40961))
	good("smallest-code", "k = 1, n = 2", made(1, 2, 64, 1000))
	good("largest-code", "k = 19, n = 20", made(19, 20, 64, 100000))
	good("many-bytes-2e31", "2^31 bytes", made(10, 20, 4096, 1<<31))
	good("many-bytes-2e32-less-1", "2^32 - 1 bytes", made(10, 20, 4096, 1<<32-1))
	good("many-bytes-2e32-plus-1", "2^32 + 1 bytes", made(10, 20, 4096, 1<<32+1))
	good("longest", "2^27 groups, the largest blob that there can be", made(19, 20, 4096, 19*4096<<27))
	good("longest-less-1", "a byte less: 2^27 groups, the last not full", made(19, 20, 4096, 19*4096<<27-1))
	good("longest-smallest-code", "2^27 groups of 64 bytes", made(1, 2, 64, 64<<27))
	zero := made(10, 20, 4096, 1)
	zero.Root = reference.Hash{}
	good("root-zero", "a root of zeros: a header says nothing of what leads to it", zero)
	zero.Root = reference.Empty(5)
	good("root-empty", "a blob that is not empty with the root of an empty one", zero)

	both := func(from string, h reference.Header, bends []headerBend) {
		for _, x := range bends {
			p := partsOfHeader(h)
			x.bend(&p)
			header := p.bytes()
			l.bad(from, x.name, "header-id", x.about, HeaderIn{idOf(h.Bytes()), header})
			l.bad(from, x.name+"-own-id", x.rule, x.about+"; the ID is made for it", HeaderIn{idOf(header), header})
		}
	}
	both("plain", b.plain.Header, fieldBends(b.plain.Header))
	both("empty", b.empty.Header, []headerBend{
		{"length-1", "header-groups", "a byte, and no group", func(p *headerParts) { p.length = 1 }},
		{"groups-1", "header-groups", "a group without bytes", func(p *headerParts) { p.groups = 1 }},
		{"root-zero", "header-root", "a root of zeros", func(p *headerParts) { p.root = reference.Hash{} }},
		{"root-flipped", "header-root", "a bit of the root changed", func(p *headerParts) { p.root[0] ^= 1 }},
		{"root-lower", "header-root", "the root of an empty tree of height 4", func(p *headerParts) { p.root = reference.Empty(4) }},
		{"root-higher", "header-root", "the root of an empty tree of height 6", func(p *headerParts) { p.root = reference.Empty(6) }},
		{"root-leaf", "header-root", "the leaf hash of no bytes", func(p *headerParts) { p.root = reference.Empty(0) }},
		{"length-2e63", "header-length", "a length of 2^63", func(p *headerParts) { p.length = 1 << 63 }},
		{"length-2e62", "header-length", "a length of 2^62", func(p *headerParts) { p.length = 1 << 62 }},
		{"k-0", "header-code", "no data slices", func(p *headerParts) { p.k = 0 }},
		{"slice-size-0", "header-slice-size", "slices without bytes", func(p *headerParts) { p.sliceSize = 0 }},
	})
	both("group", made(10, 20, 4096, 40960), []headerBend{
		{"length-plus-1", "header-groups", "a byte that needs another group", func(p *headerParts) { p.length++ }},
		{"groups-plus-1", "header-groups", "a group behind one that is full", func(p *headerParts) { p.groups++ }},
	})
	both("group-and-a-byte", made(10, 20, 4096, 40961), []headerBend{
		{"length-less-1", "header-groups", "a byte less, which fills one group and needs no other", func(p *headerParts) { p.length-- }},
		{"groups-less-1", "header-groups", "the group of the last byte left out", func(p *headerParts) { p.groups-- }},
	})
	both("longest", made(19, 20, 4096, 19*4096<<27), []headerBend{
		{"length-plus-1", "header-length", "a byte more", func(p *headerParts) { p.length++ }},
		{"k-less-1", "header-length", "a smaller k, with which the length takes more than 2^27 groups", func(p *headerParts) { p.k-- }},
		{"slice-size-less-64", "header-length", "smaller slices, with which the length takes more than 2^27 groups", func(p *headerParts) { p.sliceSize -= 64 }},
		{"groups-plus-1", "header-groups", "2^27 + 1 groups", func(p *headerParts) { p.groups++ }},
		{"groups-0", "header-groups", "no groups", func(p *headerParts) { p.groups = 0 }},
	})
	both("longest-less-1", made(19, 20, 4096, 19*4096<<27-1), []headerBend{
		{"groups-less-1", "header-groups", "the last group left out", func(p *headerParts) { p.groups-- }},
	})

	h := b.plain.Header.Bytes()
	id := idOf(h)
	for _, x := range []struct {
		name, about string
		header      []byte
	}{
		{"size-0", "no bytes", []byte{}},
		{"size-32", "the first half", h[:32]},
		{"size-63", "the last byte cut off", h[:63]},
		{"size-65", "a zero byte behind", more(h, 0)},
		{"size-128", "the header twice", more(h, h...)},
	} {
		l.bad("plain", x.name, "header-size", x.about, HeaderIn{id, x.header})
		l.bad("plain", x.name+"-own-id", "header-size", x.about+"; the ID is made for it", HeaderIn{idOf(x.header), x.header})
	}
	for _, x := range []struct {
		name, about string
		id          []byte
	}{
		{"id-first-bit", "a bit of the ID's first byte changed", flip(id, 0)},
		{"id-last-bit", "a bit of the ID's last byte changed", flip(id, 31)},
		{"id-zero", "an ID of zeros", make([]byte, 32)},
		{"id-is-root", "the root as the ID", b.plain.Root[:]},
		{"id-reversed", "the ID with its bytes reversed", reversed(id)},
		{"id-of-another", "the ID of another blob", idOf(b.wide.Header.Bytes())},
		{"id-unlabelled", "the header's hash without the label BLOB", sum(h)},
		{"id-labelled-leaf", "the header's hash with the label LEAF", sum([]byte("LEAF"), h)},
		{"id-label-behind", "the header's hash with the label behind", sum(h, []byte("BLOB"))},
	} {
		l.bad("plain", x.name, "header-id", x.about, HeaderIn{x.id, h})
	}
	for i := 3; i < 64; i += 8 {
		l.bad("plain", fmt.Sprintf("bit-of-byte-%d", i), "header-id", "a bit of one byte changed", HeaderIn{id, flip(h, i)})
	}
	return l
}
