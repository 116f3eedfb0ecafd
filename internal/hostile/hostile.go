// Package hostile makes the vectors of testvectors/hostile: bytes that a verifier must accept, and bytes that
// it must refuse, each one change away from accepted ones and each with the rule of FORMAT.md that it breaks.
//
// The bytes come from internal/reference and from fixed seeds; the rules are written down here, by hand, and
// nothing of the verifier has a say in them. Two verifiers are held to the files: the packages commit, proof and
// proof/evidence by this package's test, and the Python program that lies beside the files.
package hostile

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Vector is an input of one kind and what a verifier says of it: a rule that is broken, or a result. From names
// the accepted vector of the same file that this one was bent from.
type Vector[Input, Result any] struct {
	Name   string  `json:"name"`
	About  string  `json:"about"`
	From   string  `json:"from,omitempty"`
	Input  Input   `json:"input"`
	Rule   string  `json:"rule,omitempty"`
	Result *Result `json:"result,omitempty"`
}

// File is what one file holds.
type File[Input, Result any] struct {
	Kind    string                  `json:"kind"`
	Vectors []Vector[Input, Result] `json:"vectors"`
}

// Files makes all files, by name.
func Files() map[string][]byte {
	b := newBlobs()
	return map[string][]byte{
		"header.json":    encode("header", headers(b)),
		"manifest.json":  encode("manifest", manifests()),
		"window.json":    encode("window", windows(b)),
		"group.json":     encode("group", groups(b)),
		"proof.json":     encode("proof", proofs(b)),
		"bundles.json":   encode("bundles", bundles(b)),
		"challenge.json": encode("challenge", challenges(b)),
		"answer.json":    encode("answer", answers(b)),
		"evidence.json":  encode("evidence", accusations(b)),
	}
}

// encode writes one vector a line, so that a difference shows which one it is.
func encode[I, R any](kind string, l *list[I, R]) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\"kind\": %q, \"vectors\": [\n", kind)
	for i, v := range l.all {
		if i > 0 {
			out.WriteString(",\n")
		}
		var line bytes.Buffer
		e := json.NewEncoder(&line)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			panic(err)
		}
		out.Write(bytes.TrimSpace(line.Bytes()))
	}
	out.WriteString("\n]}\n")
	return out.Bytes()
}

// list gathers the vectors of a file.
type list[I, R any] struct {
	all    []Vector[I, R]
	names  map[string]bool
	inputs map[string]string // to the names
}

func (l *list[I, R]) add(v Vector[I, R]) {
	if l.names == nil {
		l.names, l.inputs = map[string]bool{}, map[string]string{}
	}
	input, err := json.Marshal(v.Input)
	if err != nil {
		panic(err)
	}
	if twin := l.inputs[string(input)]; twin != "" {
		panic(fmt.Sprintf("hostile: vectors %q and %q are the same", twin, v.Name))
	}
	l.inputs[string(input)] = v.Name
	if l.names[v.Name] || v.From != "" && !l.names[v.From] {
		panic(fmt.Sprintf("hostile: vector %q from %q: a name twice, or one that is not there", v.Name, v.From))
	}
	l.names[v.Name] = true
	l.all = append(l.all, v)
}

// good adds an input that is accepted.
func (l *list[I, R]) good(name, about string, in I, out R) {
	l.add(Vector[I, R]{Name: name, About: about, Input: in, Result: &out})
}

// bent adds an input that is a change away from another, and accepted with another result.
func (l *list[I, R]) bent(from, name, about string, in I, out R) {
	l.add(Vector[I, R]{Name: from + "/" + name, About: about, From: from, Input: in, Result: &out})
}

// bad adds an input that is a change away from an accepted one and breaks a rule.
func (l *list[I, R]) bad(from, name, rule, about string, in I) {
	l.add(Vector[I, R]{Name: from + "/" + name, About: about, From: from, Input: in, Rule: rule})
}

// Hex is bytes that JSON has as hexadecimal digits; nil is null.
type Hex []byte

// MarshalJSON writes the digits.
func (h Hex) MarshalJSON() ([]byte, error) {
	if h == nil {
		return []byte("null"), nil
	}
	return []byte(`"` + hex.EncodeToString(h) + `"`), nil
}

// UnmarshalJSON reads the digits.
func (h *Hex) UnmarshalJSON(b []byte) error {
	var s *string
	if err := json.Unmarshal(b, &s); err != nil || s == nil {
		*h = nil
		return err
	}
	raw, err := hex.DecodeString(*s)
	*h = raw[:len(raw):len(raw)] // what lies behind is nobody's to read
	return err
}
