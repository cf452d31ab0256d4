package plot

import (
	"fmt"
	"strconv"

	"hallmark/internal/metric/posterior/synthetic"
	"hallmark/internal/predictive"
	"hallmark/internal/regression"
	"hallmark/internal/seed"
)

// Study makes the files of a regression study by their names: its figures as SVG, their data, and the table with a row a query.
// Single functions and what the model makes up are computed for it.
func Study(m *regression.Model, study *synthetic.Study, summary synthetic.Summary) (map[string][]byte, error) {
	o := study.Setup
	half := predictive.Z(o.Eps[0]) * regression.Sigma
	grid := make([]float64, 81)
	for i := range grid {
		grid[i] = regression.Range * (float64(i)/40 - 1)
	}
	bands := func(title string, s *regression.Series, name string, n int) (Bands, error) {
		rows, err := synthetic.Across(m, o, s, name, n, grid)
		return Bands{Name: title, Pairs: s.Pairs(n), Rows: rows, Half: half}, err
	}
	d := RegressionData{Study: study, FromStudy: summary}
	many := min(100, m.Shape().Window-o.Extend-1)
	for _, n := range []int{min(2, many), many} {
		b, err := bands(fmt.Sprintf("n = %d", n), regression.Draw(o.Seed, regression.Test, 0), "test", n)
		if err != nil {
			return nil, err
		}
		d.Bands = append(d.Bands, b)
	}
	for _, kind := range []struct {
		name string
		s    *regression.Series
	}{{"function of the task", regression.Draw(o.Seed, regression.Test, 1)}, {"sine", regression.Foreign(o.Seed, 0)}} {
		b, err := bands(fmt.Sprintf("%s, n = %d", kind.name, many), kind.s, kind.name, many)
		if err != nil {
			return nil, err
		}
		d.Kinds = append(d.Kinds, b)
	}
	for i := range 5 {
		d.Training = append(d.Training, regression.Draw(regression.Shipped.Seed, regression.Training, i).Pairs(many))
		pairs, err := m.Begin().Generate(many, seed.Stream(o.Seed, "regression", "generated", strconv.Itoa(i)))
		if err != nil {
			return nil, err
		}
		d.Generated = append(d.Generated, pairs)
	}
	files := map[string][]byte{"rows.csv": study.CSV()}
	for _, f := range Regression(d) {
		files[f.Name+".svg"], files[f.Name+".csv"] = f.SVG(), f.CSV()
	}
	return files, nil
}
