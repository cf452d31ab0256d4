package posterior

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"hallmark/internal/stat"
)

// A Fit says how one quantity follows the rate over queries: the straight line y = Intercept + Slope·PHR by least
// squares.
type Fit struct {
	N         int      `json:"n"`
	Slope     float64  `json:"slope"`
	Intercept float64  `json:"intercept"`
	R2        float64  `json:"r2"`  // share of the variance of y that the line explains
	MAE       float64  `json:"mae"` // mean |y − PHR|, of the rate itself and not of the line
	MSE       float64  `json:"mse"` // mean (y − PHR)², likewise
	P         *float64 `json:"p"`   // two-sided, of a slope of 0; null with fewer than three contexts
}

// FitTo fits y to the rates x, where cluster names the context of each: errors of one context go together, so the
// standard error of the slope sums scores by context (Liang and Zeger 1986, with the factor G/(G−1)), and P is
// Student's with G−1 degrees of freedom. It is nil where there are fewer than three points or all x are one.
func FitTo(x, y []float64, cluster []int) *Fit {
	n := float64(len(x))
	f := &Fit{N: len(x)}
	if len(x) < 3 {
		return nil
	}
	var mx, my float64
	for i := range x {
		mx += x[i] / n
		my += y[i] / n
		f.MAE += math.Abs(y[i]-x[i]) / n
		f.MSE += (y[i] - x[i]) * (y[i] - x[i]) / n
	}
	var sxx, sxy, syy float64
	for i := range x {
		sxx += (x[i] - mx) * (x[i] - mx)
		sxy += (x[i] - mx) * (y[i] - my)
		syy += (y[i] - my) * (y[i] - my)
	}
	if sxx <= 1e-300 {
		return nil
	}
	f.Slope = sxy / sxx
	f.Intercept = my - f.Slope*mx
	if syy > 0 {
		f.R2 = sxy * sxy / (sxx * syy)
	}
	scores := map[int]float64{}
	for i := range x {
		scores[cluster[i]] += (x[i] - mx) * (y[i] - f.Intercept - f.Slope*x[i])
	}
	if g := float64(len(scores)); g >= 3 {
		var meat float64
		for _, i := range slices.Sorted(maps.Keys(scores)) {
			meat += scores[i] * scores[i]
		}
		p := 0.
		if se := math.Sqrt(meat*g/(g-1)) / sxx; se > 0 {
			p = 2 * distuv.StudentsT{Sigma: 1, Nu: g - 1}.Survival(math.Abs(f.Slope)/se)
		}
		f.P = &p
	}
	return f
}

// InformationFits say how the rates and the error follow the mutual information over queries: straight lines, x in
// nats. A Fit's MAE and MSE compare a share with nats here and are left out.
type InformationFits struct {
	PHR   *InformationFit `json:"phr,omitempty" gate:"figure"`
	MHR   *InformationFit `json:"mhr,omitempty" gate:"figure"`
	Error *InformationFit `json:"error,omitempty" gate:"figure"`
}

// An InformationFit is the line of one of them.
type InformationFit struct {
	N         int      `json:"n"`
	Slope     float64  `json:"slope"` // per nat
	Intercept float64  `json:"intercept"`
	R2        float64  `json:"r2"`
	P         *float64 `json:"p"` // as of a Fit
}

// AgainstInformation fits PHR, MHR and error to the mutual information of the queries, errors clustered by context.
// It is nil where no line can be drawn.
func AgainstInformation(groups []Group) *InformationFits {
	fit := func(get func(*Query) *float64) *InformationFit {
		f := lineOver(groups, func(q *Query) *float64 { return ValueOf(q.MutualInformation) }, get)
		if f == nil {
			return nil
		}
		return &InformationFit{f.N, f.Slope, f.Intercept, f.R2, f.P}
	}
	all := InformationFits{PHR: fit((*Query).phr), MHR: fit((*Query).mhr), Error: fit((*Query).errorRate)}
	if all == (InformationFits{}) {
		return nil
	}
	return &all
}

func (q *Query) phr() *float64       { return ValueOf(q.PHR) }
func (q *Query) mhr() *float64       { return ValueOf(q.MHR) }
func (q *Query) errorRate() *float64 { return q.ErrorRate }

// ValueOf is the estimate of an interval, nil where there is none.
func ValueOf(i *stat.Estimate) *float64 {
	if i == nil {
		return nil
	}
	return &i.Value
}
