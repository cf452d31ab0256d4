package docs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/base/seed"
	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/crosstab"
	"hallmark/internal/metric/rate"
	"hallmark/internal/model"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
)

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
	words := map[grade.Verdict]string{grade.Pass: "1", grade.Fail: "0", grade.Ungradable: "ungradable",
		grade.Unscored: "unscored", grade.NotApplicable: "n/a"}
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
		for column, x := range map[string]*stat.Estimate{"prompt-agnostic factual": p.Factual,
			"prompt-agnostic error": p.Error, "randomness": p.Randomness} {
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
		for column, x := range map[string]float64{"disagreement": r.Disagreement.Value, "changed": r.Changed.Value,
			"at 3": r.AmbiguityAtR.Value} {
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
			"Δ bias²": s.BiasSquared.Difference, "Δ variance": s.Variance.Difference, "Δ error": s.OtherBeatsBase.Difference,
			"as published": s.AsPublished.Difference,
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
		c := crosstab.Case{ID: of.cell(i, "case"), RubricScored: true, Variants: 10, Hallucinated: of.cell(i, "H") == "1",
			Stable:  of.cell(i, "SC >= τ") == "yes",
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
