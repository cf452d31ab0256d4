package assay

import (
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/detect"
	"hallmark/internal/suite"
)

// Across sets the models of a run side by side; with several suites under Suites by name.
type Across struct {
	Detection *detect.Result         `json:"detection,omitempty"`
	Suites    map[string]AcrossSuite `json:"suites,omitempty"`
}

// An AcrossSuite is that on one of several suites.
type AcrossSuite struct {
	Detection *detect.Result `json:"detection"`
}

// detect scores the answers of one model to the default prompts of one suite, fills the scores into the rows, and returns how the
// detectors tell the classes of both axes apart. The labels are those of consistency: an answer is correct if it is a gold, and a question is
// consistent if its answers over the wordings agree to tau at least.
func (e *evaluation) detect(
	m Subject, s *suite.Suite, cases []suite.Case, table [][]cell, rows []CaseRow, golds [][]string, greedy map[string]consistency.Question,
) (*detect.Summary, error) {
	seen := make([]detect.Case, len(cases))
	unable := map[string]string{}
	options, words := 0, 0 // answers with a perplexity
	for ci := range cases {
		var def *cell
		var draws []string
		for i := range table[ci] {
			switch c := &table[ci][i]; {
			case c.purpose == forVariant && c.variant.Number == 0:
				def = c
			case c.purpose == forSample && c.compares():
				draws = append(draws, c.class)
			}
		}
		c := &cases[ci]
		d := &seen[ci]
		var correct, consistent *bool
		if len(golds[ci]) > 0 && def.compares() {
			right := slices.Contains(golds[ci], def.class)
			correct = &right
		}
		if q, ok := greedy[c.ID]; ok {
			consistent = &q.Stable
		}
		d.Correctness, d.Consistency = detect.LabelOf(correct), detect.LabelOf(consistent)
		d.Outcomes = e.plan.outcomes(c, def, draws)
		shown := &Detected{Correct: correct, Consistent: consistent, Scores: map[string]float64{}}
		rows[ci].Detection = shown
		for _, name := range detect.Names {
			o, applies := d.Outcomes[name]
			if !applies {
				continue
			}
			if why := e.plan.unable(m, name, len(def.call.Request.Options) > 0); why != "" {
				unable[name] = why
			}
			if o.Reason == "" {
				shown.Scores[name] = o.Score
			}
			switch {
			case name != detect.Perplexity || o.Reason != "":
			case len(def.call.Request.Options) > 0:
				options++
			default:
				words++
			}
			if t := e.across[s.Name]; t != nil {
				score := detect.Score{Model: e.names[m.Identity], ID: c.ID, Detector: name, Correct: correct, Consistent: consistent}
				if o.Reason == "" {
					x := o.Score
					score.Value = &x
				}
				if err := t.Add(score, detect.Place{}); err != nil {
					return nil, err
				}
			}
		}
		for _, f := range def.follow {
			switch {
			case f.record == nil:
				e.miss(s, c, def, f.detector, notStored)
			case f.record.Response == nil:
				e.miss(s, c, def, f.detector, f.record.Failure)
			}
		}
	}
	sum := detect.Summarize(seen, level)
	if options > 0 && words > 0 {
		d := sum.Detectors[detect.Perplexity]
		d.Warnings = append(d.Warnings, mixedPerplexity(options, words))
		if e.mixed == nil {
			e.mixed = map[string]string{}
		}
		e.mixed[s.Name] = mixedPerplexity(options, words)
	}
	for name, why := range unable {
		if sum.Detectors[name].N > 0 {
			continue // it applies to cases of another kind
		}
		if sum.NotAvailable == nil {
			sum.NotAvailable = map[string]string{}
		}
		sum.NotAvailable[name], sum.Detectors[name].Warnings = why, []string{}
	}
	return &sum, nil
}

// mixedPerplexity warns of a detector that is two measures in one.
func mixedPerplexity(options, words int) string {
	return fmt.Sprintf("perplexity is of the option that was chosen in %d cases and of the generated words in %d: these are of different sizes, so means over both say little", options, words)
}

// beginAcross prepares the tables over models, where there are several.
func (e *evaluation) beginAcross() {
	if p := e.plan; p.Has(Detection) && len(p.Models) > 1 {
		e.across, e.names = map[string]*detect.Table{}, map[string]string{}
		taken := map[string]int{}
		for _, m := range p.Models {
			name := m.Name()
			if taken[name]++; taken[name] > 1 {
				name = fmt.Sprintf("%s (%d)", name, taken[name])
			}
			e.names[m.Identity] = name
		}
		for _, s := range p.Suites {
			e.across[s.Name] = &detect.Table{}
		}
	}
}

// endAcross returns what sets the models side by side, nil where there is one model only.
func (e *evaluation) endAcross() *Across {
	if len(e.across) == 0 {
		return nil
	}
	out := &Across{}
	for _, s := range e.plan.Suites {
		r := e.across[s.Name].Analyze(level)
		if w := e.mixed[s.Name]; w != "" { // as the last model has it
			r.Warnings = append(r.Warnings, w)
		}
		if len(e.plan.Suites) == 1 {
			out.Detection = &r
			continue
		}
		if out.Suites == nil {
			out.Suites = map[string]AcrossSuite{}
		}
		out.Suites[s.Name] = AcrossSuite{&r}
	}
	return out
}

// sayDetectors says which detector tells wrong answers best, and which tell consistency better than correctness, or worse, for sure, or that none does.
func sayDetectors(say func(path, advice, format string, args ...any), d *detect.Summary) {
	if d == nil {
		return
	}
	best := ""
	var above, below []string
	first, n, compared := "", 0, 0
	for _, name := range detect.Names {
		x, ok := d.Detectors[name]
		if !ok || x.N == 0 {
			continue
		}
		n++
		if a := x.Correctness.AUROC; a != nil && a.Lo > .5 && (best == "" || a.Lo > d.Detectors[best].Correctness.AUROC.Lo) {
			best = name
		}
		if x.Gain != nil {
			if compared++; compared == 1 {
				first = name
			}
		}
		switch {
		case x.Gain == nil:
		case x.Gain.Lo > 0:
			above = append(above, name)
		case x.Gain.Hi < 0:
			below = append(below, name)
		}
	}
	if best != "" {
		say("detection.detectors."+best+".correctness.auroc.estimate", "",
			"Of %d detectors %s tells wrong answers from right ones best for sure: AUROC %s.", n, best, num(d.Detectors[best].Correctness.AUROC))
	}
	if compared > 0 && len(above)+len(below) == 0 {
		say("detection.detectors."+first+".gain.estimate", "",
			"Whether detectors tell consistency better than correctness cannot be said: of %d detectors none tells for sure whether an answer moves with the wording better than whether it is wrong, nor worse.", compared)
	}
	if len(above) > 0 {
		say("detection.detectors."+above[0]+".gain.estimate", "What these detect is that the answer moves, rather than that it is wrong: a stable error passes them.",
			"%d of %d detectors tell whether an answer moves with the wording better than whether it is wrong: %s.", len(above), n, strings.Join(above, ", "))
	}
	if len(below) > 0 {
		say("detection.detectors."+below[0]+".gain.estimate", "",
			"%d of %d detectors tell whether an answer is wrong better than whether it moves with the wording: %s.", len(below), n, strings.Join(below, ", "))
	}
}
