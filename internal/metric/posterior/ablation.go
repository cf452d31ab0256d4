package posterior

import (
	"math"

	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
)

// An Ablated row says how the rate would have followed the error, or the model's rate, with other numbers of
// made-up pairs, extensions and draws. K of 0 are exact sums.
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

// ablation computes the table: the first M chains of each query, at each stage, by sums and by K draws from the
// distributions that are stored.
func (s *study) ablation() (out []Ablated) {
	most := len(s.points[0].Then[0])
	for i := range s.points {
		most = min(most, len(s.points[i].Then[0]))
	}
	var designs []int
	for _, m := range ablatedM {
		if m < most {
			designs = append(designs, m)
		}
	}
	designs = append(designs, most)
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
					n := 0.
					for i := range x {
						if !math.IsNaN(target.y[i]) {
							row.PHR += x[i]
							n++
						}
					}
					row.PHR /= n
					out = append(out, row)
				}
			}
		}
	}
	return out
}
