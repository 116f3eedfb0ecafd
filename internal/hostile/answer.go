package hostile

import (
	"fmt"
	"slices"

	"github.com/tapecommit/tapecommit/internal/reference"
)

// AnswerIn is a challenge and an answer to it.
type AnswerIn struct {
	Challenge Hex `json:"challenge"`
	Answer    Hex `json:"answer"`
}

// AnswerOut has the positions that the challenge asks for and a verdict on each, in order.
type AnswerOut struct {
	At       []int64  `json:"at"`
	Verdicts []string `json:"verdicts"`
}

// answerParts are the parts of an answer, with room for anything, and what it answers.
type answerParts struct {
	challenge challengeParts
	at        []int64
	magic     string
	header    []byte
	leaves    [][]byte
	nodes     [][]byte
	samples   [][]byte // the mark and what follows it
	tail      []byte
}

func partsOfAnswer(b *reference.Blob, c challengeParts, asked reference.Challenge) answerParts {
	at := samples(asked, b.Header)
	p := answerParts{challenge: c, at: at, magic: "TPA1", header: b.Header.Bytes(), nodes: raw(b.Nodes(at))}
	for _, x := range at {
		p.leaves = append(p.leaves, raw(b.Leaves[x : x+1])[0])
		p.samples = append(p.samples, more([]byte{1}, b.Slices[x]...))
	}
	return p
}

func (p answerParts) in() AnswerIn {
	b := append([]byte(p.magic), p.header...)
	b = slices.Concat(b, slices.Concat(p.leaves...), slices.Concat(p.nodes...), slices.Concat(p.samples...), p.tail)
	return AnswerIn{p.challenge.bytes(), b}
}

func (p answerParts) with(f func(*answerParts)) answerParts {
	f(&p)
	return p
}

// notAMark is for a byte that a vector has read as a mark: it must not be one by chance.
func notAMark(b byte) {
	if b <= 1 {
		panic("hostile: a byte that may be a mark")
	}
}

func answers(b *blobs) *list[AnswerIn, AnswerOut] {
	l := &list[AnswerIn, AnswerOut]{}
	of := func(b *reference.Blob, seed uint64, lanes, count uint32) answerParts {
		c, asked := ask(b.Header, seed, lanes, count)
		return partsOfAnswer(b, c, asked)
	}
	every := func(p answerParts, verdict string) []string { return slices.Repeat([]string{verdict}, len(p.at)) }
	good := func(name, about string, p answerParts) answerParts {
		l.good(name, about, p.in(), AnswerOut{p.at, every(p, "good")})
		return p
	}
	bent := func(from, name, about string, p answerParts, verdicts []string) {
		l.bent(from, name, about, p.in(), AnswerOut{p.at, verdicts})
	}
	bad := func(from, name, rule, about string, p answerParts) { l.bad(from, name, rule, about, p.in()) }

	six := good("six", "six slices of a blob of 15", of(b.plain, 90, 0b11111, 6))
	one := good("one", "the only slice of a lane", of(b.single, 91, 0b10, 1))
	good("all", "all slices of a blob: no nodes", of(b.single, 92, 0b111, 3))
	good("wide", "slices of five groups of 20", of(b.wide, 93, 1<<20-1, 5))
	good("runs", "slices of 130 groups", of(b.runs, 94, 0b111, 4))
	good("odd", "slices of groups of 19", of(b.odd, 95, 1<<18|1, 2))
	absent := six.with(func(p *answerParts) { p.samples = slices.Repeat([][]byte{{0}}, 6) })
	l.good("absent", "all six declared absent", absent.in(), AnswerOut{absent.at, every(absent, "absent")})

	// Answers that are well formed, and what they show of each sample.
	for i := range six.at {
		bent("six", fmt.Sprintf("absent-%d", i), "a slice declared absent", six.with(func(p *answerParts) { p.samples = replaced(p.samples, i, []byte{0}) }), replaced(every(six, "good"), i, "absent"))
		bent("six", fmt.Sprintf("wrong-%d", i), "a bit of a slice changed", six.with(func(p *answerParts) {
			p.samples = replaced(p.samples, i, flip(p.samples[i], 1+9*i))
		}), replaced(every(six, "good"), i, "wrong"))
		bent("six", fmt.Sprintf("leaf-%d-bent", i), "a bit of a leaf hash changed", six.with(func(p *answerParts) {
			p.leaves = replaced(p.leaves, i, flip(p.leaves[i], 6*i))
		}), every(six, "unproven"))
	}
	for i := range six.nodes {
		bent("six", fmt.Sprintf("node-%d-bent", i), "a bit of a node changed", six.with(func(p *answerParts) {
			p.nodes = replaced(p.nodes, i, flip(p.nodes[i], 31-i))
		}), every(six, "unproven"))
	}
	bent("six", "leaves-swapped", "two leaf hashes swapped", six.with(func(p *answerParts) { p.leaves = swapped(p.leaves, 0, 1) }), every(six, "unproven"))
	bent("six", "leaves-and-slices-swapped", "two slices swapped, and their leaf hashes with them", six.with(func(p *answerParts) {
		p.leaves, p.samples = swapped(p.leaves, 0, 1), swapped(p.samples, 0, 1)
	}), every(six, "unproven"))
	bent("six", "leaf-and-node-swapped", "the last leaf hash and the first node swapped", six.with(func(p *answerParts) {
		p.leaves, p.nodes = replaced(p.leaves, 5, p.nodes[0]), replaced(p.nodes, 0, p.leaves[5])
	}), every(six, "unproven"))
	bent("six", "nodes-swapped", "two nodes swapped", six.with(func(p *answerParts) { p.nodes = swapped(p.nodes, 0, 1) }), every(six, "unproven"))
	bent("six", "leaf-of-the-bent-slice", "a slice changed and its leaf hash made for it", six.with(func(p *answerParts) {
		slice := flip(p.samples[2], 40)
		leaf := reference.Leaf(slice[1:])
		p.samples, p.leaves = replaced(p.samples, 2, slice), replaced(p.leaves, 2, leaf[:])
	}), every(six, "unproven"))
	bent("six", "leaves-repeated", "a leaf hash in the place of its neighbour", six.with(func(p *answerParts) { p.leaves = replaced(p.leaves, 1, p.leaves[0]) }), every(six, "unproven"))
	empty0 := reference.Empty(0)
	bent("six", "leaf-empty", "empty(0) for a leaf hash whose slice is absent", six.with(func(p *answerParts) {
		p.samples, p.leaves = replaced(p.samples, 3, []byte{0}), replaced(p.leaves, 3, empty0[:])
	}), every(six, "unproven"))
	bent("six", "slices-swapped", "two slices swapped", six.with(func(p *answerParts) { p.samples = swapped(p.samples, 0, 1) }),
		replaced(replaced(every(six, "good"), 0, "wrong"), 1, "wrong"))
	bent("six", "slice-zero", "zeros for a slice", six.with(func(p *answerParts) {
		p.samples = replaced(p.samples, 0, more([]byte{1}, make([]byte, len(p.samples[0])-1)...))
	}), replaced(every(six, "good"), 0, "wrong"))
	bent("absent", "leaf-bent", "a bit of a leaf hash changed where all is absent", absent.with(func(p *answerParts) { p.leaves = replaced(p.leaves, 0, flip(p.leaves[0], 0)) }), every(six, "unproven"))
	bent("one", "absent", "the only slice declared absent", one.with(func(p *answerParts) { p.samples = [][]byte{{0}} }), []string{"absent"})
	bent("one", "wrong", "the last bit of the only slice changed", one.with(func(p *answerParts) { p.samples = [][]byte{flip(p.samples[0], -1)} }), []string{"wrong"})

	// Malformed answers.
	whole := six.in()
	for _, n := range []int{0, 3, 4, 67, 68, 68 + 32, 68 + 32*6, 68 + 32*(6+len(six.nodes))} {
		l.bad("six", fmt.Sprintf("cut-to-%d", n), "answer-size", "the first bytes alone", AnswerIn{whole.Challenge, whole.Answer[:n]})
	}
	l.bad("six", "cut-by-1", "answer-size", "the last byte cut off", AnswerIn{whole.Challenge, whole.Answer[:len(whole.Answer)-1]})
	tail := func(name, about string, b ...byte) {
		bad("six", name, "answer-size", about, six.with(func(p *answerParts) { p.tail = b }))
		bad("absent", name, "answer-size", about, absent.with(func(p *answerParts) { p.tail = b }))
	}
	tail("trailing-0", "a mark more", 0)
	tail("trailing-1", "a mark of a slice more", 1)
	tail("trailing-255", "a byte behind that is no mark", 255)
	tail("trailing-slice", "a sample more", six.samples[0]...)
	bad("six", "sample-fewer", "answer-size", "the last sample left out", six.with(func(p *answerParts) { p.samples = p.samples[:5] }))
	bad("absent", "mark-fewer", "answer-size", "the last mark left out", absent.with(func(p *answerParts) { p.samples = p.samples[:5] }))
	bad("absent", "leaf-fewer", "answer-size", "the last leaf hash left out", absent.with(func(p *answerParts) { p.leaves = p.leaves[:5] }))
	bad("absent", "node-fewer", "answer-size", "the last node left out", absent.with(func(p *answerParts) { p.nodes = p.nodes[:len(p.nodes)-1] }))
	bad("absent", "node-of-31", "answer-size", "a node of 31 bytes", absent.with(func(p *answerParts) { p.nodes = replaced(p.nodes, 0, p.nodes[0][:31]) }))
	last := len(six.nodes) - 1
	notAMark(six.nodes[last][31])
	bad("absent", "node-of-33", "answer-mark", "a node of 33 bytes, so that the last byte of the last node is read as a mark", absent.with(func(p *answerParts) {
		p.nodes = replaced(p.nodes, 0, more(p.nodes[0], 0))
	}))
	extra := hashes(96, 1)[0]
	notAMark(extra[0])
	bad("absent", "node-more", "answer-mark", "a node more, whose first byte is read as a mark", absent.with(func(p *answerParts) { p.nodes = slices.Concat(p.nodes, [][]byte{extra[:]}) }))
	notAMark(six.nodes[last][0])
	bad("absent", "leaf-more", "answer-mark", "a leaf hash more, so that the last node is read as marks", absent.with(func(p *answerParts) { p.leaves = slices.Concat(p.leaves, p.leaves[5:]) }))
	bad("six", "last-absent-marked-present", "answer-size", "the last slice left out and its mark not", six.with(func(p *answerParts) { p.samples = replaced(p.samples, 5, []byte{1}) }))
	notAMark(six.samples[0][1])
	bad("six", "slice-marked-absent", "answer-mark", "a slice marked absent and not left out", six.with(func(p *answerParts) {
		p.samples = replaced(p.samples, 0, more([]byte{0}, p.samples[0][1:]...))
	}))
	bad("six", "slice-without-mark", "answer-mark", "a slice without a mark", six.with(func(p *answerParts) { p.samples = replaced(p.samples, 0, p.samples[0][1:]) }))
	for _, mark := range []byte{2, 3, 0x30, 0x31, 0x7f, 0x80, 0xff} {
		bad("six", fmt.Sprintf("mark-%d", mark), "answer-mark", fmt.Sprintf("a mark of %d before the first slice", mark), six.with(func(p *answerParts) {
			p.samples = replaced(p.samples, 0, more([]byte{mark}, p.samples[0][1:]...))
		}))
	}
	bad("six", "last-mark-2", "answer-mark", "a mark of 2 before the last slice", six.with(func(p *answerParts) {
		p.samples = replaced(p.samples, 5, more([]byte{2}, p.samples[5][1:]...))
	}))
	bad("absent", "last-mark-255", "answer-mark", "a mark of 255 at the end", absent.with(func(p *answerParts) { p.samples = replaced(p.samples, 5, []byte{255}) }))
	bad("six", "last-slice-plus-1", "answer-size", "the last slice a byte longer", six.with(func(p *answerParts) { p.samples = replaced(p.samples, 5, more(p.samples[5], 7)) }))
	bad("six", "last-slice-over-long", "answer-size", "the last slice, of a short group, filled up to the size of the others", six.with(func(p *answerParts) {
		if p.at[5] < 10 {
			panic("hostile: the last sample is not of the last group")
		}
		p.samples = replaced(p.samples, 5, more(p.samples[5], make([]byte, 64)...))
	}))
	bad("one", "slice-empty", "answer-size", "a slice there, and without bytes", one.with(func(p *answerParts) { p.samples = [][]byte{{1}} }))
	bad("one", "slice-is-leaf-hash", "answer-size", "the leaf hash for the slice", one.with(func(p *answerParts) { p.samples = [][]byte{more([]byte{1}, p.leaves[0]...)} }))
	for _, magic := range []string{"TPB1", "TPP1", "TPC1", "TPE1", "TPA2", "tpa1"} {
		bad("one", "magic-"+magic, "answer-magic", "another magic", one.with(func(p *answerParts) { p.magic = magic }))
	}
	inForms(b.single.Header, func(name, rule, about string, id, header []byte) {
		bad("one", name, rule, about, one.with(func(p *answerParts) { p.challenge.id, p.header = id, header }))
	})
	bad("six", "of-another-blob", "header-id", "the header of another blob", six.with(func(p *answerParts) { p.header = b.wide.Header.Bytes() }))

	// Challenges that do not fit the blob that answers.
	ask := func(name, rule, about string, f func(*challengeParts)) {
		bad("one", name, rule, about, one.with(func(p *answerParts) { p.challenge = p.challenge.with(f) }))
	}
	ask("asked-for-lane-3", "challenge-lanes", "the challenge asks for lane n, too", func(p *challengeParts) { p.lanes |= 1 << 3 })
	ask("asked-for-lane-19", "challenge-lanes", "the challenge asks for lane 19, too", func(p *challengeParts) { p.lanes |= 1 << 19 })
	ask("asked-for-lane-31", "challenge-lanes", "the challenge asks for lane 31, too", func(p *challengeParts) { p.lanes |= 1 << 31 })
	ask("asked-for-no-lane", "challenge-lanes", "the challenge asks for no lane", func(p *challengeParts) { p.lanes = 0 })
	ask("asked-for-none", "challenge-count", "the challenge asks for no slice", func(p *challengeParts) { p.count = 0 })
	ask("asked-for-2", "challenge-count", "the challenge asks for more slices than there are", func(p *challengeParts) { p.count = 2 })
	ask("asked-for-65537", "challenge-count", "the challenge asks for 65,537 slices", func(p *challengeParts) { p.count = 65537 })
	ask("asked-with-magic", "challenge-magic", "the challenge has another magic", func(p *challengeParts) { p.magic = "TPA1" })
	ask("asked-with-less", "challenge-size", "the challenge has a seed of 31 bytes", func(p *challengeParts) { p.seed = p.seed[:31] })
	none := answerParts{challenge: challengeParts{"TPC1", idOf(b.empty.Header.Bytes()), one.challenge.seed, 0b10, 1}, magic: "TPA1", header: b.empty.Header.Bytes()}
	bad("one", "of-an-empty-blob", "challenge-count", "an answer of an empty blob, which has no slices", none)
	return l
}
