package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/assay"
	"hallmark/internal/atomicfile"
	"hallmark/internal/console"
	"hallmark/internal/evaluate/setting"
	"hallmark/internal/evaluate/suites"
	"hallmark/internal/exit"
	"hallmark/internal/gate"
	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/inputfile"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/rate"
	"hallmark/internal/report"
	"hallmark/internal/suite"
)

// A comparison is what compare and analyze reduction print.
type comparison struct {
	*rate.Reduction
	Grading grade.Grading `json:"grading"` // of both
	Judge   *judgesOf     `json:"judge,omitempty"`
}

// judgesOf says how the judges of two runs differ.
type judgesOf struct {
	Drift []judgeDrift `json:"drift"`
}

// A judgeDrift is a judge of two runs, with the anchors on which it gave different verdicts: it changed between them, under the same name.
type judgeDrift struct {
	Judge   string   `json:"judge"`
	Anchors int      `json:"anchors"` // with a verdict in both runs
	Changed []string `json:"changed"`
}

// drift compares the judges of two runs by their verdicts on the anchors; nil where none is in both. The warnings say what it means.
func drift(base, other *assay.Judged) (out *judgesOf, warnings []string) {
	of := func(j *assay.Judged) (names []string, all bool) {
		if j == nil || j.Judge == "" {
			return nil, false
		}
		return append([]string{j.Judge}, j.Panel...), j.All
	}
	was, wasAll := of(base)
	is, isAll := of(other)
	if !slices.Equal(was, is) || wasAll != isAll {
		warnings = append(warnings, "the runs were graded with different judges, or one without: a difference may be the grader's")
	}
	if base == nil || other == nil {
		return nil, warnings
	}
	for _, a := range base.Anchors {
		for _, b := range other.Anchors {
			if a.Judge != b.Judge {
				continue
			}
			d := judgeDrift{Judge: a.Judge, Changed: []string{}}
			for id, verdict := range a.Verdicts {
				if now, ok := b.Verdicts[id]; ok {
					if d.Anchors++; now != verdict {
						d.Changed = append(d.Changed, id)
					}
				}
			}
			slices.Sort(d.Changed)
			if out == nil {
				out = &judgesOf{}
			}
			out.Drift = append(out.Drift, d)
			if len(d.Changed) > 0 {
				warnings = append(warnings, fmt.Sprintf("the judge %s gave other verdicts on %d of %d anchors: it changed between the runs, and a difference may be its own", d.Judge, len(d.Changed), d.Anchors))
			}
		}
	}
	return out, warnings
}

// A comparedSeries is what compare --series prints.
type comparedSeries struct {
	*rate.Series
	Grading grade.Grading `json:"grading"` // of all
}

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
	margin        float64 // in points; 0 for none
}

func (a *app) compareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare BASE OTHER",
		Short: "Two stored runs, or a series of them, paired case by case, with intervals",
		Long: "Compare two runs over the cases they share: reductions, differences, McNemar's exact test, the discordant cases of both kinds, over-refusal as\n" +
			"the price, the confusion map as differences, and stability. With --series: outcomes, rates and stability of many runs in the order given, with " +
			"control limits.\n" +
			"A run is named by a prefix of its id, `latest`, or the path of an evidence bundle.",
		Args: func(cmd *cobra.Command, args []string) error {
			if f.series {
				return cobra.MinimumNArgs(2)(cmd, args)
			}
			return cobra.ExactArgs(2)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			gates, err := f.gates()
			if err != nil {
				return exit.Usage(err)
			}
			if f.allowUnscored < 0 {
				return exit.Usagef("--allow-unscored %d: want a number of 0 or more", f.allowUnscored)
			}
			if cmd.Flags().Changed("margin") && !(f.margin > 0 && f.margin < 100) {
				return exit.Usagef("--margin %v: want points above 0 and below 100, such as 3", f.margin)
			}
			if f.baseline < 1 || f.series && f.baseline >= len(args) {
				return exit.Usagef("--baseline %d of %d runs: want 1 or more, and a run besides", f.baseline, len(args))
			}
			if n := len(f.models); n > 1 && n != len(args) {
				return exit.Usagef("--model is there %d times for %d runs: give one for all, or one a run in their order", n, len(args))
			}
			results, err := a.runs.Alike(cmd.Context(), args...)
			if err != nil {
				return err
			}
			var sides []side
			for i, result := range results {
				model := ""
				if len(f.models) > 0 {
					model = f.models[min(i, len(f.models)-1)]
				}
				one, err := pickSide(result, model, f.suite)
				if err != nil {
					return exit.Usage(err)
				}
				sides = append(sides, one)
			}
			warnings := sameQuestions(sides)
			if f.series {
				return a.finishSeries(&f, sides, warnings, gates)
			}
			opt := rate.Options{Level: level, Standings: standingsOf(sides), Margin: f.margin / 100}
			reduction := rate.Compare(sides[0].rows, sides[1].rows, opt)
			judge, doubts := drift(sides[0].judged, sides[1].judged)
			reduction.Warnings = append(reduction.Warnings, append(warnings, doubts...)...)
			clusters := clustersOf(sides[0].standings)
			if reduction.Categories, err = consistency.NewFlow(sides[0].categories, sides[1].categories, clusters, level); err != nil {
				return err
			}
			names := [2]string{sides[0].name(), sides[1].name()}
			if err := a.compareReport(&f, sides, comparison{&reduction, grade.Current(), judge}, func(w io.Writer) error { return report.ComparePage(w, &reduction, names[0], names[1]) }); err != nil {
				return err
			}
			return a.finishCompare(&comparison{&reduction, grade.Current(), judge}, names, gates, f.allowUnscored)
		},
	}
	fs := cmd.Flags()
	fs.BoolVar(&f.series, "series", false, "the curves of many runs on the same cases, in the order given: compare --series RUN…")
	fs.IntVar(&f.baseline, "baseline", 1, "the first `N` runs of a series, from which its control limits are")
	fs.StringArrayVar(&f.models, "model", nil, "compare the model `REF`, where a run has several; given twice: of the first run, and of the second")
	fs.StringVar(&f.suite, "suite", "", "the suite to compare on, where a run has several")
	fs.StringArrayVar(&f.failOn, "fail-on", nil, "gate: exit 100 if `EXPR` holds, such as 'outcomes.difference.incorrect.hi > 0' (repeatable)")
	fs.IntVar(&f.allowUnscored, "allow-unscored", 0, "exit 3 if more cases than this are unscored in either run")
	fs.BoolVar(&f.noReport, "no-report", false, "write no HTML report")
	fs.StringVarP(&f.output, "output", "o", "", "write the reports (HTML, JSON) into `DIR`")
	fs.Float64Var(&f.margin, "margin", 0,
		"says whether wrong answers differ by less than `POINTS`, so that the runs are equivalent: two one-sided tests")
	return cmd
}

// gates parses the gates and holds them against the shape of the document.
func (f *compareFlags) gates() ([]gate.Gate, error) {
	var outcomes rate.OutcomeChange
	if f.margin > 0 {
		outcomes.Equivalence = &rate.Equivalence{}
	}
	if !f.series {
		return gate.ParseAll(f.failOn, rate.Reduction{
			Outcomes: outcomes, Categories: consistency.FlowShape(), Stability: &consistency.Paired{},
		})
	}
	shape := rate.Series{Outcomes: outcomes, Last: map[string]rate.Point{}}
	for _, curve := range rate.Curves {
		shape.Last[curve] = rate.Point{}
	}
	return gate.ParseAll(f.failOn, shape)
}

// A side is what one run brings to a comparison: one model on one suite.
type side struct {
	id    rate.SeriesRun
	rows  []rate.Row
	asked map[string]question // by case

	categories map[string]string      // of consistency, by case
	standings  []consistency.Standing // nil where consistency was not measured
	judged     *assay.Judged          // nil where no judge had a part
}

// A question is what must be equal for a case to be the same in two runs.
type question struct{ system, prompt, context, options, gold string }

func (s *side) name() string { return fmt.Sprintf("%s %s on %s", s.id.Run, s.id.Model, s.id.Suite) }

// pickSide returns the graded rows of the one model and suite that the flags leave.
func pickSide(result *assay.Assay, modelRef, suiteName string) (side, error) {
	info := result.Document.Run
	var found side
	matches := 0
	for i, rows := range result.Rows {
		m, s := result.Document.Models[i/len(info.Suites)], info.Suites[i%len(info.Suites)]
		if modelRef != "" && m.Model != modelRef || suiteName != "" && s.Name != suiteName {
			continue
		}
		matches++
		found = side{id: rate.SeriesRun{Run: info.ID, Model: m.Model, Suite: s.Name}, rows: rows, standings: result.Standings[i]}
		if on := result.Document.Models[i/len(info.Suites)].On(s.Name); on != nil {
			found.judged = on.Judged
		}
	}
	switch {
	case matches == 0:
		return side{}, fmt.Errorf("run %s has no model %q on suite %q; `hallmark show %s` lists what it has", info.ID, modelRef, suiteName, info.ID)
	case matches > 1:
		return side{}, fmt.Errorf("run %s has several models or suites: say which with --model and --suite", info.ID)
	}
	found.asked, found.categories = map[string]question{}, map[string]string{}
	for _, c := range result.Cases.Of(found.id.Model, found.id.Suite).All() {
		context, err := json.Marshal(c.Context)
		if err != nil {
			return side{}, err
		}
		if category := c.FlowCategory(); category != "" {
			found.categories[c.ID] = category
		}
		found.asked[c.ID] = question{c.System, c.Prompt, string(context), strings.Join(c.Options, "\x00"), c.Gold}
	}
	return found, nil
}

// sameQuestions leaves out the cases that bear one id and ask different things, or have different golds, as after a change of the suite; it
// says how many.
func sameQuestions(sides []side) []string {
	changed := map[string]bool{}
	for _, s := range sides[1:] {
		for id, q := range s.asked {
			if first, ok := sides[0].asked[id]; ok && first != q {
				changed[id] = true
			}
		}
	}
	if len(changed) == 0 {
		return nil
	}
	for i := range sides {
		sides[i].rows = slices.DeleteFunc(slices.Clone(sides[i].rows), func(r rate.Row) bool { return changed[r.CaseID] })
		maps.DeleteFunc(sides[i].categories, func(id, _ string) bool { return changed[id] })
		sides[i].standings = slices.DeleteFunc(slices.Clone(sides[i].standings), func(s consistency.Standing) bool { return changed[s.ID] })
	}
	return []string{fmt.Sprintf("%d cases ask something else, or have another gold, in one of the runs and are left out: the suite changed", len(changed))}
}

// compareReport writes the page of a comparison, and with --output its document, under the names of the runs.
func (a *app) compareReport(f *compareFlags, sides []side, document any, page func(io.Writer) error) error {
	if f.noReport {
		return nil
	}
	kind, dir := "compare", f.output
	if f.series {
		kind = "series"
	}
	var ids []string
	for _, s := range sides {
		ids = append(ids, s.id.Run)
	}
	name := kind + "-" + strings.Join(ids, "-")
	if len(ids) > 2 {
		name = fmt.Sprintf("%s-%s-%d-%s", kind, ids[0], len(ids), ids[len(ids)-1])
	}
	if dir == "" {
		dir = setting.ReportsDir
		if err := setting.OwnFolder(dir); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(dir, name+".html")
	if err := atomicfile.Write(path, page); err != nil {
		return err
	}
	if f.output != "" {
		if err := atomicfile.Write(filepath.Join(dir, name+".json"), func(w io.Writer) error { return writeJSON(w, document) }); err != nil {
			return err
		}
	}
	if !a.quiet {
		fmt.Fprintf(a.stderr, "report: %s\n", path)
	}
	return nil
}

// clustersOf returns the clusters of cases by id.
func clustersOf(standings []consistency.Standing) map[string]int32 {
	of := make(map[string]int32, len(standings))
	for i := range standings {
		of[standings[i].ID] = standings[i].Cluster
	}
	return of
}

// standingsOf returns how the cases of every side stood in consistency.
func standingsOf(sides []side) (all [][]consistency.Standing) {
	for _, s := range sides {
		all = append(all, s.standings)
	}
	return all
}

// finishSeries prints the curves of several runs and decides the exit code.
func (a *app) finishSeries(f *compareFlags, sides []side, warnings []string, gates []gate.Gate) error {
	var names []rate.SeriesRun
	var rows [][]rate.Row
	for _, s := range sides {
		names, rows = append(names, s.id), append(rows, s.rows)
	}
	series := rate.NewSeries(names, rows, rate.Options{
		Level: level, Standings: standingsOf(sides), Baseline: f.baseline, Margin: f.margin / 100,
	})
	series.Warnings = append(series.Warnings, warnings...)
	if err := a.compareReport(f, sides, comparedSeries{&series, grade.Current()}, func(w io.Writer) error { return report.SeriesPage(w, &series) }); err != nil {
		return err
	}
	var err error
	switch {
	case a.json:
		err = writeJSON(a.stdout, comparedSeries{&series, grade.Current()})
	case !a.quiet:
		err = report.Series(a.stdout, &series, report.Style{Color: console.Colour(a.stdout), Width: console.Width(a.stdout)})
	}
	if err != nil {
		return err
	}
	return a.decide(gates, series, "series", series.Unscored, f.allowUnscored)
}

// finishCompare prints a comparison and decides the exit code.
func (a *app) finishCompare(r *comparison, names [2]string, gates []gate.Gate, allowUnscored int) error {
	var err error
	switch {
	case a.json:
		err = writeJSON(a.stdout, r)
	case !a.quiet:
		err = report.Compare(a.stdout, r.Reduction, names[0], names[1], report.Style{Color: console.Colour(a.stdout), Width: console.Width(a.stdout)})
	}
	if err != nil {
		return err
	}
	return a.decide(gates, r.Reduction, "comparison", r.Unscored, allowUnscored)
}

// decide returns the exit code of a comparison: a failed gate beats unscored cases.
func (a *app) decide(gates []gate.Gate, document any, about string, unscored, allowed int) error {
	switch {
	case a.failedGates(gates, document, about) > 0:
		return exit.With(exit.Gate, nil)
	case unscored > allowed:
		return exit.With(exit.Unscored, fmt.Errorf("%d cases are unscored in one of the runs, %d are allowed (--allow-unscored)", unscored, allowed))
	}
	return nil
}

func (a *app) analyzeReduction() *cobra.Command {
	var suiteName, asOf string
	var failOn []string
	cmd := &cobra.Command{
		Use:   "reduction BASE.jsonl OTHER.jsonl --suite SUITE",
		Short: "Two files of answers to one suite, compared as by compare",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			gates, err := gate.ParseAll(failOn, rate.Reduction{Categories: consistency.FlowShape()})
			if err != nil {
				return exit.Usage(err)
			}
			var rows [2][]rate.Row
			for i, path := range args {
				if rows[i], _, err = a.gradedRows(cmd.Context(), suiteName, asOf, false, false, path); err != nil {
					return exit.Usage(err)
				}
			}
			reduction := rate.Compare(rows[0], rows[1], rate.Options{Level: level})
			a.json = true // analyze prints JSON
			return a.finishCompare(&comparison{Reduction: &reduction, Grading: grade.Current()}, [2]string{args[0], args[1]}, gates, 1<<30)
		},
	}
	a.trust.AddPath(cmd.Flags())
	cmd.Flags().StringVar(&suiteName, "suite", "", "the suite that was answered: built-in name or FILE")
	cmd.Flags().StringVar(&asOf, "as-of", "", "today of the answers, as 2026-11-20; default: the suite's")
	cmd.Flags().StringArrayVar(&failOn, "fail-on", nil, "gate: exit 100 if `EXPR` holds (repeatable)")
	return cmd
}

// gradedRows grades the answers in files against a suite.
func (a *app) gradedRows(ctx context.Context, suiteName, asOf string, skipBad, contract bool, paths ...string) ([]rate.Row, *rate.Answers, error) {
	s, rub, err := a.answeredSuite(suiteName, asOf)
	if err != nil {
		return nil, nil, err
	}
	rub.Contract = contract
	answers := &rate.Answers{Suite: s, SkipBad: skipBad}
	if err := inputfile.Each(a.stdin, paths, answers.Read); err != nil {
		return nil, nil, err
	}
	rows, err := answers.Rows(ctx, rub)
	return rows, answers, err
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
	if asOf == "" {
		asOf = s.AsOf
	}
	for i := range s.Cases {
		if c := &s.Cases[i]; asOf == "" && c.NeedsToday() {
			return nil, nil, fmt.Errorf("%s: case %q asks about today, but neither the suite's as_of nor --as-of says which day that is", c.Place, c.ID)
		}
	}
	rub, err := rubric.New(s, asOf)
	if err != nil {
		return nil, nil, err
	}
	return s, rub, nil
}
