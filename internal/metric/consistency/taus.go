package consistency

import (
	"math"
	"math/big"
	"slices"
	"strconv"

	"hallmark/internal/stat"
)

// The taxonomy is given at the thresholds where a share changes, each rounded down to tauUnit, or, where these are
// more than maxTaus, at steps of coarseStep units.
const (
	tauUnit    = 10_000
	maxTaus    = 64
	coarseStep = 200
)

// An scTier is a value of self-consistency, and how many cases have it.
type scTier struct {
	num, den    int64
	approximate float64
	all         int
	right       int // with gold, by the mode
	wrong       int
}

// taus returns the shares of the taxonomy at other thresholds: at 0, 1, the threshold asked for and each where a
// share changes. Every point is what Analyze gives at its Tau. Between two neighbours the shares are those of the
// upper one, but for cases whose SC lies less than 1/10,000 above it.
func (a *analysis) taus() []TauPoint {
	tiers := make(map[[2]int64]*scTier)
	marks := map[int]bool{0: true, tauUnit: true}
	withGold := 0
	for _, r := range a.rows {
		key := [2]int64{r.num, r.den}
		l := tiers[key]
		if l == nil {
			l = &scTier{num: key[0], den: key[1], approximate: float64(key[0]) / float64(key[1])}
			tiers[key] = l
			marks[int(math.Floor(l.approximate*tauUnit))] = true
		}
		l.all++
		if r.hasGold {
			withGold++
			if r.modeRight {
				l.right++
			} else {
				l.wrong++
			}
		}
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
	out := make([]TauPoint, len(taus))
	for i, tau := range taus {
		t, _ := tau.Float64()
		if a.res.Clusters > 0 {
			out[i] = a.tauByCluster(t, func(r *row) bool {
				return (&scTier{num: r.num, den: r.den, approximate: r.sc}).reaches(tau, t)
			})
			continue
		}
		var stable, right, wrong int
		for _, l := range tiers {
			if l.reaches(tau, t) {
				stable, right, wrong = stable+l.all, right+l.right, wrong+l.wrong
			}
		}
		p := TauPoint{Tau: t, PromptSensitive: stat.Wilson(len(a.rows)-stable, len(a.rows), a.opt.Level).Known()}
		if withGold > 0 {
			share := func(k int) *stat.Estimate { return stat.Wilson(k, withGold, a.opt.Level).Known() }
			p.Factual, p.Error, p.Randomness = share(right), share(wrong), share(withGold-right-wrong)
		}
		out[i] = p
	}
	return out
}

// tauByCluster is the point at a threshold that such rows reach.
func (a *analysis) tauByCluster(tau float64, stable func(*row) bool) TauPoint {
	p := TauPoint{Tau: tau, PromptSensitive: a.share(a.rows, func(r *row) bool { return !stable(r) })}
	gold := kept(a.rows, func(r *row) bool { return r.hasGold })
	p.Factual = a.share(gold, func(r *row) bool { return stable(r) && r.modeRight })
	p.Error = a.share(gold, func(r *row) bool { return stable(r) && !r.modeRight })
	p.Randomness = a.share(gold, func(r *row) bool { return !stable(r) })
	return p
}

// reaches reports whether the tier is at least tau, near which t is. Only where floating point cannot tell does it
// count in fractions.
func (l *scTier) reaches(tau *big.Rat, t float64) bool {
	if math.Abs(l.approximate-t) > 1e-9 {
		return l.approximate > t
	}
	return big.NewRat(l.num, l.den).Cmp(tau) >= 0
}

// decimal reads a threshold as the decimal that it prints as.
func decimal(tau float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(tau, 'g', -1, 64))
	return r
}
