package report

import "fmt"

// An outcomesView says what the answers to the default prompt did.
type outcomesView struct {
	N, Ungradable int
	Shares, Rates figTable // of all answers; within them
	Note          string
}

type rubricView struct {
	N, Unread, Unscored int
	Axes, Kinds         figTable
	Also                []fig
	Warnings            []string
	kinds               [3]float64
}

// A groupTable holds wrong answers and the rubric's rates by class, domain or tag.
type groupTable struct {
	Title, Head string
	Open        bool
	Scale       scale
	Rows        []groupRow
}

type groupRow struct{ N, Wrong, H, T, D, R fig }

// newOutcomes sets out what the answers to the default prompt did; nil where none came back.
func (s *section) newOutcomes(t tree) *outcomesView {
	o := &outcomesView{N: t.Whole("rubric", "outcomes", "n"), Ungradable: t.Whole("rubric", "unread")}
	if o.N == 0 {
		return nil
	}
	of := func(label, tone, key, what string) fig {
		return t.fig(label, share, tone, "rubric", "outcomes", key).note(what)
	}
	o.Shares = figTable{Head: "share of the answers", Value: "as read", Figs: []fig{
		s.Wrong.note("something was asserted, and it is wrong"),
		of("correct", "ok", "correct", "the right answer, or the right act where no answer is right"),
		of("not attempted", "rnd", "not_attempted", "declined, asked back, named no answer, or said nothing"),
		of("could not be graded", "ink", "ungradable", "no grader could tell"),
	}}
	o.Shares.Scale = scaleFor(o.Shares.Figs...)
	o.Rates = figTable{Head: "rates within them", Value: "as read", Figs: []fig{
		of("wrong, of the attempts", "err", "incorrect_given_attempted", "of the answers that are correct or wrong"),
		of("correct but unsupported", "err", "unsupported", "of the correct answers: evidence is missing, or a detail is made up"),
	}}
	o.Rates.Scale = o.Shares.Scale
	o.Note = "Read by rules, with no correction for their errors: the intervals hold what chance in the choice of questions does, and not that an answer was read wrongly."
	if o.Ungradable > 0 {
		o.Note += fmt.Sprintf(" %s could not be graded, so a share runs from as if none of these counted to as if each did.", count(o.Ungradable, "answer"))
	}
	if s.Implied != nil && s.Implied.Share.OK {
		o.Note += s.Implied.note()
	}
	return o
}

func newRubric(t tree, h fig) *rubricView {
	r := &rubricView{
		N: t.Whole("rubric", "n"), Unread: t.Whole("rubric", "unread"), Unscored: t.Whole("rubric", "unscored"),
		Warnings: t.texts("rubric", "warnings"),
	}
	axis := func(label, key, what string) fig {
		return t.fig(label, share, "err", "rubric", key+"_error").child().note(what).cases("verdict=" + key)
	}
	r.Axes = figTable{Head: "share of questions", Value: "rate", Figs: []fig{
		h.note("fails on truth, decidability or reciprocity"),
		axis("truth error", "truth", "wrong fact or number, fabricated evidence"),
		axis("decidability error", "decidability", "a guess where the question cannot be decided"),
		axis("reciprocity error", "reciprocity", "claims beyond what was shown or cited"),
	}}
	r.Axes.Scale = scaleFor(r.Axes.Figs...)
	kind := func(label, key, what, filter string) fig {
		return t.fig(label, share, "err", "rubric", key).note(what).cases("kind=" + filter)
	}
	r.Kinds = figTable{Head: "share of questions", Value: "rate", Figs: []fig{
		kind("commission", "commission", "asserted something that fails", "commission"),
		kind("over-refusal", "over_refusal", "declined though the inputs sufficed", "over-refusal"),
		kind("undecided", "undecided", "hedged or empty", "undecided"),
	}}
	r.Kinds.Scale = r.Axes.Scale
	for i, f := range r.Kinds.Figs {
		r.kinds[i] = f.Value
	}
	for _, f := range []fig{
		t.fig("wrong answers over all variants", share, "err", "rubric", "over_variants", "outcomes", "incorrect").note("share of the answers to every variant of the prompt; the interval takes the question as the unit"),
		t.fig("rubric failure rate (H) over all variants", share, "err", "rubric", "over_variants", "hallucination").note("likewise, over those that could be graded"),
		t.fig("over-refusal of answerable questions", share, "err", "rubric", "over_refusal_of_answerable").note("share of the questions that have an answer"),
		t.fig("weighted quality", mean, "ink", "rubric", "weighted_quality").note(".60 truth + .25 decidability + .15 reciprocity, unless the suite says otherwise"),
		t.fig("errors per question", mean, "ink", "rubric", "errors_per_case").note("sum of the three axes; may exceed 1"),
		t.fig("format kept", share, "ink", "rubric", "format_compliance").note("of the questions that ask for a format"),
		t.fig("answers that could not be graded", tally, "ink", "rubric", "unread").note("in no rate of the rubric; the outcomes are ranges because of them"),
		t.fig("unscored questions", tally, "ink", "rubric", "unscored").note("missing answers or verdicts, left out of the rates"),
	} {
		if f.OK {
			r.Also = append(r.Also, f)
		}
	}
	return r
}

func groups(t tree) []groupTable {
	var out []groupTable
	for _, by := range []struct{ key, head, title, filter string }{
		{"by_class", "class", "by class", "class"}, {"by_domain", "domain", "by domain", ""}, {"by_tag", "tag", "by tag", "tag"},
	} {
		g := groupTable{Title: "Rates " + by.title, Head: by.head, Open: len(out) == 0}
		var all []fig
		for _, name := range t.Names("rubric", by.key) {
			at := func(keys ...string) fig {
				return t.fig(Visible(name), share, "err", append([]string{"rubric", by.key, name}, keys...)...)
			}
			row := groupRow{
				N: t.fig("", tally, "", "rubric", by.key, name, "outcomes", "n"), Wrong: at("outcomes", "incorrect"), H: at("hallucination"),
				T: at("truth_error"), D: at("decidability_error"), R: at("reciprocity_error"),
			}
			if by.filter != "" {
				row.Wrong.filter = by.filter + "=" + slug(name)
			}
			if row.Wrong.Label == "" {
				row.Wrong.Label = "(none)"
			}
			all = append(all, row.Wrong)
			g.Rows = append(g.Rows, row)
		}
		g.Scale = scaleFor(all...)
		if len(g.Rows) > 0 {
			out = append(out, g)
		}
	}
	return out
}
