package report

import (
	"io"

	"hallmark/internal/assay"
)

// sameness sets out how answers were compared for semantic equivalence, and how far that errs.
func (s *section) sameness(t tree, at figsOf) block {
	figs := append([]fig{at("equal"), at("violations")}, some(at("unscored"))...)
	for _, by := range []struct{ key, says string }{
		{"check", "by " + count(t.Whole("check", "pairs"), "known pair")},
		{"people", "by people of " + count(t.Whole("people", "pairs"), "pair")},
	} {
		figs = append(figs, at(by.key, "false_split").note(by.says), at(by.key, "false_merge").note(by.says))
	}
	figs = append(figs, at("stability", "corrected").bounds(s.t, "equality", "stability"))
	c := s.chapter("equality", figures{Scale: 1, Bare: true, Figs: known(figs...)}, warnings{List: t.texts("warnings")})
	return c.asks(oneLine(t.Text("model")), count(t.Whole("pairs"), "pair"), count(t.Whole("cases"), "question"),
		count(t.Whole("answers"), "different answer"), plural(t.Whole("classes"), "class", "classes"))
}

// Equivalence writes, for a terminal, how the answers of a model to a suite were compared for semantic equivalence, and
// how far that errs.
func Equivalence(w io.Writer, e *assay.EquivalenceResult, model, suite string, style Style) error {
	s := &section{t: treeOf(assay.SuiteResult{Equivalence: e})}
	return annotated(w, model, suite, style, s.measured(s.sameness, "equality"))
}
