package method

import (
	"slices"
	"strings"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// ByCase is what a Result may be too: one of which figures are means over cases, so that runs are compared by them case
// by case.
type ByCase interface {
	// ByCase returns the values whose mean the estimate at a path of the catalogue is, with names in the place of Any:
	// one of each case that has a part in it, in [0, 1]. It is nil of an estimate that is no such mean.
	ByCase(path ...string) []CaseValue
}

// A CaseValue is the part of one case in a figure.
type CaseValue struct {
	ID      string
	Cluster int32 // as Case.Cluster
	Value   float64
}

// Unit names the case, and numbers what it is an observation of.
func (v CaseValue) Unit() (id string, cluster int32) { return v.ID, v.Cluster }

// Split returns the values by themselves, and their clusters.
func Split(list []CaseValue) (values []float64, clusters []int32) {
	for _, v := range list {
		values, clusters = append(values, v.Value), append(clusters, v.Cluster)
	}
	return values, clusters
}

// Figures are those of a method's catalogue that are estimates, of several runs, each at the path that it has in a
// result: a *Change of two runs, and of more a PerRun. Of two paths of which one leads on from the other, that which
// the catalogue has first is there alone.
type Figures map[string]Beneath

// Beneath is what stands at a step of a path: Figures, a *Change or a PerRun; nil where it is not known before a run.
type Beneath interface{ beneath() }

// PerRun is an estimate a run, nil where one has none.
type PerRun []*stat.Estimate

func (Figures) beneath() {}
func (*Change) beneath() {}
func (PerRun) beneath()  {}

// A Change is a figure of a method in two runs.
type Change struct {
	// Paired says that the method tells the values of single cases: then all here is over the N cases that have one in
	// both runs. Else Base and Other are those of the two results, and nothing is said of their difference.
	Paired     bool           `json:"paired"`
	N          int            `json:"n,omitempty"`
	Base       *stat.Estimate `json:"base"`
	Other      *stat.Estimate `json:"other"`
	Difference *stat.Estimate `json:"difference"` // other - base
	P          *float64       `json:"p"`          // Difference holds 0 unless it is below what the level leaves
	PHolm      *float64       `json:"p_holm"`     // adjusted for the paired figures of the method
	Test       string         `json:"test,omitempty"`
}

// Compare sets the figures of a method in two runs beside each other. Those of which both results tell the values of
// cases are paired by case: means by stat.ShareByCluster where all values are 0 or 1, else by stat.MeanByCluster,
// differences and p by stat.Paired, and Holm's adjustment over them. The cases in without, by their ids, are left out
// of these. It changes nothing. Source: METHODS 6.
func Compare(m Method, base, other Result, without map[string]bool, level float64) Figures {
	out := Figures{}
	var tests []stat.Holmed
	walk(m, []Result{base, other}, func(path []string, of PerRun) {
		c := pair(valuesAt(base, path, without), valuesAt(other, path, without), level)
		if c == nil {
			c = &Change{Base: of[0], Other: of[1]}
		}
		if out.put(c, path) {
			tests = append(tests, stat.Holmed{P: c.P, To: &c.PHolm})
		}
	})
	stat.AdjustHolm(tests)
	return out
}

// Beside sets the figures of a method in several runs beside each other, each as it is in the result of its run.
func Beside(m Method, results []Result) Figures {
	out := Figures{}
	walk(m, results, func(path []string, of PerRun) { out.put(of, path) })
	return out
}

// Shape has a Change at the path of each figure of a method, and nil where what follows is not known before a run; so
// gates are checked.
func Shape(m Method) Beneath {
	out := Figures{}
	for _, e := range m.Figures() {
		switch at := slices.Index(e.Path, figure.Any); at {
		case -1:
			out.put(&Change{}, e.Path)
		case 0:
			return nil
		default:
			out.put(nil, e.Path[:at])
		}
	}
	return out
}

// walk visits the figures of a method's catalogue that are estimates in one of its results, in its order: the path, and
// the estimate in each result, nil where it has none.
func walk(m Method, results []Result, visit func(path []string, of PerRun)) {
	var trees []figure.Tree
	for _, r := range results {
		trees = append(trees, figure.Of(r))
	}
	seen := map[string]bool{}
	for _, e := range m.Figures() {
		for _, t := range trees {
			for _, one := range e.Spread(t) {
				name := strings.Join(one.Path, "\x00")
				if of, some := estimates(one, trees); some && !seen[name] {
					visit(one.Path, of)
				}
				seen[name] = true
			}
		}
	}
}

// estimates returns the estimate of an entry in each result, and whether one has it.
func estimates(e figure.Entry, trees []figure.Tree) (of PerRun, some bool) {
	for _, t := range trees {
		x, _, ok := t.Estimate(e.Path...)
		if !ok && e.Interval != nil {
			x, _, ok = t.Estimate(e.Interval...)
		}
		var known *stat.Estimate
		if ok {
			known = x.Known()
		}
		of, some = append(of, known), some || known != nil
	}
	return of, some
}

// valuesAt returns the values of cases at a path, without those that are left out; nil where the result tells none.
func valuesAt(r Result, path []string, without map[string]bool) []CaseValue {
	by, ok := r.(ByCase)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(by.ByCase(path...)), func(v CaseValue) bool { return without[v.ID] })
}

// pair compares the values of two runs; nil where they have no case in common.
func pair(base, other []CaseValue, level float64) *Change {
	rows, _ := consistency.Shared(base, other)
	if len(rows) == 0 {
		return nil
	}
	both, cluster := consistency.Values(func(v *CaseValue) (float64, bool) { return v.Value, true }, rows, 2)
	mean := stat.ShareByCluster
	if slices.ContainsFunc(slices.Concat(both...), func(x float64) bool { return x != 0 && x != 1 }) {
		mean = stat.MeanByCluster
	}
	d := stat.Paired(both[0], both[1], cluster, level)
	return &Change{Paired: true, N: d.N, Base: mean(both[0], cluster, level).Known(),
		Other: mean(both[1], cluster, level).Known(), Difference: d.Known(), P: &d.P, Test: d.Test}
}

// put enters a value at a path, and reports whether it stands there: nothing stands above or beneath another.
func (f Figures) put(value Beneath, path []string) bool {
	last := len(path) - 1
	for _, key := range path[:last] {
		inner, ok := f[key].(Figures)
		if !ok {
			if _, taken := f[key]; taken {
				return false
			}
			inner = Figures{}
			f[key] = inner
		}
		f = inner
	}
	if _, taken := f[path[last]]; taken {
		return false
	}
	f[path[last]] = value
	return true
}
