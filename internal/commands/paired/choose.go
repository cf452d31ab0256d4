package paired

import (
	"cmp"
	"fmt"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
	"hallmark/internal/metric/rate"
	"hallmark/internal/report"
	"hallmark/internal/stat/figure"
)

// mostNamed is how many models or suites a message lists.
const mostNamed = 8

// has says what a run has to compare: its models and suites.
func has(result *assay.Assay) string {
	var models, suites []string
	for i := range result.Document.Models {
		models = append(models, result.Document.Models[i].Called())
	}
	for _, s := range result.Document.Run.Suites {
		suites = append(suites, s.Name)
	}
	list := func(one, many string, names []string) string {
		if len(names) == 1 {
			return fmt.Sprintf("the %s %s", one, names[0])
		}
		rest := ""
		if n := len(names) - mostNamed; n > 0 {
			rest = fmt.Sprintf(" and %d more", n)
		}
		return many + " " + strings.Join(names[:min(mostNamed, len(names))], ", ") + rest
	}
	return report.OneLine(list("model", "the models", models) + " and " + list("suite", "the suites", suites))
}

// Alone says how one run is compared: two of its models with each other, which it returns, or else with a baseline,
// where it returns none. An error says that its models are too many to guess.
func Alone(result *assay.Assay, models []string) ([]string, error) {
	all := result.Document.Models
	switch {
	case len(models) == 2:
		return models, nil
	case len(models) == 0 && len(all) == 2:
		return []string{all[0].Model, all[1].Model}, nil
	case len(models) == 0 && len(all) > 2:
		return nil, fmt.Errorf("run %s has %d models: say which two with --model A --model B, or one to compare with "+
			"the baseline; it has %s", result.Document.Run.ID, len(all), has(result))
	}
	return nil, nil
}

// SuiteOf is the suite on which one run is compared with a baseline: its only one, or the one that is named.
func SuiteOf(result *assay.Assay, name string) (string, error) {
	suites := result.Document.Run.Suites
	if name == "" && len(suites) == 1 {
		return suites[0].Name, nil
	}
	for _, s := range suites {
		if s.Name == name {
			return name, nil
		}
	}
	return "", fmt.Errorf("run %s has several suites, each with its own baseline, or not this one: say which with "+
		"--suite; it has %s", result.Document.Run.ID, has(result))
}

// named is a run in a sentence, or a file.
func named(s *Side) string {
	if s.file {
		return report.OneLine(s.ID.Run)
	}
	return "run " + report.OneLine(cmp.Or(s.ID.Name, s.ID.Run))
}

// Accept decides the declared thresholds on a comparison: a figure that is named by its last key is that of other.
func Accept(r *rate.Reduction, thresholds []gate.Threshold) (all []gate.Acceptance, err error) {
	for _, t := range thresholds {
		path, err := t.At(r, gate.OfComparison)
		if err != nil {
			return nil, err
		}
		all = append(all, t.Decide(figure.Of(r), path))
	}
	return all, nil
}
