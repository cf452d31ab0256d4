package posterior

import (
	"cmp"
	"math"
	"slices"

	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
)

// A Risk is what abstaining by a score is worth: the queries with the lowest score are answered, the others are not.
type Risk struct {
	Score string   `json:"score"`
	Eps   *float64 `json:"eps"` // of the rate; null where the score has none

	// Area is the mean over the number of answered queries of their error, as in Geifman and El-Yaniv (2017): lower
	// is better. AreaRandom is that of abstaining by chance, the error of all, AreaBest that of knowing each
	// query's chance of an error. Gain is AreaRandom − Area.
	Area       *stat.Estimate `json:"area"`
	AreaRandom float64        `json:"area_random"`
	AreaBest   float64        `json:"area_best"`
	Gain       *stat.Estimate `json:"gain"`

	Curve []RiskAt `json:"curve"`
}

// A RiskAt is one point of a curve: the error among the share of the queries that is answered, and the highest
// score among them.
type RiskAt struct {
	Coverage  float64 `json:"coverage"`
	Threshold float64 `json:"threshold"`
	stat.Estimate
}

// coverages are the shares of a curve.
const coverages = 20

// answeredAt is how many of n queries the c-th share of a curve answers, counted from 0: ⌈(c+1) n/coverages⌉ in whole
// numbers, as .55 of 100 is 55 and not one more by rounding.
func answeredAt(c, n int) int { return ((c+1)*n + coverages - 1) / coverages }

// risks are the curves of the rate at both eps of the source and at that of the run, of the entropy that needs no
// extension, and of the information.
func (s *study) risks() (out []Risk) {
	add := func(name string, eps *float64, score []float64) {
		if r := s.risk(name, eps, score); r != nil {
			out = append(out, *r)
		}
	}
	for e, eps := range s.eps {
		if eps == mhrEps || eps == errorEps || eps == s.Eps {
			add(ofPHR, &s.eps[e], s.phr[e])
		}
	}
	add(ofMI, nil, s.information)
	add(ofEntropy, nil, s.entropy)
	return out
}

// risk is one curve, over the points whose gold is known; nil without any.
func (s *study) risk(name string, eps *float64, score []float64) *Risk {
	var points []scored
	var cluster []int
	for i, e := range s.err {
		if !math.IsNaN(e) {
			points, cluster = append(points, scored{score: score[i], err: e}), append(cluster, s.cluster[i])
		}
	}
	if len(points) == 0 {
		return nil
	}
	numbers, contexts := numbered(cluster)
	for i, k := range numbers {
		points[i].context = k
	}
	r := &Risk{Score: name, Eps: eps}
	best := slices.Clone(points)
	for i := range best {
		best[i].score = best[i].err
	}
	once := slices.Repeat([]int{1}, contexts)
	h := harmonics(4 * len(points))
	r.AreaBest, _, _ = curve(order(best), once, h)
	points = order(points)
	area, mean, risks := curve(points, once, h)
	r.AreaRandom = mean
	for c := range coverages {
		k := answeredAt(c, len(points))
		r.Curve = append(r.Curve, RiskAt{float64(c+1) / coverages, points[k-1].score, stat.Estimate{Value: risks[c]}})
	}
	draw := seed.Stream(s.Seed, "posterior", "resample")
	var areas, gains []float64
	by := make([][]float64, coverages)
	for range resamples {
		times := make([]int, contexts)
		for range times {
			times[draw.IntN(len(times))]++
		}
		a, m, rs := curve(points, times, h)
		areas, gains = append(areas, a), append(gains, m-a)
		for c := range by {
			by[c] = append(by[c], rs[c])
		}
	}
	a, g := resampled(area, areas, s.Level), resampled(mean-area, gains, s.Level)
	all := meanByContext(points, s.Level)
	for _, i := range []*stat.Estimate{&a, &g} {
		if i.Lo == i.Hi { // as where no query errs
			*i = wider(*i, all)
		}
	}
	r.Area, r.Gain = &a, &g
	for c := range r.Curve {
		k := answeredAt(c, len(points))
		r.Curve[c].Estimate = wider(resampled(risks[c], by[c], s.Level), meanByContext(points[:k], s.Level))
	}
	return r
}

// meanByContext is the mean over contexts of the error of their points, with the interval of stat.Mean.
func meanByContext(points []scored, level float64) *stat.Estimate {
	var errs []float64
	var cluster []int
	for _, p := range points {
		errs, cluster = append(errs, p.err), append(cluster, p.context)
	}
	return stat.Mean(meansBy(errs, cluster), level).Known()
}

// wider is an interval at least as wide on both sides as by: resamples of what never errs do not err either, and
// are no certainty.
func wider(i stat.Estimate, by *stat.Estimate) stat.Estimate {
	if by == nil {
		return i
	}
	i.Lo, i.Hi = min(i.Lo, max(0, i.Value-(by.Value-by.Lo))), max(i.Hi, min(1, i.Value+by.Hi-by.Value))
	return i
}

// A scored point is a query with a score, its chance of an error, and its context.
type scored struct {
	score, err float64
	context    int
}

// order sorts points by score, lowest first; equal ones by context, which decides nothing.
func order(points []scored) []scored {
	slices.SortStableFunc(points, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	return points
}

// harmonics are 1 + 1/2 + … + 1/k, from k = 0.
func harmonics(n int) []float64 {
	h := make([]float64, n+1)
	for k := 1; k <= n; k++ {
		h[k] = h[k-1] + 1/float64(k)
	}
	return h
}

// curve returns the area, the error of all, and the error at each coverage of ordered points, each of which counts
// as often as its context does.
//
//	area = 1/n Σ_k E(k)/k,  E(k) the errors among the first k
//
// Points of one score come in any order, so within them E grows by the same for each: Σ (a + b k)/k over them is
// a(H(k1) − H(k0)) + b(k1 − k0).
func curve(points []scored, times []int, h []float64) (area, mean float64, risks []float64) {
	n := 0
	for i := range points {
		n += times[points[i].context]
	}
	risks = make([]float64, coverages)
	if n == 0 {
		return 0, 0, risks
	}
	for len(h) <= n {
		h = append(h, h[len(h)-1]+1/float64(len(h)))
	}
	k0, e0, c := 0, 0., 0
	for i := 0; i < len(points); {
		k1, e1, j := k0, e0, i
		for ; j < len(points) && points[j].score == points[i].score; j++ {
			w := times[points[j].context]
			k1 += w
			e1 += float64(w) * points[j].err
		}
		if k1 > k0 {
			b := (e1 - e0) / float64(k1-k0)
			a := e0 - b*float64(k0)
			area += a*(h[k1]-h[k0]) + b*float64(k1-k0)
			for ; c < coverages; c++ {
				k := answeredAt(c, n)
				if k > k1 {
					break
				}
				risks[c] = a/float64(k) + b
			}
		}
		k0, e0, i = k1, e1, j
	}
	return area / float64(n), e0 / float64(n), risks
}
