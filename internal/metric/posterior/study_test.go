package posterior

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hallmark/internal/base/seed"
	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/metric/posterior/predictive"
	"hallmark/internal/stat"
)

// The mean and the variance of Algorithm 2 over its own draws, against 20,000 runs of it.
func TestDrawn(t *testing.T) {
	r := seed.Stream(1, "drawn")
	check := func(name string, mean, variance float64, one func() float64) {
		t.Helper()
		const runs = 20_000
		var sum, square float64
		for range runs {
			h := one()
			sum, square = sum+h, square+h*h
		}
		m := sum / runs
		v := square/runs - m*m
		if se := math.Sqrt(v / runs); math.Abs(mean-m) > 4*se+1e-3*m {
			t.Errorf("%s: mean %.5f, runs %.5f ± %.5f", name, mean, m, se)
		}
		if math.Abs(variance-v) > .04*v+1e-5 {
			t.Errorf("%s: variance %.6f, runs %.6f", name, variance, v)
		}
	}
	for _, c := range []struct {
		eps       float64
		k         int
		now, then predictive.Categorical
	}{
		{.05, 50, predictive.Categorical{.5, .3, .15, .05}, predictive.Categorical{.9, .06, .03, .01}},
		{.75, 20, predictive.Categorical{.6, .4, 0}, predictive.Categorical{.45, .55, 0}},
		{.75, 10, predictive.Categorical{.2, .4, .4}, predictive.Categorical{.4, .4, .2}},
	} {
		mean, variance := drawn(c.now, c.then, c.eps, c.k)
		o := Options{Eps: c.eps, K: c.k, Estimator: Published}
		check("labels", mean, variance, func() float64 { return Measure(c.now, c.then, o, r).THR })
	}
	now, then := predictive.Normal{Mean: .3, Variance: .65}, predictive.Normal{Mean: .1, Variance: .3}
	mean, variance := drawn(now, then, .05, 50)
	o := Options{Eps: .05, K: 50, Estimator: Published}
	check("a normal", mean, variance, func() float64 { return Measure(now, then, o, r).THR })
}

// On a posterior whose rate is known exactly, the mean squared errors of both estimators are those that the curve says,
// by 3,000 estimates each.
func TestCostAgainstTruth(t *testing.T) {
	const eps, extend, m, k, runs = .75, 5, 10, 50, 3000
	now := exact.Dirichlet{2.5, 1.5}
	truth, err := DirichletAt(now, extend, eps)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Eps: eps, Extend: extend, M: m, K: k, Level: .95, Seed: 1, Curve: true}
	r, err := Exactly(now, Problem{}, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	var row Cost
	for _, c := range r.Cost {
		if c.M == m && c.K == k {
			row = c
		}
	}
	mse := func(estimator string, m int) (sum float64) {
		o := Options{Eps: eps, Extend: extend, M: m, K: k, Level: .95, Estimator: estimator}
		d := seed.Stream(1, "mse", estimator)
		for range runs {
			h := 0.
			for range m {
				h += Measure(now.Predict(), now.Extend(extend, d).Predict(), o, d).THR / float64(m)
			}
			sum += (h - truth) * (h - truth) / runs
		}
		return sum
	}
	if got := mse(Published, m); math.Abs(got-row.MSE) > .12*row.MSE {
		t.Errorf("published: mean squared error %.6f, the curve says %.6f", got, row.MSE)
	}
	if got := mse(Sum, int(math.Round(row.SumM))); math.Abs(got-row.MSE) > .15*row.MSE {
		t.Errorf("sum with M = %.2f: mean squared error %.6f, want %.6f", row.SumM, got, row.MSE)
	}
	if row.Calls != 1050 || row.Requests != 70 || row.FewerReq == nil || row.FewerReq.Value*15 != row.Fewer.Value &&
		math.Abs(row.FewerReq.Value*15-row.Fewer.Value) > 1e-9 || row.Fewer == nil || row.Fewer.Value < 10 {
		t.Errorf("%+v", row)
	}
}

func TestRiskCurve(t *testing.T) {
	once := []int{1, 1, 1, 1}
	points := func(scores ...float64) []scored {
		var out []scored
		for i, s := range scores {
			out = append(out, scored{s, []float64{0, 0, 1, 1}[i], i})
		}
		return order(out)
	}
	for _, c := range []struct {
		scores []float64
		area   float64 // by hand: the mean of the errors among the first 1, 2, 3, 4
	}{
		{[]float64{1, 2, 3, 4}, (0 + 0 + 1./3 + 2./4) / 4},
		{[]float64{4, 3, 2, 1}, (1 + 1 + 2./3 + 2./4) / 4},
		{[]float64{1, 1, 1, 1}, .5},                           // any order: the error of all
		{[]float64{1, 2, 2, 3}, (0 + .5/2 + 1./3 + 2./4) / 4}, // the middle two in both orders
	} {
		area, mean, risks := curve(points(c.scores...), once, harmonics(4))
		if math.Abs(area-c.area) > 1e-12 || mean != .5 || risks[coverages-1] != .5 {
			t.Errorf("%v: area %.6f, want %.6f; mean %g, last risk %g", c.scores, area, c.area, mean, risks[coverages-1])
		}
	}
	area, _, _ := curve(points(1, 2, 3, 4), []int{0, 2, 1, 1}, harmonics(2)) // a context twice and one not at all
	if want := (0 + 0 + 1./3 + 2./4) / 4; math.Abs(area-want) > 1e-12 {
		t.Errorf("weighted: %.6f, want %.6f", area, want)
	}
}

// A share of n queries is ⌈c n⌉ of them, in whole numbers: .55 of 100 is 55, where the product of floats is
// 55.00000000000001.
func TestShareOfACurve(t *testing.T) {
	var s study
	s.Options = Options{Level: .95, Seed: 1}
	var score []float64
	for i := range 100 {
		s.cluster, s.err, score = append(s.cluster, i), append(s.err, float64(i)/100), append(score, float64(i+1))
	}
	points := s.risk(ofPHR, nil, score)
	for c, at := range points.Curve {
		k := 5 * (c + 1)
		if want := float64(k-1) / 200; at.Threshold != float64(k) || math.Abs(at.Value-want) > 1e-12 {
			t.Errorf("at %g: %g up to score %g, want %g up to %d", at.Coverage, at.Value, at.Threshold, want, k)
		}
	}
	if got := answeredAt(0, 21); got != 2 {
		t.Errorf("a twentieth of 21 queries is %d of them, want 2", got)
	}
}

// Errors that were never seen are no certainty: every interval of a curve has a width, at least that of a mean over as
// many contexts.
func TestRiskIsNeverCertain(t *testing.T) {
	var s study
	s.Options = Options{Level: .95, Seed: 1}
	var score []float64
	for i := range 200 {
		s.cluster, s.err, score = append(s.cluster, i/10), append(s.err, 0), append(score, float64(i%7))
	}
	r := s.risk(ofPHR, nil, score)
	least := stat.Mean(make([]float64, 20), .95).Known().Hi
	for _, at := range r.Curve {
		if at.Value != 0 || at.Lo != 0 || at.Hi < least-1e-12 {
			t.Errorf("at %g: %+v, want up to %g at least", at.Coverage, at.Estimate, least)
		}
	}
	if r.Area.Hi < least-1e-12 {
		t.Errorf("area %+v", r.Area)
	}
}

// made are points of a model with a Beta posterior, whose extensions are true to it: queries after contexts of 2 and of
// 16 labels.
func made(contexts, queries, m, extend int, r *rand.Rand) (points []Point) {
	for c := range contexts {
		n := []int{2, 16}[c%2]
		learned := exact.Dirichlet{.5, .5}.Extend(n, r)
		for range queries {
			p := Point{Context: c, Pairs: n, Labels: 2, Now: learned.Predict(), Then: make([][]predictive.Categorical, 2)}
			p.Gold = int(p.Now.Draw(r))
			for range m {
				half := learned.Extend(extend/2, r)
				p.Then[0] = append(p.Then[0], half.Predict())
				p.Then[1] = append(p.Then[1], half.Extend(extend-extend/2, r).Predict())
			}
			for range 10 {
				p.True = append(p.True, learned.Extend(extend, r).Predict())
			}
			points = append(points, p)
		}
	}
	return points
}

func TestStudy(t *testing.T) {
	o := Options{Eps: .3, Extend: 6, M: 10, K: 50, Estimator: Sum, Level: .95, Seed: 1}
	points := made(60, 4, 10, 6, seed.Stream(1, "study"))
	took := map[int]*Taken{}
	for k, n := range []int{2, 16} { // a pair takes 10 tokens in contexts of 2, and 20 in those of 16; made-up ones 7 of the answer
		took[n] = NewTaken(6, 2)
		for step := range 6 {
			took[n].Made[step] = Spent{10, 10 * 10 * (1 + k) * (n + step), 70}
		}
		took[n].Now, took[n].Then[0], took[n].Then[1] = Spent{5, 50 * (1 + k) * n, 5}, Spent{10, 100 * (1 + k) * (n + 3), 10},
			Spent{4, 40 * (1 + k) * (n + 6), 4}
	}
	s := NewStudy(points, []int{3, 6}, o, took)
	if s.Contexts != 60 || s.Points != 240 || len(s.byPairs) != 3 || s.byPairs[0].points != 120 ||
		s.byPairs[2].points != 240 {
		t.Fatalf("%+v", s.byPairs)
	}
	relationIsAblation(t, s)
	x, y := s.byPairs[2].phr, s.byPairs[2].mhr // true extensions are like made-up ones here
	for i := range x {
		if math.Abs(x[i].Value-y[i].Value) > .03 {
			t.Errorf("eps %g: PHR %.4f, MHR %.4f", s.Eps[i], x[i].Value, y[i].Value)
		}
	}
	studyHolds(t, s)
	costsByHand(t, s)
	if NewStudy(points[:4*9], []int{3, 6}, o, nil) != nil {
		t.Error("nine contexts make no study")
	}
	for i := range points { // without golds and true pairs: no error, nothing that rests on it, no panic
		points[i].Gold, points[i].True = -1, nil
	}
	bare := NewStudy(points, []int{3, 6}, o, nil)
	if bare.byPairs[2].err != nil || len(bare.Risk) != 0 || bare.byPairs[2].mhr[0] != nil || len(bare.Ablation) != 0 {
		t.Errorf("%+v", bare)
	}
	for _, c := range bare.Checks {
		if strings.Contains(c.Claim, "error falls") {
			t.Errorf("%+v", c)
		}
	}
}

// relationIsAblation holds the row with all chains and sums against the relation itself: the rate of a point is that of
// its chains.
func relationIsAblation(t *testing.T, s *Study) {
	t.Helper()
	var direct, ablated float64
	for _, r := range s.Relations {
		if r.X == ofPHR && r.Y == ofError && *r.XEps == errorEps && r.Pairs == 0 {
			direct = r.R2.Value
			if r.R2.Lo > direct || r.R2.Hi < direct || r.Points != 240 {
				t.Errorf("%+v", r)
			}
		}
	}
	for _, a := range s.Ablation {
		if a.M == 10 && a.K == 0 && a.Extend == 6 && a.Against == ofError {
			ablated = a.R2.Value
		}
		if a.K == 50 && a.M == 10 && a.Extend == 6 && a.Calls != 1060 || a.K == 0 && a.M == 10 && a.Extend == 6 &&
			a.Calls != 71 {
			t.Errorf("%d calls", a.Calls)
		}
	}
	if direct == 0 || math.Abs(direct-ablated) > 1e-9 {
		t.Errorf("R² %.6f, in the ablation %.6f", direct, ablated)
	}
}

// studyHolds checks the bins of the calibration, the checks and the areas of the risk.
func studyHolds(t *testing.T, s *Study) {
	t.Helper()
	total := 0
	for _, b := range s.Calibration {
		if b.Against == ofError {
			total += b.Points
			if b.PHR < b.From || b.PHR > b.To || b.Is.Lo > b.Is.Value {
				t.Errorf("%+v", b)
			}
		}
	}
	if total != 240 {
		t.Errorf("%d points in the bins", total)
	}
	if len(s.Checks) != 7 {
		t.Errorf("%d checks: %+v", len(s.Checks), s.Checks)
	}
	for _, r := range s.Risk {
		if r.AreaBest > r.Area.Value || math.Abs(r.Gain.Value-(r.AreaRandom-r.Area.Value)) > 1e-12 ||
			r.Curve[coverages-1].Value-r.AreaRandom > 1e-9 {
			t.Errorf("%s: %+v", r.Score, r)
		}
	}
}

// costsByHand checks calls and tokens.
func costsByHand(t *testing.T, s *Study) {
	t.Helper()
	if c := s.Cost[0]; c.FewerTok == nil || c.Tokens <= c.Made || c.Calls != 5*(3+2*10) {
		t.Errorf("%+v", c)
	}
	// By hand, of contexts of 2 pairs: a made-up pair takes 45 tokens of prompt on average and 7, a reading 20 now and
	// 80 then.
	for _, c := range s.Cost {
		if c.Pairs == 2 && c.FewerTok != nil && (c.Extend != 6 || math.Abs(c.Tokens-10*(6*52+50*(21+81))) > 1e-6 ||
			math.Abs(c.SumTokens-(c.SumM*(6*52+81)+21)) > 1e-6) {
			t.Errorf("%+v", c)
		}
		if c.Pairs == 0 && c.Extend == 3 && c.M == 5 &&
			c.K == 10 { // 30 and 340, 20 and 320, 50 and 380, contexts alike in number
			if want := 5 * (3*(185+7) + 10*(171+216.)); math.Abs(c.Tokens-want) > 1e-6 {
				t.Errorf("%.1f tokens, want %.1f", c.Tokens, want)
			}
		}
	}
}

// The interval of R² holds the one of 40,000 contexts in 92 % of 300 draws at least, 50 contexts of ten queries whose
// errors go together.
func TestR2Coverage(t *testing.T) {
	draw := func(contexts int, r *rand.Rand) (x, y []float64, cluster []int) {
		for c := range contexts {
			common := r.NormFloat64()
			for range 10 {
				v := r.Float64()
				x, cluster = append(x, v), append(cluster, c)
				y = append(y, v+.15*common+.2*r.NormFloat64())
			}
		}
		return x, y, cluster
	}
	r := seed.Stream(1, "r2")
	x, y, cluster := draw(40_000, r)
	truth := FitTo(x, y, cluster)
	held := 0
	const runs = 300
	for range runs {
		x, y, cluster := draw(50, r)
		f := FitTo(x, y, cluster)
		i := (&study{Options: Options{Level: .95, Seed: r.Uint64()}}).r2(x, y, cluster, *f)
		if i.Lo <= truth.R2 && truth.R2 <= i.Hi {
			held++
		}
	}
	if held < runs*92/100 {
		t.Errorf("R² %.3f held in %d of %d", truth.R2, held, runs)
	}
	t.Logf("R² %.3f held in %d of %d", truth.R2, held, runs)
}
