package language

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/metric/posterior"
	"hallmark/internal/run"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// A Result is the posterior hallucination rate of a language model with what it rests on.
type Result struct {
	posterior.Result

	// Missing lists why queries or extensions are missing, each reason once with its count.
	Missing []Reason `json:"missing"`
	Redrawn int      `json:"redrawn"` // made-up pairs that did not parse and were drawn again
	// that the rate itself takes: made-up pairs, drawn answers, and one for each distribution or scored list
	Calls int `json:"calls"`
	// RedrawnAnswers counts answers that were empty and drawn again, where answers are drawn.
	RedrawnAnswers int `json:"redrawn_answers,omitempty"`

	// EntropyRandom is the entropy of a guess among the labels, in nats, ln of their number.
	EntropyRandom *float64 `json:"entropy_random,omitempty"`
	// ErrorRandom is the error of a guess among the labels. The rate speaks of what the context does not say; where
	// the error is not below this, the model cannot do the task, and the rate says nothing.
	ErrorRandom  *float64 `json:"error_random,omitempty"`
	InCapability *bool    `json:"in_capability,omitempty"`

	// Exchangeability is the mean total variation between the labels' distributions after the context as it stands
	// and in another order; MartingaleGap that between the distribution now and its mean over the extensions. Both
	// are 0 for a model that believes in a task and forgets the order; the second holds the noise of M extensions
	// too. Where answers are drawn, both are estimated from K samples.
	Exchangeability *float64 `json:"exchangeability,omitempty"`
	MartingaleGap   *float64 `json:"martingale_gap,omitempty"`

	// InformationAgainst says how the rates and the error follow the mutual information.
	InformationAgainst *posterior.InformationFits `json:"information_against,omitempty" gate:"figure"`
	// ByN are the figures by the number of pairs in the context, where there are several; ByEps those at the other
	// eps, in percent: those that were asked for, and those of the study.
	ByN   map[string]*Size  `json:"by_n,omitempty"`
	ByEps map[string]*Slice `json:"by_eps_percent,omitempty"`

	// Detectors sets the rate beside other scores of the same queries, as a sign of a wrong answer; there where
	// answers of both kinds are known.
	Detectors *Detectors `json:"detectors,omitempty"`
	// Study is what many contexts say together; absent where there are few, or answers are drawn.
	Study *posterior.Study `json:"study,omitempty"`

	all *Size
}

// A Reason is why something is missing.
type Reason struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// atEps are the options at each eps that the answers are read at, the experiment's first.
func (p *Experiment) atEps() []posterior.Options {
	at := []posterior.Options{p.Options}
	others := slices.Clone(p.AlsoEps)
	if p.Options.Estimator == posterior.Sum && len(p.Problems) >= posterior.StudyContexts {
		others = append(others, posterior.Grid...)
	}
	for _, eps := range others {
		o := p.Options
		o.Eps = eps
		if !slices.ContainsFunc(at, func(x posterior.Options) bool { return x.Eps == eps }) {
			at = append(at, o)
		}
	}
	return at
}

// count counts a reason.
func (r *Result) count(reason string) {
	for i := range r.Missing {
		if r.Missing[i].Reason == reason {
			r.Missing[i].Count++
			return
		}
	}
	r.Missing = append(r.Missing, Reason{reason, 1})
}

// Evaluate computes the rate from the stored records. It calls no model; what has no record is missing.
func (p *Experiment) Evaluate(ctx context.Context, store run.Store) (*Result, error) {
	w := p.Resample()
	w.final = true
	if _, err := w.extend(ctx, store); err != nil {
		return nil, err
	}
	out := &Result{Missing: []Reason{}, Redrawn: w.redrawn, Calls: w.redrawn}
	at := p.atEps()
	groups := make([][]posterior.Group, len(at))
	var orders, gaps []float64
	var points []posterior.Point
	labels := 0
	for i := range p.Problems {
		q := &p.Problems[i]
		labels = max(labels, len(q.Labels))
		for _, e := range w.extensions[i] {
			out.Calls += len(e.pairs) - len(q.Pairs)
			if e.failure != "" {
				out.count("an extension: " + e.failure)
			}
		}
		answers, _, err := w.answers(ctx, store, i)
		if err != nil {
			return nil, err
		}
		for k, o := range at {
			groups[k] = append(groups[k], group(len(q.Pairs), answers, o, k == 0))
		}
		for j := range answers {
			a := &answers[j]
			for k := range at {
				groups[k][i].Queries[j].Context = i + 1
			}
			if a.point != nil {
				a.point.Context = i
				points = append(points, *a.point)
			}
			if a.reason != "" {
				out.count("a query: " + a.reason)
			}
			out.Calls += a.calls
			out.RedrawnAnswers += a.redrew
			if row := groups[0][i].Queries[j]; row.PHR != nil {
				gaps, orders = append(gaps, a.gap), append(orders, a.orders...)
			}
		}
	}
	if p.free() {
		labels = 0
	}
	out.Result = posterior.Collect(groups[0], labels, p.Options)
	out.Exchangeability, out.MartingaleGap = average(orders), average(gaps)
	out.InformationAgainst = posterior.AgainstInformation(groups[0])
	out.ErrorRandom, out.InCapability, out.EntropyRandom = gate(&out.Result, labels)
	if able := out.InCapability; able != nil && !*able {
		e := out.ErrorRate
		stat.Warn(&out.Warnings, "the error, %s, is not below that of a guess, %s: beyond the "+
			"model's capability, or too few queries to tell, and then the rate says nothing",
			figure.Bracketed(figure.Decimal, "", e.Value, e.Lo, e.Hi), figure.Decimal(*out.ErrorRandom))
	}
	out.Study = posterior.NewStudy(points, append(slices.Clone(p.At), p.Options.Extend), p.Options, w.taken)
	out.slices(groups, at, labels)
	out.Warnings = append(out.Warnings, p.warnings(&out.Result)...)
	return out, nil
}

// group is what was measured after one context at one eps; with whole, each query by itself too.
func group(n int, answers []answered, o posterior.Options, whole bool) posterior.Group {
	g := posterior.Group{Context: n}
	for j := range answers {
		row := answers[j].row
		var chains []posterior.Chain
		if of := answers[j].chains; of != nil {
			chains = of(o)
		}
		var rates []float64
		if of := answers[j].truths; of != nil {
			rates = of(o)
		}
		if !whole {
			row.FillPoint(chains, rates)
		}
		if whole && len(chains) > 0 {
			row.Fill(posterior.Of(chains, o), o)
		}
		if whole && len(rates) > 0 {
			row.SetTrue(rates, o)
		}
		g.Queries, g.Chains = append(g.Queries, row), append(g.Chains, chains)
	}
	return g
}

// gate is the error and the entropy of a guess among labels, and whether the error lies below the guess's with its
// whole interval; nil where there are no labels, or no error was measured.
func gate(r *posterior.Result, labels int) (random *float64, able *bool, entropy *float64) {
	if labels < 2 {
		return nil, nil, nil
	}
	h := math.Log(float64(labels))
	if e := r.ErrorRate; e != nil {
		guess := 1 - 1/float64(labels)
		random, able = &guess, new(e.Hi < guess)
	}
	return random, able, &h
}

// warnings are those that a language model calls for.
func (p *Experiment) warnings(r *posterior.Result) (out []string) {
	if p.TopP < 1 {
		out = append(out, fmt.Sprintf("made-up pairs are sampled with top_p %s, as the source does: that is no "+
			"sample from the model; --top-p 1 is", figure.Exact(p.TopP)))
	}
	if p.Listing != nil && r.UnlistedMass != nil {
		out = append(out, fmt.Sprintf("labels are read from the %d likeliest tokens of an answer: %s of the mass "+
			"is not among them or cannot be given to one label, and counts as another answer; p_gold bounds what the "+
			"right answer has", p.Listing.Top, figure.Fixed(*r.UnlistedMass, 4)))
		if p.Listing.Chat {
			out = append(out, "the model takes turns, so the context stands in one with a line that says what to "+
				"do: its belief is that of an assistant who was asked, not of a text that goes on")
		}
	}
	if p.free() && !p.Total {
		out = append(out, "answers are compared by their mean log-probability per token, as the source has it for "+
			"answers of different lengths; entropy and mutual information are those of whole answers")
	}
	return out
}

// average is nil without values.
func average(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	return new(stat.Sum(values) / float64(len(values)))
}

// A Slice is the figures of a part of the queries, or of all at another eps.
type Slice struct {
	N                 int            `json:"n"` // queries with an estimate
	Unscored          int            `json:"unscored"`
	Eps               float64        `json:"eps"`
	Unit              string         `json:"unit,omitempty"` // of the interval of PHR, as of a posterior.Result
	PHR               *stat.Estimate `json:"phr"`
	MHR               *stat.Estimate `json:"mhr,omitempty"`
	MHRSingle         *float64       `json:"mhr_single,omitempty"`
	ErrorRate         *stat.Estimate `json:"error_rate,omitempty"`
	MutualInformation *stat.Estimate `json:"mutual_information"`
	Entropy           *stat.Estimate `json:"entropy,omitempty"`
	Aleatoric         *stat.Estimate `json:"aleatoric,omitempty"`

	AgainstError       *posterior.Fit             `json:"against_error,omitempty" gate:"figure"`
	AgainstMHR         *posterior.Fit             `json:"against_mhr,omitempty" gate:"figure"`
	AgainstMHRSingle   *posterior.Fit             `json:"against_mhr_single,omitempty" gate:"figure"`
	InformationAgainst *posterior.InformationFits `json:"information_against,omitempty" gate:"figure"`
	InCapability       *bool                      `json:"in_capability,omitempty"`
}

// A Size is the figures of the contexts of one size.
type Size struct {
	Contexts int `json:"contexts"`
	Slice
	ByEps map[string]*Slice `json:"by_eps_percent,omitempty"`
}

// slices sets the figures by size of the context and by eps.
func (r *Result) slices(groups [][]posterior.Group, at []posterior.Options, labels int) {
	r.all = sizeOf(groups, at, labels, 0)
	r.ByEps = r.all.ByEps
	sizes := map[int]bool{}
	for _, g := range groups[0] {
		sizes[g.Context] = true
	}
	if len(sizes) > 1 {
		r.ByN = map[string]*Size{}
		for n := range sizes {
			r.ByN[strconv.Itoa(n)] = sizeOf(groups, at, labels, n)
		}
	}
}

// sizeOf is of the contexts of n pairs; of all where n is 0.
func sizeOf(groups [][]posterior.Group, at []posterior.Options, labels, n int) *Size {
	var size *Size
	for k, o := range at {
		some := groups[k]
		if n > 0 {
			some = slices.DeleteFunc(slices.Clone(some), func(g posterior.Group) bool { return g.Context != n })
		}
		s := sliceOf(some, labels, o)
		if k == 0 {
			size = &Size{Contexts: len(some), Slice: *s}
			continue
		}
		if size.ByEps == nil {
			size.ByEps = map[string]*Slice{}
		}
		size.ByEps[NameOfEps(o.Eps)] = s
	}
	return size
}

// Sizes are the figures by size of the context, the smallest first, and those of all under 0 at the end; nil for a
// result that was read back.
func (r *Result) Sizes(visit func(n int, s *Size)) {
	shorter := func(a, b string) int { return cmp.Or(len(a)-len(b), cmp.Compare(a, b)) } // as numbers are less
	for _, name := range slices.SortedFunc(maps.Keys(r.ByN), shorter) {
		if n, err := strconv.Atoi(name); err == nil {
			visit(n, r.ByN[name])
		}
	}
	if r.all != nil {
		visit(0, r.all)
	}
}

// Eps visits the figures at each eps, the smallest first.
func (s *Size) Eps(visit func(*Slice)) {
	all := slices.AppendSeq([]*Slice{&s.Slice}, maps.Values(s.ByEps))
	slices.SortFunc(all, func(a, b *Slice) int { return cmp.Compare(a.Eps, b.Eps) })
	for _, at := range all {
		visit(at)
	}
}

func sliceOf(groups []posterior.Group, labels int, o posterior.Options) *Slice {
	c := posterior.Collect(groups, labels, o)
	s := &Slice{
		N: c.N, Unscored: c.Unscored, Eps: o.Eps, Unit: c.Unit,
		PHR: c.PHR, MHR: c.MHR, MHRSingle: c.MHRSingle, ErrorRate: c.ErrorRate,
		MutualInformation: c.MutualInformation, AgainstError: c.AgainstError, AgainstMHR: c.AgainstMHR,
		AgainstMHRSingle:   c.AgainstMHRSingle,
		InformationAgainst: posterior.AgainstInformation(groups), Entropy: c.Entropy, Aleatoric: c.Aleatoric,
	}
	_, s.InCapability, _ = gate(&c, labels)
	return s
}

// NameOfEps names an eps in a path: 75 for .75, 2_5 for .025.
func NameOfEps(eps float64) string { return strings.Replace(figure.Digits(eps*100, 10), ".", "_", 1) }
