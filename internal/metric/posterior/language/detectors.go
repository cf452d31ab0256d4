package language

import (
	"hallmark/internal/metric/posterior"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// Detectors sets the rate beside other scores of the same queries: how well each tells wrong answers from right
// ones. Queries of one context go together in every interval.
type Detectors struct {
	N     int `json:"n"` // queries whose answer is known to be right or wrong
	Wrong int `json:"wrong"`

	// FewestContexts have a wrong answer, or a right one: the intervals of differences are as wide as these are few.
	FewestContexts int `json:"fewest_contexts"`

	Scores []Score `json:"scores"`
	// AUROCInterval names the method of the bounds of every AUROC, which are joined with those by context.
	AUROCInterval string   `json:"auroc_interval,omitempty"`
	Warnings      []string `json:"warnings"`
}

// A Score is one of them. Difference is its AUROC less that of the rate at eps .75, over the queries that have both.
type Score struct {
	Name       string         `json:"name"`
	N          int            `json:"n"`
	AUROC      *stat.Estimate `json:"auroc"`
	Difference *stat.Estimate `json:"less_phr_75,omitempty"`
	Extensions bool           `json:"extensions"` // it takes the calls of the rate
}

// Scored is a query with its answer's verdict and the scores of other detectors.
type Scored struct {
	Query  *posterior.Query
	Wrong  bool
	Scores map[string]float64
}

// Compare makes the comparison of the rate at eps and at .75, the information and the entropy of the labels with
// the named detectors. It is nil where all answers are right, or all wrong.
func Compare(queries []Scored, names []string, eps, level float64) *Detectors {
	out := &Detectors{N: len(queries), Scores: []Score{}, AUROCInterval: stat.AUROCMethod, Warnings: []string{}}
	contexts := [2]map[int]bool{{}, {}}
	for _, q := range queries {
		side := int(stat.Bit(q.Wrong))
		out.Wrong += side
		contexts[side][q.Query.Context] = true
	}
	out.FewestContexts = min(len(contexts[0]), len(contexts[1]))
	if out.Wrong == 0 || out.Wrong == out.N {
		return nil
	}
	add := func(name string, extensions bool, get func(q Scored) *float64) {
		var a, b []float64
		var wrong []bool
		var cluster []int32
		for _, q := range queries {
			if x := get(q); x != nil && q.Query.PHR75 != nil {
				a, b, wrong, cluster = append(a, *x), append(b, *q.Query.PHR75), append(wrong, q.Wrong),
					append(cluster, int32(q.Query.Context))
			}
		}
		e := stat.AUROCByCluster(a, wrong, cluster, level)
		if !e.OK() {
			return
		}
		s := Score{Name: name, N: e.N, AUROC: e.Known(), Extensions: extensions}
		if name != "phr_75" {
			s.Difference = stat.AUROCPaired(a, b, wrong, cluster, level).Known()
		}
		out.Scores = append(out.Scores, s)
		if s.N < out.N {
			stat.Warn(&out.Warnings, "%s: %d of %d queries have it", name, s.N, out.N)
		}
	}
	add("phr_75", true, func(q Scored) *float64 { return q.Query.PHR75 })
	if eps != .75 {
		add("phr_"+figure.Plain(100*eps), true, func(q Scored) *float64 {
			return posterior.ValueOf(q.Query.PHR)
		})
	}
	add("mutual_information", true, func(q Scored) *float64 { return posterior.ValueOf(q.Query.MutualInformation) })
	add("label_entropy", false, func(q Scored) *float64 { return &q.Query.Entropy })
	for _, name := range names {
		add(name, false, func(q Scored) *float64 {
			if x, ok := q.Scores[name]; ok {
				return &x
			}
			return nil
		})
	}
	return out
}
