package method_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"hallmark/internal/metric/method"
	"hallmark/internal/run"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
)

// hedging measures the share of answers that hedge. It asks the model nothing more.
type hedging struct{}

func (hedging) Name() string                          { return "hedging" }
func (hedging) Title() string                         { return "Hedging" }
func (hedging) Lede() string                          { return "Of the answers to the default prompts." }
func (hedging) Figures() []figure.Entry               { return figure.Read("hedged | share | answers that hedge") }
func (hedging) Next(*method.Table) iter.Seq[run.Call] { return func(func(run.Call) bool) {} }
func (hedging) Most() int                             { return 0 }
func (hedging) Estimate(t *method.Table) (method.Result, error) {
	r := &hedged{}
	for c := range t.Cases {
		value := 0.
		if strings.Contains(c.Answers[0].Text, "perhaps") {
			value = 1
		}
		r.cases = append(r.cases, method.CaseValue{ID: c.ID, Cluster: c.Cluster, Value: value})
	}
	values, clusters := method.Split(r.cases)
	r.Hedged = stat.ShareByCluster(values, clusters, t.Level)
	return r, nil
}

// hedged is what it returns: JSON, and the values of single cases, by which two runs are compared in pairs.
type hedged struct {
	Hedged stat.Estimate `json:"hedged"`
	cases  []method.CaseValue
}

func (r *hedged) ByCase(...string) []method.CaseValue { return r.cases }

// A method, and what it says of two runs of one suite.
func ExampleCompare() {
	estimate := func(answers ...string) method.Result {
		var cases []method.Case
		for i, text := range answers {
			cases = append(cases, method.Case{Case: &suite.Case{ID: fmt.Sprint("q", i+1)},
				Answers: []method.Answer{{Text: text}}})
		}
		r, err := hedging{}.Estimate(&method.Table{Level: .95, Cases: slices.Values(cases)})
		if err != nil {
			panic(err)
		}
		return r
	}
	base, other := estimate("perhaps Paris", "perhaps Rome", "Bern"), estimate("Paris", "perhaps Rome", "Bern")
	c := method.Compare(hedging{}, base, other, nil, .95)["hedged"].(*method.Change)
	fmt.Printf("%.2f and %.2f: difference %.2f over %d cases\n", c.Base.Value, c.Other.Value, c.Difference.Value, c.N)
	// Output: 0.67 and 0.33: difference -0.33 over 3 cases
}
