package gate

import (
	"strings"
	"testing"

	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

type interval struct {
	Estimate float64 `json:"estimate"`
	Hi       float64 `json:"hi"`
}

type method struct {
	Rate    *interval           `json:"rate"`
	Below   float64             `json:"pc_below_0.5"`
	Maybe   *interval           `json:"maybe,omitempty"`
	ByClass map[string]interval `json:"by_class"`
	Name    string              `json:"name"`
	Fit     *line               `json:"fit,omitempty" gate:"figure"`
	Left    *line               `json:"left,omitempty"`
}

// A line has as many members as a method's result.
type line struct {
	N     int     `json:"n"`
	Slope float64 `json:"slope"`
	R2    float64 `json:"r2"`
	MAE   float64 `json:"mae"`
	MSE   float64 `json:"mse"`
}

type suite struct {
	Rubric *method `json:"rubric,omitempty"`
	Other  *method `json:"other,omitempty"`
}

type document struct {
	*suite
	N int `json:"n"`
}

var shape = document{suite: &suite{Rubric: &method{ByClass: map[string]interval{"ood": {}}}}}

func TestCheck(t *testing.T) {
	for _, tc := range []struct{ gate, wrong string }{
		{"rubric.rate.hi > 0.05", ""},
		{"rubric.pc_below_0.5 >= .2", ""},
		{"rubric.maybe.estimate<1e-3", ""},
		{"rubric.by_class.ood.hi > 0", ""},
		{"n != 0", ""},
		{"rubric.rate > 0", "go on with one of estimate, hi"},
		{"rubric.name == 0", "is no number"},
		{"rubric.by_class.multi-hop.hi > 0", `produces no "rubric.by_class.multi-hop"; it produces ood`},
		{"rubric.fit.r2 > 0", ""},
		{"rubric.left.r2 > 0", `produces no "rubric.left"`},
		{"other.rate.hi > 0", `produces no "other"; it produces n, rubric`},
		{"rubric.rat.hi > 0", `no "rubric.rat"`},
		{"rubric..hi > 0", "is no path"},
		{"rubric.rate.hi", "has no comparison"},
		{"rubric.rate.hi > x", "is no number"},
		{"rubric.rate.hi > NaN", "is no number"},
		{" > 1", "is no path"},
	} {
		g, err := Parse(tc.gate)
		if err == nil {
			err = g.Check(shape)
		}
		switch {
		case tc.wrong == "" && err != nil:
			t.Errorf("%s: %v", tc.gate, err)
		case tc.wrong != "" && (err == nil || !strings.Contains(err.Error(), tc.wrong)):
			t.Errorf("%s: %v, want %q", tc.gate, err, tc.wrong)
		}
	}
}

// A path without a number names the number that it most likely means; what is like nothing names none.
func TestNear(t *testing.T) {
	rated := document{suite: &suite{Rubric: &method{ByClass: map[string]interval{"ood": {}, "multi-hop": {}}}}}
	for path, want := range map[string]string{
		"rubric.rat.hi": "rubric.rate.hi", "rubrik.raet.hi": "rubric.rate.hi", "Rubric.Rate.Hi": "rubric.rate.hi",
		"rubric.by_class.multihop.hi": "rubric.by_class.multi-hop.hi",
		"rate.hi":                     "rubric.rate.hi", "rubric.ood.hi": "rubric.by_class.ood.hi",
		"suites.s.rubric.rate.estimate": "rubric.rate.estimate",
		"rubric.pc_bellow_0.5":          "rubric.pc_below_0.5", "consistency.ambiguity.hi": "", "x": "", "hi": "",
	} {
		err := Gate{Source: "g", Path: strings.Split(path, ".")}.Check(rated)
		if err == nil {
			t.Errorf("%s: no error", path)
			continue
		}
		_, meant, _ := strings.Cut(err.Error(), "; did you mean ")
		if got := strings.TrimSuffix(meant, "?"); got != want {
			t.Errorf("%s: %q is meant, want %q", path, got, want)
		}
	}
}

func TestEval(t *testing.T) {
	doc := figure.Of(document{N: 3, suite: &suite{Rubric: &method{Rate: &interval{.2, .3}, Below: .1}}})
	for gate, failed := range map[string]bool{
		"rubric.rate.hi > 0.25":     true,
		"rubric.rate.hi > 0.3":      false,
		"rubric.rate.hi >= 0.3":     true,
		"rubric.pc_below_0.5 < 0.1": false,
		"n == 3":                    true,
		"n != 3":                    false,
		"rubric.maybe.hi > 0":       true, // absent at the end
		"rubric.name <= 1":          true, // no number
	} {
		g, err := Parse(gate)
		if err != nil {
			t.Fatal(err)
		}
		if out := g.Eval(doc); out.Failed != failed {
			t.Errorf("%s: failed %v, want %v", gate, out.Failed, failed)
		}
	}
}

// TestRange: where a range stands in place of a rate, a gate on the rate fails and says what to name.
func TestRange(t *testing.T) {
	incorrect := map[string]any{"range": stat.Range{Lo: .12, Hi: .31}, "lo": .1, "hi": .35}
	doc := figure.Of(map[string]any{"rubric": map[string]any{"outcomes": map[string]any{"incorrect": incorrect}}})
	for gate, want := range map[string]string{
		"rubric.outcomes.incorrect.rate > .9": "a range from 0.12 to 0.31, as some answers could not be graded: name " +
			"rubric.outcomes.incorrect.hi or .lo",
		"rubric.outcomes.correct.rate > .9": "",
	} {
		g, err := Parse(gate)
		if err != nil {
			t.Fatal(err)
		}
		out := g.Eval(doc)
		if !out.Failed || out.Value != nil || !strings.HasPrefix(out.Why, want) || (want == "") != (out.Why == "") {
			t.Errorf("%s: %+v", gate, out)
		}
	}
	g, _ := Parse("rubric.outcomes.incorrect.hi > .3")
	if out := g.Eval(doc); !out.Failed || out.Value == nil {
		t.Errorf("%+v", out)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("rubric.rate.hi > 0.05")
	f.Add("a<=b>=c")
	f.Fuzz(func(t *testing.T, s string) {
		if g, err := Parse(s); err == nil {
			_ = g.Check(shape)
			_ = g.Eval(figure.Of(shape))
		}
	})
}
