package rate

import (
	"hallmark/internal/grade"
	"hallmark/internal/stat"
)

// overVariants returns the rates over all answers. Each case has the same weight, however many of its answers came
// back: Σ k_c/m_c over Σ n_c/m_c, with k_c of n_c answers of m_c that came back, by stat.Ratio with the case as the
// unit, as its answers are not independent.
func overVariants(rows []Row, level float64) *OverVariants {
	all := sorted(rows)
	var cases [][]*Row // the rows of each
	for i, r := range all {
		if i == 0 || r.CaseID != all[i-1].CaseID {
			cases = append(cases, nil)
		}
		cases[len(cases)-1] = append(cases[len(cases)-1], r)
	}
	var came []float64 // by case
	most := 0.
	for _, rows := range cases {
		n := 0.
		for _, r := range rows {
			n += stat.Bit(r.Grade.Outcome() != grade.NoOutcome)
		}
		came, most = append(came, n), max(most, n)
	}
	ratio := func(m measure) stat.Estimate {
		kk, nn, at := make([]float64, 0, len(came)), make([]float64, 0, len(came)), make([]int32, 0, len(came))
		for i, rows := range cases {
			var k, n float64
			for _, r := range rows {
				if v, ok := m(r); ok {
					k, n = k+v, n+1
				}
			}
			if n > 0 { // sums of rounded values may pass their number by a bit
				weight := most / max(n, came[i]) // 1 with equal cases
				kk, nn, at = append(kk, min(k, n)*weight), append(nn, n*weight), append(at, rows[0].Cluster)
			}
		}
		return stat.RatioByCluster(kk, nn, at, level)
	}
	o := &OverVariants{
		Cases:         len(came),
		Hallucination: ratio(hallucination).Rate(), TruthError: ratio(truth).Rate(),
		DecidabilityError: ratio(decidability).Rate(), ReciprocityError: ratio(reciprocity).Rate(),
		Commission: ratio(commission).Rate(), OverRefusal: ratio(overRefusal).Rate(),
		Undecided:       ratio(undecided).Rate(),
		WeightedQuality: ratio((*Row).Quality).Known(), FormatCompliance: ratio(compliance).Rate(),
		Outcomes: newOutcomes(all, ratio),
	}
	o.UngradableShare = asRate(o.Outcomes.Ungradable)
	for _, r := range all {
		if r.Grade.Outcome() == grade.CannotGrade { // counted, as the share weighs cases alike
			o.Ungradable++
		}
		if _, ok := hallucination(r); ok {
			o.Answers++
		} else if unscoredH(r) {
			o.Unscored++
		}
	}
	return o
}
