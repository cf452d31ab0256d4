package assay

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"hallmark/internal/metric/detect"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/language"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

// PosteriorOptions are the parameters of the posterior hallucination rate.
type PosteriorOptions struct {
	Eps    float64 `json:"eps"`
	Extend int     `json:"extend"` // pairs made up for each extension
	M      int     `json:"m"`      // extensions
	TopP   float64 `json:"top_p"`  // of the pairs that are made up

	// AlsoEps are other eps that the same answers are read at.
	AlsoEps []float64 `json:"also_eps,omitempty"`
	// Estimator is empty for sums, else posterior.Published with its K answers drawn of at most AnswerTokens; Total
	// compares them by their whole log-probability.
	Estimator    string `json:"estimator,omitempty"`
	K            int    `json:"k,omitempty"`
	AnswerTokens int    `json:"answer_tokens,omitempty"`
	Total        bool   `json:"total,omitempty"`

	// At are shorter extensions after which the labels are asked too, for the table of what the length changes; of
	// sums.
	At []int `json:"at,omitempty"`
	// Abstain is the rate from which a query is better not answered; 0: posterior.DefaultAbstain.
	Abstain float64 `json:"abstain,omitempty"`
}

// Resolved returns the options with what the sums have no use for taken out, so that one plan has one id.
func (o PosteriorOptions) Resolved() PosteriorOptions {
	if o.Estimator == posterior.Sum {
		o.Estimator = ""
	}
	if o.Estimator == "" {
		o.K, o.AnswerTokens, o.Total = 0, 0, false
	}
	return o
}

// Check reports the first option that is outside its range, by its flag.
func (o *PosteriorOptions) Check() error {
	p := Defaults()
	p.Posterior = o
	return p.Fault()
}

func isEps(e float64) bool { return e > 0 && e < 1 }

// othersAmiss is what is wrong with the eps beside the first.
func (o *PosteriorOptions) othersAmiss() string {
	amiss := slices.ContainsFunc(o.AlsoEps, func(e float64) bool { return !isEps(e) || e == o.Eps })
	return wanted(len(o.AlsoEps) <= maxEps && !amiss,
		fmt.Sprintf("want at most %d probabilities between 0 and 1 beside --eps %v", maxEps, o.Eps))
}

// lengthsAmiss is what is wrong with the shorter extensions.
func (o *PosteriorOptions) lengthsAmiss() string {
	if len(o.At) > 0 && o.Estimator == posterior.Published {
		return "it is of sums; leave it out with --estimator " + posterior.Published
	}
	for i, a := range o.At {
		if a < 1 || a >= o.Extend || i > 0 && a <= o.At[i-1] {
			return fmt.Sprintf("want lengths of an extension from 1 to %d, each above the one before; --extend %d is "+
				"asked anyway", o.Extend-1, o.Extend)
		}
	}
	return ""
}

// maxEps bounds the eps that are read beside the first.
const maxEps = 20

// pairTokens bounds a made-up pair.
const pairTokens = 200

// inContext reports whether a case is a problem of learning in context: laid out as inputs and labels, with two
// examples at least, and two labels among them or its options. Questions with answers are such a problem too where
// answers are drawn as texts.
func inContext(c *suite.Case, texts bool) bool {
	if c.Form != suite.InputLabel && !(texts && c.Form == suite.QA) || len(c.Demonstrations) < 2 ||
		len(c.Context) > 0 || c.ShowOptions {
		return false
	}
	return len(c.Options) > 1 || slices.ContainsFunc(c.Demonstrations, func(d suite.Demonstration) bool {
		return d.Label != c.Demonstrations[0].Label
	})
}

// experiment returns the posterior rates that the plan wants of a model on a suite; false where the method was not
// asked for, or the suite has no problem of learning in context. Cases with the same examples are one problem. A
// guarded model is left out: the guard answers questions, and the rate is about a model's own belief.
func (p *Plan) experiment(m UnderTest, s *suite.Suite) (*language.Experiment, bool) {
	if !p.Has(Posterior) || p.Posterior == nil || m.Guard != nil {
		return nil, false
	}
	x := p.Posterior
	o := posterior.Options{Eps: x.Eps, Extend: x.Extend, M: x.M, K: x.K, Estimator: cmp.Or(x.Estimator, posterior.Sum),
		Seed: p.Seed, Level: level, Abstain: x.Abstain}
	b := &language.Experiment{
		Model: m.Identity, Options: o, AlsoEps: x.AlsoEps, TopP: x.TopP, MaxPair: pairTokens,
		MaxLabel: x.AnswerTokens, Total: x.Total, Listing: m.Listing, At: x.At,
	}
	at := map[string]int{}
	for _, c := range p.Covered(s).All() {
		if !inContext(c, x.Estimator == posterior.Published && x.AnswerTokens > 1) {
			continue
		}
		key, err := json.Marshal(c.Demonstrations)
		if err != nil {
			panic("assay: " + err.Error()) // text only
		}
		of := string(c.Form) + string(key)
		k, ok := at[of]
		if !ok {
			k = len(b.Problems)
			at[of] = k
			b.Problems = append(b.Problems, problemOf(c, o))
		}
		q := &b.Problems[k]
		query := language.Query{ID: c.ID, Input: c.Prompt}
		switch {
		case c.Gold.Option != nil:
			query.Gold = c.Options[*c.Gold.Option]
		case len(c.Gold.Texts) > 0:
			query.Gold = c.Gold.Texts[0]
		}
		// a label that the examples lack is an answer all the same
		for _, l := range append(slices.Clone(c.Options), query.Gold) {
			if l != "" && !slices.Contains(q.Labels, l) {
				q.Labels = append(q.Labels, l)
			}
		}
		q.Queries = append(q.Queries, query)
	}
	return b, len(b.Problems) > 0
}

// problemOf is the problem of a case, without its query. The true pairs are those of its pool that are not among
// its examples.
func problemOf(c *suite.Case, o posterior.Options) language.Problem {
	q := language.Problem{Name: c.ID, Form: c.Form}
	for _, d := range c.Demonstrations {
		q.Pairs = append(q.Pairs, language.Pair{Input: d.Input, Label: d.Label})
		if !slices.Contains(q.Labels, d.Label) {
			q.Labels = append(q.Labels, d.Label)
		}
	}
	for _, d := range c.Rows {
		if !slices.Contains(c.Demonstrations, d) && d.Input != c.Prompt {
			q.True = append(q.True, language.Pair{Input: d.Input, Label: d.Label})
		}
	}
	if len(q.True) < o.Extend {
		q.True = nil
	}
	return q
}

// Experiments are those of the posterior rates of every model on every suite that carries the method, each with the
// model.
func (p *Plan) Experiments() iter.Seq2[*UnderTest, *language.Experiment] {
	return func(yield func(*UnderTest, *language.Experiment) bool) {
		for i := range p.Models {
			for _, s := range p.Suites {
				if b, ok := p.experiment(p.Models[i], s); ok && !yield(&p.Models[i], b) {
					return
				}
			}
		}
	}
}

// Show is what was asked and answered of one case in the posterior rate of each model that has it, by the model's name.
func (p *Plan) Show(ctx context.Context, store run.Store, id string) (map[string]*language.Shown, error) {
	all := map[string]*language.Shown{}
	for m, b := range p.Experiments() {
		one, err := b.Show(ctx, store, id)
		if err != nil {
			return nil, err
		}
		if one != nil {
			all[m.Name()] = one
		}
	}
	return all, nil
}

// checkPosterior reports what no rate can be made of. It is an error if the method was asked for alone and no suite
// carries it.
func (p *Plan) checkPosterior() error {
	if !p.Has(Posterior) {
		return nil
	}
	if p.Posterior == nil {
		return fmt.Errorf("the posterior method has no parameters")
	}
	carried := false
	for _, s := range p.Suites {
		b, ok := p.experiment(UnderTest{}, s)
		if !ok {
			continue
		}
		carried = true
		if err := b.Validate(); err != nil {
			return fmt.Errorf("suite %s: posterior: %w", s.Name, err)
		}
	}
	if !carried && len(p.Methods) == 1 {
		return fmt.Errorf("--method posterior: no case of %s is a problem of learning in context; want form: "+
			"input-label and two demonstrations of different labels at least", p.Suites[0].Name)
	}
	return nil
}

// besideDetectors compares the rate with the detectors of the same answers. An answer is wrong by the label of
// detection, or else if the likeliest label is not the gold.
func besideDetectors(r *language.Result, cases []measured) *language.Detectors {
	var scored []language.Scored
	for i := range cases {
		q := cases[i].posterior
		if q == nil {
			continue
		}
		right := q.Right
		s := language.Scored{Query: q}
		if d := cases[i].detected; d != nil {
			s.Scores = d.Scores
			right = cmp.Or(d.Correct, right)
		}
		if right == nil {
			continue
		}
		s.Wrong = !*right
		scored = append(scored, s)
	}
	return language.Compare(scored, detect.Names, r.Eps, level)
}

// posterior evaluates the posterior rate and fills it into the rows.
func (x *sitting) posterior(ctx context.Context) error {
	b, ok := x.plan.experiment(x.model, x.suite)
	if !ok {
		return nil
	}
	r, err := b.Evaluate(ctx, run.Watch(x.store, x.took.note))
	if err != nil {
		return err
	}
	byID := map[string]*posterior.Query{}
	for i := range r.PerQuery {
		q := &r.PerQuery[i]
		if q.PHR != nil {
			byID[q.ID] = q
			continue
		}
		why := "the posterior rate is missing"
		if len(r.Missing) > 0 {
			why += ": " + r.Missing[0].Reason
		}
		x.lacks(Unscored{CaseID: q.ID, Axis: Posterior, Reason: why})
	}
	for i := range x.cases.Len() {
		x.on(i).posterior = byID[x.cases.ID(i)]
	}
	r.Detectors = besideDetectors(r, x.measured)
	x.out.Posterior = r
	return nil
}
