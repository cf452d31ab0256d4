package report

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
)

// A studyView sets out what many contexts say of the posterior rate together.
type studyView struct {
	Title     string
	Checks    []checkRow
	Relations []relationRow
	Risks     []riskRow
	Costs     []costRow
	Ablation  []ablatedRow
	Detectors []scoreView
	Wrong     string // of the detectors: how many answers
	Charts    []template.HTML
	Warnings  []string
}

type checkRow struct {
	Claim, Says, Verdict, Tone string
}

type relationRow struct {
	Name, Over      string
	R2, R, Slope, P fig
	MAE             fig
	Points          fig
}

type riskRow struct {
	Name                     string
	Area, Gain, Random, Best fig
}

type costRow struct {
	Over, Design                  string
	MSE, Calls, SumCalls          fig
	Fewer, FewerTokens, FewerMade fig
}

type ablatedRow struct {
	Design, Against     string
	PHR, R2, Slope, MAE fig
	Calls               fig
}

type scoreView struct {
	Name, Note        string
	AUROC, Difference fig
}

// newStudy returns nil where there is none.
func newStudy(t tree) *studyView {
	if !t.Has("posterior", "study") {
		return nil
	}
	s := t.branch("posterior", "study")
	v := &studyView{Warnings: s.texts("warnings")}
	v.Title = fmt.Sprintf("%s, %s", count(s.Whole("contexts"), "context"), plural(s.Whole("points"), "query", "queries"))
	for _, c := range s.items("checks") {
		r := checkRow{Claim: c.Text("claim"), Says: c.Text("says"), Verdict: "cannot be told"}
		if holds, ok := c.Bool("holds"); ok {
			r.Verdict, r.Tone = "does not hold", "err"
			if holds {
				r.Verdict, r.Tone = "holds", "ok"
			}
		}
		v.Checks = append(v.Checks, r)
	}
	for _, x := range s.branches("relations") {
		at := func(u unit, key string) fig { return x.fig("", u, "", key) }
		v.Relations = append(v.Relations, relationRow{
			Name: quantity(x.tree, "x") + " and " + quantity(x.tree, "y"), Over: pairsOf(x.tree), R2: at(mean, "r2"), R: at(mean, "r"), Slope: at(mean, "slope"), P: at(chance, "p"),
			MAE: at(mean, "mae"), Points: at(tally, "points"),
		})
	}
	for _, x := range s.branches("risk_coverage") {
		at := func(key string) fig { return x.fig("", mean, "", key) }
		v.Risks = append(v.Risks, riskRow{Name: scoreName(x.tree), Area: at("area"), Gain: at("gain"), Random: at("area_random"), Best: at("area_best")})
	}
	for _, x := range s.branches("cost") {
		at := func(u unit, key string) fig { return x.fig("", u, "", key) }
		m, k, extend := x.Whole("m"), x.Whole("k"), x.Whole("extend")
		eps, _ := x.Number("eps")
		v.Costs = append(v.Costs, costRow{
			Over: pairsOf(x.tree), Design: fmt.Sprintf("eps %g, %d pairs, M %d, K %d", eps, extend, m, k), MSE: at(chance, "mse"), Calls: at(tally, "calls"), SumCalls: at(tally, "sum_calls"),
			Fewer: at(mean, "times_fewer_calls"), FewerTokens: at(mean, "times_fewer_tokens"), FewerMade: at(mean, "times_fewer_made_tokens"),
		})
	}
	for _, x := range s.branches("ablation") {
		at := func(u unit, key string) fig { return x.fig("", u, "", key) }
		k := "sums"
		if n := x.Whole("k"); n > 0 {
			k = fmt.Sprintf("K %d", n)
		}
		eps, _ := x.Number("eps")
		v.Ablation = append(v.Ablation, ablatedRow{
			Design: fmt.Sprintf("%s, M %d, %s", plural(x.Whole("extend"), "pair", "pairs"), x.Whole("m"), k), Against: fmt.Sprintf("%s, eps %g", words[x.Text("against")], eps),
			PHR: at(mean, "phr"), R2: at(mean, "r2"), Slope: at(mean, "slope"), MAE: at(mean, "mae"), Calls: at(tally, "calls"),
		})
	}
	if t.Has("posterior", "detectors") {
		d := t.branch("posterior", "detectors")
		v.Wrong = fmt.Sprintf("%s wrong of %s", grouped(d.Whole("wrong")), grouped(d.Whole("n")))
		for _, x := range d.branches("scores") {
			r := scoreView{Name: detectorWord(x.Text("name")), AUROC: x.fig("", mean, "err", "auroc"), Difference: x.fig("", mean, "", "less_phr_75")}
			if x.is("extensions") {
				r.Note = "takes extensions"
			}
			v.Detectors = append(v.Detectors, r)
		}
		v.Warnings = append(v.Warnings, d.texts("warnings")...)
	}
	v.Charts = studyCharts(s.tree)
	return v
}

// words name what relations are between.
var words = map[string]string{"phr": "PHR", "mhr": "MHR", "error": "error", "mutual_information": "mutual information", "entropy": "entropy of the answer"}

func quantity(x tree, key string) string {
	name := words[x.Text(key)]
	if eps, ok := x.Number(key + "_eps"); ok {
		name += " " + short(eps)
	}
	return name
}

func scoreName(x tree) string {
	name := words[x.Text("score")]
	if eps, ok := x.Number("eps"); ok {
		name += " " + short(eps)
	}
	return name
}

// detectorWord names a score of the comparison.
func detectorWord(name string) string {
	switch {
	case strings.HasPrefix(name, "phr_"):
		n, _ := strconv.ParseFloat(name[4:], 64)
		return "PHR " + short(n/100)
	case name == "label_entropy":
		return "entropy of the labels"
	}
	return detectorLabel(name)
}

func pairsOf(x tree) string {
	if n := x.Whole("context"); n > 0 {
		return count(n, "pair")
	}
	return "all"
}

// Main are the relations that a summary shows: those over all contexts that the source's findings are about.
func (v *studyView) Main() (out []relationRow) {
	for _, r := range v.Relations {
		switch r.Name {
		case "PHR .75 and error", "PHR .05 and MHR .05":
			if r.Over == "all" {
				out = append(out, r)
			}
		}
	}
	return out
}

// AtDefault are the costs at the source's M and K, at eps .05 and .75.
func (v *studyView) AtDefault() (out []costRow) {
	for _, c := range v.Costs {
		if strings.Contains(c.Design, "5 pairs, M 10, K 50") {
			out = append(out, c)
		}
	}
	return out
}

// A studiesRow is one suite of several with a study.
type studiesRow struct {
	Suite, Model                                             string
	Points, Error, Random, Large, Small, MHR, OnError, OnMHR fig
}

// studiesOf sets the suites of a run side by side.
func studiesOf(sections []*section) (out []studiesRow) {
	for _, s := range sections {
		if s.Posterior == nil || s.Posterior.Study == nil {
			continue
		}
		v := s.Posterior.Study
		all := s.Posterior.All
		r := studiesRow{Suite: s.Suite, Model: s.Model, Points: all.Points, Error: all.Error, Random: all.Random, Large: all.Large, Small: all.Small, MHR: all.MHR}
		for _, x := range v.Main() {
			if x.Name == "PHR .75 and error" {
				r.OnError = x.R2
			} else {
				r.OnMHR = x.R2
			}
		}
		out = append(out, r)
	}
	return out
}

// studies writes them for a terminal.
func (p *printer) studies(rows []studiesRow) {
	p.head("POSTERIOR BY SUITE", "error and rates over all contexts; R² of PHR .75 with the error, of PHR .05 with MHR .05")
	const cell = 9
	name := p.width - 5*cell - 18
	p.line(p.dim(fit("", name) + atRight(cell, "error", "PHR .75") + fitLeft("R²", 18) + atRight(cell, "PHR .05", "MHR .05", "R²")))
	for _, r := range rows {
		cells := func(figs ...fig) string {
			return atRight(cell, each(figs, func(f fig) string { return f.put(rough) })...)
		}
		p.line(fit(r.Suite, name-1), " ", cells(r.Error, r.Large), fitLeft(roughly(r.OnError), 18), cells(r.Small, r.MHR, r.OnMHR))
	}
}

// study writes the summary for a terminal.
func (p *printer) study(v *studyView) {
	p.head("POSTERIOR OVER CONTEXTS", v.Title)
	for _, r := range v.Main() {
		p.para("  ", fmt.Sprintf("R² of %s: %s; mean absolute difference %s", r.Name, roughly(r.R2), roughly(r.MAE)))
	}
	for _, c := range v.Checks {
		p.painted("  ", c.Verdict+": "+c.Claim+": "+c.Says, func(s string) string { return p.tone(c.Tone, s) })
	}
	for _, r := range v.Risks {
		if !strings.HasPrefix(r.Name, "PHR") {
			continue
		}
		p.para("  ", fmt.Sprintf("abstain by %s: area under the risk curve %s, by chance %s, at best %s", r.Name, roughly(r.Area), rough(r.Random.Value), rough(r.Best.Value)))
	}
	for _, c := range v.AtDefault() {
		if c.Over == "all" {
			p.para("  ", fmt.Sprintf("sum takes %s times fewer calls than published at one mean squared error (%s), %s times fewer tokens", roughly(c.Fewer), c.Design, roughly(c.FewerTokens)))
		}
	}
	if len(v.Detectors) > 0 {
		p.line(p.dim(fit("  telling wrong answers: "+v.Wrong, 40) + fitLeft("AUROC", 20) + fitLeft("less PHR .75", 20)))
		for _, d := range v.Detectors {
			p.line(fit("  "+d.Name, 40), fitLeft(roughly(d.AUROC), 20), fitLeft(roughly(d.Difference), 20))
		}
	}
	p.warnings(v.Warnings)
}

func each[T any](xs []T, f func(T) string) []string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = f(x)
	}
	return out
}
