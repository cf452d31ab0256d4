package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hallmark/internal/assay"
	"hallmark/internal/gate"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/rate"
	"hallmark/internal/report"
)

func (a *app) compareCommand() *cobra.Command {
	var modelRef, suiteName string
	var failOn []string
	var allowUnscored int
	cmd := &cobra.Command{
		Use:   "compare BASE OTHER",
		Short: "Two stored runs, paired case by case, with intervals",
		Long:  "Compare the rubric of two stored runs over the cases they share: reductions, McNemar's exact test, the discordant cases.",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			gates, err := reductionGates(failOn)
			if err != nil {
				return usage(err)
			}
			if allowUnscored < 0 {
				return usagef("--allow-unscored %d: want a number of 0 or more", allowUnscored)
			}
			store, err := a.openStored(cmd.Context())
			if err != nil {
				return err
			}
			defer store.Close()
			var rows [2][]rate.Row
			var names [2]string
			for i, prefix := range args {
				result, _, err := a.stored(cmd.Context(), store, prefix)
				if err != nil {
					return err
				}
				if rows[i], names[i], err = pickRows(result, modelRef, suiteName); err != nil {
					return usage(err)
				}
			}
			reduction := rate.Compare(rows[0], rows[1], rate.Options{Level: level})
			return a.finishCompare(&reduction, names, gates, allowUnscored)
		},
	}
	f := cmd.Flags()
	f.StringVar(&modelRef, "model", "", "the model to compare, where a run has several")
	f.StringVar(&suiteName, "suite", "", "the suite to compare on, where a run has several")
	f.StringArrayVar(&failOn, "fail-on", nil, "gate: exit 100 if `EXPR` holds, such as 'reduction.hallucination.lo < .1' (repeatable)")
	f.IntVar(&allowUnscored, "allow-unscored", 0, "exit 3 if more cases than this are unscored in either run")
	return cmd
}

// pickRows returns the graded rows of the one model and suite that the flags leave.
func pickRows(result *assay.Assay, modelRef, suiteName string) ([]rate.Row, string, error) {
	info := result.Document.Run
	var found []rate.Row
	var name string
	matches := 0
	for i, rows := range result.Rows {
		m, s := result.Document.Models[i/len(info.Suites)], info.Suites[i%len(info.Suites)]
		if modelRef != "" && m.Model != modelRef || suiteName != "" && s.Name != suiteName {
			continue
		}
		matches++
		found, name = rows, fmt.Sprintf("%s %s on %s", info.ID, m.Model, s.Name)
	}
	switch {
	case matches == 0:
		return nil, "", fmt.Errorf("run %s has no model %q on suite %q; `hallmark show %s` lists what it has", info.ID, modelRef, suiteName, info.ID)
	case matches > 1:
		return nil, "", fmt.Errorf("run %s has several models or suites: say which with --model and --suite", info.ID)
	}
	return found, name, nil
}

// reductionGates parses gates and holds them against the shape of a comparison.
func reductionGates(exprs []string) ([]gate.Gate, error) {
	var gates []gate.Gate
	for _, expr := range exprs {
		g, err := gate.Parse(expr)
		if err == nil {
			err = g.Check(rate.Reduction{})
		}
		if err != nil {
			return nil, fmt.Errorf("--fail-on: %w", err)
		}
		gates = append(gates, g)
	}
	return gates, nil
}

// finishCompare prints a comparison and decides the exit code.
func (a *app) finishCompare(r *rate.Reduction, names [2]string, gates []gate.Gate, allowUnscored int) error {
	var err error
	switch {
	case a.json:
		err = writeJSON(a.stdout, r)
	case !a.quiet:
		err = report.Compare(a.stdout, r, names[0], names[1], report.Style{Color: colour(a.stdout), Width: width(a.stdout)})
	}
	if err != nil {
		return err
	}
	failed, err := a.failedGates(gates, r, "comparison")
	switch {
	case err != nil:
		return err
	case failed > 0:
		return &exit{exitGate, nil}
	case r.Unscored > allowUnscored:
		return &exit{exitUnscored, fmt.Errorf("%d cases are unscored in one of the runs, %d are allowed (--allow-unscored)", r.Unscored, allowUnscored)}
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
		RunE: func(_ *cobra.Command, args []string) error {
			gates, err := reductionGates(failOn)
			if err != nil {
				return usage(err)
			}
			var rows [2][]rate.Row
			for i, path := range args {
				if rows[i], _, err = a.gradedRows(suiteName, asOf, false, path); err != nil {
					return usage(err)
				}
			}
			reduction := rate.Compare(rows[0], rows[1], rate.Options{Level: level})
			a.json = true // analyze prints JSON
			return a.finishCompare(&reduction, [2]string{args[0], args[1]}, gates, 1<<30)
		},
	}
	cmd.Flags().StringVar(&suiteName, "suite", "", "the suite that was answered: built-in name or FILE")
	cmd.Flags().StringVar(&asOf, "as-of", "", "today of the answers, as 2026-11-20; default: the suite's")
	cmd.Flags().StringArrayVar(&failOn, "fail-on", nil, "gate: exit 100 if `EXPR` holds (repeatable)")
	return cmd
}

// gradedRows grades the answers in files against a suite.
func (a *app) gradedRows(suiteName, asOf string, skipBad bool, paths ...string) ([]rate.Row, *rate.Answers, error) {
	if suiteName == "" {
		return nil, nil, fmt.Errorf("which suite was answered? name it with --suite")
	}
	s, err := openSuite(suiteName)
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
	inputs, closeAll, err := a.inputs(paths)
	if err != nil {
		return nil, nil, err
	}
	defer closeAll()
	answers := &rate.Answers{Suite: s, SkipBad: skipBad}
	for _, in := range inputs {
		if err := answers.Read(in.name, in.reader); err != nil {
			return nil, nil, err
		}
	}
	return answers.Rows(rub), answers, nil
}
