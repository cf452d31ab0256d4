// Package docs holds the tests of the pages beside it: examples in a page are recomputed through the packages it
// describes.
package docs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"hallmark/internal/archtest"
	"hallmark/internal/ask/prompt"
	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
	"hallmark/internal/base/seed"
	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/agreement"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/crosstab"
	"hallmark/internal/metric/rate"
	"hallmark/internal/model"
	"hallmark/internal/stat"
	"hallmark/internal/stat/correct"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
)

// A table is an example of the page: <!-- example: NAME --> and the Markdown table behind it.
type table struct {
	*testing.T
	line int // of the first row
	head []string
	rows [][]string
}

// is compares a cell with what the program gives.
func (tab table) is(row int, column, got string) {
	tab.Helper()
	i := slices.Index(tab.head, column)
	if i < 0 {
		tab.Fatalf("no column %q", column)
	}
	if have := tab.rows[row][i]; have != got {
		tab.Errorf("methods.md:%d: %s: the page says %q, the program %q", tab.line+row, column, have, got)
	}
}

func (tab table) cell(row int, column string) string {
	return tab.rows[row][slices.Index(tab.head, column)]
}

// like writes x with as many places as the page gives in that cell.
func (tab table) like(row int, column string, x float64) string {
	_, places, _ := strings.Cut(tab.cell(row, column), ".")
	return strconv.FormatFloat(x, 'f', len(places), 64)
}

func interval(lo, hi float64) string { return fmt.Sprintf("[%.4f, %.4f]", lo, hi) }

func read(t *testing.T) string {
	b, err := os.ReadFile("methods.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func tables(t *testing.T, page string) map[string]table {
	found := map[string]table{}
	lines := strings.Split(page, "\n")
	for i, line := range lines {
		name, ok := strings.CutPrefix(line, "<!-- example: ")
		if !ok {
			continue
		}
		name = strings.TrimSuffix(name, " -->")
		tab := table{line: i + 4, head: cells(lines[i+1])}
		for j := i + 3; j < len(lines) && strings.HasPrefix(lines[j], "|"); j++ {
			row := cells(lines[j])
			if len(row) != len(tab.head) {
				t.Fatalf("methods.md:%d: %d cells under %d headings", j+1, len(row), len(tab.head))
			}
			tab.rows = append(tab.rows, row)
		}
		if _, twice := found[name]; twice || len(tab.rows) == 0 {
			t.Fatalf("methods.md:%d: example %q is empty or there twice", i+1, name)
		}
		found[name] = tab
	}
	return found
}

func cells(line string) []string {
	parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
	for i, p := range parts {
		parts[i] = strings.TrimSpace(p)
	}
	return parts
}

// TestMethods recomputes every example of the page; an example without a check, and a check without an example, fail.
func TestMethods(t *testing.T) {
	page := read(t)
	found := tables(t, page)
	checks := map[string]func(table){
		"grades": func(tab table) { grades(tab, page) }, "rates": func(tab table) { rates(tab, found["grades"], page) }, "outcomes": func(tab table) { rates(tab, found["grades"], page) },
		"sweep": func(tab table) { swept(tab, found["case"]) }, "families": kinds, "pass": passes, "median": medians, "shift": shifts,
		"case": oneCase, "run": func(tab table) { allCases(tab, found["case"]) }, "levels": levels, "choice": choices,
		"joint": func(table) {}, "joint figures": func(tab table) { jointly(tab, found["joint"]) },
		"compare": compare, "holm": holm, "sign flip": signFlips, "control shares": controlShares, "control means": controlMeans, "wilson": wilson, "mean": means, "alpha": alphas, "plan": plans,
		"coverage of shares": sharesCovered, "rare shares": rareShares, "coverage of means": meansCovered, "coverage of relatives": relatives, "paired differences": pairedCovered,
		"double sampling": doubleSampling, "inversion": inversions, "paired labels": pairedLabels, "coverage of corrected rates": correctedCovered, "coverage by simulation": simulated,
	}
	for name, check := range checks {
		t.Run(name, func(t *testing.T) {
			tab, ok := found[name]
			if !ok {
				t.Fatalf("methods.md has no example %q", name)
			}
			tab.T = t
			check(tab)
		})
	}
	for name := range found {
		if checks[name] == nil {
			t.Errorf("methods.md: nothing checks example %q", name)
		}
	}
}

// figures compares the figures of a table with the members of a document at their paths, and the intervals beside them.
func figures(tab table, document any, prefix string) {
	tree := figure.Of(map[string]any{strings.TrimSuffix(prefix, "."): document})
	value := func(path string) float64 {
		g, err := gate.Parse(path + " > 0")
		if err != nil {
			tab.Fatal(err)
		}
		o := g.Eval(tree)
		if o.Value == nil {
			tab.Fatalf("no value at %s", path)
		}
		return *o.Value
	}
	for i := range tab.rows {
		path := strings.Trim(tab.cell(i, "path"), "`")
		if !strings.HasPrefix(path, prefix) {
			tab.Fatalf("path %s is not under %s", path, prefix)
		}
		tab.is(i, "value", tab.like(i, "value", value(path)))
		if slices.Contains(tab.head, "interval") && tab.cell(i, "interval") != "" {
			at := path[:strings.LastIndexByte(path, '.')]
			tab.is(i, "interval", interval(value(at+".lo"), value(at+".hi")))
		}
	}
}

// graded grades the answers of the examples against the suite in the page.
func graded(tab table, page string) (rows []rate.Row) {
	_, block, ok := strings.Cut(page, "```yaml\n")
	block, _, closed := strings.Cut(block, "```")
	if !ok || !closed {
		tab.Fatal("methods.md has no suite")
	}
	s, err := suite.Parse("methods.yaml", []byte(block))
	if err != nil {
		tab.Fatal(err)
	}
	r, err := rubric.New(s, s.AsOf)
	if err != nil {
		tab.Fatal(err)
	}
	for i := range tab.rows {
		at := slices.IndexFunc(s.Cases.Loose(), func(c suite.Case) bool { return c.ID == tab.cell(i, "case") })
		if at < 0 {
			tab.Fatalf("the suite of methods.md has no case %q", tab.cell(i, "case"))
		}
		text := strings.ReplaceAll(tab.cell(i, "answer"), "⏎", "\n")
		c := s.Cases.At(at)
		row := rate.NewRow(r, c, new(r.Grade(c, grade.Answer{Text: &text})), text)
		row.CaseID = fmt.Sprint(i)
		rows = append(rows, row)
	}
	return rows
}

func grades(tab table, page string) {
	words := map[grade.Verdict]string{grade.Pass: "1", grade.Fail: "0", grade.Ungradable: "ungradable", grade.Unscored: "unscored", grade.NotApplicable: "n/a"}
	for i, row := range graded(tab, page) {
		g := row.Grade
		tab.is(i, "T", words[g.Truth.Verdict])
		tab.is(i, "D", words[g.Decidability.Verdict])
		tab.is(i, "R", words[g.Reciprocity.Verdict])
		tab.is(i, "F", words[g.Format.Verdict])
		h := ""
		if failed, ok := g.Hallucinated(row.Gates); ok {
			h = map[bool]string{true: "1", false: "0"}[failed]
		}
		tab.is(i, "H", h)
		tab.is(i, "outcome", strings.ReplaceAll(string(g.Outcome()), "_", " "))
		s := ""
		if x, ok := row.Quality(); ok {
			s = fmt.Sprintf("%.2f", x)
		}
		tab.is(i, "S", s)
		tab.is(i, "kind", string(g.Kind))
		normal := g.Normal.String()
		switch {
		case g.Act == grade.Hedged:
			normal = answer.Hedged.String()
		case g.Normal == answer.Ungradable:
			normal = "left out"
		}
		tab.is(i, "compared as", normal)
	}
}

func rates(tab, answers table, page string) {
	answers.T = tab.T
	figures(tab, rate.Analyze(graded(answers, page), rate.Options{}), "rubric.")
}

// counts reads "9* 1": the counts of the classes, in the order in which variants give them, and which are gold.
func counts(tab table, s string) (cs []int, gold []bool) {
	for f := range strings.FieldsSeq(s) {
		n, err := strconv.Atoi(strings.TrimSuffix(f, "*"))
		if err != nil {
			tab.Fatal(err)
		}
		cs, gold = append(cs, n), append(gold, strings.HasSuffix(f, "*"))
	}
	return cs, gold
}

func caseOf(tab table, id, s string) *consistency.Case {
	cs, gold := counts(tab, s)
	c := &consistency.Case{ID: id}
	variant := 0
	for a, n := range cs {
		form := answer.Value(fmt.Sprint("answer ", a))
		if gold[a] {
			c.Gold = append(c.Gold, form)
		}
		for range n {
			if err := c.Add(variant, consistency.Answer{Form: form}); err != nil {
				tab.Fatal(err)
			}
			variant++
		}
	}
	return c
}

func analyze(tab table, cases ...*consistency.Case) consistency.Result {
	opt := consistency.DefaultOptions()
	opt.PerQuestion = true
	r, err := consistency.Analyze(cases, opt)
	if err != nil {
		tab.Fatal(err)
	}
	return r
}

func oneCase(tab table) {
	for i := range tab.rows {
		cs, gold := counts(tab, tab.cell(i, "counts"))
		q := analyze(tab, caseOf(tab, "q", tab.cell(i, "counts"))).PerQuestion[0]
		with, _ := consistency.SC(cs, true)
		five, _ := consistency.AmbiguityAt(cs, 5)
		e, pair, plugIn, _ := consistency.Decompose(cs, gold)
		tab.is(i, "plug-in", fmt.Sprintf("%.2f + %.2f", plugIn.BiasSquared, plugIn.Variance))
		h, _ := consistency.Entropy(cs)
		tab.is(i, "category", q.Category)
		for column, x := range map[string]float64{
			"PC": q.PC, "SC": q.SC, "SC with": with, "at 5": five, "error": e,
			"bias²": pair.BiasSquared, "variance": pair.Variance, "entropy": h,
		} {
			tab.is(i, column, tab.like(i, column, x))
		}
	}
}

func allCases(tab, of table) {
	of.T = tab.T
	var cases []*consistency.Case
	for i := range of.rows {
		cases = append(cases, caseOf(tab, fmt.Sprint(i), of.cell(i, "counts")))
	}
	figures(tab, analyze(tab, cases...), "consistency.")
}

// swept compares the sweep over the cases of an example, point by point.
func swept(tab, of table) {
	of.T = tab.T
	var cases []*consistency.Case
	for i := range of.rows {
		cases = append(cases, caseOf(tab, fmt.Sprint(i), of.cell(i, "counts")))
	}
	opt := consistency.DefaultOptions()
	opt.Taus = true
	r, err := consistency.Analyze(cases, opt)
	if err != nil || len(r.Taus) != len(tab.rows) {
		tab.Fatalf("%d points, %d rows (%v)", len(r.Taus), len(tab.rows), err)
	}
	for i, p := range r.Taus {
		tab.is(i, "τ", strconv.FormatFloat(p.Tau, 'f', -1, 64))
		for column, x := range map[string]*stat.Estimate{"prompt-agnostic factual": p.Factual, "prompt-agnostic error": p.Error, "randomness": p.Randomness} {
			tab.is(i, column, tab.like(i, column, x.Value))
		}
	}
}

// kinds compares the families of one question.
func kinds(tab table) {
	var all []consistency.Family
	for i := range tab.rows {
		c := &consistency.Case{ID: "q"}
		for v, form := range strings.Fields(tab.cell(i, "answers")) {
			if err := c.Add(v, consistency.Answer{Form: answer.Value(form)}); err != nil {
				tab.Fatal(err)
			}
		}
		all = append(all, consistency.Family{Name: tab.cell(i, "kind"), Cases: []*consistency.Case{c}})
	}
	f := consistency.CompareFamilies(all, consistency.DefaultOptions())
	if f.CommonR != 3 {
		tab.Fatalf("common r is %d", f.CommonR)
	}
	for i, r := range f.Ranking {
		tab.is(i, "kind", r.Family)
		for column, x := range map[string]float64{"disagreement": r.Disagreement.Value, "changed": r.Changed.Value, "at 3": r.AmbiguityAtR.Value} {
			tab.is(i, column, tab.like(i, column, x))
		}
	}
}

func passes(tab table) {
	for i := range tab.rows {
		n, c := int(floats(tab, tab.cell(i, "n"))[0]), int(floats(tab, tab.cell(i, "c"))[0])
		for _, k := range []int{1, 2, 5} {
			x, _ := consistency.PassAt(n, c, k)
			column := fmt.Sprintf("pass@%d", k)
			tab.is(i, column, tab.like(i, column, x))
		}
	}
}

// shifts compares two runs of one case.
func shifts(tab table) {
	of := func(s string) []consistency.Standing {
		c := caseOf(tab, "q", s)
		if len(c.Gold) == 0 {
			c.Gold = []answer.Form{answer.Value("the gold that nothing gave")}
		}
		return consistency.StandingsOf(analyze(tab, c))
	}
	for i := range tab.rows {
		s := consistency.Compare(of(tab.cell(i, "base")), of(tab.cell(i, "other")), .95).Decomposition
		for column, x := range map[string]*stat.Estimate{
			"Δ bias²": s.BiasSquared.Difference, "Δ variance": s.Variance.Difference, "Δ error": s.OtherBeatsBase.Difference, "as published": s.AsPublished.Difference,
		} {
			tab.is(i, column, tab.like(i, column, x.Value))
		}
	}
}

func medians(tab table) {
	for i := range tab.rows {
		e := stat.Median(floats(tab, tab.cell(i, "values")), .95)
		tab.is(i, "median", tab.like(i, "median", e.Value))
		tab.is(i, "interval", interval(e.Lo, e.Hi))
	}
}

func levels(tab table) {
	for i := range tab.rows {
		var cases []*consistency.Case
		for j, s := range strings.Split(tab.cell(i, "counts of each case"), ";") {
			cases = append(cases, caseOf(tab, fmt.Sprint(j), s))
		}
		r := analyze(tab, cases...)
		tab.is(i, "SS", tab.like(i, "SS", r.SemanticStability.Value))
		tab.is(i, "level", r.RobustnessLevel)
	}
}

func choices(tab table) {
	for i := range tab.rows {
		var scores []model.OptionScore
		var texts []string
		for j, option := range strings.Split(tab.cell(i, "log-probabilities of the options' tokens"), ";") {
			scores = append(scores, model.OptionScore{LogProbs: floats(tab, option)})
			texts = append(texts, fmt.Sprint("option ", j))
		}
		for column, by := range map[string]prompt.Scoring{"by perplexity": prompt.Perplexity, "by sum": prompt.Sum} {
			c, err := prompt.Choose(scores, by, texts, seed.Stream(1, "docs"))
			if err != nil {
				tab.Fatal(err)
			}
			won := fmt.Sprint(c.Position + 1)
			if c.Tied > 1 {
				won = fmt.Sprint("tie of ", c.Tied)
			}
			tab.is(i, column, won)
			var shown []string
			for _, p := range c.Perplexities {
				shown = append(shown, fmt.Sprintf("%.4f", p))
			}
			tab.is(i, "perplexities", strings.Join(shown, "; "))
		}
	}
}

func jointly(tab, of table) {
	of.T = tab.T
	var cases []crosstab.Case
	for i := range of.rows {
		c := crosstab.Case{ID: of.cell(i, "case"), RubricScored: true, Variants: 10, Hallucinated: of.cell(i, "H") == "1", Stable: of.cell(i, "SC >= τ") == "yes",
			HasGold: of.cell(i, "mode right") != "", Right: of.cell(i, "mode right") == "yes"}
		for a, column := range []string{"T fails", "D fails", "R fails"} {
			c.Failed[a] = of.cell(i, column) == "x"
		}
		if c.HasGold {
			c.Variance = floats(tab, of.cell(i, "variance"))[0]
		}
		cases = append(cases, c)
	}
	figures(tab, crosstab.Analyze(cases, .95), "joint.")
}

func compare(tab table) {
	for i := range tab.rows {
		var base, other []rate.Row
		for kind, column := range []string{"both", "only base", "only other", "neither"} {
			n, err := strconv.Atoi(tab.cell(i, column))
			if err != nil {
				tab.Fatal(err)
			}
			for range n {
				add := func(rows []rate.Row, fails bool) []rate.Row {
					truth := grade.Pass
					if fails {
						truth = grade.Fail
					}
					pass := grade.Judgment{Verdict: grade.Pass}
					return append(rows, rate.Row{CaseID: fmt.Sprint(len(rows)), Weights: suite.DefaultWeights,
						Grade: &grade.Grade{Truth: grade.Judgment{Verdict: truth}, Decidability: pass, Reciprocity: pass}})
				}
				base, other = add(base, kind == 0 || kind == 1), add(other, kind == 0 || kind == 2)
			}
		}
		r := rate.Compare(base, other, rate.Options{})
		value, bounds := "", ""
		if h := r.Reduction.Hallucination; h != nil {
			value, bounds = fmt.Sprintf("%.4f", h.Value), interval(h.Lo, h.Hi)
		}
		tab.is(i, "`reduction.hallucination.estimate`", value)
		tab.is(i, "interval", bounds)
		tab.is(i, "`mcnemar_p`", fmt.Sprintf("%.6f", r.McNemarP))
	}
}

func floats(tab table, s string) (xs []float64) {
	for f := range strings.FieldsSeq(s) {
		x, err := strconv.ParseFloat(f, 64)
		if err != nil {
			tab.Fatal(err)
		}
		xs = append(xs, x)
	}
	return xs
}

func holm(tab table) {
	for i := range tab.rows {
		var adjusted []string
		for _, p := range stat.Holm(floats(tab, tab.cell(i, "p of each class"))) {
			adjusted = append(adjusted, strconv.FormatFloat(p, 'g', 6, 64))
		}
		tab.is(i, "adjusted", strings.Join(adjusted, " "))
	}
}

func signFlips(tab table) {
	for i := range tab.rows {
		var d []int64
		for _, x := range floats(tab, tab.cell(i, "differences")) {
			d = append(d, int64(x))
		}
		p, mid, _ := stat.SignFlip(d)
		tab.is(i, "p", strconv.FormatFloat(p, 'g', 6, 64))
		tab.is(i, "mid-p", strconv.FormatFloat(mid, 'g', 6, 64))
	}
}

func controlShares(tab table) {
	for i := range tab.rows {
		var k, n int
		if _, err := fmt.Sscanf(tab.cell(i, "baseline"), "%d of %d", &k, &n); err != nil {
			tab.Fatal(err)
		}
		limits, _ := stat.ControlShare(k, n, n, stat.ControlAlpha)
		tab.is(i, "lo", fmt.Sprintf("%.4f", limits.Lo))
		tab.is(i, "hi", fmt.Sprintf("%.4f", limits.Hi))
	}
}

func controlMeans(tab table) {
	for i := range tab.rows {
		var values []float64
		for _, column := range []string{"cases of", "and of"} {
			var n int
			var x float64
			if _, err := fmt.Sscanf(tab.cell(i, column), "%d of %g", &n, &x); err != nil {
				tab.Fatal(err)
			}
			values = append(values, slices.Repeat([]float64{x}, n)...)
		}
		limits, _ := stat.ControlMeanByCluster(values, nil, stat.ControlAlpha)
		tab.is(i, "centre", fmt.Sprintf("%.4f", limits.Centre))
		tab.is(i, "lo", fmt.Sprintf("%.4f", limits.Lo))
		tab.is(i, "hi", fmt.Sprintf("%.4f", limits.Hi))
	}
}

func wilson(tab table) {
	for i := range tab.rows {
		var k, n int
		if _, err := fmt.Sscanf(tab.cell(i, "k of n"), "%d of %d", &k, &n); err != nil {
			tab.Fatal(err)
		}
		w, c := stat.Wilson(k, n, .95), clopperPearson(k, n, .95)
		tab.is(i, "Wilson", fmt.Sprintf("[%.6f, %.6f]", w.Lo, w.Hi))
		tab.is(i, "Clopper and Pearson", fmt.Sprintf("[%.6f, %.6f]", c.Lo, c.Hi))
	}
}

// clopperPearson is what the mean's interval is on values of 0 and 1.
func clopperPearson(k, n int, level float64) stat.Estimate {
	return stat.Mean(slices.Concat(slices.Repeat([]float64{1}, k), make([]float64, n-k)), level)
}

func means(tab table) {
	for i := range tab.rows {
		e := stat.Mean(floats(tab, tab.cell(i, "values")), .95)
		tab.is(i, "mean", fmt.Sprintf("%.4f", e.Value))
		tab.is(i, "interval", interval(e.Lo, e.Hi))
	}
}

func alphas(tab table) {
	for i := range tab.rows {
		var rows strings.Builder
		for rater, labels := range strings.Fields(tab.cell(i, "raters, a label a unit")) {
			for unit, label := range labels {
				if label != '.' {
					fmt.Fprintf(&rows, "{\"unit\": \"%d\", \"rater\": \"%d\", \"label\": \"%c\"}\n", unit, rater, label)
				}
			}
		}
		var a agreement.Table
		if err := a.Read("methods.md", strings.NewReader(rows.String())); err != nil {
			tab.Fatal(err)
		}
		tab.is(i, "alpha", fmt.Sprintf("%.3f", *a.Analyze(1, .95).Alpha))
	}
}

func plans(tab table) {
	for i := range tab.rows {
		base, detect := floats(tab, tab.cell(i, "base"))[0], floats(tab, tab.cell(i, "detect"))[0]
		p, err := stat.SizeUnpaired(base, detect, .95, .8)
		if rho := tab.cell(i, "ρ"); rho != "" {
			p, err = stat.SizePaired(base, detect, floats(tab, rho)[0], .95, .8)
		}
		if err != nil {
			tab.Fatal(err)
		}
		tab.is(i, "cases", fmt.Sprint(p.N))
		tab.is(i, "power", fmt.Sprintf("%.4f", p.Power))
	}
}

// sharesCovered sums the binomial law over the counts whose interval holds the share. The mean is over 1000 shares; the
// least coverage lies right outside a bound, as it falls only there.
func sharesCovered(tab table) {
	methods := map[string]func(int, int, float64) stat.Estimate{"Wilson": stat.Wilson, "Clopper and Pearson": clopperPearson}
	for i := range tab.rows {
		n, err := strconv.Atoi(tab.cell(i, "n"))
		if err != nil {
			tab.Fatal(err)
		}
		of := methods[tab.cell(i, "interval")]
		if of == nil {
			tab.Fatalf("no interval is called %q", tab.cell(i, "interval"))
		}
		es, covered := exactly(of, n)
		for _, column := range tab.head[2 : len(tab.head)-2] {
			tab.is(i, column, fmt.Sprintf("%.3f", covered(floats(tab, column)[0])))
		}
		var mean float64
		const shares = 1000
		for s := range shares {
			mean += covered((float64(s) + .5) / shares)
		}
		tab.is(i, "least", fmt.Sprintf("%.3f", leastCovering(es, covered, func(float64) bool { return true })))
		tab.is(i, "mean", fmt.Sprintf("%.3f", mean/shares))
	}
}

// exactly returns the intervals of k = 0 to n, and the chance that they hold a share p of which k is drawn.
func exactly(of func(int, int, float64) stat.Estimate, n int) (es []stat.Estimate, covered func(p float64) float64) {
	es = make([]stat.Estimate, n+1)
	ways := make([]float64, n+1)
	lgamma := func(x int) float64 { v, _ := math.Lgamma(float64(x)); return v }
	for k := range es {
		es[k] = of(k, n, .95)
		ways[k] = lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1)
	}
	return es, func(p float64) (c float64) {
		for k, e := range es {
			if e.Lo <= p && p <= e.Hi {
				c += math.Exp(ways[k] + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
			}
		}
		return c
	}
}

// leastCovering is the least that intervals cover of some shares, next to their bounds.
func leastCovering(es []stat.Estimate, covered func(p float64) float64, some func(p float64) bool) float64 {
	least := 1.
	for _, e := range es {
		for _, p := range []float64{math.Nextafter(e.Lo, 0), math.Nextafter(e.Hi, 1)} {
			if p > 0 && p < 1 && some(p) {
				least = min(least, covered(p))
			}
		}
	}
	return least
}

// rareShares finds where Wilson's interval covers less than .93 of shares of a few in n: the rate times n from and to
// which it does, and the least there. Above 1.1 in n it covers what the last column has, and what is missed there and
// below is less than the interval, but for .025 at most.
func rareShares(tab table) {
	for i := range tab.rows {
		n, err := strconv.Atoi(tab.cell(i, "n"))
		if err != nil {
			tab.Fatal(err)
		}
		es, covered := exactly(stat.Wilson, n)
		var spans [][3]float64 // from, to, least
		const step = 1e-4
		few := true
		for x := step; x < 1.1; x += step {
			c := covered(x / float64(n))
			if c < leastCovered && few {
				spans = append(spans, [3]float64{x, x, c})
			}
			if few = c >= leastCovered; !few {
				last := &spans[len(spans)-1]
				last[1], last[2] = x, min(last[2], c)
			}
		}
		for j, column := range tab.head[1:4] {
			if j >= len(spans) {
				tab.Fatalf("%d spans at n = %d", len(spans), n)
			}
			tab.is(i, column, fmt.Sprintf("%.2f to %.2f: %.3f", spans[j][0], spans[j][1], spans[j][2]))
		}
		tab.is(i, "else", fmt.Sprintf("%.3f", leastCovering(es, covered, func(p float64) bool {
			return p > 1.1/float64(n) && p < 1-1.1/float64(n)
		})))
		for x := .01; x < 1.1; x += .01 { // no upper bound misses more than it may
			p, above := x/float64(n), 0.
			for k, e := range es {
				if p > e.Hi {
					above += distuv.Binomial{N: float64(n), P: p}.Prob(float64(k))
				}
			}
			if above > .025 {
				tab.Errorf("n %d, %.2f in n: %.3f of upper bounds miss it", n, x, above)
			}
		}
	}
}

// meansCovered holds the table against that in the comment of stat.Mean, which TestMeanCoverage makes.
func meansCovered(tab table) { inComment(tab, "../internal/stat/mean.go") }

// pairedCovered compares the page with the comment of stat.Paired, whose test prints these rows with HALLMARK_LONG=1.
func pairedCovered(tab table) { inComment(tab, "../internal/stat/paired.go") }

// inComment compares the rows of a table with those in the comments of a file.
func inComment(tab table, file string) {
	b, err := os.ReadFile(file)
	if err != nil {
		tab.Fatal(err)
	}
	comment := strings.Join(strings.Fields(strings.ReplaceAll(string(b), "//", "")), " ")
	for i, row := range tab.rows {
		if line := strings.Join(row, " "); !strings.Contains(comment, line) {
			tab.Errorf("methods.md:%d: the comments of %s have no row %q", tab.line+i, file, line)
		}
	}
}

// rowsOfCounts reads "700 28 1; 150 3 20": counts, row by row.
func rowsOfCounts(tab table, s string) (rows [][]int) {
	for _, part := range strings.Split(s, ";") {
		var row []int
		for _, x := range floats(tab, part) {
			row = append(row, int(x))
		}
		rows = append(rows, row)
	}
	return rows
}

func doubleSampling(tab table) {
	for i := range tab.rows {
		var strata []correct.Counts
		for _, row := range rowsOfCounts(tab, tab.cell(i, "strata")) {
			strata = append(strata, correct.Counts{N: row[0], Labels: row[1:]})
		}
		s := correct.Counted(strata)
		if lack := s.Lack(); lack.All > 0 {
			tab.Errorf("methods.md:%d: %d labels are wanting", tab.line+i, lack.All)
		}
		e := s.Rates(.95, 1)
		for j, column := range []string{"correct", "incorrect", "not attempted"} {
			tab.is(i, column, fmt.Sprintf("%.4f", e[j].Value))
		}
		tab.is(i, "interval", interval(e[1].Lo, e[1].Hi))
		tab.is(i, "next 10 labels", strings.Trim(fmt.Sprint(s.Next(1, 10)), "[]"))
		more, ok := s.Enough(1, .1, .95)
		tab.is(i, "more for ± 5 points", map[bool]string{true: fmt.Sprint(more), false: "all would not do"}[ok])
	}
}

func inversions(tab table) {
	for i := range tab.rows {
		var strata []correct.Counts
		for _, n := range rowsOfCounts(tab, tab.cell(i, "read as correct, incorrect, not attempted, ungradable"))[0] {
			strata = append(strata, correct.Counts{N: n})
		}
		var check correct.Check
		for _, row := range strings.Split(tab.cell(i, "the check"), ";") {
			check = append(check, floats(tab, row))
		}
		v := correct.Invert(correct.Counted(strata), []correct.Check{check}, .95, 1)
		tab.is(i, "incorrect", fmt.Sprintf("%.4f", v.Rates[1].Value))
		tab.is(i, "interval", interval(v.Rates[1].Lo, v.Rates[1].Hi))
		tab.is(i, "fit", fmt.Sprintf("%.3f", v.FitP))
	}
}

func pairedLabels(tab table) {
	for i := range tab.rows {
		var pairs []correct.Pair
		for _, row := range rowsOfCounts(tab, tab.cell(i, "cells: cases, how they were read, and labels, of -1, 0, 1")) {
			pairs = append(pairs, correct.Pair{N: row[0], Read: [3]int(row[1:]), Labels: [3]int(row[4:])})
		}
		e := correct.Paired(pairs, .95, 1)
		tab.is(i, "difference", fmt.Sprintf("%.4f", e.Value))
		tab.is(i, "interval", interval(e.Lo, e.Hi))
	}
}

// correctedCovered compares the page with the comment of the package, whose tests print these rows with
// HALLMARK_LONG=1.
func correctedCovered(tab table) { inComment(tab, "../internal/stat/correct/sample.go") }

// relatives simulates the coverage of stat.Reduction, stat.Paired and stat.Ratio, from 20,000 draws with
// HALLMARK_LONG=1, as the page gives it; without it from fewer, which catch gross errors.
func relatives(tab table) {
	draws, long := 300, archtest.Long()
	if long {
		draws = 20_000
	}
	for i := range tab.rows {
		figure, design := tab.cell(i, "figure"), tab.cell(i, "design")
		n, err := strconv.Atoi(tab.cell(i, "n"))
		if err != nil {
			tab.Fatal(err)
		}
		r := seed.Stream(1, "docs", figure, design, fmt.Sprint(n))
		held, had, cache := 0, 0, map[string]stat.Estimate{}
		for range draws {
			var truth float64
			var key string
			var estimate func() stat.Estimate
			if figure == "ratio" {
				truth, key, estimate = ratio(r, n)
			} else {
				truth, key, estimate = paired(r, n, floats(tab, strings.ReplaceAll(design, ",", " ")), figure == "reduction")
			}
			e, ok := cache[key]
			if !ok {
				e = estimate()
				cache[key] = e
			}
			if !e.OK() { // a reduction of nothing
				continue
			}
			had++
			if e.Lo <= truth && truth <= e.Hi {
				held++
			}
		}
		share := float64(held) / float64(had)
		if long {
			tab.is(i, "covered", fmt.Sprintf("%.3f", share))
		}
		if floor := .95 - 3*math.Sqrt(.95*.05/float64(had)); share < floor {
			tab.Errorf("methods.md:%d: covered %.4f, want at least %.4f", tab.line+i, share, floor)
		}
	}
}

// paired draws n paired cases that fail in both, in base only and in other only with the given chances, for a
// difference or a reduction.
func paired(r *rand.Rand, n int, chance []float64, reduction bool) (truth float64, key string, estimate func() stat.Estimate) {
	base, other := make([]float64, n), make([]float64, n)
	var drawn [4]int
	for range n {
		kind, u := 0, r.Float64()
		for kind < 3 && u >= chance[kind] {
			u -= chance[kind]
			kind++
		}
		drawn[kind]++
	}
	i := 0
	for kind, count := range drawn {
		for range count {
			if kind == 0 || kind == 1 {
				base[i] = 1
			}
			if kind == 0 || kind == 2 {
				other[i] = 1
			}
			i++
		}
	}
	if reduction {
		return 1 - (chance[0]+chance[2])/(chance[0]+chance[1]), fmt.Sprint(drawn), func() stat.Estimate { return stat.Reduction(base, other, nil, .95) }
	}
	return chance[2] - chance[1], fmt.Sprint(drawn), func() stat.Estimate { return stat.Paired(base, other, nil, .95).Estimate }
}

// ratio draws n cases of 2, 5 or 11 variants alike, that fail in none, a tenth or all of their variants; the large ones
// fail less.
func ratio(r *rand.Rand, n int) (truth float64, key string, estimate func() stat.Estimate) {
	sizes, fails := []int{2, 5, 11}, []float64{0, .1, 1}
	chance := [3][3]float64{{.5, .2, .3}, {.7, .2, .1}, {.9, .08, .02}}
	k, m, failed := make([]float64, n), make([]float64, n), 0.
	for s, size := range sizes {
		for f, share := range fails {
			failed += chance[s][f] * share * float64(size)
		}
	}
	type outcome struct{ k, m int }
	drawn := map[outcome]int{}
	for i := range n {
		s, f, u := r.IntN(3), 0, r.Float64()
		for f < 2 && u >= chance[s][f] {
			u -= chance[s][f]
			f++
		}
		o := outcome{0, sizes[s]}
		for range o.m {
			if r.Float64() < fails[f] {
				o.k++
			}
		}
		drawn[o]++
		k[i], m[i] = float64(o.k), float64(o.m)
	}
	return failed / 18, fmt.Sprint(drawn), func() stat.Estimate { return stat.Ratio(k, m, .95) }
}

var pathInPage = regexp.MustCompile("`((?:rubric|consistency|consistency_sampled|repeat_agreement|joint)\\.[a-z0-9_.]+)`")

// TestPaths holds every path that the page names against the shape of a model's result, as a gate would.
func TestPaths(t *testing.T) {
	docs := &consistency.Case{ID: "q", Gold: []answer.Form{answer.Value("paris")}}
	for v := range 3 {
		if err := docs.Add(v, consistency.Answer{Form: answer.Value("paris"), Retrieved: []string{"d1"}}); err != nil {
			t.Fatal(err)
		}
	}
	myth := &consistency.Case{ID: "r", Gold: []answer.Form{answer.Value("rome")}}
	for v := range 3 {
		if err := myth.Add(v, consistency.Answer{Form: answer.Declined}); err != nil {
			t.Fatal(err)
		}
	}
	c := analyze(table{T: t}, docs, myth)
	over := []rate.Row{{CaseID: "q", Grade: &grade.Grade{}}}
	ru := rate.Analyze(over, rate.Options{Variants: over})
	j := crosstab.Analyze(nil, .95)
	shape := assay.SuiteResult{Rubric: &ru, Consistency: &c, ConsistencySampled: &assay.Sampled{Result: &c, UnseenByGreedy: &assay.Unseen{}}, RepeatAgreement: &assay.RepeatAgreement{}, CrossTab: &j}
	named := 0
	for i, line := range strings.Split(read(t), "\n") {
		for _, m := range pathInPage.FindAllStringSubmatch(line, -1) {
			path := m[1]
			named++
			switch path {
			case "rubric.by_class", "consistency.robustness_level", "consistency.sweep": // an object, a word and a list, no numbers
				continue
			}
			g, err := gate.Parse(path + " > 0")
			if err == nil {
				err = g.Check(shape)
			}
			if err != nil {
				t.Errorf("methods.md:%d: %v", i+1, err)
			}
		}
	}
	if named < 60 {
		t.Errorf("found only %d paths", named)
	}
}
