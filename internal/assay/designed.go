package assay

import (
	"maps"
	"slices"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
)

// designed sets what a suite's cases were made to show beside what was measured, a row per tag in alphabetical
// order. It returns nil for a suite of which nothing was designed, or where consistency was not measured.
func designed(s *suite.Suite, cases []suite.Case, rows []CaseRow, drawn *Sampled) []Designed {
	if len(s.Designed) == 0 {
		return nil
	}
	var out []Designed
	for _, tag := range slices.Sorted(maps.Keys(s.Designed)) {
		d := Designed{Category: tag, Expected: s.Designed[tag]}
		hit, sampled, sampledSplit := 0, 0, 0
		for i, c := range cases {
			row := &rows[i]
			if row.Category == "" || !slices.Contains(c.Tags, tag) {
				continue
			}
			if d.count(row) {
				hit++
			}
			if row.SampledSC != nil {
				sampled++
				if *row.SampledSC < 1 {
					sampledSplit++
				}
			}
		}
		if d.N == 0 {
			continue
		}
		if d.Expected != "" {
			d.AsDesigned = stat.Wilson(hit, d.N, level).Known()
			if most := d.AsDesigned.Lo > .5; most || d.AsDesigned.Hi < .5 {
				d.Recovered = &most
			}
		}
		if sampled > 0 {
			d.SampledAmbiguous = stat.Wilson(sampledSplit, sampled, level).Known()
		}
		if drawn != nil && drawn.UnseenByGreedy != nil {
			d.UnseenByGreedy = drawn.UnseenByGreedy.ByTag[tag].Share
		}
		out = append(out, d)
	}
	return out
}

// count adds a case by its category, and reports whether it is as designed.
func (d *Designed) count(row *CaseRow) bool {
	d.N++
	switch row.Category {
	case consistency.PromptAgnosticFactual:
		d.Factual++
	case consistency.PromptAgnosticError:
		d.Error++
		if row.Mode == shownDeclined {
			d.Declined++
		}
	case consistency.Randomness:
		d.Randomness++
	}
	return row.Category == d.Expected || d.Expected == "not_factual" && row.Category != consistency.PromptAgnosticFactual
}
