package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"hallmark/internal/exit"
	"hallmark/internal/metric/posterior/synthetic"
	"hallmark/internal/model"
	"hallmark/internal/model/local"
	"hallmark/internal/predictive"
	"hallmark/internal/regression"
	"hallmark/internal/report/plot"
	"hallmark/internal/seed"
	"hallmark/internal/transformer/train"
)

// openRegression returns the built-in regression model, or reads the folder of another.
func openRegression(ref model.Ref) (*regression.Model, error) {
	if ref.Name == "" {
		return regression.Built()
	}
	if info, err := os.Stat(ref.Name); err != nil || !info.IsDir() {
		return nil, exit.Usagef("--model %s: %s is no folder; `hallmark model train regression -o %s` makes one", ref, ref.Name, ref.Name)
	}
	m, err := regression.Open(local.Folder(ref.Name))
	if err != nil {
		return nil, exit.Usagef("--model %s: %w", ref, err)
	}
	return m, nil
}

// trainRegression trains the regression model into a folder, and goes on with a training that was interrupted there.
func (a *app) trainRegression(ctx context.Context, dir string, workers int) error {
	r := regression.Shipped
	r.Seed = a.seed
	text, err := r.Text()
	if err != nil {
		return err
	}
	u, err := a.trainingIn(dir, train.StateFile, text, nil)
	if err != nil {
		return err
	}
	files, err := r.Train(ctx, workers, u.from, u.keep, a.trainingProgress(""))
	if err != nil {
		return err
	}
	if err := a.trained(dir, files, regression.Files(), regression.Shipped.Seed, "`hallmark analyze regression --model regression:%s` measures it"); err != nil {
		return err
	}
	return u.done()
}

func (a *app) analyzeRegression() *cobra.Command {
	o := synthetic.DefaultSetup()
	refText := string(model.Regression)
	var output string
	var workers int
	cmd := &cobra.Command{
		Use:   "regression [--model regression:DIR]",
		Short: "The posterior rate of a regression model beside the true rate, over test functions",
		Long: "Measures the posterior hallucination rate of the built-in regression model, or of one that `hallmark model train regression` made, on\n" +
			"functions that it was not trained on, beside its true rate and beside both rates of the exact posterior, which part what the context\n" +
			"does not say from what the model gets wrong (docs/regression.md). With -o it writes the figures as SVG and CSV, and a table with a row a query.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ref, err := model.ParseRef(refText)
			if err != nil {
				return exit.Usagef("--model: %w", err)
			}
			if ref.Scheme != model.Regression {
				return exit.Usagef("--model %s: want regression or regression:DIR; `hallmark analyze posterior` measures other models", ref)
			}
			m, err := openRegression(ref)
			if err != nil {
				return err
			}
			o.Seed, o.Level = a.seed, level
			if err := o.Validate(m.Shape().Window); err != nil {
				return exit.Usage(err)
			}
			n, err := cores(workers)
			if err != nil {
				return err
			}
			study, err := synthetic.Run(cmd.Context(), m, o, n, a.studyProgress())
			if err != nil {
				return err
			}
			summary := study.Summarize()
			if output != "" {
				if err := writeStudy(output, m, study, summary); err != nil {
					return err
				}
			}
			return writeJSON(a.stdout, summary)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&refText, "model", refText, "the model `REF`: regression, the built-in one, or regression:DIR")
	fs.IntVar(&o.Functions, "functions", o.Functions, "test functions")
	fs.IntSliceVar(&o.Contexts, "contexts", o.Contexts, "numbers of pairs of the contexts, n, rising, with commas")
	fs.IntVar(&o.Queries, "queries", o.Queries, "queries of each function")
	fs.IntVar(&o.Extend, "extend", o.Extend, "pairs that the model makes up for each extension, N - n")
	fs.IntVar(&o.M, "m", o.M, "extensions")
	fs.Float64SliceVar(&o.Eps, "eps", o.Eps, "with commas; the first is that of the figures and of the true rate where eps is misspecified")
	fs.IntVar(&o.Foreign, "foreign", o.Foreign, "sines, which no function of the task is like; 0 for none")
	fs.StringVarP(&output, "output", "o", "", "write the figures, their data and the table into `DIR`")
	fs.IntVarP(&workers, "concurrency", "j", 0, "cores; 0 for all. The figures are the same for any number")
	return cmd
}

// studyProgress returns a function that prints a line for every twentieth of a study.
func (a *app) studyProgress() func(done, of int) {
	reached := milestones(20)
	return func(done, of int) {
		if _, ok := reached(done, of); ok && !a.quiet {
			fmt.Fprintf(a.stderr, "%d of %d functions\n", done, of)
		}
	}
}

// writeStudy writes the figures of a study, their data, and the table.
func writeStudy(dir string, m *regression.Model, study *synthetic.Study, summary synthetic.Summary) error {
	o := study.Setup
	half := predictive.Z(o.Eps[0]) * regression.Sigma
	grid := make([]float64, 81)
	for i := range grid {
		grid[i] = regression.Range * (float64(i)/40 - 1)
	}
	bands := func(title string, s *regression.Series, name string, n int) (plot.Bands, error) {
		rows, err := synthetic.Across(m, o, s, name, n, grid)
		return plot.Bands{Name: title, Pairs: s.Pairs(n), Rows: rows, Half: half}, err
	}
	d := plot.RegressionData{Study: study, FromStudy: summary}
	many := min(100, m.Shape().Window-o.Extend-1)
	for _, n := range []int{min(2, many), many} {
		b, err := bands(fmt.Sprintf("n = %d", n), regression.Draw(o.Seed, regression.Test, 0), "test", n)
		if err != nil {
			return err
		}
		d.Bands = append(d.Bands, b)
	}
	for _, kind := range []struct {
		name string
		s    *regression.Series
	}{{"function of the task", regression.Draw(o.Seed, regression.Test, 1)}, {"sine", regression.Foreign(o.Seed, 0)}} {
		b, err := bands(fmt.Sprintf("%s, n = %d", kind.name, many), kind.s, kind.name, many)
		if err != nil {
			return err
		}
		d.Kinds = append(d.Kinds, b)
	}
	for i := range 5 {
		d.Training = append(d.Training, regression.Draw(regression.Shipped.Seed, regression.Training, i).Pairs(many))
		pairs, err := m.Begin().Generate(many, seed.Stream(o.Seed, "regression", "generated", strconv.Itoa(i)))
		if err != nil {
			return err
		}
		d.Generated = append(d.Generated, pairs)
	}
	files := map[string][]byte{"rows.csv": table(study)}
	for _, f := range plot.Regression(d) {
		files[f.Name+".svg"], files[f.Name+".csv"] = f.SVG(), f.CSV()
	}
	_, err := writeFolder(dir, files)
	return err
}

// table is a row a query as CSV.
func table(study *synthetic.Study) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 8, 64) }
	head := []string{"set", "function", "n", "x", "mi", "entropy", "divergence", "gap"}
	for _, name := range []string{"thr", "phr", "exact_thr", "exact_phr"} {
		for _, eps := range study.Setup.Eps {
			head = append(head, name+"_"+strconv.FormatFloat(eps, 'g', -1, 64))
		}
	}
	w.Write(head) // a buffer takes all
	for _, set := range []struct {
		name string
		rows []synthetic.Row
	}{{"test", study.Rows}, {"foreign", study.Foreign}} {
		for _, r := range set.rows {
			row := []string{set.name, strconv.Itoa(r.Function), strconv.Itoa(r.N), number(r.X), number(r.MI), number(r.Entropy), number(r.Divergence), number(r.Gap)}
			for _, x := range slices.Concat(r.THR, r.PHR, r.ExactTHR, r.ExactPHR) {
				row = append(row, number(x))
			}
			w.Write(row)
		}
	}
	w.Flush()
	return b.Bytes()
}
