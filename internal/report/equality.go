package report

import (
	"fmt"
	"io"

	"hallmark/internal/assay"
)

// An equalityView is how answers were compared by meaning, and how far that errs.
type equalityView struct {
	Lede     string
	Figs     []fig
	Warnings []string
}

// figs are the figures of a view that may be missing.
func (v *equalityView) figs() []fig {
	if v == nil {
		return nil
	}
	return v.Figs
}

func newEquality(t tree) *equalityView {
	if !t.Has("equality") {
		return nil
	}
	at := func(keys ...string) []string { return append([]string{"equality"}, keys...) }
	n := func(keys ...string) int { return t.Whole(at(keys...)...) }
	v := &equalityView{
		Lede: fmt.Sprintf("%s compared %s of %s by meaning, each in both directions; answers that say the same are one, also by way of others. %s, in %s.",
			oneLine(t.Text(at("model")...)), count(n("pairs"), "pair"), count(n("cases"), "question"), count(n("answers"), "different answer"), plural(n("classes"), "class", "classes")),
		Warnings: t.texts(at("warnings")...),
	}
	add := func(f fig) {
		if f.OK {
			v.Figs = append(v.Figs, f)
		}
	}
	add(t.fig("pairs that say the same", tally, "", at("equal")...).note("both directions hold"))
	add(t.fig("pairs joined against their verdict", tally, "", at("violations")...).note("where the comparison is not transitive"))
	if n("unscored") > 0 {
		add(t.fig("pairs without a verdict", tally, "", at("unscored")...))
	}
	for _, by := range []struct{ key, name string }{{"check", "known pairs"}, {"people", "people"}} {
		note := fmt.Sprintf("by %s of %s", by.name, count(n(by.key, "pairs"), "pair"))
		if by.key == "check" {
			note = fmt.Sprintf("by %s", count(n(by.key, "pairs"), "known pair"))
		}
		add(t.fig("equal answers held apart", share, "err", at(by.key, "false_split")...).note(note))
		add(t.fig("different answers joined", share, "err", at(by.key, "false_merge")...).note(note))
	}
	moved := t.fig("stability without these errors", mean, "ink", at("stability", "corrected")...).note("what a comparison without error would give, as far as these rates tell")
	lo, okLo := t.Number(at("stability", "lo")...)
	hi, okHi := t.Number(at("stability", "hi")...)
	moved.Lo, moved.Hi, moved.Bounded = lo, hi, okLo && okHi
	add(moved)
	return v
}

// entropies adds the semantic entropy of the draws, where answers were compared by meaning.
func (v *sampledView) entropies(t tree) {
	if !t.Has("consistency_sampled", "semantic_entropy") {
		return
	}
	for _, e := range []struct{ label, key string }{
		{"semantic entropy", "discrete"}, {"semantic entropy, by likelihood", "weighted"}, {"entropy of the wordings alone", "forms"},
	} {
		if f := t.fig("", nats, "", "consistency_sampled", "semantic_entropy", e.key); f.OK {
			v.Rows = append(v.Rows, sampledRow{Label: e.label, Greedy: fig{Unit: nats}, Drawn: f})
		}
	}
	v.Entropy = t.fig("semantic entropy of draws, nats", mean, "", "consistency_sampled", "semantic_entropy", "discrete")
	v.Warnings = append(v.Warnings, t.texts("consistency_sampled", "semantic_entropy", "warnings")...)
}

// equality writes how answers were compared by meaning.
func (p *printer) equality(v *equalityView) {
	if v == nil {
		return
	}
	p.painted("  ", narrow(v.Lede), p.dim)
	for _, f := range v.Figs {
		s := scale(0)
		if f.Unit != tally {
			s = 1
		}
		p.fig(f, s)
	}
	p.warnings(v.Warnings)
}

// Equality writes, for a terminal, how the answers of a model to a suite were compared by meaning, and how far that errs.
func Equality(w io.Writer, e *assay.Equality, model, suite string, style Style) error {
	t := treeOf(struct {
		Equality *assay.Equality `json:"equality"`
	}{e})
	p := newPrinter(w, style)
	p.head("EQUALITY", fmt.Sprintf("%s on %s", oneLine(model), oneLine(suite)))
	p.equality(newEquality(t))
	return p.w.Flush()
}
