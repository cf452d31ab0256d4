package consistency

import (
	"math"
	"math/big"
	"slices"

	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// The taxonomy is given at the thresholds where a share changes, each rounded down to tauUnit, or, where these are
// more than maxTaus, at steps of coarseStep units.
const (
	tauUnit    = 10_000
	maxTaus    = 64
	coarseStep = 200
)

// taus returns the shares of the taxonomy at other thresholds: at 0, 1, the threshold asked for and each where a
// share changes. Every point is what Analyze gives at its Tau. Between two neighbours the shares are those of the
// upper one, but for cases whose SC lies less than 1/10,000 above it.
func (a *analysis) taus() []TauPoint {
	marks := map[int]bool{0: true, tauUnit: true}
	for _, r := range a.rows {
		marks[int(math.Floor(r.sc*tauUnit))] = true
	}
	if len(marks) > maxTaus {
		marks = make(map[int]bool)
		for m := 0; m <= tauUnit; m += coarseStep {
			marks[m] = true
		}
	}
	taus := []*big.Rat{a.tau}
	for m := range marks {
		if t := big.NewRat(int64(m), tauUnit); t.Cmp(a.tau) != 0 {
			taus = append(taus, t)
		}
	}
	slices.SortFunc(taus, (*big.Rat).Cmp)
	rows := slices.Clone(a.rows)
	gold := kept(rows, func(r *row) bool { return r.hasGold })
	category := func(c string) *stat.Estimate {
		return a.share(gold, func(r *row) bool { return r.category() == c })
	}
	out := make([]TauPoint, len(taus))
	for i, tau := range taus {
		t, _ := tau.Float64()
		for _, part := range [][]row{rows, gold} {
			for k := range part {
				part[k].stable = part[k].reaches(tau, t)
			}
		}
		out[i] = TauPoint{t, category(PromptAgnosticFactual), category(PromptAgnosticError), category(Randomness),
			a.share(rows, func(r *row) bool { return !r.stable })}
	}
	return out
}

// reaches reports whether the self-consistency of a case is at least tau, near which t is. Only where floating point
// cannot tell does it count in fractions.
func (r *row) reaches(tau *big.Rat, t float64) bool {
	if math.Abs(r.sc-t) > 1e-9 {
		return r.sc > t
	}
	return big.NewRat(r.num, r.den).Cmp(tau) >= 0
}

// decimal reads a threshold as the decimal that it prints as.
func decimal(tau float64) *big.Rat {
	r, _ := new(big.Rat).SetString(figure.Exact(tau))
	return r
}
