package driver

import (
	"fmt"
	"slices"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
)

// NothingGraded returns exit 3 for a model on a suite whose answers came back and could not be graded, every one,
// also as the suite has nothing to grade by, where nothing else was asked for.
func NothingGraded(result *assay.Assay) error {
	only := slices.Equal(result.Document.Run.Methods, []string{assay.Rubric})
	of := func(model, suite string, r *assay.SuiteResult) error {
		switch {
		case r == nil || r.Rubric == nil && !only:
			return nil
		case r.Rubric == nil:
			return exit.With(exit.Unscored, fmt.Errorf(
				"%s: no case has a gold answer or an oracle, so no answer was graded; add gold to the cases", suite))
		}
		return Graded(r.Rubric.Outcomes.N, r.Rubric.Ungradable, fmt.Sprintf("%s on %s", model, suite))
	}
	for _, m := range result.Document.Models {
		if len(m.Suites) == 0 {
			if err := of(m.Model, result.Document.Run.Suites[0].Name, m.SuiteResult); err != nil {
				return err
			}
		}
		for _, s := range result.Document.Run.Suites {
			if err := of(m.Model, s.Name, m.Suites[s.Name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Graded returns exit 3 where none of n answers could be graded, and there is one.
func Graded(n, ungradable int, about string) error {
	if n == 0 || ungradable < n {
		return nil
	}
	return exit.With(exit.Unscored, fmt.Errorf("%s: none of the %d answers could be graded, so no rate says "+
		"anything of the model; compare the answers with the accepted ones in the suite", about, n))
}
