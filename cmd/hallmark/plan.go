package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/base/exit"
	"hallmark/internal/commands/spec"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/stat"
)

func (a *app) planCommand() *cobra.Command {
	q := sizeQuestion{Classes: 1, Correct: "holm", Power: .8}
	cmd := command("plan --base RATE --detect DIFFERENCE", cobra.NoArgs, func(context.Context, []string) error {
		doc, err := q.answer()
		return a.result(doc, exit.Usage(err))
	})
	cmd.AddCommand(a.planPosterior(), a.planRun())
	fs := cmd.Flags()
	q.Has = fs.Changed
	define(fs, table{
		"base": &q.Base, "detect": &q.Detect, "paired": &q.Paired, "known": &q.Known, "half-width": &q.HalfWidth,
		"n": &q.N, "classes": &q.Classes, "correct": &q.Correct, "power": &q.Power,
	})
	return cmd
}

func (a *app) planPosterior() *cobra.Command {
	q := posterior.DesignQuestion{Error: .02, Outer: .25, Inner: .5, Extend: posterior.DefaultOptions().Extend}
	cmd := command("posterior --error SE [--from RESULT.json]", cobra.NoArgs, func(context.Context, []string) error {
		doc, err := q.Answer()
		return a.result(doc, exit.Usage(err))
	})
	f := cmd.Flags()
	q.Has = f.Changed
	define(f, table{
		"error": &q.Error, "from": &q.From, "outer-sd": &q.Outer, "inner-sd": &q.Inner, "extend": &q.Extend,
	})
	return cmd
}

func (a *app) planRun() *cobra.Command {
	var f spec.Run
	cmd := &cobra.Command{
		Use:  "run [flags of hallmark run]",
		Args: cobra.NoArgs, DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.readConfig(cmd, &f); err != nil {
				return err
			}
			return a.result(a.bench().Forecast(cmd.Context(), &f))
		},
	}
	define(cmd.Flags(), a.allowing())
	f.Add(cmd.Flags())
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { flag.Hidden = true }) // they are listed with `hallmark run`
	return cmd
}

// planned is what `hallmark plan` prints: n and power, and what they were planned for. Members that were not
// asked for are absent.
type planned struct {
	stat.Size
	Test  string  `json:"test"`
	Runs  int     `json:"runs"` // runs that ask n cases (of each class) each
	Base  float64 `json:"base"`
	Level float64 `json:"level"` // of the test or interval of one class

	Detect     *float64 `json:"detect,omitempty"`     // the fall from base that is found
	HalfWidth  *float64 `json:"half_width,omitempty"` // of the interval
	Paired     *float64 `json:"paired,omitempty"`     // the correlation of the two outcomes of a case
	Classes    int      `json:"classes,omitempty"`
	Correction string   `json:"correction,omitempty"` // over the classes
	Cases      int      `json:"cases"`                // of a suite, over all classes
	Answers    int      `json:"answers"`              // over all classes and runs
	Warnings   []string `json:"warnings"`
}

// A sizeQuestion is what `hallmark plan` is asked, a field for each flag.
type sizeQuestion struct {
	Base, Detect, Power, Paired, HalfWidth float64
	N, Classes                             int
	Correct                                string
	Known                                  bool
	Has                                    func(string) bool // reports whether a flag was set
}

// check refuses flags that do not go together and numbers that no plan can have.
func (q *sizeQuestion) check() error {
	has := q.Has
	anyOf := func(flags ...string) bool { return slices.ContainsFunc(flags, has) }
	for _, rule := range []struct {
		broken bool
		says   string
	}{
		{!has("base") || !anyOf("detect", "half-width", "n"), "plan needs --base and --detect, such as --base 0.25 " +
			"--detect 0.05; or --half-width, or --n, in place of --detect"},
		{!(q.Power > 0 && q.Power < 1), fmt.Sprintf("--power %v: a chance between 0 and 1, such as 0.8", q.Power)},
		{has("half-width") && (anyOf("detect", "paired") || q.Known),
			"--half-width plans for one rate: leave out --detect, --paired and --known"},
		{q.Known && has("paired"), "--known is one run, --paired two: use one of them"},
		{has("n") && q.N < 1, fmt.Sprintf("--n %d: want a number of cases", q.N)},
		{q.N > stat.MostGiven, fmt.Sprintf("--n %d: at most a billion cases", q.N)},
		{q.N > stat.MostPaired && has("paired"),
			fmt.Sprintf("--n %d: at most a million cases with --paired, whose test is computed exactly", q.N)},
		{has("n") && has("half-width"), "--n and --half-width say the same thing twice: use one of them"},
		{q.Classes < 1 || q.Classes > 10000, fmt.Sprintf("--classes %d: want a number from 1", q.Classes)},
		{!slices.Contains([]string{"holm", "bonferroni", "none"}, q.Correct),
			fmt.Sprintf("--correct %q: use holm, bonferroni or none", q.Correct)},
		{!(q.Base >= 0 && q.Base <= 1), fmt.Sprintf("base %v is not a share: it must be in [0, 1]", q.Base)},
	} {
		if rule.broken {
			return errors.New(rule.says)
		}
	}
	return nil
}

// answer makes the document. Every error says what of the question is to be mended.
func (q *sizeQuestion) answer() (*planned, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	has := q.Has
	doc := &planned{Base: q.Base, Level: level, Runs: 2, Warnings: []string{}}
	if q.Classes > 1 {
		doc.Classes, doc.Correction = q.Classes, q.Correct
		if q.Correct != "none" {
			doc.Level = 1 - (1-level)/float64(q.Classes)
		}
		if q.Correct == "holm" {
			doc.Warnings = append(doc.Warnings, "planned at the level of Holm's first step, which is "+
				"Bonferroni's: where several classes differ the power is higher")
		}
	}
	var err error
	switch {
	case has("half-width"):
		err = q.interval(doc)
	case has("n"):
		err = q.given(doc, has("detect"), has("paired"))
	default:
		err = q.size(doc, has("paired"))
	}
	if err != nil {
		return nil, err
	}
	doc.Cases = doc.N * max(1, q.Classes)
	doc.Answers = doc.Cases * doc.Runs
	return doc, nil
}

// find says in the document which test finds the difference.
func (q *sizeQuestion) find(doc *planned, paired bool) {
	doc.Detect = &q.Detect
	switch {
	case q.Known:
		doc.Runs, doc.Test = 1, "one run against a known rate, binomial exact"
	case paired:
		doc.Test, doc.Paired = "two runs on the same cases, McNemar exact", &q.Paired
	default:
		doc.Test = "two independent runs, difference of two shares, normal"
	}
}

func (q *sizeQuestion) interval(doc *planned) (err error) {
	doc.Runs, doc.Test, doc.HalfWidth = 1, "one run, width of the Wilson interval", &q.HalfWidth
	doc.Size, err = stat.SizeHalfWidth(q.Base, q.HalfWidth, doc.Level, q.Power)
	return err
}

// size plans the cases that find a difference.
func (q *sizeQuestion) size(doc *planned, paired bool) (err error) {
	q.find(doc, paired)
	switch {
	case q.Known:
		doc.Size, err = stat.SizeKnown(q.Base, q.Detect, doc.Level, q.Power)
	case paired:
		doc.Size, err = stat.SizePaired(q.Base, q.Detect, q.Paired, doc.Level, q.Power)
	default:
		doc.Size, err = stat.SizeUnpaired(q.Base, q.Detect, doc.Level, q.Power)
		if err == nil && doc.N < 100 {
			doc.Warnings = append(doc.Warnings, "below 100 cases the normal formula is some points off")
		}
	}
	return err
}

// given says what n cases find: the power for a difference, or the least difference for a power; and how wide the
// interval of one rate is.
func (q *sizeQuestion) given(doc *planned, detect, paired bool) (err error) {
	doc.N, doc.HalfWidth = q.N, new(stat.HalfWidth(q.Base, q.N, doc.Level))
	if !detect {
		doc.Power = q.Power
		var found bool
		switch {
		case q.Known:
			q.Detect, found = stat.DetectableKnown(q.Base, q.N, doc.Level, q.Power)
		case paired:
			q.Detect, found = stat.DetectablePaired(q.Base, q.Paired, q.N, doc.Level, q.Power)
		default:
			q.Detect, found = stat.Detectable(q.Base, q.N, doc.Level, q.Power)
		}
		if !found {
			q.Detect = 0
			with := ""
			if paired {
				with = fmt.Sprintf(" that can correlate by %v", q.Paired)
			}
			return fmt.Errorf("%d cases find no fall from %v%s with a power of %v: ask for more cases or less power",
				q.N, q.Base, with, q.Power)
		}
	}
	if !(q.Base-q.Detect >= 0 && q.Base-q.Detect <= 1) || q.Detect == 0 {
		return fmt.Errorf("a change of %v from %v does not lead to another share in [0, 1]", q.Detect, q.Base)
	}
	q.find(doc, paired)
	switch {
	case q.Known:
		doc.Power = stat.PowerKnown(q.Base, q.Detect, q.N, doc.Level)
	case paired:
		doc.Power, err = stat.PowerPaired(q.Base, q.Detect, q.Paired, q.N, doc.Level)
	default:
		doc.Power = stat.PowerUnpaired(q.Base, q.Detect, q.N, doc.Level)
	}
	return err
}
