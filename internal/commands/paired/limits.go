package paired

import (
	"cmp"
	"fmt"

	"hallmark/internal/assay"
	"hallmark/internal/grade"
	"hallmark/internal/report"
	"hallmark/internal/stat/figure"
)

// conditions are what a run was made and graded with, as far as a comparison has to know it.
type conditions struct {
	readAs    string // the grading version of its bundle, where it was read anew by another
	asOf      string
	technique string // the kinds of its prompt variants
	equal     string // how answers are told to say the same, and from where on a question is stable
}

func conditionsOf(result *assay.Assay, on *assay.SuiteResult) conditions {
	info := &result.Document.Run
	c := conditions{readAs: result.ReadAs, asOf: info.AsOf}
	if c.technique = on.Technique(); c.technique != "" { // else nothing rests on it
		c.equal = fmt.Sprintf("--equal %s, --tau %s", cmp.Or(info.Equal, "reader"),
			figure.Exact(info.Tau))
	}
	return c
}

// Limits says why a comparison says less than it seems to, or nothing, a line for each reason: of runs of different
// suites, of runs that are not whole, or were graded or asked otherwise, of one model with itself. It is called before
// SameQuestions.
func Limits(sides []Side) (lines []string) {
	first := &sides[0]
	for i := range sides {
		s := &sides[i]
		if i > 0 {
			lines = append(lines, first.against(s)...)
		}
		if s.missing > 0 {
			lines = append(lines, fmt.Sprintf("%s is incomplete: %d of its answers to the default prompt are "+
				"missing, and these cases are in no figure; `hallmark run` with the same flags goes on", named(s),
				s.missing))
		}
		if v := s.made.readAs; v != "" {
			lines = append(lines, fmt.Sprintf("%s was graded by version %s of the grading; its answers are read anew "+
				"by version %s, as all here, so its figures may differ from those in its bundle", named(s),
				report.OneLine(v), grade.Version))
		}
	}
	if len(sides) == 2 && first.about == sides[1].about && first.ID.Run == sides[1].ID.Run && first.ID.Suite ==
		sides[1].ID.Suite {
		lines = append(lines, "both sides are the same answers of one model: nothing can differ")
	}
	return lines
}

// against says why a run can be compared with the first in part only.
func (s *Side) against(other *Side) (lines []string) {
	differ := func(what, base, is, so string) {
		if base != is && base != "" && is != "" {
			lines = append(lines, fmt.Sprintf("the runs differ in %s (%s is of %s, %s of %s): %s", what, named(s),
				report.OneLine(base), named(other), report.OneLine(is), so))
		}
	}
	if s.suite.Name != other.suite.Name || s.suite.Hash != other.suite.Hash {
		lines = s.inCommon(other)
	}
	differ("what is today", s.made.asOf, other.made.asOf, "where the right answer depends on the day, a case has "+
		"another gold and is left out")
	differ("the kinds of their prompt variants", s.made.technique, other.made.technique,
		"outcomes and rubric, which are of "+
			"the default prompt, are compared; a difference of stability may be one of the variants")
	differ("how stability is told", s.made.equal, other.made.equal, "outcomes and rubric are compared; a difference "+
		"of stability may be one of these settings")
	return lines
}

// shared counts the cases of both that are the same, and those of other that ask the same under another id.
func (s *Side) shared(other *Side) (same, renamed int) {
	questions := map[question]bool{}
	for _, q := range s.asked {
		questions[q] = true
	}
	for id, q := range other.asked {
		if x, ok := s.asked[id]; ok && x == q {
			same++
		} else if questions[q] {
			renamed++
		}
	}
	return same, renamed
}

// inCommon says what runs of two suites, or of two contents of one, have in common; nothing where each case of one is
// in the other.
func (s *Side) inCommon(other *Side) []string {
	same, renamed := s.shared(other)
	if same == len(s.asked) && same == len(other.asked) && s.suite.Name == other.suite.Name {
		return nil
	}
	what := fmt.Sprintf("%s is of the suite %s and %s of %s", named(s), report.OneLine(s.suite.Name), named(other),
		report.OneLine(other.suite.Name))
	if s.suite.Name == other.suite.Name {
		what = fmt.Sprintf("%s and %s are of two contents of the suite %s", named(s), named(other),
			report.OneLine(s.suite.Name))
	}
	cases := fmt.Sprintf("compared are the %d cases", same)
	if same == 1 {
		cases = "compared is the 1 case"
	}
	can := fmt.Sprintf("%s with the same id, question and gold, of %d and %d", cases, len(s.asked), len(other.asked))
	if same == 0 {
		can = fmt.Sprintf("of their %d and %d cases none has the same id, question and gold, so nothing can be "+
			"compared", len(s.asked), len(other.asked))
	}
	switch {
	case renamed == 1:
		can += "; 1 case asks the same under another id: give it one id to compare it"
	case renamed > 1:
		can += fmt.Sprintf("; %d cases ask the same under other ids: give each one id to compare them", renamed)
	}
	return []string{what + ": " + can}
}
