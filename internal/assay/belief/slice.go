package belief

import (
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/metric/posterior"
	"hallmark/internal/stat"
)

// A Slice is the figures of a part of the queries, or of all at another eps.
type Slice struct {
	N                 int            `json:"n"` // queries with an estimate
	Unscored          int            `json:"unscored"`
	Eps               float64        `json:"eps"`
	PHR               *stat.Interval `json:"phr"`
	MHR               *stat.Interval `json:"mhr,omitempty"`
	MHRSingle         *float64       `json:"mhr_single,omitempty"`
	ErrorRate         *stat.Interval `json:"error_rate,omitempty"`
	MutualInformation *stat.Interval `json:"mutual_information"`
	Entropy           *float64       `json:"entropy,omitempty"`
	Aleatoric         *float64       `json:"aleatoric,omitempty"`

	AgainstError       *posterior.Fit             `json:"against_error,omitempty"`
	AgainstMHR         *posterior.Fit             `json:"against_mhr,omitempty"`
	AgainstMHRSingle   *posterior.Fit             `json:"against_mhr_single,omitempty"`
	InformationAgainst *posterior.InformationFits `json:"information_against,omitempty"`
	InCapability       *bool                      `json:"in_capability,omitempty"`
}

// A Size is the figures of the contexts of one size.
type Size struct {
	Slice
	ByEps map[string]*Slice `json:"by_eps_percent,omitempty"`
}

// slices sets the figures by size of the context and by eps.
func (r *Result) slices(groups [][]posterior.Group, at []posterior.Options, labels int) {
	part := func(n int) (size *Size) {
		for k, o := range at {
			some := groups[k]
			if n > 0 {
				some = slices.DeleteFunc(slices.Clone(some), func(g posterior.Group) bool { return g.Context != n })
			}
			s := sliceOf(some, labels, o)
			if k == 0 {
				size = &Size{Slice: *s}
				continue
			}
			if size.ByEps == nil {
				size.ByEps = map[string]*Slice{}
			}
			size.ByEps[percent(o.Eps)] = s
		}
		return size
	}
	r.ByEps = part(0).ByEps
	if ns := sizes(groups[0]); len(ns) > 1 && r.Study == nil {
		r.ByN = map[string]*Size{}
		for _, n := range ns {
			r.ByN[strconv.Itoa(n)] = part(n)
		}
	}
}

func sliceOf(groups []posterior.Group, labels int, o posterior.Options) *Slice {
	c := posterior.Collect(groups, labels, o)
	s := &Slice{
		N: c.N, Unscored: c.Unscored, Eps: o.Eps, PHR: c.PHR, MHR: c.MHR, MHRSingle: c.MHRSingle, ErrorRate: c.ErrorRate,
		MutualInformation: c.MutualInformation, AgainstError: c.AgainstError, AgainstMHR: c.AgainstMHR, AgainstMHRSingle: c.AgainstMHRSingle,
		InformationAgainst: posterior.AgainstInformation(groups), Entropy: c.Entropy, Aleatoric: c.Aleatoric,
	}
	_, s.InCapability, _ = gate(&c, labels)
	return s
}

// percent names an eps in a path: 75 for .75, 2_5 for .025.
func percent(eps float64) string {
	return strings.Replace(strconv.FormatFloat(eps*100, 'g', 10, 64), ".", "_", 1)
}
