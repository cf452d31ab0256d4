package rate

import (
	"hallmark/internal/metric/grading"
	"hallmark/internal/stat"
)

// dimensions are the failures on each axis, in the order of the rubric.
var dimensions = [4]measure{truth, decidability, reciprocity, formatError}

// formatError counts a missed format over the rows that ask for one.
func formatError(r *Row) (float64, bool) {
	v, ok := compliance(r)
	return 1 - v, ok
}

// A Confusion is the map of failures over classes, and over tags, by dimension:
// Confusion.ByClass["multi-hop"]["truth"]. A case counts under each of its tags.
type Confusion struct {
	ByClass map[string]map[string]Cell `json:"by_class"`
	ByTag   map[string]map[string]Cell `json:"by_tag"`
}

// A Cell is the share of the cases of a class that fail on one dimension. Rate, Lo and Hi are null where the
// dimension was judged on no case.
type Cell struct {
	N      int      `json:"n"` // cases on which the dimension was judged; for format, those that ask for one
	Failed int      `json:"failed"`
	Rate   *float64 `json:"rate"`
	stat.Bounds
}

// confusion returns the map of a set of rows: failed/n of each cell by stat.Wilson. Source: Hallucination Testing,
// 2025.
func confusion(rows []*Row, level float64) Confusion {
	cells := func(keys func(*Row) []string) map[string]map[string]Cell {
		out := map[string]map[string]Cell{}
		for name, set := range split(rows, keys) {
			out[name] = map[string]Cell{}
			for i, m := range dimensions {
				values, cluster := measured(set, m)
				c := Cell{N: len(values), Failed: int(stat.Sum(values))}
				c.Rate, c.Bounds = stat.ShareByCluster(values, cluster, level).Bounds()
				out[name][grading.AxisNames[i]] = c
			}
		}
		return out
	}
	return Confusion{cells(ofClass), cells(ofTags)}
}

func ofClass(r *Row) []string { return []string{r.Class} }
func ofTags(r *Row) []string  { return r.Tags }

// A ConfusionChange is the confusion map as differences between two runs.
type ConfusionChange struct {
	ByClass map[string]map[string]CellChange `json:"by_class"`
	ByTag   map[string]map[string]CellChange `json:"by_tag"`
}

// A CellChange compares one cell over the cases on which both runs were judged on the dimension.
type CellChange struct {
	N int `json:"n"`
	Change
}

// A Change is a share of failures in two runs over the same cases. Members without cases are null.
type Change struct {
	Base       *stat.Rate     `json:"base"`
	Other      *stat.Rate     `json:"other"`
	Difference *stat.Estimate `json:"difference"` // other - base; below 0 other fails less

	OnlyBaseFailed  int     `json:"only_base_failed"`
	OnlyOtherFailed int     `json:"only_other_failed"`
	McNemarP        float64 `json:"mcnemar_p"`
	McNemarPHolm    float64 `json:"mcnemar_p_holm"` // adjusted for the number of changes it stands among
}

// A comparer compares shares. What decides the interval of a paired difference of shares is how many cases differ
// either way, so equal counts, of which a map has many, are computed once.
type comparer struct {
	level float64
	known map[[3]int]stat.Estimate
}

func newComparer(level float64) *comparer { return &comparer{level, map[[3]int]stat.Estimate{}} }

// difference returns other - base of a share over cases with their clusters: the values are 0 and 1.
func (c *comparer) difference(base, other []float64, cluster []int32) *stat.Estimate {
	if len(base) == 0 || stat.Clusters(cluster) > 0 {
		return stat.Paired(base, other, cluster, c.level).Known()
	}
	key := [3]int{len(base)}
	key[1], key[2] = discordant(base, other)
	d, ok := c.known[key]
	if !ok {
		d = *stat.Paired(base, other, nil, c.level).Known()
		c.known[key] = d
	}
	return &d
}

// discordant counts the cases of which one run alone has 1.
func discordant(base, other []float64) (onlyBase, onlyOther int) {
	for i := range base {
		onlyBase += int(stat.Bit(base[i] > other[i]))
		onlyOther += int(stat.Bit(other[i] > base[i]))
	}
	return onlyBase, onlyOther
}

// change compares a share over the pairs in which both rows have it.
func (x *comparer) change(pairs []pair, m measure) (c Change, n int) {
	base, other, cluster := valuesIn(pairs, m)
	c.OnlyBaseFailed, c.OnlyOtherFailed = discordant(base, other)
	c.Base = stat.ShareByCluster(base, cluster, x.level).Rate()
	c.Other = stat.ShareByCluster(other, cluster, x.level).Rate()
	c.Difference = x.difference(base, other, cluster)
	c.McNemarP = stat.McNemarByCluster(base, other, cluster)
	c.McNemarPHolm = c.McNemarP
	return c, len(base)
}

// confusion returns the map of differences: each cell by stat.Paired and McNemar's exact test, by cluster
// where cases go together, with Holm's adjustment over all cells that have cases, by class and by tag apart.
func (x *comparer) confusion(pairs []pair) ConfusionChange {
	cells := func(keys func(*Row) []string) map[string]map[string]CellChange {
		out := map[string]map[string]CellChange{}
		type place struct{ name, dimension string }
		var places []place
		var ps []float64
		for name, set := range split(pairs, func(p pair) []string { return keys(p[0]) }) {
			out[name] = map[string]CellChange{}
			for i, m := range dimensions {
				c, n := x.change(set, m)
				dimension := grading.AxisNames[i]
				out[name][dimension] = CellChange{n, c}
				if n > 0 {
					places, ps = append(places, place{name, dimension}), append(ps, c.McNemarP)
				}
			}
		}
		for i, p := range stat.Holm(ps) {
			c := out[places[i].name][places[i].dimension]
			c.McNemarPHolm = p
			out[places[i].name][places[i].dimension] = c
		}
		return out
	}
	return ConfusionChange{cells(ofClass), cells(ofTags)}
}
