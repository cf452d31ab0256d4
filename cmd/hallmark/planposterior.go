package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"hallmark/internal/exit"
	"hallmark/internal/inputfile"
	"hallmark/internal/jsonl"
	"hallmark/internal/metric/posterior"
)

// A posteriorDesign is what `hallmark plan posterior` prints.
type posteriorDesign struct {
	Error     float64          `json:"error"` // the standard error asked for, of one query's rate
	Extend    int              `json:"extend"`
	OuterSD   float64          `json:"outer_sd"` // of the rate over extensions
	InnerSD   float64          `json:"inner_sd"` // of one drawn answer
	Sum       posterior.Design `json:"sum"`
	Published posterior.Design `json:"published"`
	AtK50     posterior.Design `json:"published_k50"` // with the source's K
	Warnings  []string         `json:"warnings"`
}

func (a *app) planPosterior() *cobra.Command {
	var want, outer, inner float64
	var from string
	extend := posterior.DefaultOptions().Extend
	cmd := &cobra.Command{
		Use:   "posterior --error SE [--from RESULT.json]",
		Short: "Which M and K buy a given error of the posterior hallucination rate, and at how many calls",
		Long: "The extensions M, and for the published estimator the draws K, that bring the standard error of one query's rate down to --error, with the\n" +
			"calls that they take. How much the rate varies over extensions is read from a pilot, the result of analyze posterior (--from), or given.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			doc := posteriorDesign{Error: want, Extend: extend, Warnings: []string{}}
			s := posterior.Spread{Outer: outer, Inner: inner}
			if from != "" {
				if cmd.Flags().Changed("outer-sd") || cmd.Flags().Changed("inner-sd") {
					return exit.Usagef("--from has the spread: leave out --outer-sd and --inner-sd")
				}
				pilot, err := readPilot(from)
				if err != nil {
					return exit.Usage(err)
				}
				s = posterior.SpreadOf(pilot)
				if pilot.Estimator == posterior.Sum {
					s.Inner = inner
					doc.Warnings = append(doc.Warnings, fmt.Sprintf("%s is of sums, which say nothing of drawn answers: inner_sd is %g, the largest that a share has; a pilot by --estimator published says more", from, inner))
				}
				if pilot.M < 100 {
					doc.Warnings = append(doc.Warnings, fmt.Sprintf("the pilot has M = %d: its spread is rough, and so is the plan", pilot.M))
				}
				if !cmd.Flags().Changed("extend") {
					doc.Extend = pilot.Extend
				}
			} else if !cmd.Flags().Changed("outer-sd") {
				doc.Warnings = append(doc.Warnings, fmt.Sprintf("no pilot: outer_sd %g is half of the largest that a rate can have; run analyze posterior with --m 100 and give its result by --from", outer))
			}
			switch {
			case !(want > 0 && want < 1):
				return exit.Usagef("--error %v: want a standard error between 0 and 1, such as 0.02", want)
			case !(s.Outer >= 0 && s.Outer <= 1 && s.Inner >= 0 && s.Inner <= 10):
				return exit.Usagef("--outer-sd %v and --inner-sd %v: want standard deviations of a share, such as 0.2 and 0.5", s.Outer, s.Inner)
			case doc.Extend < 1 || doc.Extend > 100_000:
				return exit.Usagef("--extend %d: want 1 to 100000 pairs", doc.Extend)
			case !s.Fits(want, doc.Extend):
				return exit.Usagef("--error %v: it takes over 10^15 calls; want a larger standard error, such as 0.02", want)
			}
			doc.OuterSD, doc.InnerSD = s.Outer, s.Inner
			doc.Sum = posterior.DesignSum(s, want, doc.Extend)
			doc.Published = posterior.DesignPublished(s, want, doc.Extend, 0)
			doc.AtK50 = posterior.DesignPublished(s, want, doc.Extend, 50)
			return writeJSON(a.stdout, doc)
		},
	}
	f := cmd.Flags()
	f.Float64Var(&want, "error", .02, "the standard error that is wanted")
	f.StringVar(&from, "from", "", "`RESULT.json` of analyze posterior, a pilot")
	f.Float64Var(&outer, "outer-sd", .25, "standard deviation of the rate over extensions")
	f.Float64Var(&inner, "inner-sd", .5, "standard deviation that one drawn answer adds")
	f.IntVar(&extend, "extend", extend, "pairs that the model makes up for each extension")
	return cmd
}

// maxPilot bounds such a result in bytes.
const maxPilot = 256 << 20

// readPilot reads the result of analyze posterior.
func readPilot(path string) (posterior.Result, error) {
	var r posterior.Result
	b, err := inputfile.Read(path, maxPilot)
	if err != nil {
		return r, fmt.Errorf("--from: %w", err)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return r, fmt.Errorf("--from %s: want the JSON that analyze posterior prints: %v", path, jsonl.Plain(err))
	}
	if r.StandardError == nil || r.M < 2 || r.Estimator != posterior.Sum && r.Estimator != posterior.Published {
		return r, fmt.Errorf("--from %s: has no standard_error, m and estimator; want the JSON that analyze posterior prints", path)
	}
	return r, nil
}
