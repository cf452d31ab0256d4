package report

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/metric/rate"
	"hallmark/internal/stat"
)

func reduction() *rate.Reduction {
	r := &rate.Reduction{
		N: 100, McNemarP: .0000012, OnlyBaseFailed: 22, OnlyOtherFailed: 2,
		ByClass: map[string]rate.ClassReduction{
			"multi-hop":      {N: 60, Base: &stat.Rate{Rate: .5, Lo: .38, Hi: .62}, Other: &stat.Rate{Rate: .2, Lo: .12, Hi: .32}, Reduction: &stat.Interval{Estimate: .6, Lo: .35, Hi: .77}, McNemarPHolm: .004},
			"\x1b[31mevil |": {N: 40, Base: &stat.Rate{}, Other: &stat.Rate{Rate: .05, Lo: .01, Hi: .17}, McNemarPHolm: 1},
		},
		Transitions: map[string]map[string]int{"pass": {"pass": 60, "commission": 2}, "commission": {"pass": 20, "commission": 16}, "over-refusal": {"pass": 2}},
		Warnings:    []string{"2 cases are in only one of the runs and are left out of the comparison"},
	}
	r.Base.Hallucination, r.Other.Hallucination = &stat.Rate{Rate: .38, Lo: .29, Hi: .48}, &stat.Rate{Rate: .18, Lo: .12, Hi: .27}
	r.Base.TruthError, r.Other.TruthError = &stat.Rate{Rate: .3, Lo: .22, Hi: .4}, &stat.Rate{Rate: .31, Lo: .23, Hi: .41}
	r.Base.WeightedQuality, r.Other.WeightedQuality = &stat.Interval{Estimate: .75, Lo: .7, Hi: .8}, &stat.Interval{Estimate: .85, Lo: .8, Hi: .9}
	r.Reduction.Hallucination = &stat.Interval{Estimate: .526, Lo: .35, Hi: .68}
	r.Reduction.TruthError = &stat.Interval{Estimate: -.033, Lo: -.3, Hi: .2}
	r.QualityDifference = &stat.Interval{Estimate: .1, Lo: .05, Hi: .15}
	return r
}

func TestCompareGolden(t *testing.T) {
	golden(t, "compare-80.txt", nil, func(w io.Writer, _ *assay.Assay) error {
		return Compare(w, reduction(), "base run", "other\x1b[2J run", Style{})
	})
}

func TestCompare(t *testing.T) {
	worse := reduction()
	worse.Reduction.Hallucination = &stat.Interval{Estimate: -.5, Lo: -1.2, Hi: -.1}
	clean := reduction()
	clean.Reduction.Hallucination = nil
	for name, tt := range map[string]struct {
		r    *rate.Reduction
		want string
	}{
		"better": {reduction(), "Hallucination fell by 52.6 % of its rate (95 % interval 35.0–68.0 %)"},
		"worse":  {worse, "Hallucination grew by 50.0 % of its rate (95 % interval 10.0–120.0 %)"},
		"clean":  {clean, "there is nothing to reduce"},
		"none":   {&rate.Reduction{}, "nothing can be compared"},
	} {
		for _, width := range []int{0, 60, 120} {
			var b bytes.Buffer
			if err := Compare(&b, tt.r, "a", "b", Style{Width: width}); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, tt.want) {
				t.Errorf("%s: does not say %q:\n%s", name, tt.want, b.String())
			}
			checkVisible(t, name, b.Bytes())
			for line := range strings.Lines(b.String()) {
				if n := columns(strings.TrimSuffix(line, "\n")); n > (Style{Width: width}).width() {
					t.Errorf("%s at %d: a line of %d cells: %s", name, width, n, line)
				}
			}
		}
	}
	if (Compare(failingWriter{}, reduction(), "", "", Style{})) == nil {
		t.Error("a failed write goes unsaid")
	}
}
