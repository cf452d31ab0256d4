package suitecheck

import "hallmark/internal/stat"

// A Size says what the observations of a suite can find, for rates that may be. N counts clusters.
type Size struct {
	N         int     `json:"n"`
	HalfWidth float64 `json:"half_width"` // that is wanted
	Power     float64 `json:"power"`      // the chance that the interval is no wider, and that a fall is found
	Paired    float64 `json:"paired"`     // the correlation of two runs on the same cases
	Rates     []Rate  `json:"rates"`
}

// A Rate is what is needed, and what there is, where the rate is Base.
type Rate struct {
	Base  float64 `json:"base"`
	Needs int     `json:"needs"` // cases for the half-width that is wanted
	// Half is half the width of the interval that N cases give; null where there is none.
	Half *float64 `json:"half"`
	// Fall is the least fall that a comparison of two runs finds with this power; null where none is found.
	Fall *float64 `json:"fall"`
}

// bases are the rates for which a size is told.
var bases = []float64{.05, .1, .25, .5}

const (
	power  = .8
	paired = .5
)

// size says what n observations find: stat.SizeHalfWidth, stat.HalfWidth and stat.DetectablePaired, as `hallmark plan`
// has them.
func size(n int, o Options) (Size, error) {
	s := Size{N: n, HalfWidth: o.HalfWidth, Power: power, Paired: paired}
	for _, base := range bases {
		needs, err := stat.SizeHalfWidth(base, o.HalfWidth, o.Level, power)
		if err != nil {
			return s, err
		}
		r := Rate{Base: base, Needs: needs.N}
		if n > 0 {
			half := stat.HalfWidth(base, n, o.Level)
			r.Half = &half
			if fall, ok := stat.DetectablePaired(base, paired, min(n, stat.MostPaired), o.Level, power); ok {
				r.Fall = &fall
			}
		}
		s.Rates = append(s.Rates, r)
	}
	return s, nil
}
