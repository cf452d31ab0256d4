package annotate

import (
	"strings"

	"hallmark/internal/grade"
	"hallmark/internal/run"
)

// A Lesson is what a label teaches of a case, for runs to come: another name of the right answer, or a wrong one
// that deserves a name.
type Lesson struct {
	Suite, CaseID string
	Alias, Reject string
	Left          string // why the label teaches neither, though the grader read the answer otherwise; "" where it does
}

// mostNameWords bounds an answer that can be a name: longer ones are explanations.
const mostNameWords = 8

// Lessons returns what labels teach where people and grader differ: an answer that people call correct and the
// grader did not is an alias, one that people call incorrect and the grader did not a reject. Labels that the
// raters do not agree on teach nothing. It changes nothing.
func Lessons(units []Unit, annotations []run.Annotation) ([]Lesson, error) {
	said, err := Says(units, annotations)
	if err != nil {
		return nil, err
	}
	var out []Lesson
	for i := range units {
		u := &units[i]
		truth, read := said[u.ID], u.Grade.Outcome()
		if truth == "" || truth == read || truth == grade.NotAttempted {
			continue
		}
		l := Lesson{Suite: u.Suite, CaseID: u.CaseID}
		name := asName(u.Answer)
		if name == "" && read != grade.CannotGrade {
			name = asName(u.Grade.Answer) // the value in a sentence
		}
		switch {
		case name == "":
			l.Left = "the answer is too long for a name"
		case truth == grade.Correct:
			l.Alias = name
		default:
			l.Reject = name
		}
		out = append(out, l)
	}
	return out, nil
}

// asName returns an answer as a name, "" where it is none.
func asName(s string) string {
	s = strings.Trim(strings.TrimSpace(s), ".")
	if strings.ContainsAny(s, "\n\r") || len(strings.Fields(s)) > mostNameWords {
		return ""
	}
	return strings.Join(strings.Fields(s), " ")
}
