package docs

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"hallmark/internal/metric/posterior"
	"hallmark/internal/model/exact"
)

// TestPosteriorPage recomputes the exact rates of posterior.md.
func TestPosteriorPage(t *testing.T) {
	b, err := os.ReadFile("posterior.md")
	if err != nil {
		t.Fatal(err)
	}
	line := exact.Belief{Linear: exact.Linear{Dim: 1, Sigma: .5, Repeat: true}, Mean: []float64{.3}, Covariance: [][]float64{{.4}}}
	x := []float64{1}
	coins := map[string]exact.Dirichlet{"Beta(1.5, 2.5)": {2.5, 1.5}, "Beta(8, 1)": {1, 8}, "Dirichlet(1, 1, 1)": {1, 1, 1}}
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
