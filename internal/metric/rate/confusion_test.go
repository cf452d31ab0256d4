package rate

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/grade"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
)

// TestConfusion counts the ten rows of ten() by hand: on truth, class x fails 2 of 4 and y 0 of 2 (one ungradable, one
// unscored).
func TestConfusion(t *testing.T) {
	r := Analyze(ten(), Options{})
	for _, tt := range []struct {
		of        map[string]map[string]Cell
		name, dim string
		failed, n int
	}{
		{r.Confusion.ByClass, "x", "truth", 2, 4}, {r.Confusion.ByClass, "x", "decidability", 1, 4},
		{r.Confusion.ByClass, "x", "reciprocity", 0, 4}, {r.Confusion.ByClass, "x", "format", 1, 2},
		{r.Confusion.ByClass, "y", "truth", 0, 2}, {r.Confusion.ByClass, "y", "decidability", 0, 2},
		{r.Confusion.ByClass, "y", "reciprocity", 1, 3}, {r.Confusion.ByClass, "y", "format", 0, 0},
		{r.Confusion.ByTag, "mine", "truth", 2, 8}, {r.Confusion.ByTag, "calc", "format", 2, 4},
	} {
		c := tt.of[tt.name][tt.dim]
		if c.Failed != tt.failed || c.N != tt.n {
			t.Errorf("%s, %s: %d of %d, want %d of %d", tt.name, tt.dim, c.Failed, c.N, tt.failed, tt.n)
		}
		if (c.Rate == nil) != (tt.n == 0) || c.Rate != nil &&
			!archtest.Near(*c.Rate, float64(tt.failed)/float64(tt.n), 5e-7) {
			t.Errorf("%s, %s: rate %v", tt.name, tt.dim, c.Rate)
		}
	}
	// The map and the groups are the same figures.
	for class, cells := range r.Confusion.ByClass {
		g := r.ByClass[class]
		for dim, rate := range map[string]any{"truth": g.TruthError, "decidability": g.DecidabilityError,
			"reciprocity": g.ReciprocityError, "format": g.FormatError} {
			b, _ := json.Marshal(rate)
			c, _ := json.Marshal(cells[dim])
			var x, y struct{ Rate, Lo, Hi *float64 }
			if json.Unmarshal(b, &x) != nil || json.Unmarshal(c, &y) != nil {
				t.Fatal("no JSON")
			}
			if (x.Rate == nil) != (y.Rate == nil) || x.Rate != nil && (*x.Rate != *y.Rate || *x.Lo != *y.Lo || *x.Hi != *y.Hi) {
				t.Errorf("%s, %s: %s and %s", class, dim, b, c)
			}
		}
	}
	if r.FormatError.Value != 1-r.FormatCompliance.Value {
		t.Errorf("format error %v, compliance %v", r.FormatError, r.FormatCompliance)
	}
}

// TestConfusionChange: base fails 20 of 40 of class x on truth, other 5 of these and 1 more; class y stands still. By
// hand b = 15, c = 1 and p = 2 (1 + 16)/2^16; McNemar of the still cells is 1, and Holm multiplies by the eight cells
// but for format, where nothing is asked: 6.
func TestConfusionChange(t *testing.T) {
	var base, other []Row
	add := func(i int, class, b, o string) {
		id := fmt.Sprintf("%s%02d", class, i)
		kind := func(v string) grade.Kind {
			if v[0] == 'F' {
				return grade.Commission
			}
			return grade.None
		}
		base, other = append(base, row(id, class, b, kind(b))), append(other, row(id, class, o, kind(o)))
	}
	for i := range 40 {
		b, o := "PPPn", "PPPn"
		if i < 20 {
			b = "FPPn"
		}
		if i < 5 || i == 39 {
			o = "FPPn"
		}
		add(i, "x", b, o)
		add(i, "y", "PPPn", "PPPn")
	}
	c := Compare(base, other, Options{})
	cell := c.Confusion.ByClass["x"]["truth"]
	p := 2 * 17 / math.Pow(2, 16)
	if cell.N != 40 || cell.OnlyBaseFailed != 15 || cell.OnlyOtherFailed != 1 ||
		!archtest.Near(cell.Base.Value, .5, 5e-7) ||
		!archtest.Near(cell.Other.Value, .15, 5e-7) || !archtest.Near(cell.Difference.Value, -.35, 5e-7) {
		t.Errorf("x, truth: %+v", cell)
	}
	if math.Abs(cell.McNemarP-p) > 1e-15 || math.Abs(cell.McNemarPHolm-6*p) > 1e-15 {
		t.Errorf("p %v and %v by Holm, want %v and %v", cell.McNemarP, cell.McNemarPHolm, p, 6*p)
	}
	if f := c.Confusion.ByClass["y"]["format"]; f.N != 0 || f.Base != nil || f.Difference != nil {
		t.Errorf("a cell without cases: %+v", f)
	}
	if !archtest.Near(c.Difference.Hallucination.Value, -14./80, 5e-7) || c.Difference.FormatError != nil ||
		!archtest.Near(c.Difference.DecidabilityError.Value, 0, 5e-7) {
		t.Errorf("differences %+v", c.Difference)
	}
	if n := len(c.Discordant.Cases); n != 16 || c.Discordant.Cases[0].Failed != "base" ||
		c.Discordant.Cases[15].CaseID != "x39" || c.Discordant.Cases[15].Failed != "other" ||
		c.Discordant.Cases[0].Axes[0] != "truth" || c.Discordant.Cases[0].As != "commission" {
		t.Errorf("discordant cases %+v", c.Discordant.Cases)
	}
}

// TestOverRefusalIsThePrice: other declines 12 of 30 answerable cases that base answered wrongly.
func TestOverRefusalIsThePrice(t *testing.T) {
	var base, other []Row
	for i := range 40 {
		id := fmt.Sprintf("c%02d", i)
		b, o := row(id, "x", "FPPn", grade.Commission), row(id, "x", "FPPn", grade.Commission)
		if i < 12 {
			o = row(id, "x", "FFPn", grade.OverRefusal)
		}
		b.Answerable, o.Answerable = i < 30, i < 30
		base, other = append(base, b), append(other, o)
	}
	c := Compare(base, other, Options{})
	if c.Reduction.Hallucination.Value != 0 || !archtest.Near(c.CommissionReduction.Value, .3, 5e-7) {
		t.Errorf("H by %v, commission by %v", c.Reduction.Hallucination, c.CommissionReduction)
	}
	if o := c.OverRefusal; !archtest.Near(o.Other.Value, .3, 5e-7) || o.Base.Value != 0 ||
		!archtest.Near(o.Difference.Value, .3, 5e-7) ||
		!archtest.Near(o.OfAnswerable.Other.Value, .4, 5e-7) || math.Abs(o.McNemarP-2/math.Pow(2, 12)) > 1e-15 {
		t.Errorf("over-refusal %+v", o)
	}
	b, err := json.Marshal(c)
	if err != nil || !strings.Contains(string(b), `"over_refusal":{"base":{"rate":0,`) {
		t.Errorf("%v, %s", err, b)
	}
}

// TestSeries follows 20 cases over three runs: 10, 6 and 2 fail, each a part of those before. By hand: the differences
// are -.2 and -.4, p is 2/2^4 and 2/2^8, by Holm 1/8 and 1/64.
func TestSeries(t *testing.T) {
	var runs [][]Row
	for _, fails := range []int{10, 6, 2} {
		var rows []Row
		for i := range 20 {
			if i < fails {
				rows = append(rows, row(fmt.Sprintf("c%02d", i), "x", "FPPn", grade.Commission))
			} else {
				rows = append(rows, row(fmt.Sprintf("c%02d", i), "x", "PPPn", ""))
			}
		}
		rand.New(rand.NewPCG(1, uint64(fails))).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		runs = append(runs, rows)
	}
	runs[1] = append(runs[1], row("extra", "x", "PPPn", ""))
	names := threeRuns
	s := NewSeries(names, runs, Options{})
	h := s.Curves["hallucination"]
	if s.N != 20 || s.Unscored != 0 || len(h) != 3 || *h[0].Failed != 10 || *h[2].Failed != 2 ||
		!archtest.Near(*h[1].Rate, .3, 5e-7) {
		t.Fatalf("%+v", s)
	}
	if h[0].Difference != nil || h[0].McNemarP != nil || !archtest.Near(*h[1].Difference.Estimate, -.2, 5e-7) ||
		!archtest.Near(*h[2].Difference.Estimate, -.4, 5e-7) {
		t.Errorf("differences: %+v", h)
	}
	if *h[1].McNemarP != 1./8 || *h[2].McNemarP != 1./128 || *h[1].McNemarPHolm != 1./8 || *h[2].McNemarPHolm != 1./64 {
		t.Errorf("p: %v %v, by Holm %v %v", *h[1].McNemarP, *h[2].McNemarP, *h[1].McNemarPHolm, *h[2].McNemarPHolm)
	}
	seriesBesides(t, s)
}

// seriesBesides checks what a series has beside its curves: warnings, JSON and control limits.
func seriesBesides(t *testing.T, s Series) {
	t.Helper()
	h := s.Curves["hallucination"]
	if f := s.Curves["format_error"]; f[0].Rate != nil || f[2].Difference != nil || f[2].N != 0 {
		t.Errorf("a curve without cases: %+v", f)
	}
	if len(s.Curves) != len(Curves) || *s.Last["hallucination"].Rate != .1 || len(s.Warnings) != 1 ||
		!strings.HasPrefix(s.Warnings[0], "1 cases are not in every run") {
		t.Errorf("%d curves, last %+v, warnings %q", len(s.Curves), s.Last, s.Warnings)
	}
	if _, err := json.Marshal(s); err != nil {
		t.Error(err)
	}
	// The limits are those of the first run, 10 of 20: 0.1 is beyond no limit at 20 cases, as .1 to .9 is within them.
	want, _ := stat.ControlShare(10, 20, 20, stat.ControlAlpha)
	if c := h[2].Control; c.Lo != want.Lo || c.Hi != want.Hi || *c.Centre != .5 || c.Baseline ||
		c.Beyond != want.Beyond(.1) || !h[0].Control.Baseline {
		t.Errorf("control %+v, want %+v", *h[2].Control, want)
	}
	if s.Baseline != 1 || s.BeyondLimits != len(s.Beyond) || s.Curves["semantic_stability"][0].Rate != nil {
		t.Errorf("%+v", s)
	}
}

// TestSeriesOfStability: 60 cases of ten variants, in two runs as they were and in a third in which 40 of them fell
// apart.
func TestSeriesOfStability(t *testing.T) {
	standings := func(shaky int) (out []consistency.Standing) {
		for i := range 60 {
			s := consistency.Standing{ID: fmt.Sprintf("c%02d", i), R: 10, PC: 1, Right: 10}
			if i < shaky {
				s = consistency.Standing{ID: s.ID, R: 10, PC: .3, Ambiguous: true, Right: 3}
			}
			out = append(out, s)
		}
		return out
	}
	names := threeRuns
	s := NewSeries(names, make([][]Row, 3), Options{Standings: [][]consistency.Standing{standings(2), standings(2),
		standings(42)}, Baseline: 2})
	ss, ambiguity, accuracy := s.Curves["semantic_stability"], s.Curves["ambiguity"], s.Curves["accuracy"]
	if !archtest.Near(*ss[2].Rate, (42*.3+18)/60, 5e-7) || ss[2].Failed != nil || *ambiguity[2].Failed != 42 ||
		!archtest.Near(*accuracy[2].Rate, *ss[2].Rate, 5e-7) {
		t.Errorf("%+v %+v", ss[2], ambiguity[2])
	}
	// By hand: 40 cases fell, none rose.
	if p := *ss[2].SignFlipP; !archtest.Near(p, math.Pow(2, -39), 5e-7) || ss[2].McNemarP != nil ||
		!archtest.Near(*ambiguity[2].McNemarP, math.Pow(2, -39), 5e-7) || *ss[1].SignFlipP != 1 ||
		!archtest.Near(*ss[2].SignFlipPHolm, math.Pow(2, -38), 5e-7) {
		t.Errorf("p %v", p)
	}
	if !ss[0].Control.Baseline || !ss[1].Control.Baseline || !ss[2].Control.Beyond || ss[1].Control.Beyond {
		t.Errorf("control %+v", *ss[2].Control)
	}
	want := []Beyond{{"semantic_stability", 2, "c", "below"}, {"ambiguity", 2, "c", "above"},
		{"accuracy", 2, "c", "below"}}
	if !slices.Equal(s.Beyond, want) || s.BeyondLimits != 3 || s.Baseline != 2 {
		t.Errorf("beyond %+v", s.Beyond)
	}
}
