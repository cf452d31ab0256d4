package synthetic

import (
	"bytes"
	"encoding/csv"
	"math"
	"slices"
	"strconv"

	"hallmark/internal/base/lists"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// A Summary is a study in figures. Rates are means over functions of the means over their queries, with intervals
// by function.
type Summary struct {
	Setup   Setup `json:"setup"`
	Queries int   `json:"n"` // queries measured, over all functions and contexts

	// How the true rate follows the posterior rate at the first eps, pooled over the contexts: over the means of a
	// function's queries, and over the queries.
	Functions Fit `json:"thr_by_phr_functions"`
	PerQuery  Fit `json:"thr_by_phr_queries"`

	Contexts []Context `json:"contexts"`
	Eps      []AtEps   `json:"eps"`

	// How the true and the posterior rate follow the mutual information, and over functions.
	THRByMI Fit `json:"thr_by_mi_functions"`
	PHRByMI Fit `json:"phr_by_mi_functions"`

	Foreign []Context `json:"foreign,omitempty"` // functions that the task has none of

	Warnings []string `json:"warnings"`
}

// A Fit is posterior.Fit, whose x is the quantity after "by"; null where no line can be drawn.
type Fit = *posterior.Fit

// A Context is what was measured after n pairs, at the first eps.
type Context struct {
	N     int            `json:"n"`
	THR   *stat.Estimate `json:"thr"`
	PHR   *stat.Estimate `json:"phr"`
	MI    float64        `json:"mi"`    // nats
	Ratio float64        `json:"ratio"` // PHR/THR, the product of the three factors
	// Factors part the ratio. Belief is PHR over the exact posterior's, what the model makes up too narrowly or too
	// widely; Finite is the exact PHR over the exact THR, what finitely many pairs and the draw of functions leave;
	// Prediction is the exact THR over the model's, what the model's own answers get wrong.
	Factors    Factors        `json:"factors"`
	ExactTHR   *stat.Estimate `json:"exact_thr"`
	ExactPHR   *stat.Estimate `json:"exact_phr"`
	Divergence float64        `json:"divergence"` // nats: of the model's answers from the exact ones
	Gap        float64        `json:"martingale_gap"`
	// total variation when the pairs stand in another order
	Order *float64 `json:"exchangeability,omitempty"`
	Fit   Fit      `json:"thr_by_phr_functions"`
}

// Factors multiply to PHR/THR.
type Factors struct {
	Belief     float64 `json:"belief"`
	Finite     float64 `json:"finite"`
	Prediction float64 `json:"prediction"`
}

// AtEps is a pooled fit at an eps: of the true rate at that eps, and of the true rate at the first eps by a
// posterior rate whose eps is misspecified as this.
type AtEps struct {
	Eps          float64 `json:"eps"`
	THR          float64 `json:"thr"`
	PHR          float64 `json:"phr"`
	Fit          Fit     `json:"thr_by_phr_functions"`
	Misspecified Fit     `json:"misspecified"`
}

// A Mean is a row with the means of what the rows of one function after n pairs measured.
type Mean = Row

// Means averages rows, which stand by function and context, over the queries.
func Means(rows []Row) []Mean {
	var out []Mean
	for from := 0; from < len(rows); {
		to := from
		for to < len(rows) && rows[to].Function == rows[from].Function && rows[to].N == rows[from].N {
			to++
		}
		n := float64(to - from)
		eps := len(rows[from].THR)
		m := newRow(eps)
		m.Function, m.N = rows[from].Function, rows[from].N
		for _, r := range rows[from:to] {
			for i, rates := range r.rates() {
				for k, rate := range rates {
					m.rates()[i][k] += rate / n
				}
			}
			m.MI += r.MI / n
			m.Divergence += r.Divergence / n
			m.Gap += r.Gap / n
		}
		out, from = append(out, m), to
	}
	return out
}

// fit fits y to x over means, clustered by function.
func fit(means []Mean, x, y func(*Mean) float64) Fit {
	var xs, ys []float64
	var cluster []int
	for i := range means {
		xs, ys, cluster = append(xs, x(&means[i])), append(ys, y(&means[i])), append(cluster, means[i].Function)
	}
	return posterior.FitTo(xs, ys, cluster)
}

func thr(k int) func(*Mean) float64 { return func(m *Mean) float64 { return m.THR[k] } }
func phr(k int) func(*Mean) float64 { return func(m *Mean) float64 { return m.PHR[k] } }

// Summarize returns the study in figures.
func (s *Study) Summarize() Summary {
	means := Means(s.Rows)
	mi := func(m *Mean) float64 { return m.MI }
	out := Summary{
		Setup: s.Setup, Queries: len(s.Rows), Warnings: []string{},
		Functions: fit(means, phr(0), thr(0)), PerQuery: fit(s.Rows, phr(0), thr(0)),
		THRByMI: fit(means, mi, thr(0)), PHRByMI: fit(means, mi, phr(0)),
		Contexts: s.contexts(means), Foreign: s.contexts(Means(s.Foreign)),
	}
	for k := range out.Contexts {
		out.Contexts[k].Order = &s.Order[k]
	}
	for k, eps := range s.Setup.Eps {
		e := AtEps{Eps: eps, Fit: fit(means, phr(k), thr(k)), Misspecified: fit(means, phr(k), thr(0))}
		for i := range means {
			e.THR += means[i].THR[k] / float64(len(means))
			e.PHR += means[i].PHR[k] / float64(len(means))
		}
		out.Eps = append(out.Eps, e)
	}
	if s.Setup.M < 30 {
		out.Warnings = append(out.Warnings,
			"M is below 30: the rate of one query is rough; its means over functions are not")
	}
	return out
}

// contexts summarizes means by the number of pairs.
func (s *Study) contexts(means []Mean) []Context {
	var out []Context
	for _, n := range s.Setup.Contexts {
		at := slices.DeleteFunc(slices.Clone(means), func(m Mean) bool { return m.N != n })
		if len(at) == 0 {
			continue
		}
		c := Context{N: n, Fit: fit(at, phr(0), thr(0))}
		interval := func(get func(*Mean) float64) *stat.Estimate {
			values := make([]float64, len(at))
			for i := range at {
				values[i] = min(1, max(0, get(&at[i])))
			}
			return stat.Mean(values, s.Setup.Level).Known()
		}
		c.THR, c.PHR = interval(thr(0)), interval(phr(0))
		c.ExactTHR = interval(func(m *Mean) float64 { return m.ExactTHR[0] })
		c.ExactPHR = interval(func(m *Mean) float64 { return m.ExactPHR[0] })
		c.Ratio = ratio(c.PHR, c.THR)
		c.Factors = Factors{ratio(c.PHR, c.ExactPHR), ratio(c.ExactPHR, c.ExactTHR), ratio(c.ExactTHR, c.THR)}
		for i := range at {
			c.MI += at[i].MI / float64(len(at))
			c.Divergence += at[i].Divergence / float64(len(at))
			c.Gap += at[i].Gap / float64(len(at))
		}
		out = append(out, c)
	}
	return out
}

// ratio is a/b, and 1 where both are nothing.
func ratio(a, b *stat.Estimate) float64 {
	if b.Value == 0 && a.Value == 0 {
		return 1
	}
	return a.Value / math.Max(b.Value, 1e-12)
}

// CSV is the study as a table with a row a query.
func (s *Study) CSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	number := func(x float64) string { return figure.Digits(x, 8) }
	head := []string{"set", "function", "n", "x", "mi", "entropy", "divergence", "gap"}
	for _, name := range []string{"thr", "phr", "exact_thr", "exact_phr"} {
		for _, eps := range s.Setup.Eps {
			head = append(head, name+"_"+figure.Exact(eps))
		}
	}
	w.Write(head) // a buffer takes all
	for _, set := range []struct {
		name string
		rows []Row
	}{{"test", s.Rows}, {"foreign", s.Foreign}} {
		for _, r := range set.rows {
			row := []string{set.name, strconv.Itoa(r.Function), strconv.Itoa(r.N), number(r.X), number(r.MI),
				number(r.Entropy), number(r.Divergence), number(r.Gap)}
			w.Write(append(row, lists.Map(slices.Concat(r.rates()...), number)...))
		}
	}
	w.Flush()
	return b.Bytes()
}
