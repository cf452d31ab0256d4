package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/assay/annotate"
	"hallmark/internal/metric/grading"
	"hallmark/internal/stat/figure"
	"hallmark/internal/text/paraphrase"
)

// added sets out what added methods measured: of each the figures of its catalogue.
func (s *section) added() (out []block) {
	for _, name := range s.t.Names("measured") {
		m := assay.AddedMethod(name)
		if m == nil {
			continue // of another release
		}
		var figs []fig
		for _, e := range figure.Under("measured/"+name, m.Figures()) {
			for _, e := range e.Spread(s.t.Tree) {
				e.Label = Visible(e.Label)
				figs = append(figs, s.t.entered(e))
			}
		}
		out = append(out, chapter{ID: s.id(name), Name: m.Title(), Title: m.Title(), Lede: say(m.Lede()),
			Body: []block{figures{Figs: figs}, warnings{List: s.t.texts("measured", name, "warnings")},
				s.t.differing("measured", name, "by_name")}})
	}
	return out
}

// differing lists the answers on which a score that came along and the outcome here differ.
func (t tree) differing(at ...string) table {
	out := table{Caption: "Where a score and this reading differ", One: "answer", Many: "answers", Listed: 40,
		Columns: []column{codeOf("case"), textOf("score"), countsOf("scored"), textOf("read here"), rawOf("answer")}}
	for _, name := range t.Names(at...) {
		for _, x := range t.items(slices.Concat(at, []string{name, "differ"})...) {
			out.add(oneLine(x.Text("case_id")), Visible(name), x.Cell("score"),
				strings.ReplaceAll(x.Text("outcome"), "_", " "), oneLine(x.Text("answer")))
		}
	}
	return out
}

// judge sets out what judges decided, and how far they can be relied on.
func (s *section) judge(t tree, at figsOf) block {
	c := s.chapter("judge", figures{Figs: judged(t, at)})
	judge, panel := oneLine(t.Text("judge")), t.texts("panel")
	if judge == "" {
		return c
	}
	judge = strings.Join(append([]string{judge}, each(panel, oneLine)...), ", ")
	decided, of := "what no oracle can", "Its verdicts are those of a model"
	switch {
	case t.is("all"):
		decided = "every answer"
	case len(panel) > 0:
		decided = "what no rule can"
	}
	if len(panel) > 0 {
		decided, of = decided+", by majority", "Their verdicts are those of models"
	}
	c.Lede = say(clip(judge, 200), " decided "+decided+". "+of+": they do not count as graded automatically.")
	list := t.texts("warnings")
	if !s.t.Has("audit") {
		list = append(list, fmt.Sprintf("no person has looked at what the judge decided: `hallmark annotate export "+
			"%s` draws a sample, by which its rates are corrected; all %s take a person about %d minutes",
			s.Run, count(t.Whole("cases"), "answer"), annotate.Minutes(t.Whole("cases"))))
	}
	c.Body = append(c.Body, warnings{List: list})
	return c
}

// judged are the figures of what judges decided.
func judged(t tree, at figsOf) []fig {
	figs := []fig{at("share").note(count(t.Whole("cases"), "case"))}
	ofOutcomes := t.Text("wording") != ""
	if ofOutcomes {
		figs = append(figs, at("correct"), at("incorrect"), at("not_attempted"))
	}
	if !ofOutcomes || t.Whole("accepted")+t.Whole("rejected") > 0 {
		figs = append(figs, at("accepted"), at("rejected"))
	}
	figs = append(figs, some(at("split"))...)
	figs = append(figs, at("no_verdict"), at("pending"))
	if ofOutcomes {
		figs = append(figs, at("asked_again"))
	}
	if t.Has("self_agreement") {
		figs = append(figs, at("self_agreement").note(count(t.Whole("self_agreement", "n"), "reply")))
	}
	anchors := t.items("anchors")
	for i, x := range anchors {
		right := at("anchors", strconv.Itoa(i), "right").note(fmt.Sprintf("of %d", x.Whole("n")))
		if len(anchors) > 1 {
			right = right.named(clip(oneLine(x.Text("judge")), 60) + ": " + right.Label)
		}
		figs = append(figs, right)
	}
	figs = append(figs, at("tokens", "prompt"), at("tokens", "completion"))
	if t.Has("usd") {
		figs = append(figs, at("usd"))
	}
	return figs
}

// paraphrases sets out how paraphrases were come by.
func (s *section) paraphrases(t tree, at figsOf) block {
	by := "rules"
	switch t.Text("by") {
	case "model", "file":
		by = clip(oneLine(t.Text("source")), 200)
	}
	held := "names, numbers, units, negations and quantifiers were held against the prompt’s"
	if t.Text("filter") == "none" {
		held = "nothing was held against the prompt but its words"
	}
	if judge := oneLine(t.Text("judge")); judge != "" {
		held += ", and " + clip(judge, 200) + " was asked whether each follows from the other"
	}
	figs := []fig{at("acceptance"), at("candidates"), at("admitted").child(), at("used").child(), at("full"),
		at("none")}
	figs = append(figs, some(at("failed"))...)
	if t.Whole("tokens", "prompt") > 0 {
		figs = append(figs, at("tokens", "prompt"), at("tokens", "completion"))
	}
	for _, r := range paraphrase.Reasons {
		figs = append(figs, some(at("rejected", string(r)).named("rejected: "+called("rejected", r)))...)
	}
	examples := table{Columns: []column{textOf("case"), textOf("why"), rawOf("text")}}
	for _, e := range t.items("examples") {
		says := called("rejected", e.Text("reason"))
		if detail := e.Text("detail"); detail != "" {
			says += " (" + oneLine(detail) + ")"
		}
		examples.add(oneLine(e.Text("case_id")), strings.TrimSpace(says), oneLine(e.Text("text")))
	}
	c := s.chapter("paraphrases", figures{Figs: figs}, warnings{List: t.texts("warnings")},
		closed("Some that were rejected", examples).only(inFull))
	return c.asks(count(t.Whole("asked"), "paraphrase"), count(t.Whole("cases"), "case"), by, held)
}

// audit sets out what people said of the answers, beside the grader.
func (s *section) audit(t tree, at figsOf) block {
	rates := table{Columns: heads("rate", "by the grader", ci, "corrected", ci,
		fullOf("only the grader fails"), fullOf("only people fail"), "labelled")}
	for _, m := range annotate.Measures {
		r := func(key string) fig { return at("corrected", m, key) }
		if n := r("n"); n.OK {
			by, people := r("uncorrected"), r("corrected")
			rates.add(strings.ReplaceAll(m, "_", " "), bounded(by), bounded(people), r("only_grader_fail"),
				r("only_people_fail"), cellOf(r("labelled"), " of ", n))
		}
	}
	alphas := table{Columns: heads("on", "alpha", ci, "answers")}
	for _, axis := range append([]string{"outcome", "hallucination"}, grading.AxisNames[:]...) {
		if t.Has("agreement", axis) {
			alpha := at("agreement", axis, "alpha").bounds(s.t, "audit", "agreement", axis)
			alphas.add(axis, bounded(alpha), at("agreement", axis, "n"))
		}
	}
	strata := table{Caption: "Which answers were judged", Columns: heads("stratum", "judged", "of"), In: inFull}
	for _, x := range annotate.Strata {
		if t.Has("strata", string(x)) {
			strata.add(called("strata", x), at("strata", string(x), "labelled"), at("strata", string(x), "cases"))
		}
	}
	rates.Caption, alphas.Caption = "Rates by the grader, and corrected by people (prediction-powered inference)",
		"How far the raters agree (Krippendorff’s alpha, adequate from 0.800)"
	c := s.chapter("audit", slices.Concat([]block{warnings{List: t.texts("warnings")}},
		s.labelledOutcomes("outcomes", "", "--next"),
		s.labelledOutcomes(ofVariants, " over all variants", "--variants"),
		[]block{rates, pair{Left: []block{alphas}, Right: []block{strata}}, aside(disputes(t))})...)
	return c.asks(plural(len(t.texts("raters")), "rater", "raters"), count(t.Whole("n"), "answer"))
}

// labelledOutcomes sets out what people found in what was read alike, and how many more labels would do: of the
// answers to the default prompts, or of those to all variants.
func (s *section) labelledOutcomes(key, over, flag string) []block {
	at, t := s.t.under("audit", key), s.t.sub("audit", key)
	if !t.Has() {
		return nil
	}
	list := table{Caption: "What people found in what was read alike" + over,
		Columns: heads("read as", textOf("why shown"), "answers", "correct", "wrong", "not attempted")}
	if key == ofVariants {
		list.Columns[1], list.Columns[2] = textOf("of"), columnOf("questions")
	}
	for i, x := range t.items("strata") {
		f := func(key string) fig { return at("strata", strconv.Itoa(i), key) }
		why := cmp.Or(called("strata", x.Text("stratum")), "all variants")
		list.add(strings.ReplaceAll(x.Text("read"), "_", " "), why, f("cases"), f("correct"), f("incorrect"),
			f("not_attempted"))
	}
	says := ""
	wrong := at("incorrect")
	switch missing := t.Whole("missing"); {
	case missing > 0:
		return []block{list} // a warning says so
	case !t.Has("more"):
		says = fmt.Sprintf(
			"Labels of all %s answers would leave more than ±5 points, as there are few: ask more questions.",
			grouped(t.Whole("n")))
	case t.Whole("more") == 0:
		says = "The interval is within ±5 points."
	default:
		says = fmt.Sprintf("%s more labels bring the interval to ±5 points: `hallmark annotate export %s %s --n "+
			"%d` draws them, about %d minutes for a person.",
			grouped(t.Whole("more")), s.Run, flag, t.Whole("more"), annotate.Minutes(t.Whole("more")))
	}
	return []block{list, noteOf(noteSecond, "Wrong answers"+over+", corrected: ", strong(wrong), " (95 % interval ",
		within(wrong), "). "+says)}
}

// ofVariants is where the audit has the answers to all variants.
const ofVariants = "over_variants"

// disputes names the first answers that are to be adjudicated again.
func disputes(t tree) string {
	const named = 40
	var parts []string
	list := t.items("readjudicate")
	for _, d := range list[:min(named, len(list))] {
		parts = append(parts, fmt.Sprintf("%s (%s)", clip(oneLine(d.Text("case_id")), 60),
			strings.Join(d.texts("axes"), ", ")))
	}
	if n := len(list) - len(parts); n > 0 {
		parts = append(parts, fmt.Sprintf("and %s more", grouped(n)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "To adjudicate again: " + strings.Join(parts, "; ") + "."
}

// Audit writes what people said of the answers of one model on one suite for a terminal.
func Audit(w io.Writer, r *annotate.Result, model, suite string, style Style) error {
	s := &section{t: treeOf(assay.SuiteResult{Audit: r})}
	return annotated(w, model, suite, style, s.measured(s.audit, "audit"))
}

// annotated writes, for a terminal, what labels say of one model on one suite.
func annotated(w io.Writer, model, suite string, style Style, b block) error {
	p := newPrinter(w, style)
	p.line(p.bold("hallmark annotate"), clip(gap(oneLine(model+" on "+suite)), p.width-18))
	p.blocks(b)
	return p.w.Flush()
}

// unscored lists the planned answers and verdicts that are missing.
func (s *section) unscored() block {
	n := len(s.Unscored)
	if n == 0 {
		return s.chapter("unscored", aside("None.")).only(onPage)
	}
	t := table{Brief: 3, Listed: maxListed, Left: max(0, n-maxUnscored), Columns: []column{codeOf("case"),
		countsOf("variant"), countsOf("sample"), textOf("missing"), textOf("reason")}}
	for _, u := range s.Unscored[:min(n, maxUnscored)] {
		t.add(u.CaseID, strconv.Itoa(u.Variant), strconv.Itoa(u.Repeat), cmp.Or(u.Axis, "the answer"), u.Reason)
	}
	says := plural(n, "planned answer or verdict", "planned answers and verdicts")
	return s.chapter("unscored", t).over(says+", left out of the figures").lede(says,
		" missing. They are left out of every figure above; none was counted as right or wrong.")
}
