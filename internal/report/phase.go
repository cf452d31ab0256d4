package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/sweep"
)

// A phaseView sets the models of a sweep beside each other.
type phaseView struct {
	Axis           string
	Probes         []phaseProbe
	Corpus         fig // texts that every model scored
	CorpusName     string
	CorpusWarnings []string
	Findings       []findingView
}

// A phaseProbe is the sweep on one probe.
type phaseProbe struct {
	Title     string
	Probe     string
	Dense     string
	Cases     fig
	Rows      []phaseRow
	Peak      string // what the peak is and how sure it is
	Condition *conditionView
	Warnings  []string
}

// A phaseRow is one stage on one probe; differences are from the dense model.
type phaseRow struct {
	Stage, Model                      string
	Sparsity, OfAll                   fig
	SS, Below, AtLeast, Accuracy      fig
	Bias, Variance, Net               fig
	PPL, Corpus, PHR                  fig
	MCorpus                           fig // of the text in the middle
	DSS, DBelow, DAtLeast, DAccuracy  fig
	DBias, DVariance, DNet            fig
	RPPL, RCorpus, DPHR               fig
	RMCorpus                          fig
	PeakShare, Collapsed, Share, Lost fig
	Declined                          fig
	Peak                              bool
	Regime, RegimeTone                string
	Phase, Tone                       string
	Listed                            []collapseView
}

type collapseView struct {
	ID, Prompt, Gold string
	Dense, Stage     voteView
}

type voteView struct {
	PC      fig
	Right   bool
	Answers string
}

// A conditionView is whether bias² and variance of probabilities foretell.
type conditionView struct {
	Estimated, Tested fig
	Rows              []conditionRow
	Hits              []hitRow
	Warnings          []string
}

type conditionRow struct {
	Stage, Predicted, Right            string
	Bias, Variance, Estimated, Outcome fig
	Answers, Cases                     fig
}

type hitRow struct {
	Label    string
	Right, N fig
	Share    fig
}

// phases are the words and tones of phases, in the order of a legend.
var phases = []struct{ key, word, tone string }{
	{consistency.VarianceDominated, "variance-dominated", "ok"}, {sweep.Optimal, "optimal", "best"}, {consistency.BiasDominated, "bias-dominated", "err"},
	{consistency.BothBetter, "both better", "ink"}, {consistency.BothWorse, "both worse", "ink"}, {consistency.Undecided, "undecided", "ink"},
}

func phaseOf(key string) (word, tone string) {
	for _, p := range phases {
		if p.key == key {
			return p.word, p.tone
		}
	}
	return "", "ink"
}

func newPhase(t tree) *phaseView {
	if !t.Has("sweep") {
		return nil
	}
	t = t.sub("sweep")
	v := &phaseView{Axis: t.Text("axis"), Corpus: t.fig("", tally, "", "corpus", "scored"), CorpusName: oneLine(t.Text("corpus", "name")), CorpusWarnings: t.texts("corpus", "warnings")}
	for i := range t.Items("probes") {
		v.Probes = append(v.Probes, newPhaseProbe(t, strconv.Itoa(i)))
	}
	v.Findings = newFindings(t, "findings")
	return v
}

func newPhaseProbe(t tree, at string) phaseProbe {
	b := t.sub("probes", at)
	p := phaseProbe{Probe: oneLine(b.Text("probe")), Cases: t.fig("", tally, "", "probes", at, "cases"), Warnings: b.texts("warnings")}
	p.Title = p.Probe
	if s := oneLine(b.Text("suite")); s != p.Probe {
		p.Title += " of " + s
	}
	peak := b.Text("peak", "stage")
	for j := range b.Items("stages") {
		s := b.sub("stages", strconv.Itoa(j))
		stage := []string{"probes", at, "stages", strconv.Itoa(j)}
		model := []string{"models", strconv.Itoa(j)}
		at := func(u unit, keys ...string) fig { return t.fig("", u, "ink", slices.Concat(stage, keys)...) }
		against := func(u unit, keys ...string) fig { return at(u, slices.Concat([]string{"against_dense"}, keys)...) }
		of := func(u unit, keys ...string) fig { return t.fig("", u, "ink", slices.Concat(model, keys)...) }
		r := phaseRow{
			Stage: oneLine(s.Text("stage")), Model: oneLine(t.Text(slices.Concat(model, []string{"model"})...)), Peak: s.Text("stage") == peak,
			Sparsity: at(share, "sparsity"), OfAll: of(share, "sparsity_of_all"),
			SS: at(share, "semantic_stability"), Below: at(share, "pc_below_0.5"), AtLeast: at(share, "pc_at_least_0.8"), Accuracy: at(share, "accuracy"),
			Bias: at(mean, "bias_squared"), Variance: at(mean, "variance"), Net: at(mean, "net"), PPL: at(mean, "perplexity", "per_token"), PHR: at(share, "phr"),
			Corpus: of(mean, "corpus_perplexity", "per_token"), RCorpus: of(mean, "corpus_against_dense", "per_token"),
			MCorpus: of(mean, "corpus_perplexity", "median"), RMCorpus: of(mean, "corpus_against_dense", "median"),
			DSS: against(share, "semantic_stability", "difference"), DBelow: against(share, "pc_below_0.5"), DAtLeast: against(share, "pc_at_least_0.8"),
			DAccuracy: against(share, "accuracy", "difference"), DBias: against(mean, "decomposition", "bias_squared", "difference"),
			DVariance: against(mean, "decomposition", "variance", "difference"), DNet: against(mean, "decomposition", "other_beats_base", "difference"),
			RPPL: against(mean, "perplexity", "median"), DPHR: against(share, "phr"),
			PeakShare: at(share, "peak_share"), Collapsed: at(tally, "collapsed", "cases"), Share: at(share, "collapsed", "share"), Lost: at(tally, "collapsed", "lost"), Declined: at(tally, "collapsed", "declined"),
		}
		r.PPL = r.PPL.interval(t, slices.Concat(stage, []string{"perplexity", "per_token_interval"})...)
		r.Corpus = r.Corpus.interval(t, slices.Concat(model, []string{"corpus_perplexity", "per_token_interval"})...)
		r.Regime, r.RegimeTone = phaseOf(s.Text("regime"))
		r.Phase, r.Tone = r.Regime, r.RegimeTone
		if yes := s.is("optimal"); yes {
			r.Phase, r.Tone = phaseOf(sweep.Optimal)
		}
		for k := range s.Items("collapsed", "listed") {
			c := s.sub("collapsed", "listed", strconv.Itoa(k))
			vote := func(who string) voteView {
				x := voteView{PC: at(mean, "collapsed", "listed", strconv.Itoa(k), who, "pc")}
				x.Right = c.is(who, "mode_right")
				var parts []string
				for a := range c.Items(who, "answers") {
					n := c.sub(who, "answers", strconv.Itoa(a))
					parts = append(parts, fmt.Sprintf("%s ×%d", oneLine(n.Text("answer")), n.Whole("count")))
				}
				if n := c.Whole(who, "others"); n > 0 {
					parts = append(parts, fmt.Sprintf("and %d other", n))
				}
				x.Answers = strings.Join(parts, ", ")
				return x
			}
			r.Listed = append(r.Listed, collapseView{oneLine(c.Text("id")), oneLine(c.Text("prompt")), oneLine(c.Text("gold")), vote("dense"), vote("stage")})
		}
		p.Rows = append(p.Rows, r)
	}
	if len(p.Rows) > 0 {
		p.Dense = p.Rows[0].Stage
	}
	if b.Has("peak") {
		ss, sure := t.fig("", share, "", "probes", at, "peak", "semantic_stability"), t.fig("", share, "", "probes", at, "peak", "share")
		p.Peak = fmt.Sprintf("Peak: %s, stability %s (95 %% interval %s), the peak in %s of %s resamples of the cases. Not told from it: %s.",
			oneLine(peak), ss.Text(), ss.Range(), sure.Text(), grouped(b.Whole("peak", "resamples")), orNone(slices.DeleteFunc(b.texts("peak", "optimal"), func(s string) bool { return s == Visible(peak) })))
	}
	if b.Has("condition") {
		p.Condition = newCondition(t, "probes", at, "condition")
	}
	return p
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return oneLine(strings.Join(names, ", "))
}

func newCondition(t tree, keys ...string) *conditionView {
	at := func(u unit, more ...string) fig { return t.fig("", u, "ink", slices.Concat(keys, more)...) }
	c := t.sub(keys...)
	v := &conditionView{Estimated: at(tally, "estimated"), Tested: at(tally, "tested"), Warnings: c.texts("warnings")}
	for i := range c.Items("stages") {
		s, n := c.sub("stages", strconv.Itoa(i)), strconv.Itoa(i)
		r := conditionRow{
			Stage: oneLine(s.Text("stage")), Bias: at(mean, "stages", n, "bias_squared"), Variance: at(mean, "stages", n, "variance"),
			Estimated: at(mean, "stages", n, "estimated"), Outcome: at(mean, "stages", n, "tested"), Answers: at(share, "stages", n, "answers"),
			Cases: at(share, "stages", n, "cases_right", "share"),
		}
		r.Predicted = map[string]string{sweep.Beats: "errs less", sweep.DoesNot: "does not"}[s.Text("predicted")]
		if right, ok := s.Bool("right"); ok {
			if r.Right = "no"; right {
				r.Right = "yes"
			}
			if decided := s.is("decided"); !decided {
				r.Right += ", not decided"
			}
		}
		v.Rows = append(v.Rows, r)
	}
	for _, x := range []struct{ key, label string }{
		{"right", "stages were foretold right, by the error of the probabilities"}, {"right_decided", "of those whose change on the other half is told from 0"},
		{"right_answers", "by the error of the answers"}, {"right_as_published", "by the source’s inequality, against the variance of the dense model alone"},
	} {
		v.Hits = append(v.Hits, hitRow{x.label, at(tally, x.key, "right"), at(tally, x.key, "n"), at(share, x.key, "share")})
	}
	return v
}

// Text is a share of predictions in words.
func (h hitRow) Text() string {
	s := fmt.Sprintf("%s of %s %s", h.Right.Text(), h.N.Text(), h.Label)
	if h.Share.OK {
		s += fmt.Sprintf(": %s (95 %% interval %s)", h.Share.Text(), h.Share.Range())
	}
	return s
}

// Note says what the two parts of the prediction rest on.
func (v *conditionView) Note() string {
	return fmt.Sprintf("Bias² + variance over the probabilities of the options, estimated on %s questions: does it say who errs less on the other %s?", v.Estimated.Text(), v.Tested.Text())
}

// has reports whether any row has the figure.
func (p *phaseProbe) has(of func(phaseRow) fig) bool {
	return slices.ContainsFunc(p.Rows, func(r phaseRow) bool { return of(r).OK })
}

// CorpusNote says which texts the perplexity of the corpus is over; "" where there is none.
func (v *phaseView) CorpusNote() string {
	if !v.Corpus.OK {
		return ""
	}
	name := v.CorpusName
	if name != "" {
		name = " " + name
	}
	return fmt.Sprintf("The corpus%s: %s that every model scored, without any template.", name, plural(int(v.Corpus.Value), "text", "texts"))
}

// HasPPL, HasCorpus and HasOfAll say which columns there are.
func (p phaseProbe) HasPPL() bool    { return p.has(func(r phaseRow) fig { return r.PPL }) }
func (p phaseProbe) HasCorpus() bool { return p.has(func(r phaseRow) fig { return r.Corpus }) }
func (p phaseProbe) HasOfAll() bool  { return p.has(func(r phaseRow) fig { return r.OfAll }) }
func (p phaseProbe) HasGold() bool   { return p.has(func(r phaseRow) fig { return r.Accuracy }) }

// Apart says of the questions that became steadier and wrong how many the dense model has right and how many are declined.
func (r phaseRow) Apart(dense string) string {
	s := fmt.Sprintf("%s of them right at %s", r.Lost.Text(), dense)
	if r.Declined.OK && r.Declined.Value > 0 {
		s += fmt.Sprintf(", %s declined", r.Declined.Text())
	}
	return s
}

// Collapses are the stages with cases that became steadier and wrong.
func (p phaseProbe) Collapses() (out []phaseRow) {
	for _, r := range p.Rows {
		if len(r.Listed) > 0 {
			out = append(out, r)
		}
	}
	return out
}

// reach is the end of the axis of sparsity, a little beyond the last stage.
func (p phaseProbe) reach() float64 {
	x := 0.
	for _, r := range p.Rows {
		x = math.Max(x, r.Sparsity.Value)
	}
	return math.Max(x*1.06, .01)
}

// apart is how far from each other two stages are drawn at least, as a share of the axis.
const apart = .025

// places are where the stages are drawn, in [0, 1] of the axis: at their sparsity where there is room, and stages of one sparsity, or
// nearly, side by side around it in their order. They are the nearest places by least squares that keep apart: for x the true ones and
// i their order, x - i·apart has to be put in order (pool adjacent violators).
func (p phaseProbe) places() []float64 {
	n := len(p.Rows)
	gap := math.Min(apart, 1/float64(max(1, n)))
	type pool struct {
		mean float64
		n    int
	}
	var pools []pool
	for i, r := range p.Rows {
		next := pool{r.Sparsity.Value/p.reach() - gap*float64(i), 1}
		for len(pools) > 0 && pools[len(pools)-1].mean > next.mean {
			last := pools[len(pools)-1]
			next = pool{(last.mean*float64(last.n) + next.mean*float64(next.n)) / float64(last.n+next.n), last.n + next.n}
			pools = pools[:len(pools)-1]
		}
		pools = append(pools, next)
	}
	out := make([]float64, 0, n)
	for _, b := range pools {
		mean := math.Max(0, math.Min(1-gap*float64(n-1), b.mean))
		for range b.n {
			out = append(out, mean+gap*float64(len(out)))
		}
	}
	return out
}

// A cluster is stages from..to-1 that are drawn so near each other that the axis names their sparsities together.
type cluster struct{ from, to int }

func clusters(places []float64) (out []cluster) {
	for i := range places {
		if i > 0 && places[i]-places[i-1] < 1.5*apart {
			out[len(out)-1].to++
		} else {
			out = append(out, cluster{i, i + 1})
		}
	}
	return out
}

// span writes the figures of a cluster as one number, or as the least and the most of them; "" where none is known.
func (p phaseProbe) span(c cluster, of func(phaseRow) fig) string {
	lo, hi, some := math.Inf(1), math.Inf(-1), false
	for _, r := range p.Rows[c.from:c.to] {
		if f := of(r); f.OK {
			lo, hi, some = math.Min(lo, f.Value), math.Max(hi, f.Value), true
		}
	}
	switch {
	case !some:
		return ""
	case points(lo) == points(hi):
		return points(lo)
	}
	return points(lo) + "–" + points(hi)
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// Signed writes a difference with its sign.
func (f fig) Signed() string {
	s := f.Text()
	if f.OK && f.Value > 0 {
		s = "+" + s
	}
	return s
}

// phaseSections are the rows of the table of figures: a label, the figure and its difference from the dense model, or their ratio.
var phaseSections = []struct {
	Label   string
	of, off func(phaseRow) fig
}{
	{"semantic stability", func(r phaseRow) fig { return r.SS }, func(r phaseRow) fig { return r.DSS }},
	{"questions of PC < .5", func(r phaseRow) fig { return r.Below }, func(r phaseRow) fig { return r.DBelow }},
	{"questions of PC ≥ .8", func(r phaseRow) fig { return r.AtLeast }, func(r phaseRow) fig { return r.DAtLeast }},
	{"accuracy over the wordings", func(r phaseRow) fig { return r.Accuracy }, func(r phaseRow) fig { return r.DAccuracy }},
	{"bias²", func(r phaseRow) fig { return r.Bias }, func(r phaseRow) fig { return r.DBias }},
	{"variance", func(r phaseRow) fig { return r.Variance }, func(r phaseRow) fig { return r.DVariance }},
	{"bias² + variance", func(r phaseRow) fig { return r.Net }, func(r phaseRow) fig { return r.DNet }},
	{"posterior hallucination rate", func(r phaseRow) fig { return r.PHR }, func(r phaseRow) fig { return r.DPHR }},
	{"perplexity of its answers; median ratio", func(r phaseRow) fig { return r.PPL }, func(r phaseRow) fig { return r.RPPL }},
	{"perplexity of the corpus; ratio", func(r phaseRow) fig { return r.Corpus }, func(r phaseRow) fig { return r.RCorpus }},
	{"perplexity of the text in the middle of the corpus; median ratio", func(r phaseRow) fig { return r.MCorpus }, func(r phaseRow) fig { return r.RMCorpus }},
}

// A phaseTable is one figure over the stages.
type phaseTable struct {
	Label string
	Cells []phaseCell
}

type phaseCell struct {
	Stage       string
	Value, From fig
}

// Tables are the figures that were measured, each over the stages.
func (p phaseProbe) Tables() (out []phaseTable) {
	for _, s := range phaseSections {
		if !p.has(s.of) {
			continue
		}
		t := phaseTable{Label: s.Label}
		for _, r := range p.Rows {
			t.Cells = append(t.Cells, phaseCell{r.Stage, s.of(r), s.off(r)})
		}
		out = append(out, t)
	}
	return out
}
