package posterior

import "hallmark/internal/stat"

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
		f := lineOver(groups, func(q *Query) *float64 { return estimateOf(q.MutualInformation) }, get)
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

func (q *Query) phr() *float64       { return estimateOf(q.PHR) }
func (q *Query) mhr() *float64       { return estimateOf(q.MHR) }
func (q *Query) errorRate() *float64 { return q.ErrorRate }

// estimateOf is the estimate of an interval, nil where there is none.
func estimateOf(i *stat.Estimate) *float64 {
	if i == nil {
		return nil
	}
	return &i.Value
}
