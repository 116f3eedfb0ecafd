package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
)

// faultKey is what faults of neighbouring groups have in common. Lane is -1 where a
// fault is not of a slice or its hash.
type faultKey struct {
	Object string `json:"object,omitempty"` // empty where the fault is of whole groups
	Lane   int    `json:"lane"`
	Error  string `json:"error"`
	Fixed  bool   `json:"fixed"`
}

// faultSpan is the same fault in groups First to Last; both are -1 where it is of the
// object as a whole.
type faultSpan struct {
	faultKey
	First int `json:"first"`
	Last  int `json:"last"`
}

func keyOf(f blob.Fault) faultKey {
	key := faultKey{Object: f.Object, Lane: f.At.Lane, Error: f.Err.Error(), Fixed: f.Fixed}
	// The errors of a group name it: they are told without, so that they have
	// something in common.
	var lost *blob.LostError
	var bad *blob.EncodingError
	switch {
	case errors.As(f.Err, &lost) && lost.Unknown:
		key.Error = fmt.Sprintf("lost: no slice is known to be right, %d are needed", lost.Need)
	case errors.As(f.Err, &lost):
		key.Error = fmt.Sprintf("lost: %d slices are right, %d are needed", lost.Right, lost.Need)
	case errors.As(f.Err, &bad):
		var what []string
		switch bad.Wrong.Len() {
		case 0:
		case 1:
			what = append(what, fmt.Sprintf("lane %v does not follow from the others", bad.Wrong))
		default:
			what = append(what, fmt.Sprintf("lanes %v do not follow from the others", bad.Wrong))
		}
		if bad.Padding {
			what = append(what, "the padding is not zero")
		}
		key.Error = "coded wrongly by the writer: " + strings.Join(what, ", and ")
	}
	return key
}

func sortSpans(spans []faultSpan) {
	slices.SortFunc(spans, func(a, b faultSpan) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Object, b.Object),
			cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.Error, b.Error))
	})
}

// String is the span as a line of a report.
func (s faultSpan) String() string {
	where := s.Object
	if s.First >= 0 {
		if where != "" {
			where += " "
		}
		if s.First == s.Last {
			where += fmt.Sprintf("group %d", s.First)
		} else {
			where += fmt.Sprintf("groups %d-%d", s.First, s.Last)
		}
	}
	if s.Object == "leaves" && s.Lane >= 0 {
		where += fmt.Sprintf(" slice %d", s.Lane)
	}
	line := where + ": " + s.Error
	if s.Fixed {
		line += " (repaired)"
	}
	return line
}

// surveyPrinter prints the report of a survey as it goes: a blob may have more faults
// than fit in memory.
type surveyPrinter interface {
	begin(id commit.ID, before *position)
	fault(faultSpan)
	end(name string, sum surveySum)
	failed(err error) // instead of end
}

type textSurvey struct {
	p     *program
	first int // group
}

func (t *textSurvey) begin(id commit.ID, before *position) {
	t.p.printf("%v\n", id)
	if t.first = before.Next; t.first > 0 {
		t.p.printf("groups 0-%d: looked at by the scrub that was stopped on %s: %s\n", t.first-1, stamp(before.Time), foundText(before.Report))
	}
}

func (t *textSurvey) fault(s faultSpan) { t.p.printf("%v\n", s) }

func (t *textSurvey) failed(err error) {
	what := "not finished"
	if errors.As(err, new(refusal)) {
		what = "damaged"
	}
	t.p.printf("%s: %v\n", what, err)
}

func (t *textSurvey) end(name string, sum surveySum) {
	groups := count(sum.Groups, "group")
	if t.first > 0 {
		groups = fmt.Sprintf("groups %d-%d", t.first, t.first+sum.Groups-1)
	}
	switch {
	case sum.Faults == 0:
		t.p.printf("whole: all slices of %s are right\n", groups)
	case sum.OK:
		t.p.printf("whole again: %s in %s, all repaired\n", count(sum.Faults, "fault"), groups)
	default:
		t.p.printf("damaged: %s in %s", count(sum.Faults, "fault"), groups)
		if name == "repair" {
			t.p.printf(", %d repaired", sum.Fixed)
		}
		if sum.Lost > 0 {
			t.p.printf(", %s lost", count(sum.Lost, "group"))
		}
		if sum.Bad > 0 {
			t.p.printf(", %s coded wrongly", count(sum.Bad, "group"))
		}
		t.p.printf("\n")
	}
}

// jsonSurvey prints one object on one line: the ID, the faults as they are found, the
// numbers.
type jsonSurvey struct {
	p     *program
	comma string
}

func (j *jsonSurvey) begin(id commit.ID, before *position) {
	j.p.printf(`{"id":"%v",`, id)
	if before.Next > 0 {
		j.p.printf(`"from":%d,"before":%s,`, before.Next, marshal(before.Report))
	}
	j.p.printf(`"damage":[`)
}

func (j *jsonSurvey) fault(s faultSpan) {
	j.p.printf("%s%s", j.comma, marshal(s))
	j.comma = ","
}

func (j *jsonSurvey) end(_ string, sum surveySum) {
	// What is left of the object is the object of sum, but for the brace.
	j.p.printf("],%s\n", marshal(sum)[1:])
}

func (j *jsonSurvey) failed(err error) {
	j.p.printf("],%s\n", marshal(struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
	}{false, err.Error()})[1:])
}

// marshal is JSON of what has no part that JSON could not have.
func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("tapecommit: %v", err))
	}
	return b
}
