package posterior

import (
	"math"
	"slices"

	"hallmark/internal/base/seed"
	"hallmark/internal/metric/posterior/predictive"
	"hallmark/internal/stat"
)

// A Point is one query after one context, with the distributions over its labels from which every rate is computed:
// at any eps, from fewer extensions, or with samples in place of sums.
type Point struct {
	Context int // which one; queries of a context go together
	Pairs   int // n
	Labels  int // all other answers apart
	Now     predictive.Categorical
	Then    [][]predictive.Categorical // after extensions: by stage, then by chain
	True    []predictive.Categorical   // after sets of true pairs; none where they are not known
	Gold    int                        // the right label, -1 where it is not known
}

// A Study is what many contexts say together: the rates over the number of pairs and over eps, how they go together
// with each other and with the error, what fewer calls would have said, and what abstaining by them is worth. The
// unit of every interval is the context.
type Study struct {
	Contexts int       `json:"contexts"`
	Points   int       `json:"points"` // queries
	Eps      []float64 `json:"eps"`    // at which rates are given

	Relations   []Relation `json:"relations"`
	Calibration []Bin      `json:"calibration"`
	Checks      []Check    `json:"checks"`
	Risk        []Risk     `json:"risk_coverage"`
	Ablation    []Ablated  `json:"ablation"`
	Cost        []Cost     `json:"cost"`
	Warnings    []string   `json:"warnings"`

	byPairs []atPairs // by the number of pairs; the last is of all
}

// atPairs is what the checks take of the contexts with one number of pairs.
type atPairs struct {
	points      int
	err         *stat.Estimate   // chance that an answer drawn is wrong
	errorRandom float64          // that of a guess among the labels
	able        bool             // the error lies below that of a guess with its whole interval
	phr, mhr    []*stat.Estimate // by eps
}

// StudyContexts is the least number of contexts of a study.
const StudyContexts = 10

// Grid are the eps at which a study gives rates, beside that of the run: those of the source's ablations.
var Grid = []float64{.02, .05, .1, .2, .5, .75}

// The eps at which the source compares the rate with the model hallucination rate and with the error.
const (
	mhrEps   = .05
	errorEps = .75
)

// A study is a Study in the making.
type study struct {
	Options
	points  []Point
	stages  []int
	eps     []float64
	cluster []int
	ns      []int
	took    map[int]*Taken

	phr, mhr           [][]float64 // by eps, then by point; mhr is NaN where there is none
	err                []float64   // NaN where the gold is not known
	entropy, aleatoric []float64
	information        []float64
}

// NewStudy makes the study of points whose extensions were asked about at stages pairs, the last of which is the
// whole extension; took is what the calls took by the number of pairs of their context. It is nil where there are
// fewer than StudyContexts contexts. It does not change its arguments.
func NewStudy(points []Point, stages []int, o Options, took map[int]*Taken) *Study {
	s := &study{Options: o, points: points, stages: stages, eps: slices.Clone(Grid), took: took}
	seen := map[int]bool{}
	for i := range points {
		p := &points[i]
		seen[p.Context] = true
		s.cluster, s.ns = append(s.cluster, p.Context), append(s.ns, p.Pairs)
	}
	if len(seen) < StudyContexts {
		return nil
	}
	slices.Sort(s.ns)
	s.ns = slices.Compact(s.ns)
	if !slices.Contains(s.eps, o.Eps) {
		s.eps = append(s.eps, o.Eps)
		slices.Sort(s.eps)
	}
	s.measure()
	out := &Study{Contexts: len(seen), Points: len(points), Eps: s.eps, Warnings: []string{}}
	if len(s.ns) > 1 {
		for _, n := range s.ns {
			out.byPairs = append(out.byPairs, s.atPairs(n))
		}
	}
	out.byPairs = append(out.byPairs, s.atPairs(0))
	out.Relations = s.relations()
	out.Calibration = slices.Concat(s.calibration("error", errorEps, s.err),
		s.calibration("mhr", mhrEps, s.mhr[s.at(mhrEps)]))
	out.Checks = s.checks(out)
	out.Risk = s.risks()
	out.Ablation = s.ablation()
	out.Cost = s.costs()
	if out.Contexts < 30 {
		stat.Warn(&out.Warnings, "%d contexts: intervals by resampling contexts are too narrow with fewer than 30",
			out.Contexts)
	}
	return out
}

func (s *study) at(eps float64) int { return slices.Index(s.eps, eps) }

// measure computes what every part of the study rests on, for each point.
func (s *study) measure() {
	n := len(s.points)
	column := func() []float64 { return make([]float64, n) }
	s.err, s.entropy, s.aleatoric, s.information = column(), column(), column(), column()
	for range s.eps {
		s.phr, s.mhr = append(s.phr, column()), append(s.mhr, column())
	}
	last := len(s.stages) - 1
	for i := range s.points {
		p := &s.points[i]
		s.err[i] = math.NaN()
		if p.Gold >= 0 {
			s.err[i] = min(1, max(0, 1-p.Now[p.Gold]))
		}
		s.entropy[i] = p.Now.Entropy()
		for _, then := range p.Then[last] {
			s.aleatoric[i] += then.Entropy() / float64(len(p.Then[last]))
		}
		s.information[i] = s.entropy[i] - s.aleatoric[i]
		for e, eps := range s.eps {
			s.phr[e][i] = MeanUnlikely(p.Now, p.Then[last], eps)
			s.mhr[e][i] = MeanUnlikely(p.Now, p.True, eps)
		}
	}
}

// MeanUnlikely is the mean over contexts of the mass that their distributions find unlikely; NaN without any.
func MeanUnlikely(now predictive.Categorical, then []predictive.Categorical, eps float64) float64 {
	if len(then) == 0 {
		return math.NaN()
	}
	var sum float64
	for _, q := range then {
		sum += now.Unlikely(q, eps)
	}
	return min(1, sum/float64(len(then)))
}

// atPairs is of the contexts with n pairs; of all where n is 0.
func (s *study) atPairs(n int) (out atPairs) {
	keep := func(i int) bool { return n == 0 || s.points[i].Pairs == n }
	for i := range s.points {
		if keep(i) {
			out.points++
			out.errorRandom += 1 - 1/float64(s.points[i].Labels)
		}
	}
	out.errorRandom /= float64(out.points)
	rate := func(values []float64) *stat.Estimate { return stat.Mean(s.byContext(values, keep), s.Level).Known() }
	out.err = rate(s.err)
	out.able = out.err != nil && out.err.Hi < out.errorRandom
	for e := range s.eps {
		out.phr, out.mhr = append(out.phr, rate(s.phr[e])), append(out.mhr, rate(s.mhr[e]))
	}
	return out
}

// byContext returns the mean of each context over those of its points that are kept and have a value, in the order
// of the contexts.
func (s *study) byContext(values []float64, keep func(i int) bool) []float64 {
	var kept []float64
	var cluster []int
	for i, v := range values {
		if !math.IsNaN(v) && keep(i) {
			kept, cluster = append(kept, v), append(cluster, s.cluster[i])
		}
	}
	return meansBy(kept, cluster)
}

// numbered numbers clusters from 0, in the order in which they come.
func numbered(cluster []int) (numbers []int, clusters int) {
	at := map[int]int{}
	for _, c := range cluster {
		k, ok := at[c]
		if !ok {
			k = len(at)
			at[c] = k
		}
		numbers = append(numbers, k)
	}
	return numbers, len(at)
}

// meansBy is the mean of each cluster, in the order in which they come; of values that are at most 1.
func meansBy(values []float64, cluster []int) []float64 {
	numbers, n := numbered(cluster)
	means, count := make([]float64, n), make([]float64, n)
	for i, v := range values {
		means[numbers[i]] += v
		count[numbers[i]]++
	}
	for k := range means {
		means[k] = min(1, means[k]/count[k])
	}
	return means
}

// A Bin is one point of a calibration curve: the queries whose rate lies in it, and what is set beside the rate.
type Bin struct {
	Against string        `json:"against"` // error or mhr
	Eps     float64       `json:"eps"`
	From    float64       `json:"from"` // From <= rate < To
	To      float64       `json:"to"`
	Points  int           `json:"points"`
	PHR     float64       `json:"phr"` // mean
	Is      stat.Estimate `json:"is"`  // mean of what it is against
}

// bins is the number of bins of a calibration curve.
const bins = 10

// calibration sets the rate at eps beside y in bins of equal width; those without points are left out.
func (s *study) calibration(against string, eps float64, y []float64) (out []Bin) {
	x := s.phr[s.at(eps)]
	of := func(i int) int { return min(bins-1, int(x[i]*bins)) }
	for b := range bins {
		keep := func(i int) bool { return of(i) == b && !math.IsNaN(y[i]) }
		row := Bin{Against: against, Eps: eps, From: float64(b) / bins, To: float64(b+1) / bins}
		for i := range x {
			if keep(i) {
				row.Points++
				row.PHR += x[i]
			}
		}
		if row.Points == 0 {
			continue
		}
		row.PHR /= float64(row.Points)
		row.Is = *stat.Mean(s.byContext(y, keep), s.Level).Known()
		out = append(out, row)
	}
	return out
}

// An Ablated row says how the rate would have followed the error, or the model's rate, with other numbers of
// made-up pairs, extensions and samples. K of 0 are exact sums.
type Ablated struct {
	Extend  int            `json:"extend"`
	M       int            `json:"m"`
	K       int            `json:"k"`
	Against string         `json:"against"`
	Eps     float64        `json:"eps"` // of the rate, and of the model's rate
	PHR     float64        `json:"phr"` // mean
	R2      *stat.Estimate `json:"r2"`
	Slope   *float64       `json:"slope"`
	MAE     *stat.Estimate `json:"mae"`
	MSE     float64        `json:"mse"`
	Calls   int            `json:"calls"` // of a query
}

// The designs of the ablation.
var (
	ablatedM = []int{2, 5, 10, 20, 50, 100}
	ablatedK = []int{10, 50, 0}
)

// ablation computes the table: the first M chains of each query, at each stage, by sums and by K samples from the
// distributions that are stored.
func (s *study) ablation() (out []Ablated) {
	most := len(s.points[0].Then[0])
	for i := range s.points {
		most = min(most, len(s.points[i].Then[0]))
	}
	designs := append(slices.DeleteFunc(slices.Clone(ablatedM), func(m int) bool { return m >= most }), most)
	for stage, extend := range s.stages {
		for _, k := range ablatedK {
			for _, target := range []struct {
				name string
				eps  float64
				y    []float64
			}{{ofError, errorEps, s.err}, {ofMHR, mhrEps, s.mhr[s.at(mhrEps)]}} {
				o := s.Options
				o.Eps, o.K, o.Estimator = target.eps, k, Published
				if k == 0 {
					o.Estimator = Sum
				}
				sums := make([]float64, len(s.points))
				done := 0
				for _, m := range designs {
					x := make([]float64, len(s.points))
					for i := range s.points {
						p := &s.points[i]
						for c := done; c < m; c++ {
							sums[i] += Measure(p.Now, p.Then[stage][c], o,
								seed.Stream(s.Seed, "posterior", "ablation", itoa(stage), itoa(k), itoa(i),
									itoa(c))).THR
						}
						x[i] = min(1, sums[i]/float64(m))
					}
					done = m
					r := s.relate(Relation{X: ofPHR, XEps: &target.eps, Y: target.name}, x, target.y)
					if r.Points < 3 {
						continue
					}
					row := Ablated{Extend: extend, M: m, K: k, Against: target.name, Eps: target.eps, R2: r.R2,
						Slope: r.Slope, MAE: r.MAE, MSE: r.MSE, Calls: m * (extend + 2*k)}
					if k == 0 {
						row.Calls = m*(extend+1) + 1
					}
					for i := range x {
						if !math.IsNaN(target.y[i]) {
							row.PHR += x[i]
						}
					}
					row.PHR /= float64(r.Points)
					out = append(out, row)
				}
			}
		}
	}
	return out
}
