package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/exit"
	"hallmark/internal/stat"
)

// A sizeDocument is what `hallmark plan` prints: n and power, and what they were planned for. Members that were not asked for are absent.
type sizeDocument struct {
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

// sizeFlags are the flags of `hallmark plan`.
type sizeFlags struct {
	base, detect, power, rho, half float64
	n, classes                     int
	correct                        string
	known                          bool
}

func (a *app) planCommand() *cobra.Command {
	var f sizeFlags
	cmd := &cobra.Command{
		Use:   "plan --base RATE --detect DIFFERENCE",
		Short: "Sample size and power: the cases needed for a rate or a difference, or what given cases find",
		Long: "The cases needed to find that a rate fell from --base by --detect, two-sided at 95 %: n in each of two independent runs.\n" +
			"Two runs on the same n cases are paired: --paired gives the correlation of their outcomes. --known compares one run with a rate that is\n" +
			"known. --half-width plans for the interval of one rate. --n asks what so many cases find. --classes plans for each of several classes.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			doc, err := f.document(cmd.Flags())
			if err != nil {
				return exit.Usage(err)
			}
			return writeJSON(a.stdout, doc)
		},
	}
	cmd.AddCommand(a.planPosterior(), a.planRun())
	fs := cmd.Flags()
	fs.Float64Var(&f.base, "base", 0, "the rate now, 0..1")
	fs.Float64Var(&f.detect, "detect", 0, "the fall to be found, 0..1")
	fs.Float64Var(&f.rho, "paired", 0, "both runs ask the same cases; the correlation `RHO` of their outcomes")
	fs.BoolVar(&f.known, "known", false, "one run, against a base that is known and not measured")
	fs.Float64Var(&f.half, "half-width", 0, "half the width of the interval of one rate, with --power as the chance that it is no wider")
	fs.IntVar(&f.n, "n", 0, "cases that are given: what power they have, or without --detect the least fall they find")
	fs.IntVar(&f.classes, "classes", 1, "classes that are each to be decided; n is then of each class")
	fs.StringVar(&f.correct, "correct", "holm", "correction over the classes: holm, bonferroni or none")
	fs.Float64Var(&f.power, "power", .8, "chance of finding it")
	return cmd
}

// check refuses flags that do not go together and numbers that no plan can have.
func (f *sizeFlags) check(has func(flag string) bool) error {
	switch {
	case !has("base") || !has("detect") && !has("half-width") && !has("n"):
		return errors.New("plan needs --base and --detect, such as --base 0.25 --detect 0.05; or --half-width, or --n, in place of --detect")
	case !(f.power > 0 && f.power < 1):
		return fmt.Errorf("--power %v: a chance between 0 and 1, such as 0.8", f.power)
	case has("half-width") && (has("detect") || has("paired") || f.known):
		return errors.New("--half-width plans for one rate: leave out --detect, --paired and --known")
	case f.known && has("paired"):
		return errors.New("--known is one run, --paired two: use one of them")
	case has("n") && f.n < 1:
		return fmt.Errorf("--n %d: want a number of cases", f.n)
	case f.n > stat.MostGiven:
		return fmt.Errorf("--n %d: at most a billion cases", f.n)
	case f.n > stat.MostPaired && has("paired"):
		return fmt.Errorf("--n %d: at most a million cases with --paired, whose test is computed exactly", f.n)
	case has("n") && has("half-width"):
		return errors.New("--n and --half-width say the same thing twice: use one of them")
	case f.classes < 1 || f.classes > 10000:
		return fmt.Errorf("--classes %d: want a number from 1", f.classes)
	case f.correct != "holm" && f.correct != "bonferroni" && f.correct != "none":
		return fmt.Errorf("--correct %q: use holm, bonferroni or none", f.correct)
	case !(f.base >= 0 && f.base <= 1):
		return fmt.Errorf("base %v is not a share: it must be in [0, 1]", f.base)
	}
	return nil
}

// document makes the document that the flags ask for.
func (f *sizeFlags) document(flags *pflag.FlagSet) (*sizeDocument, error) {
	has := flags.Changed
	if err := f.check(has); err != nil {
		return nil, err
	}
	doc := &sizeDocument{Base: f.base, Level: level, Runs: 2, Warnings: []string{}}
	if f.classes > 1 {
		doc.Classes, doc.Correction = f.classes, f.correct
		if f.correct != "none" {
			doc.Level = 1 - (1-level)/float64(f.classes)
		}
		if f.correct == "holm" {
			doc.Warnings = append(doc.Warnings, "planned at the level of Holm's first step, which is Bonferroni's: where several classes differ the power is higher")
		}
	}
	var err error
	switch {
	case has("half-width"):
		err = f.interval(doc)
	case has("n"):
		err = f.given(doc, has("detect"), has("paired"))
	default:
		err = f.size(doc, has("paired"))
	}
	if err != nil {
		return nil, err
	}
	doc.Cases = doc.N * max(1, f.classes)
	doc.Answers = doc.Cases * doc.Runs
	return doc, nil
}

const (
	testUnpaired = "two independent runs, difference of two shares, normal"
	testPaired   = "two runs on the same cases, McNemar exact"
	testKnown    = "one run against a known rate, binomial exact"
	testInterval = "one run, width of the Wilson interval"
)

func (f *sizeFlags) interval(doc *sizeDocument) (err error) {
	doc.Runs, doc.Test, doc.HalfWidth = 1, testInterval, &f.half
	doc.Size, err = stat.SizeHalfWidth(f.base, f.half, doc.Level, f.power)
	return err
}

// size plans the cases that find a difference.
func (f *sizeFlags) size(doc *sizeDocument, paired bool) (err error) {
	doc.Detect = &f.detect
	switch {
	case f.known:
		doc.Runs, doc.Test = 1, testKnown
		doc.Size, err = stat.SizeKnown(f.base, f.detect, doc.Level, f.power)
	case paired:
		doc.Test, doc.Paired = testPaired, &f.rho
		doc.Size, err = stat.SizePaired(f.base, f.detect, f.rho, doc.Level, f.power)
	default:
		doc.Test = testUnpaired
		doc.Size, err = stat.SizeUnpaired(f.base, f.detect, doc.Level, f.power)
		if err == nil && doc.N < 100 {
			doc.Warnings = append(doc.Warnings, "below 100 cases the normal formula is some points off")
		}
	}
	return err
}

// given says what n cases find: the power for a difference, or the least difference for a power; and how wide the interval of one rate is.
func (f *sizeFlags) given(doc *sizeDocument, detect, paired bool) (err error) {
	half := stat.HalfWidth(f.base, f.n, doc.Level)
	doc.N, doc.HalfWidth = f.n, &half
	if !detect {
		doc.Power = f.power
		var found bool
		switch {
		case f.known:
			f.detect, found = stat.DetectableKnown(f.base, f.n, doc.Level, f.power)
		case paired:
			f.detect, found = stat.DetectablePaired(f.base, f.rho, f.n, doc.Level, f.power)
		default:
			f.detect, found = stat.Detectable(f.base, f.n, doc.Level, f.power)
		}
		if !found {
			f.detect = 0
			with := ""
			if paired {
				with = fmt.Sprintf(" that can correlate by %v", f.rho)
			}
			return fmt.Errorf("%d cases find no fall from %v%s with a power of %v: ask for more cases or less power", f.n, f.base, with, f.power)
		}
	}
	if !(f.base-f.detect >= 0 && f.base-f.detect <= 1) || f.detect == 0 {
		return fmt.Errorf("a change of %v from %v does not lead to another share in [0, 1]", f.detect, f.base)
	}
	doc.Detect = &f.detect
	switch {
	case f.known:
		doc.Runs, doc.Test = 1, testKnown
		doc.Power = stat.PowerKnown(f.base, f.detect, f.n, doc.Level)
	case paired:
		doc.Test, doc.Paired = testPaired, &f.rho
		doc.Power, err = stat.PowerPaired(f.base, f.detect, f.rho, f.n, doc.Level)
	default:
		doc.Test = testUnpaired
		doc.Power = stat.PowerUnpaired(f.base, f.detect, f.n, doc.Level)
	}
	return err
}
