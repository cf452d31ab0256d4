package exact

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/base/seed"
	"hallmark/internal/model"
)

func open(t *testing.T, text string) (any, error) {
	t.Helper()
	ref, err := model.ParseRef(text)
	if err != nil {
		t.Fatal(err)
	}
	return Open(ref)
}

func TestOpen(t *testing.T) {
	for text, want := range map[string]string{
		"exact:beta-bernoulli?a=0":         "above 0",
		"exact:beta-bernoulli?a=NaN":       "above 0",
		"exact:beta-bernoulli?alpha=1":     "it takes a, b",
		"exact:dirichlet?alpha=1,,1":       "above 0",
		"exact:dirichlet?alpha=1":          "want 2 to",
		"exact:linreg?dim=1.5":             "whole number",
		"exact:linreg?dim=65":              "whole number",
		"exact:linreg?x=uniform":           "want normal or query",
		"exact:linreg?sigma=-1":            "above 0",
		"exact:linreg?sigma=1e7":           "at most 1000000",
		"exact:linreg?sigma=.1&slope=1":    "it takes dim, sigma, prior, x",
		"exact:dirichlet?alpha=1,2&gamma=": "it takes alpha",
	} {
		ref, err := model.ParseRef(text)
		if err == nil {
			_, err = Open(ref)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	l, err := open(t, "exact:linreg?dim=2&sigma=.5&x=query")
	if err != nil || l != (Linear{Dim: 2, Sigma: .5, Prior: 1, Repeat: true}) {
		t.Errorf("%v, %v", l, err)
	}
}

func TestLabelsAreCounted(t *testing.T) {
	d, err := open(t, "exact:beta-bernoulli?a=1&b=3")
	if err != nil {
		t.Fatal(err)
	}
	after, err := d.(Dirichlet).Learn([]Pair{{Label: "1"}, {Label: "1"}, {Label: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	if p := after.Predict(); p[1] != 3./7 || p[0] != 4./7 { // (1+2)/(4+3)
		t.Errorf("%v", p)
	}
	for _, label := range []string{"2", "-1", "01", " 1", "", "one"} {
		if _, err := after.Learn([]Pair{{Label: label}}); err == nil {
			t.Errorf("label %q was taken", label)
		}
	}
}

// Learning pair by pair gives the posterior that precisions give: in one dimension 1/v = 1/prior² + Σ x²/s², mean = v Σ
// x y/s².
func TestLineIsTheConjugatePosterior(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Linear{Dim: 1, Sigma: rapid.Float64Range(.1, 3).Draw(t, "sigma"), Prior: rapid.Float64Range(.1, 3).Draw(t,
			"prior")}
		b, err := l.Learn(nil)
		if err != nil {
			t.Fatal(err)
		}
		precision, moment := 1/(l.Prior*l.Prior), 0.
		for range rapid.IntRange(0, 8).Draw(t, "n") {
			x, y := rapid.Float64Range(-3, 3).Draw(t, "x"), rapid.Float64Range(-3, 3).Draw(t, "y")
			b.add([]float64{x}, y)
			precision += x * x / (l.Sigma * l.Sigma)
			moment += x * y / (l.Sigma * l.Sigma)
		}
		if m, v := b.At([]float64{1}); math.Abs(v-1/precision) > 1e-9/precision ||
			math.Abs(m-moment/precision) > 1e-8*(1+math.Abs(m)) {
			t.Fatalf("mean %g, variance %g; want %g, %g", m, v, moment/precision, 1/precision)
		}
	})
}

// Extending leaves the posterior as it is, and only narrows the next one.
func TestExtendNarrows(t *testing.T) {
	l := Linear{Dim: 3, Sigma: .5, Prior: 1}
	b, err := l.Learn([]Pair{{"1,0,2", "1.5"}, {"0, 1, 0", "-1"}})
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{1, 1, 1}
	m, v := b.At(x)
	_, narrow := b.Extend(20, x, seed.Stream(1, "test")).At(x)
	if m2, v2 := b.At(x); m2 != m || v2 != v || narrow >= v || narrow <= 0 {
		t.Errorf("variance %g before, %g now, %g after 20 pairs", v, v2, narrow)
	}
	for _, p := range []Pair{{"1,2", "1"}, {"1,2,x", "1"}, {"1,2,NaN", "1"}, {"1,2,3", "y"}, {"1,2,3", "1e300"}} {
		if _, err := l.Learn([]Pair{p}); err == nil {
			t.Errorf("%v was taken", p)
		}
	}
}
