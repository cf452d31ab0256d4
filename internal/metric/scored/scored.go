// Package scored sets the scores that another tool gave imported answers beside the outcomes of this one: their means,
// how far the two agree, and where they differ. It is a method of internal/metric/method that imports take by
// themselves.
package scored

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"

	"hallmark/internal/grade"
	"hallmark/internal/metric/method"
	"hallmark/internal/run"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite/imported"
)

// Name is that of the method.
const Name = "scores"

// A Method measures the scores that came along with answers.
type Method struct{}

// Name implements method.Method.
func (Method) Name() string { return Name }

// Title implements method.Method.
func (Method) Title() string { return "Scores that came along" }

// Lede implements method.Method.
func (Method) Lede() string {
	return "What the tool that logged the answers made of them, with intervals, and where this reading differs."
}

// Figures implements method.Method.
func (Method) Figures() []figure.Entry {
	return figure.Read(`
		by_name/*/mean | mean ink | mean of * | over questions, of the mean of a question's samples of ` +
		`the default prompt
		by_name/*/over_variants | mean ink | mean of * over all prompts
		by_name/*/agreement | share ok | agrees with * | of the answers that this reading ` +
		`found right or not, and that have a score of 0 or 1
		by_name/*/agreement/right_here_only | count | 0 by *, right here
		by_name/*/agreement/right_there_only | count | 1 by *, not right here
	`)
}

// Next implements method.Method: nothing is asked.
func (Method) Next(*method.Table) iter.Seq[run.Call] { return func(func(run.Call) bool) {} }

// Most implements method.Method.
func (Method) Most() int { return 0 }

// A Result is what scores say, by their names.
type Result struct {
	ByName   map[string]*Score `json:"by_name"`
	Warnings []string          `json:"warnings"`
}

// A Score is what one score says of a model on a suite.
type Score struct {
	N int `json:"n"` // answers that have it
	// Cases are the questions that have it of an answer to the default prompt.
	Cases int `json:"cases"`
	// Average is the mean over these questions of the mean over a question's answers to the default prompt, draws
	// among them, in any range; 0 where there is none.
	Average float64 `json:"average"`
	// Mean is the same with its interval at the run's level, by clusters of questions where they have some: there where
	// the score lies in [0, 1], else nil. Source: stat.MeanByCluster.
	Mean *stat.Estimate `json:"mean"`
	// OverVariants is likewise over the answers to all prompts; there where there are several.
	OverVariants *stat.Estimate `json:"over_variants,omitempty"`
	// Agreement is there where the score is always 0 or 1, something is graded here, and the score is not the verdict
	// itself.
	Agreement *Agreement `json:"agreement,omitempty"`
	// Differ are the answers on which the two differ, at most MostListed of them, in the order of the suite.
	Differ []Difference `json:"differ"`

	byCase [2][]method.CaseValue // what Mean and OverVariants are the means of; nil where these are
}

// ByCase implements method.ByCase: the means are over questions.
func (r *Result) ByCase(path ...string) []method.CaseValue {
	if len(path) != 3 || path[0] != "by_name" || r.ByName[path[1]] == nil {
		return nil
	}
	switch s := r.ByName[path[1]]; path[2] {
	case "mean":
		return s.byCase[0]
	case "over_variants":
		return s.byCase[1]
	}
	return nil
}

// An Agreement says how often a score and the outcome here are the same: 1 and correct, or 0 and another.
type Agreement struct {
	// the share of the answers that are compared, in [0, 1], the question as the unit: stat.RatioByCluster
	stat.Estimate
	N int `json:"n"` // answers that are compared
	// answers with a score that could not be graded here
	Ungradable     int `json:"ungradable"`
	RightHereOnly  int `json:"right_here_only"`
	RightThereOnly int `json:"right_there_only"`
}

// MostListed bounds the answers that are listed.
const MostListed = 200

// A Difference is an answer of which a score and the outcome here differ.
type Difference struct {
	CaseID  string  `json:"case_id"`
	Variant int     `json:"variant"`
	Repeat  int     `json:"repeat"`
	Score   float64 `json:"score"`
	Outcome string  `json:"outcome"`
	Answer  string  `json:"answer"`
}

// A tally is what is gathered of one score, by question.
type tally struct {
	*Score
	beside          Agreement
	agreed, of      []float64 // by question: how often the two are the same, and of how many answers
	clusters        []int32   // of these questions
	outside         bool      // a value is neither 0 nor 1
	beyond, several bool      // a value lies outside [0, 1]; there are answers to other prompts
}

// Estimate implements method.Method.
func (Method) Estimate(t *method.Table) (method.Result, error) {
	by := map[string]*tally{}
	for _, name := range t.Scores {
		by[name] = &tally{Score: &Score{Differ: []Difference{}}}
	}
	for c := range t.Cases {
		own := map[string][3][2]float64{} // of the case: of the default prompt, of all, agreement
		for i := range c.Answers {
			if err := take(by, own, &c, &c.Answers[i]); err != nil {
				return nil, err
			}
		}
		for name, sums := range own {
			by[name].close(sums, &c)
		}
	}
	if len(by) == 0 {
		return nil, nil
	}
	out := &Result{ByName: map[string]*Score{}, Warnings: []string{}}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		out.ByName[name] = by[name].estimate(name, t.Level, &out.Warnings)
	}
	return out, nil
}

// take enters the scores of one answer.
func take(by map[string]*tally, own map[string][3][2]float64, c *method.Case, a *method.Answer) error {
	if a.Response == nil || len(a.Response.Raw) == 0 || a.Use != "" && a.Repeat == 0 { // the first draw is the answer
		return nil
	}
	var scores map[string]any
	if err := json.Unmarshal(a.Response.Raw, &scores); err != nil {
		return fmt.Errorf("case %q: scores: %w", c.ID, err)
	}
	verdict := slices.Equal(c.Options, imported.Verdicts)
	for name, value := range scores {
		x, ok := asNumber(value)
		if !ok {
			continue
		}
		if by[name] == nil {
			by[name] = &tally{Score: &Score{Differ: []Difference{}}}
		}
		s, sums := by[name], own[name]
		s.enter(&sums, x, a.Variant)
		if a.Grade != nil && !verdict {
			sums[2] = s.compare(sums[2], x, c, a)
		}
		own[name] = sums
	}
	return nil
}

// enter counts a score of an answer to a variant of the prompt.
func (s *tally) enter(sums *[3][2]float64, x float64, variant int) {
	s.N++
	s.outside = s.outside || x != 0 && x != 1
	s.beyond = s.beyond || x < 0 || x > 1
	s.several = s.several || variant != 0
	if variant == 0 {
		sums[0] = add(sums[0], x)
	}
	sums[1] = add(sums[1], x)
}

func asNumber(value any) (float64, bool) {
	switch x := value.(type) {
	case float64:
		return x, true
	case bool:
		return stat.Bit(x), true
	}
	return 0, false
}

func add(sum [2]float64, x float64) [2]float64 { return [2]float64{sum[0] + x, sum[1] + 1} }

// compare sets a score beside the outcome.
func (s *tally) compare(sum [2]float64, x float64, c *method.Case, a *method.Answer) [2]float64 {
	switch outcome := a.Grade.Outcome(); {
	case outcome == grade.NoOutcome:
	case outcome == grade.CannotGrade:
		s.beside.Ungradable++
	case (outcome == grade.Correct) == (x == 1):
		s.beside.N++
		return add(sum, 1)
	default:
		s.beside.N++
		if outcome == grade.Correct {
			s.beside.RightHereOnly++
		} else {
			s.beside.RightThereOnly++
		}
		if len(s.Differ) < MostListed {
			s.Differ = append(s.Differ, Difference{c.ID, a.Variant, a.Repeat, x, string(outcome), a.Text})
		}
		return add(sum, 0)
	}
	return sum
}

// close enters what was gathered of one case.
func (s *tally) close(sums [3][2]float64, c *method.Case) {
	for i := range s.byCase {
		if x := sums[i]; x[1] > 0 {
			s.byCase[i] = append(s.byCase[i], method.CaseValue{ID: c.ID, Cluster: c.Cluster, Value: x[0] / x[1]})
		}
	}
	if x := sums[2]; x[1] > 0 {
		s.agreed, s.of, s.clusters = append(s.agreed, x[0]), append(s.of, x[1]), append(s.clusters, c.Cluster)
	}
}

// estimate makes figures of what was gathered.
func (s *tally) estimate(name string, level float64, warnings *[]string) *Score {
	firsts, clusters := method.Split(s.byCase[0])
	s.Cases = len(firsts)
	for _, x := range firsts {
		s.Average += x / float64(len(firsts))
	}
	if s.beyond {
		*warnings = append(*warnings, fmt.Sprintf("%s is not always in [0, 1]: its average has no interval", name))
		s.byCase = [2][]method.CaseValue{}
	} else {
		share := stat.MeanByCluster
		if !s.outside && !slices.ContainsFunc(firsts, func(x float64) bool { return x != 0 && x != 1 }) {
			share = stat.ShareByCluster
		}
		if len(firsts) > 0 {
			s.Mean = share(firsts, clusters, level).Known()
			s.Average = s.Mean.Value
		}
		if s.several {
			all, clusters := method.Split(s.byCase[1])
			s.OverVariants = stat.MeanByCluster(all, clusters, level).Known()
		} else {
			s.byCase[1] = nil
		}
	}
	if s.outside {
		s.Differ = []Difference{}
	} else if len(s.of) > 0 {
		s.beside.Estimate = stat.RatioByCluster(s.agreed, s.of, s.clusters, level)
		s.Agreement = &s.beside
	}
	return s.Score
}
