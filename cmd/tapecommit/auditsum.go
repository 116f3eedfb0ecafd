package main

import "fmt"

// auditSum is what an audit of many blobs found and what that is worth.
type auditSum struct {
	Blobs      int   `json:"blobs"`      // challenged
	Passed     int   `json:"passed"`     // all slices good
	Failed     int   `json:"failed"`     // not all
	Unanswered int   `json:"unanswered"` // no answer
	Refused    int   `json:"refused"`    // challenge or answer malformed, or the challenge misnamed
	Good       int   `json:"good"`       // slices
	Wrong      int   `json:"wrong"`
	Absent     int   `json:"absent"`
	Unproven   int   `json:"unproven"`
	Population int64 `json:"population"` // slices that the choices were made from

	Alone    *odds       `json:"alone,omitempty"`            // of the blob of least samples among those that passed
	Together *odds       `json:"together,omitempty"`         // of all blobs, where all passed
	OneGroup *[2]float64 `json:"one_group_chance,omitempty"` // least and most, of blobs that passed
	Meaning  []string    `json:"meaning"`

	fewest, samples int // of one, and of all, that passed
	few             int // of these blobs, those of which fewer than k lanes are asked about
}

// add adds what was found of a blob.
func (s *auditSum) add(r auditReport) {
	s.Good += r.Good
	s.Wrong += r.Wrong
	s.Absent += r.Absent
	s.Unproven += r.Unproven
	s.Population += r.Population
	if r.Good < r.Count {
		s.Failed++
		return
	}
	if s.Passed == 0 {
		s.fewest = r.Count
		s.OneGroup = &[2]float64{r.OneGroup, r.OneGroup}
	}
	s.Passed++
	s.samples += r.Count
	s.fewest = min(s.fewest, r.Count)
	s.OneGroup[0] = min(s.OneGroup[0], r.OneGroup)
	s.OneGroup[1] = max(s.OneGroup[1], r.OneGroup)
	if r.asked < r.K {
		s.few++
	}
}

// conclude says what that is worth, when all was added.
func (s *auditSum) conclude() {
	s.Blobs = s.Passed + s.Failed + s.Unanswered + s.Refused
	if s.Passed > 0 {
		o := oddsOf(s.fewest)
		s.Alone = &o
	}
	if s.Passed == s.Blobs {
		o := oddsOf(s.samples)
		s.Together = &o
	}
	s.Meaning = s.meaning()
}

// meaning says what was learned, with the numbers of the case.
func (s *auditSum) meaning() []string {
	lines := []string{
		fmt.Sprintf("%s: %d with all slices asked for good, %d with some not; %d without an answer, %d refused.",
			count(s.Blobs, "blob"), s.Passed, s.Failed, s.Unanswered, s.Refused),
		fmt.Sprintf("%d good, %d wrong, %d absent, %d unproven, of %s chosen from %d.",
			s.Good, s.Wrong, s.Absent, s.Unproven, count(s.Good+s.Wrong+s.Absent+s.Unproven, "slice"), s.Population),
	}
	if s.Wrong+s.Absent > 0 {
		lines = append(lines, "What is wrong or absent is so in these answers. Anybody can make such answers: they accuse nobody.")
	}
	if s.Unproven+s.Unanswered+s.Refused > 0 {
		lines = append(lines, "Of a blob without an answer, or with one that is refused or does not lead to its ID, nothing was learned.")
	}
	if s.Passed > 0 {
		lines = append(lines, s.worth()...)
	}
	return append(lines, "Nothing was learned of blobs that no challenge is for. Slices that were fetched from elsewhere, and answers kept from an earlier audit with these seeds, are not excluded.")
}

// worth says what it means that blobs passed.
func (s *auditSum) worth() []string {
	var lines []string
	if s.Together != nil {
		lines = append(lines, fmt.Sprintf("An archive that cannot produce a fraction f of those slices of each blob passes for all with a chance of %v.", s.Together))
	}
	lines = append(lines,
		fmt.Sprintf("An archive that cannot produce a fraction f of those slices of one blob passes for it with a chance of %v; where more than %s of a blob were asked for, with a smaller one.",
			s.Alone, count(s.fewest, "slice")),
		fmt.Sprintf("One that has lost one group of one blob and nothing else passes with a chance of %s or more; of the blob that shows it least, %s or more.",
			atLeast(s.OneGroup[0]), atLeast(s.OneGroup[1])))
	if s.few > 0 {
		lines = append(lines, fmt.Sprintf("Of %s fewer lanes are asked about than make a group: the slices do not follow from each other, and to produce them is to store them or to fetch them.",
			count(s.few, "blob")))
	}
	if many := s.Passed - s.few; many > 0 {
		lines = append(lines, fmt.Sprintf("Of %s as many lanes are asked about as make a group, or more: who can reach so many slices of a group can produce all, and good slices do not mean that each lane is stored.",
			count(many, "blob")))
	}
	return lines
}
