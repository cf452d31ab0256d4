package paired

import (
	"hallmark/internal/assay"
	"hallmark/internal/metric/method"
)

// Measured compares two runs by what each added method measured in both, by the methods' names; nil where there is
// none. It goes by their catalogues alone.
func Measured(base, other *Side, level float64) method.Figures {
	return eachMethod([]Side{*base, *other}, func(m method.Method, of []method.Result) method.Figures {
		return method.Compare(m, of[0], of[1], base.changed, level)
	})
}

// MeasuredInEach sets what each added method measured in all of several runs beside each other.
func MeasuredInEach(sides []Side) method.Figures { return eachMethod(sides, method.Beside) }

// MeasuredShape is what Measured may return, before anything is measured.
func MeasuredShape() method.Figures {
	out := method.Figures{}
	for _, m := range assay.Added {
		out[m.Name()] = method.Shape(m)
	}
	return out
}

// eachMethod gives the results of each added method that all sides have, and collects what comes of them.
func eachMethod(sides []Side, figures func(method.Method, []method.Result) method.Figures) (out method.Figures) {
	for _, m := range assay.Added {
		var of []method.Result
		for _, s := range sides {
			if r := s.measured[m.Name()]; r != nil {
				of = append(of, r)
			}
		}
		if len(of) < len(sides) {
			continue
		}
		if f := figures(m, of); len(f) > 0 {
			if out == nil {
				out = method.Figures{}
			}
			out[m.Name()] = f
		}
	}
	return out
}
