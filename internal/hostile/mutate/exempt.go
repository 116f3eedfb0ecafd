package main

// exemption is a change that no vector can notice, with the reason.
type exemption struct {
	function, kind, text string
	why                  string
}

// opened is why a check of a header goes unnoticed.
const opened = "headers of vectors have been opened: only a caller's own can be invalid, which TestFalseHeaders has"

var exempt = []exemption{
	{"proof.Judge", passed, "leaves, proven, err := in.leaves(h, at)",
		"what ends early has ended: the next read, of the first mark, finds the same rule broken"},
	{"proof.read", passed, "b.buf, err = b.fill(b.buf, hashLen*plan.Count(&h, at))",
		"what ends early has ended: the next read, of the slices, finds the same rule broken"},
	{"evidence.Check", edge, "len(b) < headLen",
		"76 bytes alone are refused by the same rule, once it is known how many there should be"},
	{"proof.values", edge, "v >= -skip",
		"one number of 2^64 tells the two apart: no seed that draws it can be found"},
	{"proof.Load", yes, "l.w.Manifest() != w.Manifest()",
		"the header is copied again, from the same manifest"},
	{"proof.Write", passed, "err := b.flush()",
		"what could not be written stands before what follows, and flush fails again"},
	{"proof.Answer", passed, "head, err = h.AppendBinary(head)",
		"Samples has made the header's ID before, which it does of valid headers alone"},
	{"evidence.Append", passed, "dst, err := h.AppendBinary(dst)",
		"there are k slices of the group by then, and a slice is only ever of a header that was opened"},
	{"proof.Samples", passed, "err := h.Validate()", opened},
	{"proof.Append", passed, "dst, err := h.AppendBinary(dst)", opened},
	{"proof.checkSet", passed, "err := h.Validate()", opened},
	{"evidence.Append", passed, "err := h.Validate()", opened},
}

// exemptAs is the index in exempt of what fits c, or -1.
func exemptAs(c change) int {
	for i, x := range exempt {
		if c.function == x.function && c.kind == x.kind && c.text == x.text {
			return i
		}
	}
	return -1
}
