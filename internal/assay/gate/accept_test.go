package gate

import (
	"math"
	"strings"
	"testing"

	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

type accepted struct {
	Rubric struct {
		Outcomes outcomes       `json:"outcomes"`
		N        int            `json:"n"`
		Mean     *stat.Estimate `json:"mean"`
	} `json:"rubric"`
}

type outcomes struct {
	N         int    `json:"n"`
	Incorrect *share `json:"incorrect"`
	Grading   struct {
		State string `json:"state"`
	} `json:"grading"`
}

type share struct {
	Rate  *float64    `json:"rate,omitempty"`
	Range *stat.Range `json:"range,omitempty"`
	Lo    float64     `json:"lo"`
	Hi    float64     `json:"hi"`
}

// of is a document of k of n answers that are wrong, in an interval as of so many cases.
func of(k, n, as int) *accepted {
	var d accepted
	w := stat.Wilson(k, n, .95)
	if as != n {
		w = stat.Wilson(k*as/n, as, .95)
	}
	rate := float64(k) / float64(n)
	d.Rubric.Outcomes = outcomes{N: n, Incorrect: &share{Rate: &rate, Lo: w.Lo, Hi: w.Hi}}
	d.Rubric.N, d.Rubric.Mean = n, &stat.Estimate{Value: .64, Lo: .6, Hi: .68}
	d.Rubric.Outcomes.Grading.State = "as_read"
	return &d
}

// TestAccept decides thresholds. Intervals of Wilson by hand: 0 of 60
// [0, .0602], 0 of 80 [0, .0458], 8 of 100 [.0411, .1500], 20 of 100 [.1334, .2888].
func TestAccept(t *testing.T) {
	ranged := of(8, 100, 100)
	ranged.Rubric.Outcomes.Incorrect = &share{Range: &stat.Range{Lo: .08, Hi: .12}, Lo: .0411, Hi: .2}
	labelled := of(8, 100, 100)
	labelled.Rubric.Outcomes.Grading.State = "corrected_by_labels"
	none := of(8, 100, 100)
	none.Rubric.Outcomes.Incorrect = nil
	size := func(rate, threshold float64) int { s, _ := stat.SizeThreshold(rate, threshold, .95, .8); return s.N }
	for _, tt := range []struct {
		doc     *accepted
		expr    string
		verdict string
		needed  int // 0: none
		says    string
	}{
		{of(0, 80, 80), "incorrect <= 5%", Met, 0, "Met: at most 5 % wrong. Measured: 0.0 %, 95 % interval 0.0 to 4.6 %, " +
			"of 80 cases."},
		{of(20, 100, 100), "incorrect <= .05", NotMet, 0, "Not met: at most 5 % wrong. Measured: 20.0 %"},
		{of(0, 60, 60), "incorrect <= .05", Undecided, 73, "Not decided, about 73 cases in all would be needed: at most 5 " +
			"% wrong. Measured: 0.0 %, 95 % interval 0.0 to 6.0 %, of 60 cases. The interval has the threshold in it. Where " +
			"the true share is what was measured, as many cases decide it in 80 of 100"},
		{of(8, 100, 100), "incorrect<.1", Undecided, size(.08, .1), "cases in all would be needed: less than 10 % wrong. "},
		{of(8, 100, 100), "incorrect >= 4 %", Met, 0, "Met: at least 4 % wrong. "},
		{of(8, 100, 100), "rubric.outcomes.incorrect <= .08", Undecided, 0, "what was seen is the threshold itself"},
		{of(8, 100, 100), "incorrect <= 0", NotMet, 0, "Not met"},
		{of(0, 60, 60), "incorrect <= 0", Undecided, 0, "a sample does not show that a share is 0 or 1"},
		{of(0, 60, 60), "incorrect >= 0", Met, 0, ""},
		{of(8, 100, 100), "incorrect <= 1", Met, 0, ""},
		{of(8, 100, 100), "incorrect <= 0.0801", Undecided, 0, "over a million cases would be needed"},
		{ranged, "incorrect <= .1", Undecided, 0, "Measured: 8.0 to 12.0 % as read, 95 % interval 4.1 to 20.0 %, of 100 " +
			"cases. Why: no number of cases decides it: the share is a range"},
		{ranged, "incorrect <= .15", Undecided, size(.12, .15), ""},
		{ranged, "incorrect <= .2", Met, 0, ""},
		{labelled, "incorrect <= .1", Undecided, 0, "more labels would"},
		{none, "incorrect <= .1", Undecided, 0, "Not decided: at most 10 % wrong. There is no figure: it was not measured."},
		{of(50, 1000, 500), "incorrect <= .06", Undecided, 2 * size(.05, .06), ""}, // clusters: as wide as of half the cases
		{of(8, 100, 100), "rubric.mean >= .62", Undecided, 400, ""},                // (.04/.02)² times as many
		{of(8, 100, 100), "mean >= .7", NotMet, 0, "Not met: mean at least 0.7. Measured: 0.640, 95 % interval 0.600 to " +
			"0.680, of 100 cases."},
	} {
		thresholds, err := ParseThresholds([]string{tt.expr})
		if err != nil {
			t.Errorf("%s: %v", tt.expr, err)
			continue
		}
		path, err := thresholds[0].At(tt.doc, OfRun)
		if err != nil {
			t.Errorf("%s: %v", tt.expr, err)
			continue
		}
		a := thresholds[0].Decide(figure.Of(tt.doc), path)
		needed := 0
		if a.Needed != nil {
			needed = *a.Needed
		}
		if a.Verdict != tt.verdict || math.Abs(float64(needed-tt.needed)) > .005*float64(tt.needed) ||
			!strings.Contains(a.Says(), tt.says) {
			t.Errorf("%s: %s, needs %d, %s; want %s, %d, %s", tt.expr, a.Verdict, needed, a.Says(), tt.verdict, tt.needed,
				tt.says)
		}
	}
}

// TestAsked: a threshold in words, wherever its figure stands.
func TestAsked(t *testing.T) {
	for _, tt := range []struct {
		a    Acceptance
		want string
	}{
		{Acceptance{Expr: "incorrect <= .25", Path: "rubric.outcomes.incorrect", Share: true}, "at most 25 % wrong"},
		{Acceptance{Expr: "not_attempted < 2.5%", Path: "rubric.outcomes.not_attempted", Model: "m", Suite: "s"},
			"less than 2.5 % not attempted, m on s"},
		{Acceptance{Expr: "hallucination > 1%", Path: "rubric.hallucination", Share: true}, "hallucination more than 1 %"},
		{Acceptance{Expr: "incorrect <= .2", Path: "outcomes.other.incorrect"}, "at most 20 % wrong in other"},
		{Acceptance{Expr: "outcomes.difference.incorrect >= -.015", Path: "outcomes.difference.incorrect", Share: true},
			"a change of at least −1.5 points in what is wrong"},
		{Acceptance{Expr: "rubric.by_class.law.outcomes.incorrect <= 5%", Path: "rubric.by_class.law.outcomes.incorrect"},
			"at most 5 % wrong (rubric.by_class.law.outcomes.incorrect)"},
		{Acceptance{Expr: "?"}, "?"},
	} {
		if got := tt.a.asked(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.a.Expr, got, tt.want)
		}
	}
}

// TestThresholdsThatAreNone: each is refused in one line that says what would be right.
func TestThresholdsThatAreNone(t *testing.T) {
	for expr, want := range map[string]string{
		"incorrect":             "write FIGURE OP NUMBER",
		"incorrect <= five":     "write FIGURE OP NUMBER",
		"<= .05":                "write FIGURE OP NUMBER",
		"":                      "write FIGURE OP NUMBER",
		"incorrect == .05":      "use one of < <= > >=",
		"incorrect != .05":      "use one of < <= > >=",
		"rubric.incorrect.hi<1": "name the figure and not its hi",
		"incorrect <= 5":        "a share is between 0 and 1: write 5% or .05",
		"incorrect >= -1":       "a share is between 0 and 1",
		"incorrect <= NaN":      "write FIGURE OP NUMBER",
		"incorrct <= .05":       `this plan produces no "rubric.outcomes.incorrct"`,
		"rubric.n <= 5":         `produces no "rubric.n.hi"`,
		"rubric <= .05":         "rubric",
	} {
		thresholds, err := ParseThresholds([]string{expr})
		if err == nil {
			_, err = thresholds[0].At(of(8, 100, 100), OfRun)
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", expr, err, want)
		}
	}
}
