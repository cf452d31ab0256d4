package posterior

import (
	"cmp"
	_ "embed" // the catalogue
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

func itoa(i int) string { return strconv.Itoa(i) }

// A Result is what `analyze posterior` prints. Rates are in [0, 1], informations in nats.
type Result struct {
	N        int `json:"n"` // queries with an estimate
	Unscored int `json:"unscored"`

	// Unit is what the intervals of PHR, MutualInformation and StandardError take for independent: "context" where
	// there are several, each the mean of its queries, else "extension" of the one context, each the mean over its
	// queries. Entropy, Aleatoric and ErrorRate are by context too, or by query where there is one context, MHR by
	// context or by set of true pairs. A query's own intervals (PerQuery) are always by extension.
	Unit string `json:"unit,omitempty"`

	PHR               *stat.Estimate `json:"phr"`
	PHRCorrected      *float64       `json:"phr_corrected,omitempty"` // without the bias of K samples; published only
	MutualInformation *stat.Estimate `json:"mutual_information"`
	// predictive: of the next answer, nats; a mean over the queries
	Entropy       *stat.Estimate `json:"entropy,omitempty"`
	Aleatoric     *stat.Estimate `json:"aleatoric,omitempty"` // what the extensions leave of it, nats
	StandardError *Errors        `json:"standard_error,omitempty"`
	Estimator     string         `json:"estimator"`
	Exact         *Exact         `json:"exact,omitempty"`
	OtherMass     *float64       `json:"other_mass,omitempty"` // probability of answers that are not labels

	// UnlistedMass is the probability of answers that the model did not list, where labels are read from its
	// likeliest tokens, and GoldMass what that leaves open of the right answer's: both are means over the queries.
	UnlistedMass *float64    `json:"unlisted_mass,omitempty"`
	GoldMass     *stat.Range `json:"p_gold,omitempty"`

	THR       *float64       `json:"thr,omitempty"` // the rate by the mechanism that is given; exact models
	MHR       *stat.Estimate `json:"mhr,omitempty"`
	MHRSingle *float64       `json:"mhr_single,omitempty"`
	ErrorRate *stat.Estimate `json:"error_rate,omitempty"` // chance that an answer drawn is not the right one

	AbstainFrom float64 `json:"abstain_from"` // rate from which a query is better not answered
	Abstain     int     `json:"abstain"`      // queries at or above it

	// How the error and the model's rate follow the posterior rate over the queries.
	AgainstError *Fit `json:"against_error,omitempty" gate:"figure"`
	AgainstMHR   *Fit `json:"against_mhr,omitempty" gate:"figure"`
	// AgainstMHRSingle is of the rate after one set of true pairs, as the source has it, which is nearly binary.
	AgainstMHRSingle *Fit `json:"against_mhr_single,omitempty" gate:"figure"`

	Context int     `json:"context"` // pairs of the context, n
	Eps     float64 `json:"eps"`
	Extend  int     `json:"extend"`
	M       int     `json:"m"`
	K       int     `json:"k,omitempty"` // published only

	Cost []Cost `json:"cost,omitempty"` // of both estimators at equal errors; exact models, where it was asked for

	PerQuery []Query  `json:"per_query"`
	Warnings []string `json:"warnings"`
	Limits   []string `json:"limits"` // of what the rate says, in sentences
}

// Errors separate what the M extensions and what the K samples add to the standard error of a rate.
type Errors struct {
	Outer float64 `json:"outer"`
	Inner float64 `json:"inner"`
}

// Exact are the rates that need no samples; null where they were not computed.
type Exact struct {
	Limit    *float64 `json:"limit"`     // after ever more pairs
	AtExtend *float64 `json:"at_extend"` // after as many as were made up
}

// A Query is one query's part of a result.
type Query struct {
	ID                string         `json:"id,omitempty"` // of the case
	Input             string         `json:"input"`
	PHR               *stat.Estimate `json:"phr"`
	PHRCorrected      *float64       `json:"phr_corrected,omitempty"`
	MutualInformation *stat.Estimate `json:"mutual_information"`
	StandardError     *Errors        `json:"standard_error,omitempty"`
	Entropy           float64        `json:"entropy"`             // of the next answer, nats
	Aleatoric         *float64       `json:"aleatoric,omitempty"` // mean entropy after the extensions, nats
	Exact             *Exact         `json:"exact,omitempty"`
	THR               *float64       `json:"thr,omitempty"`
	OtherMass         *float64       `json:"other_mass,omitempty"`
	MHR               *stat.Estimate `json:"mhr,omitempty"`
	MHRSingle         *float64       `json:"mhr_single,omitempty"`
	ErrorRate         *float64       `json:"error_rate,omitempty"`
	UnlistedMass      *float64       `json:"unlisted_mass,omitempty"`
	GoldMass          *stat.Range    `json:"p_gold,omitempty"`

	// PHR75 is the rate at eps .75, which follows the error; Right whether the likeliest label is the right one;
	// Context the number of the context, from 1, that the query shares with others. Of language models.
	PHR75   *float64 `json:"phr_75,omitempty"`
	Right   *bool    `json:"right,omitempty"`
	Context int      `json:"of_context,omitempty"`

	Advice  string `json:"advice,omitempty"`
	Abstain bool   `json:"abstain"` // the rate is at least that of the options

	true []float64 // the rate after each set of true pairs
}

// SetTrue writes the rates after sets of true pairs into a query: the first set's is that of the pairs as they stand.
func (q *Query) SetTrue(rates []float64, o Options) {
	q.true, q.MHRSingle = rates, &rates[0]
	q.MHR = stat.Mean(rates, o.Level).Known()
}

// Fill writes an estimate into a query.
func (q *Query) Fill(e Estimate, o Options) {
	q.PHR, q.MutualInformation = e.PHR.Known(), finite(e.Information)
	q.StandardError, q.Aleatoric = &e.Errors, &e.Left
	if o.Estimator == Published {
		q.PHRCorrected = &e.Corrected
	}
	if q.PHR != nil {
		q.advise(o)
	}
}

// FillPoint is Fill and SetTrue without intervals and advice, which are much of the work: for queries of which only
// means over many are wanted.
func (q *Query) FillPoint(chains []Chain, truths []float64) {
	point := func(x float64) *stat.Estimate { return &stat.Estimate{Value: x, Lo: x, Hi: x} }
	if len(chains) > 0 {
		c := average(chains)
		q.PHR, q.MutualInformation, q.Aleatoric = point(c.THR), point(c.Information), &c.Left
	}
	if len(truths) > 0 {
		q.true, q.MHRSingle, q.MHR = truths, &truths[0], point(min(1, averageOf(truths)))
	}
}

// finite is the JSON form of an interval; nil where one chain leaves it without an end.
func finite(e stat.Estimate) *stat.Estimate {
	if math.IsInf(e.Lo, 0) || math.IsInf(e.Hi, 0) {
		return nil
	}
	return e.Known()
}

// warnings are those that the parameters call for.
func (o Options) warnings() []string {
	out := []string{}
	if o.Estimator == Published {
		if j := rank(o.Eps, o.K); math.Abs(float64(j)/float64(o.K+1)-o.Eps) > .001 {
			out = append(out, fmt.Sprintf("K = %d: below the %s smallest of %d samples lies %d/%d = %s on average "+
				"and not %s where answers are continuous; phr_corrected is without this bias",
				o.K, ordinal(j), o.K, j, o.K+1, figure.Fixed(float64(j)/float64(o.K+1), 4), figure.Exact(o.Eps)))
		}
		out = append(out, o.ofDraws())
	}
	if o.M < 30 {
		out = append(out, fmt.Sprintf("M = %d: the interval of the rate is valid at any M but wide, as is that of "+
			"the mutual information by sums over labels; of other answers and by samples it is Student's, which "+
			"covers too rarely where chains differ much; use M = 100 or more", o.M))
	}
	return out
}

// ofDraws says what the interval of a rate by samples holds, and how wide it stays.
func (o Options) ofDraws() string {
	low, high := bracket(o.Eps, o.K)
	bin := distuv.Binomial{N: float64(o.K), P: o.Eps}
	times := func(j int) float64 { return float64(j) / float64(o.K+1) / o.Eps }
	least := "0"
	if low > 0 {
		p := bin.CDF(float64(low - 1))
		least = figure.Fixed((times(low)-p/o.Eps)/(1-p), 2)
	}
	return fmt.Sprintf(
		"K = %d: the interval of phr holds the rate at eps %s itself, bounded by ranks of the samples; however large "+
			"M is, it stays some %s to %s times a rate that grows with eps: --estimator sum or more samples make "+
			"it narrow. The estimate has the bias of so many samples, which is largest with few labels, and so has "+
			"mhr with its interval",
		o.K, figure.Exact(o.Eps), least, figure.Fixed(times(high)/bin.CDF(float64(high-1)), 2))
}

// limits are what is to be kept in mind beside every rate, of so many labels, 0 where answers are numbers or texts.
func (o Options) limits(labels int) []string {
	out := []string{
		"the rate measures what the context leaves open, not what the model cannot do: where the error is not " +
			"below that of a guess, it has no meaning",
		fmt.Sprintf("it under-estimates: extensions of --extend %d show less than longer ones would, and it leaves "+
			"out what the model has learnt wrong, whose part grows with the context", o.Extend),
		"it may be biased by the M extensions and K samples (standard_error), by the order of the pairs " +
			"(exchangeability), and by pairs made up unlike true ones (martingale_gap, mhr)",
	}
	switch {
	case labels == 0:
		out = append(out, "of answers that are no labels it cannot fall much below eps, "+figure.Exact(o.Eps))
	case labels == 2 && o.Eps <= .5:
		out = append(out, "of two labels it is 0 unless the rarer has less than eps, "+figure.Exact(o.Eps)+
			", after an extension")
	}
	return out
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return itoa(n) + suffix
}

// DefaultAbstain is the rate from which a query is better not answered, where no other is asked for.
const DefaultAbstain = .2

// advise says of a query with a rate what to do about it: "PHR .34 (.28 to .41): give more examples, or abstain".
func (q *Query) advise(o Options) {
	from := cmp.Or(o.Abstain, DefaultAbstain)
	q.Abstain = q.PHR.Value >= from
	q.Advice = fmt.Sprintf("PHR %s (%s to %s): ", figure.Rough(q.PHR.Value), figure.Rough(q.PHR.Lo),
		figure.Rough(q.PHR.Hi))
	if q.Abstain {
		q.Advice += "give more examples, or abstain"
	} else {
		q.Advice += "answer"
	}
	if (q.PHR.Lo < from) != (q.PHR.Hi < from) {
		more := "more extensions would decide"
		if o.Estimator == Published {
			more = "more samples and extensions would decide"
		}
		q.Advice += fmt.Sprintf(" (the interval holds %s; %s)", strings.TrimPrefix(figure.Plain(from), "0"), more)
	}
}

//go:embed figures.txt
var figures string

// Figures is the catalogue of the posterior rate, of the contexts with so many pairs, and at other eps.
var Figures = func() []figure.Entry {
	own := figure.Read(figures)
	return slices.Concat(own, figure.Under("by_n/*", own), figure.Under("by_eps_percent/*", own),
		figure.Under("by_n/*/by_eps_percent/*", own))
}()
