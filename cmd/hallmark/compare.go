package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
	"hallmark/internal/base/atomicfile"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/lists"
	"hallmark/internal/commands/answers"
	"hallmark/internal/commands/paired"
	"hallmark/internal/commands/suites"
	"hallmark/internal/commands/usage"
	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/rate"
	"hallmark/internal/report"
	"hallmark/internal/suite"
)

// compareFlags are the flags of `hallmark compare`.
type compareFlags struct {
	series        bool
	baseline      int
	models        []string
	suite         string
	failOn        []string
	allowUnscored int
	noReport      bool
	output        string
	comment       string  // file; "" for none
	margin        float64 // in points; 0 for none
	noninferior   float64 // likewise
	verbose       bool
	accept        []string
	thresholds    []gate.Threshold
}

func (a *app) compareCommand() *cobra.Command {
	f := compareFlags{baseline: 1}
	cmd := &cobra.Command{
		Use:         "compare [BASE] OTHER",
		Annotations: map[string]string{usage.TakesArguments: "OTHER"},
		Args: func(cmd *cobra.Command, args []string) error {
			if f.series {
				return cobra.MinimumNArgs(2)(cmd, args)
			}
			return cobra.RangeArgs(1, 2)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.compare(cmd, &f, args)
		},
	}
	cmd.AddCommand(a.baselineCommand())
	f.register(cmd.Flags())
	return cmd
}

func (f *compareFlags) register(fs *pflag.FlagSet) {
	define(fs, table{
		"series": &f.series, "baseline": &f.baseline, "model": &f.models, "suite": &f.suite, "fail-on": &f.failOn,
		"allow-unscored": &f.allowUnscored, "no-report": &f.noReport, "output o": &f.output, "comment": &f.comment,
		"accept": &f.accept, "verbose v": &f.verbose, "margin": &f.margin, "noninferiority": &f.noninferior,
	})
}

// compare checks the flags, evaluates the runs, and writes what they show beside each other.
func (a *app) compare(cmd *cobra.Command, f *compareFlags, args []string) error {
	gates, err := f.gates()
	if err != nil {
		return exit.Usage(err)
	}
	if f.thresholds, err = gate.ParseThresholds(f.accept); err != nil {
		return exit.Usage(err)
	}
	if f.series && len(f.accept) > 0 {
		return exit.Usagef("--accept is of a run or a comparison of two: leave out --series, or use --fail-on")
	}
	for _, t := range f.thresholds {
		if _, err := t.At(f.shape(), gate.OfComparison); err != nil {
			return exit.Usage(err)
		}
	}
	if err := f.check(cmd.Flags().Changed, max(2, len(args))); err != nil {
		return exit.Usage(err)
	}
	results, err := a.compared(cmd.Context(), f, args)
	if err != nil {
		return err
	}
	sides, err := f.sides(results)
	if err != nil {
		return exit.Usage(err)
	}
	limits, warnings := paired.Limits(sides), paired.SameQuestions(sides)
	if f.series {
		return a.finishSeries(f, sides, limits, warnings, gates)
	}
	return a.finishCompare(f, sides, limits, warnings, gates)
}

// compared evaluates what is compared: the runs that are named, or of one run two of its models, or it and the baseline
// of its suite.
func (a *app) compared(ctx context.Context, f *compareFlags, args []string) ([]*assay.Assay, error) {
	results, err := a.runs.Alike(ctx, args...)
	if err != nil || len(args) > 1 {
		return results, err
	}
	models, err := paired.Alone(results[0], f.models)
	if err != nil {
		return nil, exit.Usage(err)
	}
	if models != nil {
		f.models = models
		return []*assay.Assay{results[0], results[0]}, nil
	}
	suite, err := paired.SuiteOf(results[0], f.suite)
	if err != nil {
		return nil, exit.Usage(err)
	}
	f.suite = suite
	base, err := a.runs.Baseline(ctx, suite, results[0].Document.Run.ID)
	if err != nil {
		return nil, err
	}
	if of := base.Document.Models; len(f.models) == 1 && len(of) == 1 { // the model was named of the other
		f.models = []string{of[0].Model, f.models[0]}
	}
	return append([]*assay.Assay{base}, results...), nil
}

// check refuses flags that do not go together, of a comparison of so many runs.
func (f *compareFlags) check(given func(flag string) bool, runs int) error {
	switch n := len(f.models); {
	case f.allowUnscored < 0:
		return fmt.Errorf("--allow-unscored %d: want a number of 0 or more", f.allowUnscored)
	case given("margin") && !(f.margin > 0 && f.margin < 100):
		return fmt.Errorf("--margin %v: want points above 0 and below 100, such as 3", f.margin)
	case given("noninferiority") && !(f.noninferior > 0 && f.noninferior < 100):
		return fmt.Errorf("--noninferiority %v: want points above 0 and below 100, such as 2", f.noninferior)
	case f.series && f.comment != "":
		return fmt.Errorf("--comment is of two runs: leave out --series, or use -o")
	case f.baseline < 1 || f.series && f.baseline >= runs:
		return fmt.Errorf("--baseline %d of %d runs: want 1 or more, and a run besides", f.baseline, runs)
	case n > 1 && n != runs:
		return fmt.Errorf("--model is there %d times for %d runs: give one for all, or one a run in their order", n,
			runs)
	}
	return nil
}

// sides picks what each run brings: the model and suite that the flags leave.
func (f *compareFlags) sides(results []*assay.Assay) (sides []paired.Side, err error) {
	for i, result := range results {
		model := ""
		if len(f.models) > 0 {
			model = f.models[min(i, len(f.models)-1)]
		}
		one, err := paired.Pick(result, model, f.suite)
		if err != nil {
			return nil, err
		}
		sides = append(sides, one)
	}
	return sides, nil
}

// shape is what a comparison has before anything is measured.
func (f *compareFlags) shape() rate.Reduction {
	var outcomes rate.OutcomeChange
	if f.margin > 0 {
		outcomes.Equivalence = &rate.Equivalence{}
	}
	if f.noninferior > 0 {
		outcomes.Noninferiority = &rate.Noninferiority{}
	}
	return rate.Reduction{Outcomes: outcomes, Categories: consistency.FlowShape(), Stability: &consistency.Paired{},
		Measured: paired.MeasuredShape()}
}

// gates parses the gates and holds them against the shape of the document.
func (f *compareFlags) gates() ([]gate.Gate, error) {
	if !f.series {
		return gate.ParseAll(f.failOn, f.shape())
	}
	shape := rate.Series{Outcomes: f.shape().Outcomes, Last: map[string]rate.Point{}}
	for _, curve := range rate.Curves {
		shape.Last[curve] = rate.Point{}
	}
	return gate.ParseAll(f.failOn, shape)
}

// compareReport writes the page of a comparison, and with --output its document and its text, where it has one, under
// the names of the runs.
func (a *app) compareReport(f *compareFlags, sides []paired.Side, document any,
	page, text func(io.Writer) error) error {
	if f.noReport {
		return nil
	}
	kind := "compare"
	if f.series {
		kind = "series"
	}
	ids := lists.Map(sides, func(s paired.Side) string { return s.ID.Run })
	name := kind + "-" + strings.Join(ids, "-")
	if len(ids) == 2 && ids[0] == ids[1] { // two models of one run
		name = fmt.Sprintf("%s-%s-%s", kind, ids[0], report.FileName(sides[0].ID.Model+"-"+sides[1].ID.Model))
	}
	if len(ids) > 2 {
		name = fmt.Sprintf("%s-%s-%d-%s", kind, ids[0], len(ids), ids[len(ids)-1])
	}
	path, err := a.reportFile(f.output, name+".html")
	if err != nil {
		return err
	}
	files := map[string]func(io.Writer) error{path: page}
	if f.output != "" {
		files[filepath.Join(f.output, name+".json")] = func(w io.Writer) error { return writeJSON(w, document) }
		if text != nil {
			files[filepath.Join(f.output, name+".md")] = text
		}
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if err := atomicfile.Write(path, files[path]); err != nil {
			return err
		}
	}
	if !a.quiet {
		fmt.Fprintf(a.stderr, "report: %s\n", path)
	}
	return nil
}

// finishSeries prints the curves of several runs and decides the exit code.
func (a *app) finishSeries(f *compareFlags, sides []paired.Side, limits, warnings []string, gates []gate.Gate) error {
	var names []rate.SeriesRun
	var rows [][]rate.Row
	for _, s := range sides {
		names, rows = append(names, s.ID), append(rows, s.Rows)
	}
	series := rate.NewSeries(names, rows, rate.Options{
		Level: level, Standings: paired.Standings(sides), Baseline: f.baseline, Margin: f.margin / 100,
		Noninferiority: f.noninferior / 100,
	})
	series.Warnings, series.Limits = append(series.Warnings, warnings...), limits
	series.Measured = paired.MeasuredInEach(sides)
	document := paired.Series{Series: &series, Grading: grade.Current()}
	if err := a.compareReport(f, sides, document,
		func(w io.Writer) error { return report.SeriesPage(w, &series) }, nil); err != nil {
		return err
	}
	if err := a.say(document, func(w io.Writer) error { return report.Series(w, &series, a.style()) }); err != nil {
		return err
	}
	return a.decide(gates, series, "series", series.Unscored, f.allowUnscored)
}

// finishCompare compares two runs, writes and prints the comparison, and decides the exit code.
func (a *app) finishCompare(f *compareFlags, sides []paired.Side, limits, warnings []string,
	gates []gate.Gate) error {
	base, other := &sides[0], &sides[1]
	reduction := rate.Compare(base.Rows, other.Rows,
		rate.Options{Level: level, Standings: paired.Standings(sides), Margin: f.margin / 100,
			Noninferiority: f.noninferior / 100})
	reduction.Measured = paired.Measured(base, other, level)
	paired.Answers(&reduction, base, other)
	judge, doubts := paired.Drifted(base.Judged, other.Judged)
	reduction.Warnings, reduction.Limits = slices.Concat(reduction.Warnings, warnings, doubts), limits
	var err error
	reduction.Categories, err = consistency.NewFlow(base.Categories, other.Categories,
		paired.Clusters(base.Standings), level)
	if err != nil {
		return err
	}
	names := [2]string{base.Name(), other.Name()}
	whole := &paired.Comparison{Reduction: &reduction, Grading: grade.Current(), Judge: judge,
		Runs: []rate.SeriesRun{base.ID, other.ID}}
	if whole.Accept, err = paired.Accept(&reduction, f.thresholds); err != nil {
		return exit.Usage(err)
	}
	by := func(write func(io.Writer, *rate.Reduction, string, string, ...gate.Acceptance) error) func(io.Writer) error {
		return func(w io.Writer) error { return write(w, &reduction, names[0], names[1], whole.Accept...) }
	}
	if err := a.compareReport(f, sides, whole, by(report.ComparePage), by(report.CompareMarkdown)); err != nil {
		return err
	}
	if f.comment != "" {
		if err := atomicfile.Write(f.comment, by(report.CompareComment)); err != nil {
			return err
		}
	}
	return a.printCompare(f, whole, names, gates)
}

// printCompare prints a comparison and decides the exit code.
func (a *app) printCompare(f *compareFlags, r *paired.Comparison, names [2]string, gates []gate.Gate) error {
	if err := a.say(r, func(w io.Writer) error {
		style := a.style()
		style.Whole = f.verbose
		return report.Compare(w, r.Reduction, names[0], names[1], style, r.Accept...)
	}); err != nil {
		return err
	}
	return a.decide(gates, r.Reduction, "comparison", r.Unscored, f.allowUnscored)
}

// decide returns the exit code of a comparison: a failed gate beats unscored cases.
func (a *app) decide(gates []gate.Gate, document any, about string, unscored, allowed int) error {
	if err := a.hold(gates, document, about); err != nil || unscored <= allowed {
		return err
	}
	return exit.With(exit.Unscored, fmt.Errorf(
		"%d cases are unscored in one of the runs, %d are allowed (--allow-unscored)", unscored, allowed))
}

func (a *app) analyzeReduction() *cobra.Command {
	var suiteName, asOf, output string
	var failOn []string
	cmd := command("reduction BASE.jsonl OTHER.jsonl --suite SUITE", cobra.ExactArgs(2),
		func(ctx context.Context, args []string) error {
			gates, err := gate.ParseAll(failOn, rate.Reduction{Categories: consistency.FlowShape()})
			if err != nil {
				return exit.Usage(err)
			}
			var files [2]*paired.File
			for i, path := range args {
				one := &answers.Files{Paths: []string{path}, Stdin: a.stdin, Keep: true}
				graded, err := one.Graded(ctx, a.opened(suiteName), asOf, false)
				if err != nil {
					return exit.Usage(err)
				}
				files[i] = &paired.File{Name: path, Suite: graded.Suite, Rows: graded.Rows, Texts: graded.Texts}
			}
			compared := paired.Files(files[0], files[1], level)
			if output != "" {
				write := report.ComparePage
				if filepath.Ext(output) == ".md" {
					write = report.CompareMarkdown
				}
				if err := a.writeTo(output, func(w io.Writer) error {
					return write(w, compared.Reduction, args[0], args[1])
				}); err != nil {
					return err
				}
			}
			a.json = true // analyze prints JSON
			return a.printCompare(&compareFlags{allowUnscored: 1 << 30}, compared, [2]string(args), gates)
		})
	define(cmd.Flags(), table{
		"suite": &suiteName, "as-of": &asOf, "fail-on": &failOn, "output o": &output,
		"allow-path": &a.trust.Path,
	})
	return cmd
}

// opened opens the suite of a name; nil of none, where the files of answers may have their questions.
func (a *app) opened(name string) func() (*suite.Suite, error) {
	return func() (*suite.Suite, error) {
		if name == "" {
			return nil, nil
		}
		return suites.Open(name, a.trust.Path)
	}
}

// answeredSuite opens the suite of a file of answers, and its rubric.
func (a *app) answeredSuite(suiteName, asOf string) (*suite.Suite, *rubric.Rubric, error) {
	if suiteName == "" {
		return nil, nil, fmt.Errorf("which suite was answered? name it with --suite")
	}
	s, err := suites.Open(suiteName, a.trust.Path)
	if err != nil {
		return nil, nil, err
	}
	rub, err := suites.Rubric(s, asOf)
	return s, rub, err
}

func (a *app) baselineCommand() *cobra.Command {
	var clear bool
	var suite string
	cmd := command("baseline [RUN]", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) error {
		if clear && len(args) > 0 {
			return exit.Usagef("--clear removes the baselines, of --suite or of all: leave out %s", args[0])
		}
		list, err := a.runs.SetBaseline(ctx, args, suite, clear, a.now())
		if err != nil {
			return err
		}
		return a.say(map[string]any{"baselines": list}, func(w io.Writer) error {
			if len(list) == 0 {
				fmt.Fprintln(w, "no baseline; `hallmark compare baseline RUN` marks one")
				return nil
			}
			return report.Baselines(w, list)
		})
	})
	define(cmd.Flags(), table{"clear": &clear, "suite": &suite})
	return cmd
}
