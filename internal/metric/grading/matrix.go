package grading

import "hallmark/internal/grade"

// Truths are the outcomes that an answer can truly have, in the order of the files. That nobody could grade it is
// said of a reading alone.
var Truths = []grade.Outcome{grade.Correct, grade.Incorrect, grade.NotAttempted}

// Reads holds something for each outcome that a grader gives.
type Reads[T any] struct {
	Correct      T `json:"correct"`
	Incorrect    T `json:"incorrect"`
	NotAttempted T `json:"not_attempted"`
	Ungradable   T `json:"ungradable"`
}

// Of returns the member of an outcome. It panics on NoOutcome: what was not read has no place here.
func (r *Reads[T]) Of(read grade.Outcome) *T {
	switch read {
	case grade.Correct:
		return &r.Correct
	case grade.Incorrect:
		return &r.Incorrect
	case grade.NotAttempted:
		return &r.NotAttempted
	case grade.CannotGrade:
		return &r.Ungradable
	}
	panic("grading: no outcome is named " + string(read))
}

// A Matrix holds something for each true outcome and each outcome that a grader gives.
type Matrix[T any] struct {
	Correct      Reads[T] `json:"correct"` // of the answers that are truly correct
	Incorrect    Reads[T] `json:"incorrect"`
	NotAttempted Reads[T] `json:"not_attempted"`
}

// Of returns the row of a true outcome. It panics on what is none.
func (m *Matrix[T]) Of(truth grade.Outcome) *Reads[T] {
	switch truth {
	case grade.Correct:
		return &m.Correct
	case grade.Incorrect:
		return &m.Incorrect
	case grade.NotAttempted:
		return &m.NotAttempted
	}
	panic("grading: nothing is truly " + string(truth))
}

// Sum returns the number of answers in a matrix of counts.
func Sum(m Matrix[int]) (n int) {
	for _, truth := range Truths {
		n += Total(*m.Of(truth))
	}
	return n
}

// Total returns the number of answers in a row of counts.
func Total(r Reads[int]) int { return r.Correct + r.Incorrect + r.NotAttempted + r.Ungradable }

// TruthNames lists Truths as text.
func TruthNames() (names []string) {
	for _, truth := range Truths {
		names = append(names, string(truth))
	}
	return names
}
