package annotate

import (
	"bytes"
	"slices"
	"strings"

	"hallmark/internal/base/exit"
	"hallmark/internal/grade"
	"hallmark/internal/run"
	"hallmark/internal/suite"
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
func Lessons(items []Item, annotations []run.Annotation) ([]Lesson, error) {
	said, err := Says(items, annotations)
	if err != nil {
		return nil, err
	}
	var out []Lesson
	for i := range items {
		u := &items[i]
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

// Learnt is a suite with what was learnt of its cases.
type Learnt struct {
	Suite            suite.Suite
	Aliases, Rejects int      // how many were learnt
	Left             []Lesson // what could not be, each with its reason
}

// Learn makes of a suite another one, with what lessons teach of its cases.
func Learn(from *suite.Suite, lessons []Lesson) *Learnt {
	cases := from.Cases.Loose()
	out := &Learnt{Suite: *from.With(suite.ListOf(cases))}
	at := map[string]int{}
	for i := range cases {
		at[cases[i].ID] = i
	}
	for _, l := range lessons {
		i, ok := at[l.CaseID]
		if !ok || l.Suite != from.Name {
			continue
		}
		switch c := &cases[i]; {
		case l.Left != "":
		case l.Alias != "" && !takesNames(c):
			l.Left = "its gold takes no aliases"
		case l.Alias != "":
			if !slices.Contains(c.Aliases, l.Alias) {
				c.Aliases, out.Aliases = append(slices.Clone(c.Aliases), l.Alias), out.Aliases+1
			}
		case takesNames(c):
			o := suite.Oracle{Type: "exact"}
			if c.Oracle != nil {
				o = *c.Oracle
			}
			if !slices.Contains(o.Reject, l.Reject) {
				o.Reject, out.Rejects = append(slices.Clone(o.Reject), l.Reject), out.Rejects+1
				c.Oracle = &o
			}
		default:
			l.Left = "its oracle takes no rejects"
		}
		if l.Left != "" {
			out.Left = append(out.Left, l)
		}
	}
	return out
}

// takesNames reports whether a case is graded by an exact comparison, with its gold where it has no oracle.
func takesNames(c *suite.Case) bool {
	if c.Oracle == nil {
		return len(c.Gold.Texts) > 0
	}
	return c.Oracle.Type == "exact"
}

// File is the suite as a file. The error is that nothing was learnt from the run, or what contradicts the suite.
func (l *Learnt) File(run, path string) ([]byte, error) {
	if l.Aliases+l.Rejects == 0 {
		return nil, exit.Usagef("run %s: its labels teach nothing of suite %s: people call its answers what they "+
			"were read as, or nobody labelled any", run, l.Suite.Name)
	}
	var text bytes.Buffer
	if err := l.Suite.WriteYAML(&text); err != nil {
		return nil, err
	}
	if _, err := suite.Parse(path, text.Bytes()); err != nil {
		return nil, exit.Usagef("what was learnt contradicts the suite: %w", err)
	}
	return text.Bytes(), nil
}
