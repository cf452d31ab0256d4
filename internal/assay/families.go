package assay

import (
	"slices"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/prompt"
)

// families compares the kinds of variants that a suite was asked in, in the order of prompt.Kinds; nil where there is only the
// default prompt. greedy are the cases as consistency has them.
func (p *Plan) families(greedy []*consistency.Case, table [][]cell, opt consistency.Options) (*consistency.Families, error) {
	var kinds []prompt.Kind
	for _, cells := range table {
		for i := range cells {
			if k := cells[i].variant.Kind; cells[i].purpose == forVariant && k != prompt.Default && !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	slices.SortStableFunc(kinds, func(a, b prompt.Kind) int { return slices.Index(prompt.Kinds, a) - slices.Index(prompt.Kinds, b) })
	var all []consistency.Family
	for _, kind := range kinds {
		f := consistency.Family{Name: string(kind)}
		for ci, cells := range table {
			c := &consistency.Case{ID: greedy[ci].ID, Gold: greedy[ci].Gold, GoldDeclined: greedy[ci].GoldDeclined}
			other := false
			for i := range cells {
				if cell := &cells[i]; cell.purpose == forVariant && (cell.variant.Number == 0 || cell.variant.Kind == kind) {
					other = other || cell.variant.Number != 0
					if err := p.add(c, cell, cell.variant.Number); err != nil {
						return nil, err
					}
				}
			}
			if other {
				f.Cases = append(f.Cases, c)
			}
		}
		all = append(all, f)
	}
	return consistency.CompareFamilies(all, opt), nil
}
