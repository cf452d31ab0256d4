package assay

import (
	"cmp"
	"slices"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/metric/consistency"
)

// A kindOf is what variants are grouped by: their kind, and of templates the part of the prompt that they change.
type kindOf struct {
	kind   prompt.Kind
	family prompt.Family
}

func groupOf(v *prompt.Variant) kindOf {
	k := kindOf{kind: v.Kind}
	if v.Kind == prompt.Templates {
		k.family = v.Family
	}
	return k
}

func (k kindOf) String() string {
	if k.family != "" {
		return string(k.kind) + ": " + string(k.family)
	}
	return string(k.kind)
}

// families compares the kinds of variants that a suite was asked in, in the order of prompt.Kinds; nil where there
// is only the default prompt.
func (x *sitting) families(opt consistency.Options) (*consistency.Families, error) {
	var groups []kindOf
	for _, c := range eachTrial(x.table) {
		if k := groupOf(c.variant); c.purpose == forVariant && k.kind != prompt.Default && !slices.Contains(groups, k) {
			groups = append(groups, k)
		}
	}
	slices.SortStableFunc(groups, func(a, b kindOf) int {
		return cmp.Or(slices.Index(prompt.Kinds, a.kind)-slices.Index(prompt.Kinds, b.kind),
			slices.Index(prompt.Families, a.family)-slices.Index(prompt.Families, b.family))
	})
	var all []consistency.Family
	for _, group := range groups {
		f := consistency.Family{Name: group.String()}
		for ci, trials := range x.table {
			g := x.greedy[ci]
			c := &consistency.Case{ID: g.ID, Gold: g.Gold, GoldDeclined: g.GoldDeclined, Cluster: g.Cluster}
			other := false
			for i := range trials {
				if trial := &trials[i]; trial.purpose == forVariant &&
					(trial.variant.Number == 0 || groupOf(trial.variant) == group) {
					other = other || trial.variant.Number != 0
					if err := x.plan.add(c, trial, trial.variant.Number); err != nil {
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
