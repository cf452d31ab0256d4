package consistency

import (
	"fmt"
	"maps"
	"slices"

	"hallmark/internal/stat"
)

// DeclinedAgnostic is the category of prompt-agnostic errors whose answer is a decline, which a flow keeps apart:
// they assert nothing.
const DeclinedAgnostic = "declined"

// FlowCategories are the categories between which cases move from one run to another, in order.
var FlowCategories = []string{PromptAgnosticFactual, PromptAgnosticError, DeclinedAgnostic, Randomness}

// A Flow says which category each case had in one run and which it has in another, such as without and with retrieval.
type Flow struct {
	N    int `json:"n"`        // cases with a category in both runs
	Left int `json:"left_out"` // cases with a category in one of them only
	// Base and Other count the cases by category in each run, Transitions by both: base, then other. They hold all
	// categories.
	Base        map[string]int            `json:"base"`
	Other       map[string]int            `json:"other"`
	Transitions map[string]map[string]int `json:"transitions"`
	// Changed is the share of cases whose category is another one, by stat.ShareByCluster.
	Changed *stat.Estimate `json:"changed"`
	// Difference is other - base of the share of cases in each category, over the same cases.
	Difference map[string]*stat.Estimate `json:"difference"`
}

// NewFlow compares the categories of cases, by id, of two runs:
//
//	changed = |{i : base_i ≠ other_i}| / n,  difference_c = (|{i : other_i = c}| - |{i : base_i = c}|)/n
//
// over the n cases that have one of FlowCategories in both. Where there is none the result is nil. Any other
// category is an error of the caller. Clusters are those of cases that have one, by id; nil for none. It changes
// nothing. Source: arXiv:2602.00723, figure 5, where it is drawn for retrieval; declines apart are Hallmark's.
func NewFlow(base, other map[string]string, clusters map[string]int32, level float64) (*Flow, error) {
	f := FlowShape()
	var was, is []string
	var changed []float64
	var cluster []int32
	for _, id := range slices.Sorted(maps.Keys(base)) {
		from := base[id]
		to, both := other[id]
		if !both {
			continue
		}
		row, known := f.Transitions[from]
		if _, ok := row[to]; !known || !ok {
			return nil, fmt.Errorf("case %q goes from %q to %q; want categories", id, from, to)
		}
		row[to]++
		f.Base[from]++
		f.Other[to]++
		f.N++
		was, is = append(was, from), append(is, to)
		changed, cluster = append(changed, stat.Bit(from != to)), append(cluster, clusters[id])
	}
	if f.N == 0 {
		return nil, nil
	}
	f.Left = len(base) + len(other) - 2*f.N
	f.Changed = stat.ShareByCluster(changed, cluster, level).Known()
	for _, c := range FlowCategories {
		b, o := make([]float64, f.N), make([]float64, f.N)
		for i := range was {
			b[i], o[i] = stat.Bit(was[i] == c), stat.Bit(is[i] == c)
		}
		f.Difference[c] = stat.Paired(b, o, cluster, level).Known()
	}
	return f, nil
}

// FlowShape returns a flow of nothing: all its counts are there, and 0.
func FlowShape() *Flow {
	f := &Flow{Base: map[string]int{}, Other: map[string]int{}, Transitions: map[string]map[string]int{},
		Difference: map[string]*stat.Estimate{}}
	for _, c := range FlowCategories {
		f.Base[c], f.Other[c], f.Transitions[c], f.Difference[c] = 0, 0, map[string]int{}, nil
		for _, d := range FlowCategories {
			f.Transitions[c][d] = 0
		}
	}
	return f
}
