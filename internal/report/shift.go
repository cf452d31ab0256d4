package report

import (
	"fmt"

	"hallmark/internal/metric/consistency"
)

// A shiftView is how bias and variance moved.
type shiftView struct {
	N    fig
	Rows []shiftRow
	Says string
}

type shiftRow struct {
	Label                   string
	Base, Other, Difference fig
}

// regimes say what moved.
var regimes = map[string]string{
	consistency.Undecided:         "Whether bias or variance moved cannot be told: the interval of one of them holds 0.",
	consistency.BothBetter:        "Bias and variance both fell.",
	consistency.BothWorse:         "Bias and variance both grew.",
	consistency.VarianceDominated: "What was won in one of bias and variance outweighs what was lost in the other: the error fell.",
	consistency.BiasDominated:     "What was lost in one of bias and variance outweighs what was won in the other: the error did not fall.",
}

// newShift returns nil where the runs have no gold in common.
func newShift(t tree) *shiftView {
	v := &shiftView{N: t.fig("", tally, "", "stability", "decomposition", "n")}
	if !v.N.OK {
		return nil
	}
	for _, x := range []struct{ label, key string }{{"bias²", "bias_squared"}, {"variance", "variance"}} {
		at := func(key string) fig { return t.fig("", mean, "", "stability", "decomposition", x.key, key) }
		if r := (shiftRow{x.label, at("base"), at("other"), at("difference")}); r.Difference.OK {
			v.Rows = append(v.Rows, r)
		}
	}
	if says, ok := regimes[t.Text("stability", "decomposition", "regime")]; ok {
		d := t.fig("", mean, "", "stability", "decomposition", "other_beats_base", "difference")
		word := map[string]string{"yes": "is less", "no": "is more"}[t.Text("stability", "decomposition", "other_beats_base", "holds")]
		if word == "" {
			word = "may be less or more"
		}
		v.Says = fmt.Sprintf("%s Bias² + variance of other %s than of base; they differ by %s (95 %% interval %s).", says, word, d.Text(), d.Range())
	}
	return v
}

// shift writes how bias and variance moved for a terminal.
func (p *printer) shift(t tree) {
	v := newShift(t)
	if v == nil {
		return
	}
	p.head("BIAS AND VARIANCE", fmt.Sprintf("%s with a gold answer, asked in several wordings in both runs", count(int(v.N.Value), "question")))
	p.line(p.dim(fit("", p.compareLabel()) + fitLeft("base", compareCells) + fitLeft("other", compareCells) + fitLeft("change", compareCells) + fitLeft("95 % interval", 22)))
	for _, r := range v.Rows {
		p.line(fit(r.Label, p.compareLabel()), fitLeft(r.Base.Text(), compareCells), fitLeft(r.Other.Text(), compareCells), fitLeft(r.Difference.Text(), compareCells), p.dim(fitLeft(r.Difference.Range(), 22)))
	}
	if v.Says != "" {
		p.painted("  ", v.Says, p.dim)
	}
}
