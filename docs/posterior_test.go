package docs

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/exact"
)

// TestPosteriorPage recomputes the exact rates of posterior.md.
func TestPosteriorPage(t *testing.T) {
	b, err := os.ReadFile("posterior.md")
	if err != nil {
		t.Fatal(err)
	}
	line := exact.Posterior{Linear: exact.Linear{Dim: 1, Sigma: .5, Repeat: true}, Mean: []float64{.3},
		Covariance: [][]float64{{.4}}}
	x := []float64{1}
	coins := map[string]exact.Dirichlet{"Beta(1.5, 2.5)": {2.5, 1.5}, "Beta(8, 1)": {1, 8},
		"Dirichlet(1, 1, 1)": {1, 1, 1}}
	rows := 0
	for _, row := range strings.Split(string(b), "\n") {
		c := strings.Split(row, "|")
		if len(c) != 7 {
			continue
		}
		for i := range c {
			c[i] = strings.TrimSpace(c[i])
		}
		eps, err := strconv.ParseFloat(c[2], 64)
		if err != nil {
			continue
		}
		at := func(n int) (float64, error) {
			if d, ok := coins[c[1]]; ok {
				return posterior.DirichletAt(d, n, eps)
			}
			return posterior.LinearAt(line, x, n, eps)
		}
		limit := posterior.LinearLimit(line, x, eps)
		if d, ok := coins[c[1]]; ok {
			if limit, err = posterior.DirichletLimit(d, eps); err != nil {
				t.Fatal(err)
			}
		}
		five, err := at(5)
		if err != nil {
			t.Fatal(err)
		}
		hundred, err := at(100)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range []float64{five, hundred, limit} {
			if got := strings.TrimPrefix(strconv.FormatFloat(v, 'f', 5, 64), "0"); got != c[3+i] {
				t.Errorf("%s: the page says %s, the program %s", c[1], c[3+i], got)
			}
		}
		rows++
	}
	if rows != 4 {
		t.Errorf("%d rows were recomputed, want 4", rows)
	}
}

// TestRegressionPage multiplies the three factors of every row of regression.md, whose digits are rounded.
func TestRegressionPage(t *testing.T) {
	b, err := os.ReadFile("regression.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, row := range strings.Split(string(b), "\n") {
		c := strings.Split(row, "|")
		if len(c) != 13 {
			continue
		}
		var x []float64 // n, THR, PHR, ratio, belief, finite, prediction
		for _, cell := range c[1:8] {
			v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
			if err != nil {
				break
			}
			x = append(x, v)
		}
		if len(x) != 7 {
			continue
		}
		// A factor is off by .005 at most, a rate by .0005.
		if product := x[4] * x[5] * x[6]; math.Abs(product-x[3]) > .005+.005*(x[4]*x[5]+x[4]*x[6]+x[5]*x[6])+1e-9 {
			t.Errorf("n = %g: %g × %g × %g is %.3f, the page says %g", x[0], x[4], x[5], x[6], product, x[3])
		}
		if math.Abs(x[2]/x[1]-x[3]) > .005+.0005*(1+x[3])/x[1]+1e-9 {
			t.Errorf("n = %g: %g/%g is %.3f, the page says %g", x[0], x[2], x[1], x[2]/x[1], x[3])
		}
		rows++
	}
	if rows != 18 {
		t.Errorf("%d rows were multiplied, want 18", rows)
	}
}
