package rate

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/grade"
	"hallmark/internal/stat"
)

// outcomesRun are 40 answers: so many wrong, then so many that could not be graded, the rest correct.
func outcomesRun(wrong, open int) []Row {
	var rows []Row
	for i := range 40 {
		verdicts := "PPPn"
		if i < wrong {
			verdicts = "FPPn"
		} else if i < wrong+open {
			verdicts = "UPPn"
		}
		rows = append(rows, row(fmt.Sprintf("c%02d", i), "x", verdicts, grade.Commission))
	}
	return rows
}

var threeRuns = []SeriesRun{{Run: "a", Model: "m", Suite: "s"}, {Run: "b", Model: "m", Suite: "s"},
	{Run: "c", Model: "m", Suite: "s"}}

// TestSeriesOutcomes: wrong answers are a range where answers could not be graded, and the last run is compared with
// the first as Compare does.
func TestSeriesOutcomes(t *testing.T) {
	runs := [][]Row{outcomesRun(20, 4), outcomesRun(18, 0), outcomesRun(1, 2)}
	s := NewSeries(threeRuns, runs, Options{})
	if want := Compare(runs[0], runs[2], Options{}).Outcomes; !reflect.DeepEqual(s.Outcomes, want) {
		t.Errorf("the last run against the first: %+v, want %+v", s.Outcomes, want)
	}
	w := s.Curves["incorrect"]
	first := w[0]
	if first.N != 40 || first.Rate != nil || first.Failed != nil || first.Difference != nil ||
		!archtest.Near(first.Range.Lo, .5, 5e-7) || !archtest.Near(first.Range.Hi, .6, 5e-7) {
		t.Errorf("first %+v", w[0])
	}
	if w[1].Range != nil || *w[1].Failed != 18 || !archtest.Near(*w[1].Rate, .45, 5e-7) || w[1].McNemarP != nil {
		t.Errorf("second %+v", w[1])
	}
	// By hand: 18 - 20 wrong of 40, and 4 more in the first; -.05 at the most, -.15 at the least.
	if d := w[1].Difference.Range; !archtest.Near(d.Lo, -.15, 5e-7) || !archtest.Near(d.Hi, -.05, 5e-7) {
		t.Errorf("difference %+v", d)
	}
	if !reflect.DeepEqual(w[2].Difference, s.Outcomes.Difference.Incorrect) || s.Last["incorrect"].Range == nil ||
		s.Outcomes.Verdict != Fell {
		t.Errorf("last %+v, %+v", w[2].Difference, s.Outcomes)
	}
	// Control limits are those of 20 of 40 below and of 24 of 40 above; .025 to .075 is beyond them.
	lo, _ := stat.ControlShare(20, 40, 40, stat.ControlAlpha)
	hi, _ := stat.ControlShare(24, 40, 40, stat.ControlAlpha)
	if c := w[2].Control; c.Lo != lo.Lo || c.Hi != hi.Hi || c.Centre != nil || !c.Beyond || w[1].Control.Beyond ||
		s.Beyond[0] != (Beyond{"incorrect", 2, "c", "below"}) {
		t.Errorf("control %+v, beyond %v", c, s.Beyond)
	}
	if u := s.Curves["ungradable"]; *u[0].Failed != 4 || !archtest.Near(*u[0].Rate, .1, 5e-7) || u[2].McNemarP == nil {
		t.Errorf("ungradable %+v", u)
	}
	if n := s.Curves["not_attempted"]; !archtest.Near(n[0].Range.Hi, .1, 5e-7) || !archtest.Near(*n[1].Rate, 0, 5e-7) {
		t.Errorf("not attempted %+v", n)
	}
	if !strings.Contains(strings.Join(s.Warnings, "\n"), "the outcomes are ranges") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// TestSeriesOutcomesGraded: where everything could be graded there are rates, with the exact test; an answer that one
// run lacks counts in none.
func TestSeriesOutcomesGraded(t *testing.T) {
	runs := [][]Row{outcomesRun(20, 0), outcomesRun(12, 0), outcomesRun(4, 0)}
	runs[1][39].Grade = &grade.Grade{Reason: "a failed call"}
	s := NewSeries(threeRuns, runs, Options{})
	w := s.Curves["incorrect"]
	if w[0].N != 39 || *w[2].Failed != 4 || w[2].Range != nil ||
		!archtest.Near(*w[2].Difference.Estimate, -16./39, 5e-7) ||
		s.Outcomes.Base.N != 39 || *w[0].Control.Centre != 20./39 {
		t.Errorf("%+v", w)
	}
	if *w[1].McNemarP != stat.McNemar(8, 0) || *w[2].McNemarPHolm != 2*stat.McNemar(16, 0) {
		t.Errorf("p %v, %v", *w[1].McNemarP, *w[2].McNemarPHolm)
	}
	// H has the same figures here, as truth alone fails.
	if h := s.Curves["hallucination"]; *h[2].Rate != *w[2].Rate || *h[2].McNemarP != *w[2].McNemarP {
		t.Errorf("H %+v", h)
	}
	none := NewSeries(threeRuns[:2], [][]Row{nil, nil}, Options{})
	if p := none.Curves["incorrect"]; p[1].N != 0 || p[1].Lo != nil || p[1].Difference != nil || p[1].Control != nil ||
		none.Outcomes.Verdict != Undecided {
		t.Errorf("of nothing: %+v", p)
	}
}

// Five cases of each question have the control limits of the questions, ranges and baselines of several runs too.
func TestControlOfClusters(t *testing.T) {
	five := func(run []Row) (out []Row) {
		for i, r := range run {
			for j := range 5 {
				r.CaseID, r.Cluster = fmt.Sprintf("c%02d-%d", i, j), int32(i+1)
				out = append(out, r)
			}
		}
		return out
	}
	runs := [][]Row{outcomesRun(8, 4), outcomesRun(6, 0), outcomesRun(30, 0)}
	opt := Options{Baseline: 2}
	s, each := NewSeries(threeRuns, [][]Row{five(runs[0]), five(runs[1]), five(runs[2])}, opt),
		NewSeries(threeRuns, runs, opt)
	for _, curve := range Curves {
		for i, p := range s.Curves[curve] {
			if c, want := p.Control, each.Curves[curve][i].Control; !reflect.DeepEqual(c, want) &&
				!(archtest.Near(c.Lo, want.Lo, 5e-7) && archtest.Near(c.Hi, want.Hi, 5e-7)) {
				t.Errorf("%s, run %d: %+v, want %+v", curve, i, c, want)
			}
		}
	}
	if !reflect.DeepEqual(s.Beyond, each.Beyond) || s.Clusters != 40 || !strings.Contains(strings.Join(s.Warnings, "\n"),
		"and so are control limits") {
		t.Errorf("%+v, want %+v; %q", s.Beyond, each.Beyond, s.Warnings)
	}
}
