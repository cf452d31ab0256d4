package posterior

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// A Relation says how two quantities go together over queries: the straight line of y on x, Pearson's r, and R²
// with an interval. At eps of the rate and of what it is set against; null where that has none. R² is null where
// one of the two is the same everywhere but for a hundredth: of rates that are all next to 0 the line says nothing.
type Relation struct {
	X      string         `json:"x"`
	XEps   *float64       `json:"x_eps"`
	Y      string         `json:"y"`
	YEps   *float64       `json:"y_eps"`
	Pairs  int            `json:"context"` // 0: all numbers of pairs together
	Points int            `json:"points"`
	R      *float64       `json:"r"`
	R2     *stat.Estimate `json:"r2"`
	Slope  *float64       `json:"slope"`
	P      *float64       `json:"p"`
	MAE    *stat.Estimate `json:"mae"`
	MSE    float64        `json:"mse"`
}

// Names of what relations are between.
const (
	ofPHR, ofMHR, ofError = "phr", "mhr", "error"
	ofMI, ofEntropy       = "mutual_information", "entropy"
)

// varies is the least range of values between which a line is drawn.
const varies = .01

// resamples is how often contexts are drawn anew for an interval.
const resamples = 1000

// relations are those of the source's figures: the rate against the error and against the model's rate, by number
// of pairs and together; over eps, and with an eps other than that of the truth; and the information against all.
func (s *study) relations() (out []Relation) {
	add := func(r Relation, x, y []float64) {
		if r := s.relate(r, x, y); r.Points >= 3 {
			out = append(out, r)
		}
	}
	small, large := s.at(mhrEps), s.at(errorEps)
	counts := []int{0}
	if len(s.ns) > 1 {
		counts = append(counts, s.ns...)
	}
	for _, n := range counts {
		add(Relation{X: ofPHR, XEps: new(errorEps), Y: ofError, Pairs: n}, s.phr[large], s.err)
		add(Relation{X: ofPHR, XEps: new(mhrEps), Y: ofMHR, YEps: new(mhrEps), Pairs: n}, s.phr[small], s.mhr[small])
		add(Relation{X: ofPHR, XEps: new(errorEps), Y: ofMHR, YEps: new(errorEps), Pairs: n}, s.phr[large],
			s.mhr[large])
	}
	for e, x := range s.eps {
		if e != large {
			add(Relation{X: ofPHR, XEps: new(x), Y: ofError}, s.phr[e], s.err)
		}
		if e != large && e != small {
			add(Relation{X: ofPHR, XEps: new(x), Y: ofMHR, YEps: new(x)}, s.phr[e], s.mhr[e])
		}
		if e != small {
			add(Relation{X: ofPHR, XEps: new(x), Y: ofMHR, YEps: new(mhrEps)}, s.phr[e], s.mhr[small])
		}
	}
	for _, of := range []string{ofMI, ofEntropy} {
		x := s.information
		if of == ofEntropy {
			x = s.entropy
		}
		add(Relation{X: of, Y: ofError}, x, s.err)
		add(Relation{X: of, Y: ofPHR, YEps: new(mhrEps)}, x, s.phr[small])
		add(Relation{X: of, Y: ofPHR, YEps: new(errorEps)}, x, s.phr[large])
		add(Relation{X: of, Y: ofMHR, YEps: new(mhrEps)}, x, s.mhr[small])
	}
	return out
}

// relate fills in a relation over the points that have both and the number of pairs that it names.
func (s *study) relate(r Relation, x, y []float64) Relation {
	var xs, ys, off []float64
	var cluster []int
	for i := range x {
		if math.IsNaN(x[i]) || math.IsNaN(y[i]) || r.Pairs != 0 && s.points[i].Pairs != r.Pairs {
			continue
		}
		xs, ys, cluster = append(xs, x[i]), append(ys, y[i]), append(cluster, s.cluster[i])
		off = append(off, min(1, math.Abs(x[i]-y[i])))
	}
	r.Points = len(xs)
	if r.Points < 3 {
		return r
	}
	if r.X == ofPHR {
		r.MAE = stat.Mean(meansBy(off, cluster), s.Level).Known()
		for _, d := range off {
			r.MSE += d * d / float64(len(off))
		}
	}
	f := FitTo(xs, ys, cluster)
	if f == nil || slices.Max(ys)-slices.Min(ys) < varies || slices.Max(xs)-slices.Min(xs) < varies {
		return r
	}
	r.Slope, r.P = &f.Slope, f.P
	r.R = new(math.Copysign(math.Sqrt(f.R2), f.Slope))
	r.R2 = s.r2(xs, ys, cluster, *f)
	return r
}

// moments are sums from which a squared correlation is computed.
type moments [6]float64

func (m moments) r2() (float64, bool) {
	n, sx, sy, sxx, sxy, syy := m[0], m[1], m[2], m[3], m[4], m[5]
	vx, vy, c := sxx-sx*sx/n, syy-sy*sy/n, sxy-sx*sy/n
	if vx <= 1e-12*n || vy <= 1e-12*n {
		return 0, false
	}
	return min(1, c*c/(vx*vy)), true
}

// r2 is R² with the percentile interval of 1,000 resamples of whole contexts. A squared correlation of a sample is
// never below 0 and mostly above the true one where that is 0, so the interval begins at 0 where the slope may be 0
// (by FitTo's p). Resamples in which nothing varies are left out. Coverage of 95 % at 50 contexts of ten queries:
// TestR2Coverage.
func (s *study) r2(x, y []float64, cluster []int, f Fit) *stat.Estimate {
	cluster, clusters := numbered(cluster)
	sums := make([]moments, clusters)
	for i := range x {
		for k, v := range [6]float64{1, x[i], y[i], x[i] * x[i], x[i] * y[i], y[i] * y[i]} {
			sums[cluster[i]][k] += v
		}
	}
	r := seed.Stream(s.Seed, "posterior", "resample")
	var all []float64
	for range resamples {
		var m moments
		for range clusters {
			c := &sums[r.IntN(clusters)]
			for k := range m {
				m[k] += c[k]
			}
		}
		if v, ok := m.r2(); ok {
			all = append(all, v)
		}
	}
	if len(all) < resamples/2 {
		return &stat.Estimate{Value: f.R2, Lo: 0, Hi: 1}
	}
	e := resampled(f.R2, all, s.Level)
	if f.P == nil || *f.P > 1-s.Level {
		e.Lo = min(0, f.R2)
	}
	return &e
}

// resampled is a value with the percentiles of resamples that hold the level between them, and it. It sorts them.
func resampled(value float64, values []float64, level float64) stat.Estimate {
	slices.Sort(values)
	n := float64(len(values))
	at := func(q float64) float64 { return values[min(len(values)-1, max(0, int(q*n)))] }
	return stat.Estimate{Value: value, Lo: min(at((1-level)/2), value), Hi: max(at((1+level)/2), value)}
}

// A Check is one of the source's findings, held against what was measured.
type Check struct {
	Claim string `json:"claim"`
	Holds *bool  `json:"holds"` // null: it cannot be told
	Says  string `json:"says"`  // with the figures
}

// tracks is the R² from which one quantity is said to follow another.
const tracks = .5

// checks says of each finding whether it holds here.
func (s *study) checks(o *Study) (out []Check) {
	if len(s.ns) > 1 {
		out = append(out, s.falls(o)...)
	}
	all := o.byPairs[len(o.byPairs)-1]
	find := func(x string, xe float64, y string, ye float64) *Relation {
		for i := range o.Relations {
			r := &o.Relations[i]
			if r.X == x && r.Y == y && r.Pairs == 0 && (r.XEps == nil || *r.XEps == xe) &&
				(r.YEps == nil || *r.YEps == ye) {
				return r
			}
		}
		return nil
	}
	if r := find(ofPHR, mhrEps, ofMHR, mhrEps); r != nil && r.R2 != nil {
		gap := all.phr[s.at(mhrEps)].Value - all.mhr[s.at(mhrEps)].Value
		out = append(out, Check{"PHR tracks MHR at eps .05", new(r.R2.Value >= tracks && *r.R > 0),
			fmt.Sprintf("R² %s, slope %s, mean absolute difference %s; on average PHR is %s %s MHR", said(r.R2),
				figure.Hyphened(figure.Fixed(*r.Slope, 2)), figure.Decimal(r.MAE.Value), figure.Decimal(math.Abs(gap)),
				map[bool]string{true: "above", false: "below"}[gap > 0])})
	}
	if r := find(ofPHR, errorEps, ofError, 0); r != nil && r.R2 != nil && all.err != nil {
		c := Check{"PHR does not track the error at eps .75 out of capability", new(r.R2.Value < .05),
			fmt.Sprintf("R² %s, slope %s, mean absolute difference %s; the error is %s, that of a guess %s",
				said(r.R2), figure.Hyphened(figure.Fixed(*r.Slope, 2)), figure.Decimal(r.MAE.Value), said(all.err),
				figure.Decimal(all.errorRandom))}
		if all.able {
			c.Claim, c.Holds = "PHR tracks the error at eps .75 in capability", new(r.R2.Value >= tracks && *r.R > 0)
		}
		out = append(out, s.oneLength(c))
	}
	if c, ok := s.informs(find); ok {
		out = append(out, s.oneLength(c))
	}
	return out
}

// informs checks that mutual information goes with each of the rates; false where none could be related.
func (s *study) informs(find func(x string, xe float64, y string, ye float64) *Relation) (Check, bool) {
	sure := true
	var says []string
	for _, y := range []struct {
		name string
		eps  float64
		text string
	}{{ofPHR, mhrEps, "PHR at .05"}, {ofPHR, errorEps, "PHR at .75"}, {ofMHR, mhrEps, "MHR at .05"},
		{ofError, 0, "the error"}} {
		r := find(ofMI, 0, y.name, y.eps)
		if r == nil || r.R == nil {
			continue
		}
		said := y.text + " r " + figure.Hyphened(figure.Fixed(*r.R, 2))
		if r.P == nil || *r.P > 1-s.Level || *r.R <= 0 {
			said += " (not significant)"
			sure = false
		}
		says = append(says, said)
	}
	return Check{"mutual information correlates with PHR, MHR and the error", new(sure), strings.Join(says, "; ")},
		len(says) > 0
}

// oneLength takes back a verdict that needs contexts of several lengths: over them the rates rise and fall, and
// within one hardly.
func (s *study) oneLength(c Check) Check {
	if len(s.ns) == 1 {
		c.Holds = nil
		c.Says += "; all contexts have one length, and this takes several"
	}
	return c
}

func said(i *stat.Estimate) string {
	return figure.Decimal(i.Value) + " (" + figure.Decimal(i.Lo) + " to " + figure.Decimal(i.Hi) + ")"
}

// falls checks that the rates and the error fall with the number of pairs: the slope over its logarithm lies below
// 0 for sure (FitTo's p, by context), and no number of pairs has a value above that of the one before for sure.
func (s *study) falls(o *Study) (out []Check) {
	byPairs := o.byPairs[:len(o.byPairs)-1]
	small, large := s.at(mhrEps), s.at(errorEps)
	for _, row := range []struct {
		name   string
		values []float64
		of     func(l *atPairs) *stat.Estimate
	}{
		{"PHR at eps .05", s.phr[small], func(l *atPairs) *stat.Estimate { return l.phr[small] }},
		{"PHR at eps .75", s.phr[large], func(l *atPairs) *stat.Estimate { return l.phr[large] }},
		{"MHR at eps .05", s.mhr[small], func(l *atPairs) *stat.Estimate { return l.mhr[small] }},
		{"the error", s.err, func(l *atPairs) *stat.Estimate { return l.err }},
	} {
		var x, y []float64
		var cluster []int
		for i, v := range row.values {
			if !math.IsNaN(v) {
				x, y, cluster = append(x, math.Log2(float64(s.points[i].Pairs))), append(y, v),
					append(cluster, s.cluster[i])
			}
		}
		f := FitTo(x, y, cluster)
		if f == nil || f.P == nil {
			continue
		}
		c := Check{Claim: row.name + " falls with the number of pairs"}
		rises := false
		var says []string
		for i := range byPairs {
			v := row.of(&byPairs[i])
			if v == nil {
				continue
			}
			if i > 0 {
				before := row.of(&byPairs[i-1])
				rises = rises || before != nil && v.Lo > before.Hi
			}
			says = append(says, figure.Decimal(v.Value))
		}
		c.Says = fmt.Sprintf("%s for %v pairs; %s for twice as many (p %s)", strings.Join(says, ", "), s.ns,
			figure.Hyphened(figure.Mean.Change(f.Slope)), figure.Digits(*f.P, 2))
		switch sure := *f.P < 1-s.Level; {
		case rises || sure && f.Slope > 0:
			c.Holds = new(false)
		case sure:
			c.Holds = new(true)
		}
		out = append(out, c)
	}
	return out
}
