package assay

import (
	"cmp"
	"strings"
)

// An Incomplete says of a model on a suite that planned answers of it are not there. What is reported is of the others.
type Incomplete struct {
	Model string `json:"model"`
	Suite string `json:"suite"`
	Cases int    `json:"cases"` // those of the suite that the plan asks
	// Unanswered of them have no answer to the default prompt, of which the rubric's figures are.
	Unanswered int `json:"unanswered"`
	// Missing are the planned answers that are not there, of all prompts and samples.
	Missing int `json:"missing"`
	// Unasked are answers and verdicts whose calls were never made, for the budget, --offline or an interruption. The
	// same command makes them.
	Unasked int    `json:"unasked"`
	Reason  string `json:"reason"` // of the first that is not there
}

// notMade is part of each reason of what was never asked for.
const notMade = "kept the call from"

// incomplete lists the models and suites of which planned answers are missing, or verdicts were never asked for. It is
// nil where the run is whole.
func (d *Document) incomplete() (all []Incomplete) {
	for i := range d.Models {
		m := &d.Models[i]
		for _, s := range d.Run.Suites {
			x := Incomplete{Model: m.Model, Suite: s.Name, Cases: s.Cases}
			for _, u := range m.Unscored {
				if u.Suite != "" && u.Suite != s.Name {
					continue
				}
				unasked := strings.Contains(u.Reason, notMade)
				if u.Axis != WholeAnswer && !unasked {
					continue
				}
				x.Reason = cmp.Or(x.Reason, u.Reason)
				if unasked {
					x.Unasked++
				}
				if u.Axis == WholeAnswer {
					x.Missing++
					if u.Variant == 0 && u.Repeat == 0 {
						x.Unanswered++
					}
				}
			}
			if x.Reason != "" {
				all = append(all, x)
			}
		}
	}
	return all
}
