package assay

import (
	"maps"
	"slices"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
)

// designed sets what a suite's cases were made to show beside what was measured, a row per tag in alphabetical
// order. It returns nil for a suite of which nothing was designed, or where consistency was not measured.
func (x *sitting) designed() []Designed {
	s, drawn := x.suite, x.out.ConsistencySampled
	if len(s.Designed) == 0 {
		return nil
	}
	var out []Designed
	var ps []float64
	for _, tag := range slices.Sorted(maps.Keys(s.Designed)) {
		d := Designed{Category: tag, Expected: s.Designed[tag]}
		var hit, miss, split []float64 // 1 of a case that is
		var cluster, splitOf []int32
		for i := range x.cases.Len() {
			m := x.on(i)
			if m.stability == nil || m.stability.Category == "" || !slices.Contains(x.cases.At(i).Tags, tag) {
				continue
			}
			as := indicator(d.count(m.stability))
			hit, miss, cluster = append(hit, as), append(miss, 1-as), append(cluster, m.stability.Cluster)
			if m.sampledSC != nil {
				split, splitOf = append(split, indicator(*m.sampledSC < 1)), append(splitOf, m.stability.Cluster)
			}
		}
		if d.N == 0 {
			continue
		}
		if d.Expected != "" {
			d.AsDesigned = stat.ShareByCluster(hit, cluster, level).Known()
			ps = append(ps, stat.McNemarByCluster(miss, hit, cluster)) // which is the exact test of one half
		}
		d.SampledAmbiguous = stat.ShareByCluster(split, splitOf, level).Known()
		if drawn != nil && drawn.UnseenByGreedy != nil {
			d.UnseenByGreedy = drawn.UnseenByGreedy.ByTag[tag].Share
		}
		out = append(out, d)
	}
	recovered(out, stat.Holm(ps))
	return out
}

// recovered says of each group with a design whether most of its cases fell where that calls for, by p of one half,
// which are adjusted for the number of such groups.
func recovered(groups []Designed, p []float64) {
	for i := range groups {
		d := &groups[i]
		if d.AsDesigned == nil {
			continue
		}
		if d.PHolm, p = &p[0], p[1:]; *d.PHolm < 1-level {
			d.Recovered = new(d.AsDesigned.Value > .5)
		}
	}
}

// count adds a case by its category, and reports whether it is as designed.
func (d *Designed) count(q *consistency.Question) bool {
	d.N++
	switch q.Category {
	case consistency.PromptAgnosticFactual:
		d.Factual++
	case consistency.PromptAgnosticError:
		d.Error++
		if classShown(q.Mode) == shownDeclined {
			d.Declined++
		}
	case consistency.Randomness:
		d.Randomness++
	}
	return q.Category == d.Expected || d.Expected == "not_factual" && q.Category != consistency.PromptAgnosticFactual
}
