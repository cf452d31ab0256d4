package consistency

import (
	"math/big"

	"hallmark/internal/stat"
)

// stability fills in SS and its level. SS is summed exactly, so that .9 is .9 at a boundary of the levels.
func (a *analysis) stability() {
	res := &a.res
	total, floor := new(big.Rat), new(big.Rat)
	for r := range a.pcByR {
		total.Add(total, big.NewRat(a.pcByR[r][0], int64(r)))
		floor.Add(floor, big.NewRat(a.pcByR[r][1], int64(r)))
	}
	n := big.NewRat(int64(len(a.rows)), 1)
	total.Quo(total, n)
	ss, _ := total.Float64()
	least, _ := floor.Quo(floor, n).Float64()
	e := a.mean(a.rows, func(r *row) float64 { return r.pc })
	res.SemanticStability = &stat.Estimate{Value: ss, Lo: min(e.Lo, ss), Hi: max(e.Hi, ss)}
	res.PCFloor = &least
	if 2*a.longSingletons > res.N {
		a.warn("over half of the answers are long and like no other: no robustness level is given, as this " +
			"equality does not read prose; choose one that does")
		return
	}
	of := func(ss float64) string { return robustnessOf(new(big.Rat).SetFloat64(ss)) }
	if r := res.Range; r != nil && of(r.SemanticStability.Lo) != of(r.SemanticStability.Hi) {
		a.warn("no robustness level is given, as the answers that could not be graded would decide it")
		return
	}
	res.RobustnessLevel = robustnessOf(total)
	if lo, hi := of(res.SemanticStability.Lo), of(res.SemanticStability.Hi); lo != hi {
		a.warn("the interval of semantic stability reaches from level %s to %s: more questions would decide", lo, hi)
	}
}

var bounds = []struct {
	below *big.Rat
	level string
}{{big.NewRat(3, 10), "insufficient"}, {big.NewRat(6, 10), "limited"}}

// robustnessOf gives the robustness level: [0, .3), [.3, .6), [.6, .9], (.9, 1].
func robustnessOf(ss *big.Rat) string {
	for _, b := range bounds {
		if ss.Cmp(b.below) < 0 {
			return b.level
		}
	}
	if ss.Cmp(big.NewRat(9, 10)) <= 0 {
		return "substantial"
	}
	return "high"
}
