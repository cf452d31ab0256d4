package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"hallmark/internal/metric/sweep"
)

// A phaseView sets the models of a sweep beside each other.
type phaseView struct {
	tree
	Probes   []phaseProbe
	Findings []findingView
}

// A phaseProbe is the sweep on one probe.
type phaseProbe struct {
	Title string
	Probe string
	Dense string
	Cases fig
	Rows  []phaseRow
	Peak  string // what the peak is and how sure it is
	at    tree
}

// A phaseRow is one stage on one probe.
type phaseRow struct {
	Stage, Model       string
	of, off            map[string]fig // phaseFigures by their names, and their differences from the dense model
	Peak               bool
	Regime, RegimeTone string
	Phase, Tone        string
	listed             []tree // questions that became steadier and wrong
}

func (r phaseRow) ss() fig       { return r.of["stability"] }
func (r phaseRow) bias() fig     { return r.of["bias²"] }
func (r phaseRow) variance() fig { return r.of["variance"] }

// phaseFigures are what is known of a stage. Those with a label are the rows of the table of figures. Of and off are
// the paths of the figure in the stage and of its difference from the dense model, or their ratio, in against_dense;
// after a slash, in the model.
var phaseFigures = []struct {
	name, label string
	unit        unit
	of, off     string
}{
	{"stability", "semantic stability", share, "semantic_stability", "semantic_stability/difference"},
	{"below", "questions of PC < .5", share, "pc_below_0.5", "pc_below_0.5"},
	{"at least", "questions of PC ≥ .8", share, "pc_at_least_0.8", "pc_at_least_0.8"},
	{"accuracy", "accuracy over the prompt variants", share, "accuracy", "accuracy/difference"},
	{"bias²", "bias²", mean, "bias_squared", "decomposition/bias_squared/difference"},
	{"variance", "variance", mean, "variance", "decomposition/variance/difference"},
	{"net", "bias² + variance", mean, "net", "decomposition/other_beats_base/difference"},
	{"phr", "posterior hallucination rate", share, "phr", "phr"},
	{"perplexity", "perplexity of its answers; median ratio", mean, "perplexity/per_token", "perplexity/median"},
	{"corpus", "perplexity of the corpus; ratio", mean, "/corpus_perplexity/per_token",
		"/corpus_against_dense/per_token"},
	{"corpus median", "perplexity of the text in the middle of the corpus; median ratio", mean,
		"/corpus_perplexity/median", "/corpus_against_dense/median"},
	{"sparsity", "", share, "sparsity", ""}, {"of all", "", share, "/sparsity_of_all", ""},
	{"peak in", "", share, "peak_share", ""}, {"collapsed", "", tally, "collapsed/cases", ""},
	{"collapsed share", "", share, "collapsed/share", ""}, {"lost", "", tally, "collapsed/lost", ""},
	{"declined", "", tally, "collapsed/declined", ""},
}

// phaseOf is the word and the tone of a phase.
func phaseOf(key string) (word, tone string) {
	return called("phases", key), cmp.Or(called("tones of phases", key), "ink")
}

func newPhase(t tree) *phaseView {
	if !t.Has("sweep") {
		return nil
	}
	t = t.sub("sweep")
	models := t.items("models")
	probes := each(t.items("probes"), func(b tree) phaseProbe { return newPhaseProbe(b, models) })
	return &phaseView{tree: t, Probes: probes, Findings: newFindings(t, "findings")}
}

func newPhaseProbe(b tree, models []tree) phaseProbe {
	p := phaseProbe{Probe: oneLine(b.Text("probe")), Cases: b.fig(tally, "cases"), at: b}
	p.Title = p.Probe
	if s := oneLine(b.Text("suite")); s != p.Probe {
		p.Title += " of " + s
	}
	peak := b.Text("peak", "stage")
	for j, stage := range b.items("stages") {
		model := tree{}
		if j < len(models) {
			model = models[j]
		}
		r := newPhaseRow(stage, model)
		r.Peak = stage.Text("stage") == peak
		p.Rows = append(p.Rows, r)
	}
	if len(p.Rows) > 0 {
		p.Dense = p.Rows[0].Stage
	}
	if b.Has("peak") {
		ss, sure := b.fig(share, "peak", "semantic_stability"), b.fig(share, "peak", "share")
		others := slices.DeleteFunc(b.texts("peak", "optimal"), func(s string) bool { return s == Visible(peak) })
		p.Peak = fmt.Sprintf("Peak: %s, stability %s (95 %% interval %s), the peak in %s of %s resamples of the "+
			"cases. Not told from it: %s.", oneLine(peak), ss.Text(), ss.Range(), sure.Text(),
			grouped(b.Whole("peak", "resamples")), cmp.Or(oneLine(strings.Join(others, ", ")), "none"))
	}
	return p
}

// newPhaseRow reads a stage and its model.
func newPhaseRow(stage, model tree) phaseRow {
	r := phaseRow{Stage: oneLine(stage.Text("stage")), Model: oneLine(model.Text("model")), of: map[string]fig{},
		off: map[string]fig{}, listed: stage.items("collapsed", "listed")}
	at := func(from tree, u unit, path string) fig {
		if rest, ofModel := strings.CutPrefix(path, "/"); ofModel {
			from, path = model, rest
		}
		return from.fig(u, strings.Split(path, "/")...).toned("ink")
	}
	for _, f := range phaseFigures {
		r.of[f.name] = at(stage, f.unit, f.of)
		r.off[f.name] = at(stage.branch("against_dense"), f.unit, f.off)
	}
	r.of["perplexity"] = r.of["perplexity"].interval(stage, "perplexity", "per_token_interval")
	r.of["corpus"] = r.of["corpus"].interval(model, "corpus_perplexity", "per_token_interval")
	r.Regime, r.RegimeTone = phaseOf(stage.Text("regime"))
	r.Phase, r.Tone = r.Regime, r.RegimeTone
	if stage.is("optimal") {
		r.Phase, r.Tone = phaseOf(sweep.Optimal)
	}
	return r
}

// votes are the answers of a model to one question.
func votes(b tree) string {
	parts := each(b.items("answers"), func(a tree) string {
		return fmt.Sprintf("%s ×%d", oneLine(a.Text("answer")), a.Whole("count"))
	})
	if n := b.Whole("others"); n > 0 {
		parts = append(parts, fmt.Sprintf("and %d other", n))
	}
	return strings.Join(parts, ", ")
}

// has reports whether any row has the figure.
func (p *phaseProbe) has(name string) bool {
	return slices.ContainsFunc(p.Rows, func(r phaseRow) bool { return r.of[name].OK })
}

// corpusNote says which texts the perplexity of the corpus is over; "" where there is none.
func (v *phaseView) corpusNote() string {
	scored := v.fig(tally, "corpus", "scored")
	if !scored.OK {
		return ""
	}
	name := oneLine(v.Text("corpus", "name"))
	if name != "" {
		name = " " + name
	}
	return fmt.Sprintf("The corpus%s: %s that every model scored, without any template.", name,
		plural(int(scored.Value), "text", "texts"))
}

// reach is the end of the axis of sparsity, a little beyond the last stage.
func (p phaseProbe) reach() float64 {
	x := 0.
	for _, r := range p.Rows {
		x = math.Max(x, r.of["sparsity"].Value)
	}
	return math.Max(x*1.06, .01)
}

// apart is how far from each other two stages are drawn at least, as a share of the axis.
const apart = .025

// places are where the stages are drawn, in [0, 1] of the axis: at their sparsity where there is room, and stages of
// one sparsity, or nearly, side by side around it in their order. They are the nearest places by least squares that
// keep apart: for x the true ones and i their order, x - i·apart has to be put in order (pool adjacent violators).
func (p phaseProbe) places() []float64 {
	n := len(p.Rows)
	gap := math.Min(apart, 1/float64(max(1, n)))
	type pool struct {
		mean float64
		n    int
	}
	var pools []pool
	for i, r := range p.Rows {
		next := pool{r.of["sparsity"].Value/p.reach() - gap*float64(i), 1}
		for len(pools) > 0 && pools[len(pools)-1].mean > next.mean {
			last := pools[len(pools)-1]
			next = pool{(last.mean*float64(last.n) + next.mean*float64(next.n)) / float64(last.n+next.n),
				last.n + next.n}
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
func (p phaseProbe) span(c cluster, name string) string {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, r := range p.Rows[c.from:c.to] {
		if f := r.of[name]; f.OK {
			lo, hi = min(lo, f.Value), max(hi, f.Value)
		}
	}
	switch {
	case lo > hi:
		return ""
	case points(lo) == points(hi):
		return points(lo)
	}
	return points(lo) + "–" + points(hi)
}

func orDash(s string) string { return cmp.Or(s, "–") }
