package report

import (
	"fmt"
	"strconv"
	"strings"

	"hallmark/internal/stat/figure"
)

// study sets out what many contexts say of the posterior rate together.
func (s *section) study(b tree, _ figsOf) block {
	of := fmt.Sprintf("%s, %s", count(b.Whole("contexts"), "context"), plural(b.Whole("points"), "query", "queries"))
	claims, briefly := studyChecks(b)
	body := []block{drawing{SVG: studyCharts(b), Row: true}, claims, briefly}
	doubts := b.texts("warnings")
	if s.t.Has("posterior", "detectors") {
		d := s.t.branch("posterior", "detectors")
		body, doubts = append(body, studyScores(d)), append(doubts, d.texts("warnings")...)
	}
	together, main := studyRelations(b)
	calls, usual := studyCalls(b)
	return s.chapter("study", append(body, studyRisks(b), closed("How the figures go together", together).only(inFull),
		main, closed("With fewer pairs, extensions and samples", studyAblation(b)).only(onPage),
		closed("Calls of both estimators at one mean squared error", calls).only(onPage), usual,
		warnings{List: doubts})...).over(of).lede(of + ". Intervals take the context as the unit.")
}

// studyChecks hold what the source found against this: as a table, and in sentences for a terminal.
func studyChecks(b tree) (table, list) {
	t := table{Caption: "What the source found, held against this", In: inFull,
		Columns: []column{textOf("finding"), textOf("here"), textOf("figures")}}
	l := list{In: inTerminal}
	for _, c := range b.items("checks") {
		verdict := "undecided"
		if holds, ok := c.Bool("holds"); ok {
			verdict = map[bool]string{true: "holds", false: "does not hold"}[holds]
		}
		t.add(c.Text("claim"), verdict, c.Text("says"))
		l.Items = append(l.Items, say(verdict+": "+c.Text("claim")+": "+c.Text("says")))
	}
	return t, l
}

// studyScores set the detectors beside the rate.
func studyScores(d tree) table {
	t := table{Caption: fmt.Sprintf("Telling wrong answers from right ones: %s wrong of %s", grouped(d.Whole("wrong")),
		grouped(d.Whole("n"))), Columns: heads("score", "AUROC", ci, "less PHR .75", ci)}
	for _, x := range d.items("scores") {
		name := cellOf(detectorWord(x.Text("name")))
		if x.is("extensions") {
			name.Note = "takes extensions"
		}
		t.add(name, bounded(x.fig(mean, "auroc").toned("err")), bounded(x.fig(mean, "less_phr_75")))
	}
	return t
}

// studyRisks are the areas under the risk curves.
func studyRisks(b tree) table {
	return table{
		Caption: "Abstaining by a score: area under the curve of the error over the share that is answered; lower is " +
			"better",
		Columns: heads("score", "area", ci, "less than by chance", ci, "by chance", "at best"),
		Rows: each(b.items("risk_coverage"), func(x tree) row {
			return rowOf(named(x, "score", "eps"), bounded(x.fig(mean, "area")), bounded(x.fig(mean, "gain")),
				x.fig(mean, "area_random"), x.fig(mean, "area_best"))
		}),
	}
}

// The relations that the source's findings are about.
const (
	withError = "PHR .75 and error"
	withMHR   = "PHR .05 and MHR .05"
)

// studyRelations are how the figures go together, and of these the ones that a terminal shows.
func studyRelations(b tree) (all, main table) {
	all = table{Columns: heads("of", textOf("contexts"), "queries", "R²", ci, fullOf("r"), "slope",
		fullOf("p"), "mean absolute difference")}
	main = all
	main.In, main.Caption = inTerminal, "How the figures go together"
	for _, x := range b.items("relations") {
		name, at := relation(x), x.fig
		r := rowOf(name, pairsOf(x), at(tally, "points"), bounded(at(mean, "r2")), at(mean, "r"),
			at(mean, "slope"), at(chance, "p"), cellWithin(at(mean, "mae")))
		if all.Rows = append(all.Rows, r); x.Whole("context") == 0 && (name == withError || name == withMHR) {
			main.Rows = append(main.Rows, r)
		}
	}
	return all, main
}

// studyAblation is what becomes of the rate with fewer pairs, extensions and draws.
func studyAblation(b tree) table {
	t := table{Columns: heads("estimate", textOf("against"), "calls a query", "mean PHR", "R²", ci, "slope",
		"mean absolute difference")}
	for _, x := range b.items("ablation") {
		at := x.fig
		k := "sums"
		if n := x.Whole("k"); n > 0 {
			k = fmt.Sprintf("K %d", n)
		}
		eps, _ := x.Number("eps")
		t.add(fmt.Sprintf("%s, M %d, %s", count(x.Whole("extend"), "pair"), x.Whole("m"), k),
			called("relations", x.Text("against"))+", eps "+figure.Exact(eps), at(tally, "calls"), at(mean, "phr"),
			bounded(at(mean, "r2")), at(mean, "slope"), cellWithin(at(mean, "mae")))
	}
	return t
}

// studyCalls are what both estimators cost, and of that what a terminal shows: all contexts at the source's M and K.
func studyCalls(b tree) (all, usual table) {
	all = table{Columns: heads("published with", column{Head: "contexts", In: inFull}, fullOf("mean squared error"),
		"its calls", "calls of sum", "times fewer samples and distributions", "requests with n", "tokens",
		fullOf("generated tokens"))}
	usual = all
	usual.In, usual.Caption = inTerminal, "Calls of both estimators at one mean squared error"
	for _, x := range b.items("cost") {
		at := x.fig
		m, k, extend := x.Whole("m"), x.Whole("k"), x.Whole("extend")
		eps, _ := x.Number("eps")
		r := rowOf(fmt.Sprintf("eps %s, %d pairs, M %d, K %d", figure.Exact(eps), extend, m, k), pairsOf(x),
			at(chance, "mse"), at(tally, "calls"), at(tally, "sum_calls"), cellWithin(at(mean, "times_fewer_calls")),
			cellWithin(at(mean, "times_fewer_requests")), cellWithin(at(mean, "times_fewer_tokens")),
			cellWithin(at(mean, "times_fewer_made_tokens")))
		if all.Rows = append(all.Rows, r); x.Whole("context") == 0 && extend == 5 && m == 10 && k == 50 {
			usual.Rows = append(usual.Rows, r)
		}
	}
	return all, usual
}

// relation names the two figures of a relation.
func relation(x tree) string {
	return named(x, "x", "x_eps") + " and " + named(x, "y", "y_eps")
}

// named names what stands under a key, with the eps that it is at.
func named(x tree, key, at string) string {
	name := called("relations", x.Text(key))
	if eps, ok := x.Number(at); ok {
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

// studies sets the suites of a run that have a study side by side; nil where fewer than two have.
func studies(sections []*section) block {
	t := table{Columns: heads("suite", namesOf("model").only(inFull), fullOf("queries"), "error", fullOf("of a guess"),
		"PHR .75", "R² with the error", "PHR .05", "MHR .05", "R² with MHR")}
	brief := func(f fig) cell { return cellWithin(f).briefly(f.put(rough)) }
	for _, s := range sections {
		if !s.t.Has("posterior", "study") {
			continue
		}
		levels := levelsOf(s.t)
		all, r2 := levels[len(levels)-1], map[string]fig{}
		for _, x := range s.t.items("posterior", "study", "relations") {
			if x.Whole("context") == 0 {
				r2[relation(x)] = x.fig(mean, "r2")
			}
		}
		t.addAt(s.At, s.Suite, s.Model, all.of["queries"], brief(all.of["error"]), all.of["a guess"],
			brief(all.of["PHR .75"]), cellWithin(r2[withError]).briefly(roughly(r2[withError])),
			brief(all.of["PHR .05"]), brief(all.of["MHR .05"]), brief(r2[withMHR]))
	}
	if len(t.Rows) < 2 {
		return nil
	}
	return chapter{Name: "Posterior by suite", Title: "The posterior rate by suite", Over: "over all contexts",
		Body: []block{t}}
}
