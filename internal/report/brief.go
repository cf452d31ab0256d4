package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"hallmark/internal/assay"
	"hallmark/internal/metric/detect"
	"hallmark/internal/stat/figure"
)

// A Rest says where a brief's reader finds the rest: command lines.
type Rest struct{ Failed, Whole string }

// briefly is how many failed answers a brief shows.
const briefly = 5

// Brief writes of a run what is looked at first, in about 30 lines: the verdict, what failed, a line for each method,
// and where the rest is. Models and suites that are several stand in one table, a row for each. Terminal writes all.
func Brief(w io.Writer, a *assay.Assay, rest Rest, style Style) error {
	v := newView(a)
	p := newPrinter(w, style)
	p.runLine(v)
	body := append(partials(v.Doc.Incomplete), acceptedBlock(v.Doc.Accept))
	if len(v.Sections) > 1 {
		body = append(append(body, v.overview()), v.notes()...)
	}
	if v.Phase != nil {
		body = append(body, chapter{Title: "Sweep", Body: []block{findings{v.Phase.Findings}}})
	}
	unscored, failures := 0, 0
	for _, s := range v.Sections {
		unscored += len(s.Unscored)
		first, n := s.failing()
		failures += n
		if s.Alone {
			body = append(body, s.brief(first, n))
		}
	}
	p.blocks(body...)
	if unscored > 0 && len(v.Doc.Incomplete) == 0 {
		p.line()
		p.painted("! ", missing(v, unscored), func(s string) string { return p.tone("rnd", s) })
	}
	p.line()
	if failures > 0 {
		p.line(p.dim("failed answers  "), Visible(rest.Failed)) // never cut: it is there to be copied
	}
	p.line(p.dim("every figure    "), Visible(rest.Whole))
	return cmp.Or(p.w.Flush(), a.Err())
}

// missing says how many planned answers and verdicts there are not, and why the first is not there.
func missing(v *view, n int) string {
	for _, s := range v.Sections {
		for _, u := range s.Unscored {
			return fmt.Sprintf("%s missing; the first, of case %s: %s", plural(n, "answer or verdict is",
				"answers or verdicts are"), clip(oneLine(u.CaseID), 60), u.Reason)
		}
	}
	return ""
}

// failing returns the first failed answers, those that are wrong before the others, and how many there are.
func (s *section) failing() (first []*assay.CaseRow, n int) {
	for _, wrong := range []bool{true, false} {
		for _, r := range s.Rows.All() {
			if failed(r) && (r.Outcome == "incorrect") == wrong {
				if n++; n <= briefly {
					first = append(first, r)
				}
			}
		}
	}
	return first, n
}

// brief sets out a section: its verdict, the first of so many failed answers, and a line for each method.
func (s *section) brief(first []*assay.CaseRow, failures int) block {
	a := article{Index: s.Index, At: s.At, Headline: s.headline()}
	a.Body = append(a.Body, slices.Concat(s.caveats(false), s.notes)...)
	wrong := table{Columns: []column{codeOf("case"), rawOf("question"), rawOf("gold"), rawOf("answer")},
		Brief: max(1, len(first)), Left: failures - len(first), One: "failed answer", Many: "failed answers"}
	for _, r := range first {
		wrong.add(clip(oneLine(r.ID), 60), clip(oneLine(r.Prompt), 180), clip(oneLine(r.Gold), 60),
			clip(oneLine(answerOf(r)), 180))
	}
	a.Body = append(a.Body, chapter{Title: "Failed answers", Over: "to the default prompt", Body: []block{wrong}},
		chapter{Title: "Methods", Over: "each with its first figure", Body: []block{s.methods()}})
	if doubts := doubtsIn(s.article(nil, true).Body); doubts > 0 {
		a.Body = append(a.Body, aside(plural(doubts, "warning goes with these figures; the last "+
			"command prints it", "warnings go with these figures; the last command prints them")))
	}
	return a
}

// methods are a line for each method that measured something, with its first figure.
func (s *section) methods() block {
	t := table{Columns: heads("method", textOf("figure"), "value", ci)}
	add := func(method string, f fig) {
		if f.OK {
			t.add(method, f.Label, bounded(f))
		}
	}
	add("rubric", s.t.of("rubric", "hallucination"))
	add("consistency", s.SS)
	add("detection", s.bestDetector())
	add("posterior", s.t.of("posterior", "phr"))
	for _, name := range s.t.Names("measured") {
		if m := assay.AddedMethod(name); m != nil {
			for _, e := range figure.Under("measured/"+name, m.Figures()) {
				if f := s.t.entered(e); f.OK {
					add(name, f)
					break
				}
			}
		}
	}
	return t
}

// bestDetector is how well that detector tells wrong answers that does so best of those that were tried.
func (s *section) bestDetector() (best fig) {
	tried := 0
	for _, name := range detect.Names {
		if !s.t.Has("detection", "detectors", name) {
			continue
		}
		f := s.t.of("detection", "detectors", name, "correctness", "auroc")
		if !f.OK {
			continue
		}
		if tried++; !best.OK || f.Value > best.Value {
			best = f.named(detectorLabel(name))
		}
	}
	return best.named(fmt.Sprintf("AUROC of %s, best of %d", best.Label, tried))
}

// doubtsIn counts the warnings that blocks of a terminal hold.
func doubtsIn(blocks []block) (n int) {
	for _, b := range standing(inTerminal, blocks...) {
		switch b := b.(type) {
		case warnings:
			n += len(b.List)
		case chapter:
			n += doubtsIn(b.Body)
		}
	}
	return n
}
