package correct

import (
	"reflect"
	"slices"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
)

var (
	aCheck = Check{{160, 20, 2, 18}, {8, 60, 2, 30}, {1, 4, 50, 5}}
	aRun   = []Counts{{N: 180}, {N: 60}, {N: 30}, {N: 30}}
)

// The shares whose mixture is nearest: of mixtures the shares themselves, and of aRun what scipy 1.17.1 (minimize,
// SLSQP) finds.
func TestSolve(t *testing.T) {
	m := readers["aims"].rows()
	for _, pi := range [][]float64{{.7, .2, .1}, {.05, .9, .05}, {0, .5, .5}, {1, 0, 0}} {
		q := make([]float64, 4)
		for j := range q {
			q[j] = mixed(pi, m, j)
		}
		got := make([]float64, 3)
		solve(got, m, q)
		for i := range pi {
			if !archtest.Near(got[i], pi[i], 2e-3) { // EM is slow where a share is 0
				t.Errorf("of %v comes %v", pi, got)
				break
			}
		}
	}
	rows := matrix(3, 4)
	for i, row := range aCheck {
		for j, k := range row {
			rows[i][j] = k / stat.Sum(row)
		}
	}
	got := make([]float64, 3)
	solve(got, rows, []float64{180, 60, 30, 30})
	for i, want := range []float64{.72317, .17104, .10579} {
		if !archtest.Near(got[i], want, 2e-4) {
			t.Errorf("%v", got)
		}
	}
	solve(got, rows, []float64{0, 60, 0, 0}) // no mixture reads all as incorrect; the nearest is all of kind 1
	if !archtest.Near(got[1], 1, 1e-4) {
		t.Errorf("%v", got)
	}
}

// Means and bounds from numpy 2.4.6 and scipy 1.17.1: 20,000 draws of the formula of Invert, each solved by SLSQP
// (default_rng(1)).
func TestInvert(t *testing.T) {
	v := Invert(Counted(aRun), []Check{aCheck}, .95, 1)
	all := 0.
	for i, want := range [][3]float64{{.72347, .63323, .81889}, {.17005, .07642, .25948}, {.10648, .06287, .15634}} {
		e := v.Rates[i]
		all += e.Value
		if !archtest.Near(e.Value, want[0], .004) || !archtest.Near(e.Lo, want[1], .007) ||
			!archtest.Near(e.Hi, want[2], .007) || e.N != 300 {
			t.Errorf("kind %d: %+v, want %v", i, e, want)
		}
	}
	if !archtest.Near(all, 1, 1e-9) || !v.Fits() {
		t.Errorf("shares sum to %v, fit %v", all, v.FitP)
	}
	if again := Invert(Counted(aRun), []Check{aCheck}, .95, 1); !reflect.DeepEqual(v, again) {
		t.Error("the same seed gives another inversion")
	}
	// A second band, of other answers; numpy 2.4.6, 100,000 draws, each solved by lstsq (default_rng(1)).
	two := Invert(Counted(append(slices.Clone(aRun), []Counts{{N: 40}, {N: 50}, {N: 10}, {N: 50}}...)),
		[]Check{aCheck, aCheck}, .95, 1)
	all = 0
	for i, want := range [][3]float64{{.58533, .51048, .66386}, {.32083, .24144, .39861}, {.09384, .05893, .13280}} {
		e := two.Rates[i]
		all += e.Value
		if !archtest.Near(e.Value, want[0], .003) || !archtest.Near(e.Lo, want[1], .006) ||
			!archtest.Near(e.Hi, want[2], .006) || e.N != 450 {
			t.Errorf("two bands, kind %d: %+v, want %v", i, e, want)
		}
	}
	if !archtest.Near(all, 1, 1e-9) {
		t.Errorf("shares sum to %v", all)
	}
	// A band of which the check has nothing leaves its part open.
	if part := Invert(Counted(append(slices.Clone(aRun), aRun...)), []Check{aCheck, matrix(3, 4)}, .95,
		1).Rates[1]; part.Hi-part.Lo < .35 {
		t.Errorf("%+v", part)
	}
	// A check of nothing leaves all open.
	if open := Invert(Counted(aRun), []Check{matrix(3, 4)}, .95, 1).Rates[1]; open.Hi-open.Lo < .8 {
		t.Errorf("%+v", open)
	}
	if none := Invert(Counted([]Counts{{}, {}, {}, {}}), []Check{aCheck}, .95, 1); none.Rates[0].OK() {
		t.Errorf("%+v of nothing", none)
	}
}

// Likelihoods from scipy 1.17.1: minimize, BFGS, over the logits of π and M, the best of four starts.
func TestLikelihoods(t *testing.T) {
	for _, c := range []struct {
		reads []float64
		cost  float64
		share float64 // of the second kind; 0: not known
	}{{[]float64{120, 60, 30, 90}, 15.3777, .43193}, {[]float64{180, 60, 30, 30}, 1.24057, 0}} {
		x, d := misfit(band{check: aCheck, read: c.reads})
		if !archtest.Near(d, c.cost, .001) || c.share > 0 && !archtest.Near(x.pi[1], c.share, .001) {
			t.Errorf("%v: %v at %v", c.reads, d, x.pi)
		}
	}
}

// A run that is read as no mixture of the check's rows can be is found out.
func TestMisfits(t *testing.T) {
	if v := Invert(Counted([]Counts{{N: 120}, {N: 60}, {N: 30}, {N: 90}}), []Check{aCheck}, .95, 1); v.Fits() ||
		v.FitP > .02 {
		t.Errorf("fit %v", v.FitP)
	}
}

// The test refuses about one of twenty of what is in keeping, also where answers of a case are read alike.
func TestFitKeepsItsLevel(t *testing.T) {
	runs := archtest.Draws(12, 60, 100)
	for _, c := range []checked{
		{reader: "aims", rate: .1, check: 300, n: 300, bands: 1},
		{reader: "poor", rate: .3, check: 300, n: 300, bands: 2},
		{reader: "severe", rate: .1, check: 300, n: 100, bands: 1, each: 5},
	} {
		r := seed.Stream(1, "correct", "tests", c.String())
		misfits := 0
		for range runs {
			s, checks := c.draw(r)
			if fitP(bandsOf(s, checks), r) < .05 {
				misfits++
			}
		}
		f := float64(misfits) / float64(runs)
		if long {
			t.Logf("%v: %.3f do not fit", c, f)
		}
		if most := .05 + 3.5*.218/sqrt(runs); f > most {
			t.Errorf("%v: %.3f do not fit", c, f)
		}
	}
}
