package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/tapecommit/tapecommit/blob"
	"github.com/tapecommit/tapecommit/commit"
)

// TestSurveySpans checks that the same fault in neighbouring groups is one line, over
// runs too, and that no other faults are put together.
func TestSurveySpans(t *testing.T) {
	slice := func(group, lane int, err error) blob.Fault {
		return blob.Fault{Object: objectsOf(commit.Header{Params: commit.Params{N: 20}})[3+lane].Name, At: commit.Pos{Group: group, Lane: lane}, Err: err}
	}
	group := func(object string, group int, err error) blob.Fault {
		return blob.Fault{Object: object, At: commit.Pos{Group: group, Lane: -1}, Err: err}
	}
	whole := func(object string, err error) blob.Fault {
		return blob.Fault{Object: object, At: commit.Pos{Group: -1, Lane: -1}, Err: err}
	}
	fixed := slice(3, 7, blob.ErrWrong)
	fixed.Fixed = true
	runs := []blob.Run{
		{First: 0, Groups: 64, Faults: []blob.Fault{
			slice(1, 4, blob.ErrWrong), slice(2, 4, blob.ErrWrong), slice(2, 5, blob.ErrWrong), slice(3, 4, blob.ErrMissing),
			fixed, slice(4, 7, blob.ErrWrong), slice(5, 4, blob.ErrMissing), slice(62, 6, blob.ErrMissing), slice(63, 6, blob.ErrMissing),
			group("roots", 63, blob.ErrWrong),
			{Object: "leaves", At: commit.Pos{Group: 9, Lane: 3}, Err: blob.ErrWrong},
		}},
		{First: 64, Groups: 64, Faults: []blob.Fault{
			slice(64, 6, blob.ErrMissing), group("roots", 64, blob.ErrWrong),
			group("", 70, &blob.LostError{Group: 70, Need: 10, Right: 9}), group("", 71, &blob.LostError{Group: 71, Need: 10, Right: 9}),
			group("", 72, &blob.LostError{Group: 72, Need: 10, Right: 8}),
			group("", 73, &blob.LostError{Group: 73, Need: 10, Unknown: true}),
			group("", 90, &blob.EncodingError{Group: 90, Wrong: 1<<3 | 1<<4, Padding: true}),
			group("", 91, &blob.EncodingError{Group: 91, Wrong: 1 << 3}), group("", 92, &blob.EncodingError{Group: 92, Padding: true}),
		}},
		{First: 128, Groups: 1, Faults: []blob.Fault{
			slice(128, 5, blob.ErrWrong), slice(128, 6, blob.ErrMissing),
			whole("lane-05", blob.ErrWrong), whole("lane-06", blob.ErrMissing), // of which the second was counted
			whole("lane-06", blob.ErrSurplus), whole("lane-07", blob.ErrSurplus),
			whole("roots", blob.ErrSurplus), group("roots", 0, blob.ErrSurplus),
		}},
	}
	var stdout bytes.Buffer
	s := newSurvey(&program{stdout: &output{w: &stdout}}, "verify", nil, false)
	for _, r := range runs {
		s.add(r)
	}
	s.flush(129)
	want := []string{
		"lane-04 groups 1-2: wrong",
		"lane-05 group 2: wrong",
		"lane-04 group 3: missing",
		"lane-07 group 3: wrong (repaired)",
		"lane-07 group 4: wrong",
		"lane-04 group 5: missing",
		"leaves group 9 slice 3: wrong",
		"lane-06 groups 62-64: missing",
		"roots groups 63-64: wrong",
		"group 72: lost: 8 slices are right, 10 are needed",
		"groups 70-71: lost: 9 slices are right, 10 are needed",
		"group 73: lost: no slice is known to be right, 10 are needed",
		"group 90: coded wrongly by the writer: lanes 3-4 do not follow from the others, and the padding is not zero",
		"group 91: coded wrongly by the writer: lane 3 does not follow from the others",
		"group 92: coded wrongly by the writer: the padding is not zero",
		"lane-05 group 128: wrong",
		"lane-05: wrong",
		"lane-06 group 128: missing",
		"lane-06: missing",
		"lane-06: has bytes behind its end",
		"lane-07: has bytes behind its end",
		"roots: has bytes behind its end",
		"roots group 0: has bytes behind its end",
	}
	got := strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n")
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("no line %q", line)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
	if t.Failed() {
		t.Logf("got:\n%s", &stdout)
	}
	if s.sum.Groups != 129 || s.sum.Faults != 27 || s.sum.Fixed != 1 || s.sum.Lost != 4 || s.sum.Bad != 3 {
		t.Errorf("sum %+v", s.sum)
	}
}

// TestSurveyFails checks that a survey that ends early leaves a report that says so,
// in JSON too.
func TestSurveyFails(t *testing.T) {
	broken := errors.New("broken")
	fails := func(b *blob.Blob, _ context.Context, _ int) iter.Seq2[blob.Run, error] {
		return func(yield func(blob.Run, error) bool) { yield(blob.Run{}, broken) }
	}
	store := blob.NewMem()
	w, err := blob.NewWriter(t.Context(), store, blob.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	for _, asJSON := range []bool{false, true} {
		var stdout bytes.Buffer
		p := &program{stdout: &output{w: &stdout}, stderr: &stdout}
		if err := newSurvey(p, "verify", fails, asJSON).run(t.Context(), store, h.ID()); !errors.Is(err, broken) || errors.As(err, new(refusal)) {
			t.Errorf("run: %v, want %v", err, broken)
		}
		if !strings.Contains(stdout.String(), h.ID().String()) || !strings.Contains(stdout.String(), "broken") {
			t.Errorf("report %q", &stdout)
		}
		if strings.Contains(stdout.String(), "damaged") {
			t.Errorf("report of damage where reading failed: %q", &stdout)
		}
		if asJSON && !json.Valid(stdout.Bytes()) {
			t.Errorf("no JSON: %q", &stdout)
		}
	}
}
