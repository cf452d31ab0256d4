package report

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"hallmark/internal/figure"
	"hallmark/internal/report/svg"
)

// A termsView sets what a benchmark that asks once would say beside what holds over the variants.
type termsView struct {
	Questions fig
	Old       []termRow // factual, hallucination
	Minority  fig
}

// A termRow is one of the old terms and where its questions stand.
type termRow struct {
	Share                fig
	Stays, Wrong, Random fig // counts: right and stable, wrong and stable, random
}

func newTerms(t tree) *termsView {
	if !t.Has("consistency", "old_terms") {
		return nil
	}
	v := &termsView{Questions: t.fig("", tally, "", "consistency", "old_terms", "questions"), Minority: t.fig("", tally, "", "consistency", "old_terms", "default_in_minority")}
	for _, k := range []struct{ label, key, tone string }{{"factual", "factual", "ok"}, {"hallucination", "hallucination", "err"}} {
		at := func(u unit, tone string, keys ...string) fig {
			return t.fig(k.label, u, tone, append([]string{"consistency", "old_terms", k.key}, keys...)...)
		}
		v.Old = append(v.Old, termRow{at(share, k.tone), at(tally, "", "prompt_agnostic_factual"), at(tally, "", "prompt_agnostic_error"), at(tally, "", "randomness")})
	}
	return v
}

// Bar draws the old terms.
func (v *termsView) Bar() template.HTML { return oldBar(16, v.Old[0].Share, v.Old[1].Share) }

func oldBar(height float64, factual, hallucination fig) template.HTML {
	return bar(height, fmt.Sprintf("by the default prompt alone %s factual, %s hallucination", factual.Text(), hallucination.Text()),
		part{factual.Value, "ok", ""}, part{hallucination.Value, "err", ""})
}

// A sweepView is the taxonomy at other thresholds.
type sweepView struct {
	Points []sweepRow
	Gold   bool
	Tau    float64
}

// A sweepRow is one threshold: its shares, of which Moves is there without gold too.
type sweepRow struct{ Tau, Factual, Error, Moves fig }

func newSweep(t tree) *sweepView {
	list := t.Items("consistency", "sweep")
	if len(list) == 0 {
		return nil
	}
	v := &sweepView{}
	v.Tau, _ = t.Number("consistency", "tau")
	for i := range list {
		at := func(u unit, keys ...string) fig {
			return t.fig("", u, "", append([]string{"consistency", "sweep", strconv.Itoa(i)}, keys...)...)
		}
		r := sweepRow{Tau: at(mean, "tau"), Factual: at(share, "prompt_agnostic_factual"), Error: at(share, "prompt_agnostic_error"), Moves: at(share, "randomness")}
		if v.Gold = r.Factual.OK; !v.Gold {
			r.Moves = at(share, "prompt_sensitive")
		}
		v.Points = append(v.Points, r)
	}
	return v
}

// Picture draws the shares as steps over the threshold, from what is right and stable at the bottom to what moves at the top.
func (v *sweepView) Picture() template.HTML {
	const height, foot = 150., 16.
	var d svg.Drawing
	at := func(tau float64) sweepRow {
		for _, p := range v.Points {
			if p.Tau.Value >= tau {
				return p
			}
		}
		return v.Points[len(v.Points)-1]
	}
	var said []string
	for _, tau := range []float64{0, .5, v.Tau, 1} {
		said = append(said, fmt.Sprintf("%s at %s", at(tau).Moves.Text(), figure.Plain(tau)))
	}
	label := "share of questions that move with the wording by the threshold of self-consistency: " + strings.Join(said, ", ")
	from := 0.
	for _, p := range v.Points {
		if p.Tau.Value <= from {
			continue
		}
		top := 0.
		shown := []part{{p.Moves.Value, "rnd", ""}, {p.Error.Value, "err", ""}, {p.Factual.Value, "ok", ""}}
		if rest := 1 - p.Moves.Value - p.Error.Value - p.Factual.Value; rest > 1e-9 { // without gold: what is stable
			shown = append(shown, part{rest, "no", ""})
		}
		for _, s := range shown {
			if s.Share > 0 {
				d.Rect("f-"+s.Fill, svg.Point{X: svg.Part(from), Y: top * (height - foot)}, svg.Part(p.Tau.Value-from), s.Share*(height-foot))
			}
			top += s.Share
		}
		from = p.Tau.Value
	}
	d.Up("mark", svg.Part(v.Tau), 0, height-foot)
	for _, x := range []float64{0, .2, .4, .6, .8, 1} {
		tick(&d, x, height-3)
	}
	parts := []part{{1, "ok", "right, stable"}, {1, "err", "wrong, stable"}, {1, "rnd", "random"}}
	if !v.Gold {
		parts = []part{{1, "no", "stable"}, {1, "rnd", "moves with the wording"}}
	}
	return d.On(svg.Frame{Height: height, Label: label}) + legend(parts...)
}

// A familiesView says which kind of variant moves the answers most.
type familiesView struct {
	Lede     string
	CommonR  int
	Scale    scale
	Rows     []familyRow
	Pairs    []familyPair
	Warnings []string
}

type familyRow struct {
	N, Disagreement, Changed, AtR fig // the label is that of Disagreement
	What                          string
}

type familyPair struct {
	Label string
	N, D  fig
}

// changed says what a kind of variant changes; of templates, beside the part of the prompt that stands in its name.
func changed(kind string) string {
	name, _, _ := strings.Cut(kind, ":")
	return changes[name]
}

var changes = map[string]string{
	"phrasings": "wording, as written in the suite", "paraphrases": "wording, paraphrased", "templates": "form of the prompt",
	"demonstrations": "order of the demonstrations", "draws": "choice of the demonstrations", "leaky-draws": "choice of the demonstrations, the question among them",
	"options": "order of the options", "conditions": "role, manner or noise around the question",
}

func newFamilies(t tree) *familiesView {
	list := t.Items("families", "ranking")
	if len(list) < 2 { // one kind is the whole of the consistency above
		return nil
	}
	v := &familiesView{CommonR: t.Whole("families", "common_r"), Warnings: t.texts("families", "warnings")}
	var all []fig
	for i := range list {
		name := t.Text("families", "ranking", strconv.Itoa(i), "family")
		at := func(u unit, key string) fig {
			return t.fig(oneLine(name), u, "rnd", "families", "ranking", strconv.Itoa(i), key)
		}
		r := familyRow{at(tally, "questions"), at(share, "disagreement"), at(share, "changed"), at(share, "ambiguity_at_r"), changed(name)}
		all = append(all, r.Disagreement)
		v.Rows = append(v.Rows, r)
	}
	v.Scale = scaleFor(all...)
	v.Lede = "No kind moves the answers more than every other, as far as these questions tell."
	if most := t.Text("families", "moves_most"); most != "" {
		v.Lede = fmt.Sprintf("Variants of kind %s move the answers most.", oneLine(most))
	}
	pairs := t.Items("families", "differences")
	for i := range pairs {
		d := t.sub("families", "differences", strconv.Itoa(i))
		at := func(u unit, key string) fig { return t.fig("", u, "", "families", "differences", strconv.Itoa(i), key) }
		v.Pairs = append(v.Pairs, familyPair{oneLine(d.Text("family")) + " less " + oneLine(d.Text("less")), at(tally, "questions"), at(share, "difference")})
	}
	return v
}

// commonly are the figures that are common beside stability, from which it cannot be seen.
func commonly(t tree) []fig {
	var out []fig
	add := func(f fig) {
		if f.OK {
			out = append(out, f)
		}
	}
	add(t.fig("accuracy of the default prompt", share, "", "consistency", "old_terms", "factual").note("what a benchmark that asks once reports"))
	add(t.fig("self-consistency of draws", mean, "", "consistency_sampled", "self_consistency").note("one prompt, drawn at temperature 1"))
	list := t.Items("contrast", "pass_at_k")
	for i := range list {
		k := t.Whole("contrast", "pass_at_k", strconv.Itoa(i), "k")
		add(t.fig(fmt.Sprintf("pass@%d", k), share, "", "contrast", "pass_at_k", strconv.Itoa(i)).note(oneOf(k)))
	}
	add(t.fig("perplexity of the answers", mean, "", "contrast", "perplexity", "per_token").interval(t, "contrast", "perplexity", "per_token_interval").
		note(fmt.Sprintf("over %s of %s", count(t.Whole("contrast", "perplexity", "tokens"), "token"), count(t.Whole("contrast", "perplexity", "cases"), "answer"))))
	add(t.fig("perplexity of the middle question", mean, "", "contrast", "perplexity", "median"))
	add(t.fig("semantic stability, letter by letter", mean, "", "contrast", "raw_strings", "semantic_stability").note("the raw texts, before any reading"))
	return out
}

// oneOf says what pass@k is the chance of.
func oneOf(k int) string {
	if k == 1 {
		return "one draw is right"
	}
	return grouped(k) + " draws, one of them right"
}

// quadrants are stability against correctness.
func quadrants(t tree) figTable {
	at := func(label, tone, key, what string) fig {
		return t.fig(label, share, tone, "consistency", "quadrants", key).interval(t, "consistency", "quadrant_intervals", key).note(what)
	}
	v := figTable{Head: "share of questions", Value: "share"}
	for _, f := range []fig{
		at("stable, right", "ok", "stable_correct", "known"), at("stable, wrong", "err", "stable_wrong", "wrong knowledge"),
		at("unstable, mostly right", "rnd", "unstable_correct", "chance, with the right answer in the lead"), at("unstable, mostly wrong", "rnd", "unstable_wrong", "chance"),
	} {
		if f.OK {
			v.Figs = append(v.Figs, f)
		}
	}
	v.Scale = scaleFor(v.Figs...)
	return v
}

// stacked draws shares as a bar of n cells in letters of the block elements; each has at least one cell where it is not 0.
func stacked(n int, shares ...float64) string {
	blocks := []rune("█▓░")
	var b strings.Builder
	at, drawn := 0., 0
	for i, s := range shares {
		at += s
		end := int(math.Round(at * float64(n)))
		if s > 0 && end == drawn && drawn < n {
			end++
		}
		for ; drawn < end && drawn < n; drawn++ {
			b.WriteRune(blocks[i%len(blocks)])
		}
	}
	return b.String()
}

// families ranks the kinds of variants for a terminal.
func (p *printer) families(v *familiesView) {
	p.head("WHAT MOVES IT", fmt.Sprintf("two variants of a kind disagree; plots run from 0 to %g %%", float64(v.Scale)*100))
	for _, r := range v.Rows {
		p.fig(r.Disagreement, v.Scale)
	}
	p.painted("  ", v.Lede, p.dim)
	p.warnings(v.Warnings)
}

// families ranks the kinds of variants as a table.
func (m *md) families(v *familiesView) {
	m.line("%s\n\n| kind of variant | questions | two of them disagree | 95 %% interval | answer other than the default’s | 95 %% interval |\n|---|--:|--:|:-:|--:|:-:|", escape(v.Lede))
	for _, r := range v.Rows {
		m.line("| %s | %s | %s | %s | %s | %s |", escape(r.Disagreement.Label), r.N.Text(), r.Disagreement.Text(), r.Disagreement.Range(), r.Changed.Text(), r.Changed.Range())
	}
	m.line("")
	for _, w := range v.Warnings {
		m.line("> ⚠ %s\n", escape(w))
	}
}

// beside is one line of what stands beside stability: the least that it can be, the floor, and the figures that do not see it.
func beside(figs []fig) string {
	var parts []string
	for _, f := range figs {
		if label, ok := strings.CutSuffix(f.Label, " of the answers"); ok || strings.HasPrefix(label, "pass@") || label == sameAgain || label == leastStable {
			parts = append(parts, narrow(label+" "+f.Text()))
		}
	}
	return strings.Join(parts, ", ")
}
