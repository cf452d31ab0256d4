package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/report/svg"
	"hallmark/internal/stat/figure"
)

// stable sets out whether answers hold when the prompt varies.
func (s *section) stable(t tree, at figsOf) block {
	questions := count(t.Whole("questions"), "question")
	variants := span(consistency.Extremes{Min: t.Whole("variants", "min"), Max: t.Whole("variants", "max")}) +
		" prompt variants each"
	decoding := "greedy decoding"
	if !s.Greedy {
		decoding = "the model’s own default decoding, as it refuses temperature 0"
	}
	stability := s.SS.lead().note("no level stated")
	if s.Robustness != "" {
		stability = s.SS.lead().named(s.SS.Label + ", " + s.Robustness)
	}
	accuracy := s.Accuracy.note("not measured: no gold answers")
	if accuracy.OK {
		accuracy = accuracy.note("mean over variants; the default prompt alone " + at("accuracy", "default").Text())
	}
	return s.chapter("consist",
		figures{Head: "mean over questions", Scale: 1, Bare: true, Dots: true, Figs: []fig{stability, accuracy}},
		picture(levels(s.SS, s.Accuracy)),
		warnings{List: t.texts("warnings")},
		s.taxonomy(),
		s.measured(oldTerms, "consistency", "old_terms"),
		s.quadrants(),
		s.thresholds(),
		s.histogram(),
	).over(fmt.Sprintf("%s, %s; plots run from 0 to 1", questions, variants)).asks(questions, variants, decoding)
}

// taxonomy sets out which errors stay and which move, where there is gold to tell errors by.
func (s *section) taxonomy() block {
	if len(known(s.Factual, s.StableError, s.PromptSensitive)) == 0 {
		return nil
	}
	c := inner("Which errors are prompt-agnostic, which prompt-sensitive")
	if !s.StableError.Ranged {
		declined := s.StableError.Value * s.t.of("consistency", "declined", "of_prompt_agnostic_error").Value
		parts := []part{{s.Factual.Value, "ok", "right, stable"},
			{s.StableError.Value - declined, "err", "wrong, stable"}}
		if declined > 0 {
			parts = append(parts, part{declined, "dec", "wrong, stable: declines"})
		}
		parts = append(parts, part{s.PromptSensitive.Value, "rnd", "random"})
		says := fmt.Sprintf("%s right and stable, %s wrong and stable, %s random", s.Factual.Text(),
			s.StableError.Text(), s.PromptSensitive.Text())
		c.Body = append(c.Body, picture(bar(24, says, parts...)+legend(parts...)))
	}
	c.Body = append(c.Body, figures{Head: "share of questions", Value: "share", Scale: 1,
		Figs: []fig{s.Factual, s.StableError, s.PromptSensitive}})
	return c
}

// oldTerms sets what a benchmark that asks once would say beside what holds over the variants.
func oldTerms(_ tree, at figsOf) block {
	t := table{Columns: heads("by the default prompt", "share", ci, "right, stable", "wrong, stable", "random")}
	for _, key := range []string{"factual", "hallucination"} {
		share := at(key)
		t.add(share.Label, bounded(share), at(key, consistency.PromptAgnosticFactual),
			at(key, consistency.PromptAgnosticError), at(key, consistency.Randomness))
	}
	factual, hallucination := at("factual"), at("hallucination")
	old := bar(16, fmt.Sprintf("by the default prompt alone %s factual, %s hallucination", factual.Text(),
		hallucination.Text()), part{factual.Value, "ok", ""}, part{hallucination.Value, "err", ""})
	return inner("What one prompt would have said", picture(old), t,
		aside("The counts say where the ", at("questions"), " questions stand once the prompt varies. Of the "+
			"stable ones, ", at("default_in_minority"), " got another verdict from the default prompt than from most "+
			"prompt variants.")).only(inFull)
}

// quadrants sets stability against correctness.
func (s *section) quadrants() block {
	at := s.t.under("consistency", "quadrants")
	return inner("Stability against correctness", figures{Head: "share of questions", Value: "share", Scale: 1,
		Figs: known(at("stable_correct"), at("stable_wrong"), at("unstable_correct"),
			at("unstable_wrong"))}).only(inFull)
}

// A threshold is the taxonomy where questions count as stable from tau on. Moves is there without gold too.
type threshold struct{ tau, factual, wrong, moves fig }

// thresholds sets out the taxonomy at other thresholds.
func (s *section) thresholds() block {
	var points []threshold
	gold := false
	for i := range s.t.Items("consistency", "sweep") {
		at := s.t.under("consistency", "sweep", strconv.Itoa(i))
		p := threshold{at("tau"), at(consistency.PromptAgnosticFactual), at(consistency.PromptAgnosticError),
			at(consistency.Randomness)}
		if gold = p.factual.OK; !gold {
			p.moves = at("prompt_sensitive")
		}
		points = append(points, p)
	}
	if len(points) == 0 {
		return nil
	}
	t := table{Caption: "Shares by threshold", Columns: heads(columnOf("threshold"), "right, stable", "wrong, stable",
		"random")}
	if !gold {
		t.Columns = heads(columnOf("threshold"), "prompt-sensitive")
	}
	for _, p := range points {
		cells := []cell{cellWithin(p.moves)}
		if gold {
			cells = []cell{cellWithin(p.factual), cellWithin(p.wrong), cellWithin(p.moves)}
		}
		t.add(p.tau, cells)
	}
	tau, _ := s.t.Number("consistency", "tau")
	return inner("At other thresholds", picture(steps(points, gold, tau)), closed("As a table, with intervals", t)).
		lede("Shares of the questions by the self-consistency from which a question counts as stable; the line is " +
			"the threshold used, " + s.Tau + ".").only(onPage)
}

// steps draws the shares over the threshold, from what is right and stable at the bottom to what moves at the top.
func steps(points []threshold, gold bool, tau float64) template.HTML {
	const height, foot = 150., 16.
	var d svg.Drawing
	at := func(tau float64) threshold {
		for _, p := range points {
			if p.tau.Value >= tau {
				return p
			}
		}
		return points[len(points)-1]
	}
	var said []string
	for _, x := range []float64{0, .5, tau, 1} {
		said = append(said, fmt.Sprintf("%s at %s", at(x).moves.Text(), figure.Plain(x)))
	}
	label := "share of prompt-sensitive questions by the threshold of self-consistency: " + strings.Join(said, ", ")
	from := 0.
	for _, p := range points {
		if p.tau.Value <= from {
			continue
		}
		parts := []part{{p.moves.Value, "rnd", ""}, {p.wrong.Value, "err", ""}, {p.factual.Value, "ok", ""}}
		// without gold: what is stable
		parts = append(parts, part{1 - p.moves.Value - p.wrong.Value - p.factual.Value, "no", ""})
		top := 0.
		for _, s := range parts {
			if s.Share > 1e-9 {
				d.Rect("f-"+s.Fill, svg.Point{X: svg.Part(from), Y: top * (height - foot)}, svg.Part(p.tau.Value-from),
					s.Share*(height-foot))
			}
			top += s.Share
		}
		from = p.tau.Value
	}
	d.Up("mark", svg.Part(tau), 0, height-foot)
	for _, x := range []float64{0, .2, .4, .6, .8, 1} {
		tick(&d, x, height-3)
	}
	parts := []part{{1, "ok", "right, stable"}, {1, "err", "wrong, stable"}, {1, "rnd", "random"}}
	if !gold {
		parts = []part{{1, "no", "stable"}, {1, "rnd", "prompt-sensitive"}}
	}
	return d.On(svg.Frame{Height: height, Label: label}) + legend(parts...)
}

// histogram draws how often the most common answer of a question is given.
func (s *section) histogram() block {
	var pcs []float64
	var rs []int
	for _, r := range s.Rows.All() {
		if r.R >= 2 {
			pcs, rs = append(pcs, r.PC), append(rs, r.R)
		}
	}
	if len(rs) == 0 {
		return nil
	}
	return inner("How often a question’s most common answer is given", picture(histogram(bins(pcs, rs)))).lede(
		"Questions by paraphrase consistency, the share of variants that agree with the most common answer. ",
		fmt.Sprintf("The least it can be is 1/%d.", slices.Max(rs))).only(onPage)
}

// further sets out what else is known of stability: in a terminal the shares, and in one line what stability cannot be
// told from.
func (s *section) further() []block {
	if !s.t.Has("consistency") {
		return nil
	}
	more := s.beyond()
	half := (len(more) + 1) / 2
	figs := func(figs []fig) []block { return []block{figures{Scale: 1, Bare: true, Figs: figs}} }
	beside := ""
	for _, f := range known(slices.Concat([]fig{s.t.of("consistency", "pc_floor"),
		s.t.of("repeat_agreement", "agreement")}, s.passes(), []fig{s.perplexity().named("perplexity")})...) {
		beside += ", " + f.Label + " " + f.Text()
	}
	beside = strings.Replace(beside, ", ", "beside it: ", 1)
	entropy := s.t.of("consistency_sampled", "semantic_entropy",
		"discrete").as(mean).named("semantic entropy of samples, nats")
	return []block{
		inner("More on stability", pair{Left: figs(more[:half]), Right: figs(more[half:])},
			figures{In: inText, Scale: 1, Figs: s.drawnFigs()}, figures{In: inText, Figs: known(entropy)},
			aside(beside).only(inTerminal), warnings{List: s.t.texts("repeat_agreement", "warnings")},
			warnings{List: s.drawnDoubts(drawn), In: inTerminal}),
		inner("What is commonly printed, and does not see it", figures{Figs: s.common()}).only(inFull),
		warnings{List: s.t.texts("contrast", "perplexity", "warnings")},
	}
}

// beyond are the figures of stability that its chapter does not have; a terminal shows a few of them.
func (s *section) beyond() []fig {
	at := s.t.under("consistency")
	full := func(keys ...string) fig { return at(keys...).only(inFull) }
	again := s.t.of("repeat_agreement", "agreement").only(inFull).note(fmt.Sprintf("test–retest: %s asked %d times",
		count(s.t.Whole("repeat_agreement", "cases"), "question"), s.t.Whole("repeat_agreement", "repeats")))
	r := fmt.Sprintf("ambiguity at %d variants", s.t.Whole("consistency", "ambiguity_at_r", "r"))
	figs := []fig{
		full("declined", "of_prompt_agnostic_error"), full("self_consistency"), at("pc_below_0.5"),
		at("pc_at_least_0.8"), at("ambiguity"),
		full("ambiguity_at_r").named(r), full("overstatement"),
	}
	for _, key := range []string{"mode_error", "error", "bias_squared", "variance"} {
		figs = append(figs, full("decomposition", key))
	}
	figs = slices.Concat(figs, s.documents(), []fig{full("pc_floor"), again, full("unscored")})
	// without gold nothing else says how many questions move
	if len(known(s.Factual, s.StableError, s.PromptSensitive)) == 0 {
		moves := at("prompt_sensitive").note("questions with self-consistency below " + s.Tau)
		figs = append([]fig{moves}, figs...)
		for i := range figs {
			if f := &figs[i]; f.Bounded && (f.Unit == share || f.Unit == mean) {
				f.in = 0
			}
		}
	}
	return known(figs...)
}

// documents are the figures of what was retrieved: how often the best document depends on the wording, over all
// questions and within each category, and the same of all documents found.
func (s *section) documents() []fig {
	at := s.t.under("consistency", "documents")
	figs := []fig{at("ambiguity")}
	for _, c := range []string{consistency.PromptAgnosticFactual, consistency.PromptAgnosticError,
		consistency.Randomness} {
		n := s.t.Whole("consistency", "documents", "questions_by_category", c)
		figs = append(figs, at("by_category", c).child().note("of "+count(n, "question")))
	}
	return append(figs, at("ambiguity_at_k").only(inFull).note(fmt.Sprintf("questions for which the best %d are not "+
		"the same for all prompt variants", s.t.Whole("consistency", "documents", "k"))))
}

// common are the figures that are common beside stability, from which it cannot be seen.
func (s *section) common() []fig {
	figs := []fig{
		s.t.of("consistency", "old_terms", "factual").named("accuracy of the default prompt").toned("").note(
			"what a benchmark that asks once reports"),
		s.t.of("consistency_sampled", "self_consistency").named("self-consistency of samples").toned("").note(
			"one prompt, sampled at temperature 1"),
	}
	return known(slices.Concat(figs, s.passes(), []fig{
		s.perplexity(), s.t.of("contrast", "perplexity", "median"),
		s.t.of("contrast", "raw_strings", "semantic_stability"),
	})...)
}

// passes are how often one of so many draws is right.
func (s *section) passes() (figs []fig) {
	for i := range s.t.Items("contrast", "pass_at_k") {
		k := s.t.Whole("contrast", "pass_at_k", strconv.Itoa(i), "k")
		says := "one sample is right"
		if k != 1 {
			says = grouped(k) + " samples, one of them right"
		}
		figs = append(figs,
			s.t.of("contrast", "pass_at_k", strconv.Itoa(i)).named(fmt.Sprintf("pass@%d", k)).note(says))
	}
	return figs
}

func (s *section) perplexity() fig {
	p := s.t.sub("contrast", "perplexity")
	return s.t.of("contrast", "perplexity", "per_token").
		note(fmt.Sprintf("over %s of %s", count(p.Whole("tokens"), "token"), count(p.Whole("cases"), "answer")))
}

// drawnFigs are the figures on draws that stand beside those of greedy answers.
func (s *section) drawnFigs() []fig {
	at := s.t.under("consistency_sampled")
	over := fmt.Sprintf("differs over %d samples", s.t.Whole("consistency_sampled", "draws"))
	return known(at("ambiguity").named(over), at("unseen_by_greedy", "share"))
}

// families sets out which kind of variant moves the answers most; nil where one kind is the whole of the consistency
// above.
func (s *section) families() block {
	ranking := s.t.items("families", "ranking")
	if len(ranking) < 2 {
		return nil
	}
	var all []fig
	t, common := table{}, s.t.Whole("families", "common_r")
	for i, x := range ranking {
		at := s.t.under("families", "ranking", strconv.Itoa(i))
		name, _, _ := strings.Cut(x.Text("family"), ":")
		disagree := at("disagreement")
		all = append(all, disagree)
		r := rowOf(cellOf(oneLine(x.Text("family"))).noted(called("changes", name)), at("questions"), bounded(disagree),
			cell{Plot: disagree}, cellWithin(at("changed")))
		if common > 0 {
			r.Cells = append(r.Cells, cellWithin(at("ambiguity_at_r")))
		}
		t.Rows = append(t.Rows, r)
	}
	to := scaleFor(all...)
	t.Columns = []column{textOf("kind of variant"), columnOf("questions"), columnOf("two disagree"), ci,
		columnOfPlots("", to), fullOf("other than the default’s")}
	if common > 0 {
		t.Columns = append(t.Columns, fullOf(fmt.Sprintf("ambiguity at %d", common)))
	}
	says := "No kind changes the answers more than every other, as far as these questions tell."
	if most := s.t.Text("families", "moves_most"); most != "" {
		says = fmt.Sprintf("Variants of kind %s change the answers most.", oneLine(most))
	}
	pairs := table{Caption: "Differences over the questions that both kinds have; the intervals hold together at 95 %",
		In: inFull, Columns: heads("kinds", "questions", "difference", column{Head: "interval", Kind: ofBounds})}
	for i, d := range s.t.items("families", "differences") {
		at := s.t.under("families", "differences", strconv.Itoa(i))
		pairs.add(oneLine(d.Text("family"))+" less "+oneLine(d.Text("less")), at("questions"),
			bounded(at("difference")))
	}
	c := s.chapter("families", t, aside(says).only(inTerminal), pairs, warnings{List: s.t.texts("families",
		"warnings")})
	return c.over("two variants of a kind disagree; "+to.ends()).lede(says,
		" Each kind of variant changes one thing of the default prompt, which counts as one of its variants.")
}

// drawn stands before a warning about the draws where warnings of the greedy answers stand beside it.
const drawn = "of the samples at temperature 1: "

// sampled sets greedy answers against drawn ones. A terminal has what is most of it among the figures of stability.
func (s *section) sampled(_ tree, at figsOf) block {
	t := table{Columns: heads("figure", "greedy, over prompt variants", ci, "sampled, over samples", ci)}
	for _, x := range [][2]string{
		{"questions"}, {"semantic_stability"}, {"accuracy", "accuracy"}, {"self_consistency"}, {"ambiguity"},
		{"taxonomy/" + consistency.PromptAgnosticFactual, "right, stable over samples"},
		{"taxonomy/" + consistency.PromptAgnosticError, "wrong, stable over samples"},
		{"taxonomy/" + consistency.Randomness, "random"}, {"predictive_entropy"}, {"semantic_entropy/discrete"},
		{"semantic_entropy/weighted"}, {"semantic_entropy/forms"},
	} {
		keys := strings.Split(x[0], "/")
		greedy, draws := s.t.under("consistency")(keys...), at(keys...)
		if greedy.OK || draws.OK {
			t.add(cmp.Or(x[1], draws.Label), bounded(greedy), bounded(draws))
		}
	}
	body := []block{t}
	if unseen := at("unseen_by_greedy", "share"); unseen.OK {
		body = append(body, aside("Greedy consistency overlooks ", unseen, " of the questions (", within(unseen),
			"): their answers agree over the prompt variants, and not over the samples."))
	}
	c := s.chapter("sampled", append(body, warnings{List: s.drawnDoubts("")})...)
	return c.asks(s.t.Whole("consistency_sampled", "draws")).only(inFull)
}

// drawnDoubts are the warnings about the draws, each behind a lead.
func (s *section) drawnDoubts(lead string) []string {
	return each(append(s.t.texts("consistency_sampled", "warnings"),
		s.t.texts("consistency_sampled", "semantic_entropy", "warnings")...), func(w string) string { return lead + w })
}
