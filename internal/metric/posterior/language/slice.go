package language

import (
	"cmp"
	"maps"
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
	Unit              string         `json:"unit,omitempty"` // of the interval of PHR, as of a posterior.Result
	PHR               *stat.Estimate `json:"phr"`
	MHR               *stat.Estimate `json:"mhr,omitempty"`
	MHRSingle         *float64       `json:"mhr_single,omitempty"`
	ErrorRate         *stat.Estimate `json:"error_rate,omitempty"`
	MutualInformation *stat.Estimate `json:"mutual_information"`
	Entropy           *stat.Estimate `json:"entropy,omitempty"`
	Aleatoric         *stat.Estimate `json:"aleatoric,omitempty"`

	AgainstError       *posterior.Fit             `json:"against_error,omitempty" gate:"figure"`
	AgainstMHR         *posterior.Fit             `json:"against_mhr,omitempty" gate:"figure"`
	AgainstMHRSingle   *posterior.Fit             `json:"against_mhr_single,omitempty" gate:"figure"`
	InformationAgainst *posterior.InformationFits `json:"information_against,omitempty" gate:"figure"`
	InCapability       *bool                      `json:"in_capability,omitempty"`
}

// A Size is the figures of the contexts of one size.
type Size struct {
	Contexts int `json:"contexts"`
	Slice
	ByEps map[string]*Slice `json:"by_eps_percent,omitempty"`
}

// slices sets the figures by size of the context and by eps.
func (r *Result) slices(groups [][]posterior.Group, at []posterior.Options, labels int) {
	r.all = sizeOf(groups, at, labels, 0)
	r.ByEps = r.all.ByEps
	sizes := map[int]bool{}
	for _, g := range groups[0] {
		sizes[g.Context] = true
	}
	if len(sizes) > 1 {
		r.ByN = map[string]*Size{}
		for n := range sizes {
			r.ByN[strconv.Itoa(n)] = sizeOf(groups, at, labels, n)
		}
	}
}

// sizeOf is of the contexts of n pairs; of all where n is 0.
func sizeOf(groups [][]posterior.Group, at []posterior.Options, labels, n int) *Size {
	var size *Size
	for k, o := range at {
		some := groups[k]
		if n > 0 {
			some = slices.DeleteFunc(slices.Clone(some), func(g posterior.Group) bool { return g.Context != n })
		}
		s := sliceOf(some, labels, o)
		if k == 0 {
			size = &Size{Contexts: len(some), Slice: *s}
			continue
		}
		if size.ByEps == nil {
			size.ByEps = map[string]*Slice{}
		}
		size.ByEps[percent(o.Eps)] = s
	}
	return size
}

// Sizes are the figures by size of the context, the smallest first, and those of all under 0 at the end; nil for a
// result that was read back.
func (r *Result) Sizes(visit func(n int, s *Size)) {
	by := map[int]*Size{}
	for name, s := range r.ByN {
		if n, err := strconv.Atoi(name); err == nil {
			by[n] = s
		}
	}
	for _, n := range slices.Sorted(maps.Keys(by)) {
		visit(n, by[n])
	}
	if r.all != nil {
		visit(0, r.all)
	}
}

// Eps visits the figures at each eps, the smallest first.
func (s *Size) Eps(visit func(*Slice)) {
	all := slices.AppendSeq([]*Slice{&s.Slice}, maps.Values(s.ByEps))
	slices.SortFunc(all, func(a, b *Slice) int { return cmp.Compare(a.Eps, b.Eps) })
	for _, at := range all {
		visit(at)
	}
}

func sliceOf(groups []posterior.Group, labels int, o posterior.Options) *Slice {
	c := posterior.Collect(groups, labels, o)
	s := &Slice{
		N: c.N, Unscored: c.Unscored, Eps: o.Eps, Unit: c.Unit,
		PHR: c.PHR, MHR: c.MHR, MHRSingle: c.MHRSingle, ErrorRate: c.ErrorRate,
		MutualInformation: c.MutualInformation, AgainstError: c.AgainstError, AgainstMHR: c.AgainstMHR,
		AgainstMHRSingle:   c.AgainstMHRSingle,
		InformationAgainst: posterior.AgainstInformation(groups), Entropy: c.Entropy, Aleatoric: c.Aleatoric,
	}
	_, s.InCapability, _ = gate(&c, labels)
	return s
}

// percent names an eps in a path: 75 for .75, 2_5 for .025.
func percent(eps float64) string {
	return strings.Replace(strconv.FormatFloat(eps*100, 'g', 10, 64), ".", "_", 1)
}
