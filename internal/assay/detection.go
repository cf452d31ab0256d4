package assay

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/metric/detect"
	"hallmark/internal/text/answer"
)

// Across sets the models of a run side by side; with several suites under Suites by name.
type Across struct {
	Detection *detect.Result         `json:"detection,omitempty"`
	Suites    map[string]AcrossSuite `json:"suites,omitempty"`
	// Pooled takes the suites of several runs together, beside each by itself.
	Pooled *AcrossSuite `json:"pooled,omitempty"`
}

// An AcrossSuite is that on one of several suites.
type AcrossSuite struct {
	Detection *detect.Result `json:"detection"`
}

// detect scores the answers to the default prompts, fills the scores into the rows, and says how the detectors tell
// the classes of both axes apart. The labels are those of consistency: an answer is correct if it is a gold, and a
// question is consistent if its answers over the prompt variants agree to tau at least.
func (x *sitting) detect(context.Context) error {
	d := &detection{sitting: x, seen: make([]detect.Case, x.cases.Len()), unable: map[string]string{}}
	for ci := range x.cases.Len() {
		if err := d.score(ci); err != nil {
			return err
		}
	}
	x.out.Detection = d.summary()
	return nil
}

// detection is what the detectors make of the cases of a sitting.
type detection struct {
	*sitting
	seen           []detect.Case
	unable         map[string]string // why the model cannot be asked for a detector
	options, words int               // answers with a perplexity
}

// score takes the scores of one case.
func (d *detection) score(ci int) error {
	var samples []answer.Form
	for i := range d.table[ci] {
		if x := &d.table[ci][i]; x.purpose == forSample && x.class.Compares() {
			samples = append(samples, x.class)
		}
	}
	c, def := d.cases.At(ci), d.asked(ci)
	shown := &Detected{Scores: map[string]float64{}}
	if len(d.forms[ci]) > 0 && def.class.Compares() {
		shown.Correct = new(slices.Contains(d.forms[ci], def.class))
	}
	if q, ok := d.byGreedy[c.ID]; ok {
		shown.Consistent = &q.Stable
	}
	outcomes := d.plan.outcomes(c, def, samples)
	d.seen[ci] = detect.Case{
		Correctness: detect.LabelOf(shown.Correct), Consistency: detect.LabelOf(shown.Consistent),
		Cluster: d.cluster(ci), Outcomes: outcomes,
	}
	d.on(ci).detected = shown
	for _, name := range detect.Names {
		if o, applies := outcomes[name]; applies {
			if err := d.take(ci, name, o, len(def.more().options) > 0, shown); err != nil {
				return err
			}
		}
	}
	for _, f := range def.more().follow {
		if why := missing(f.record); why != "" {
			d.miss(c, def, f.detector, why)
		}
	}
	return nil
}

// take enters what a detector says of a case, whose options are scored or whose answer is in words.
func (d *detection) take(ci int, name string, o detect.Outcome, scored bool, shown *Detected) error {
	c := d.cases.At(ci)
	if why := d.plan.unable(d.model, name, scored); why != "" {
		d.unable[name] = why
	}
	score := detect.Score{
		Model: d.names[d.model.Identity], ID: c.ID, Detector: name, Cluster: d.cluster(ci),
		Correct: shown.Correct, Consistent: shown.Consistent,
	}
	if o.Reason == "" {
		shown.Scores[name], score.Value = o.Score, &o.Score
		switch {
		case name != detect.Perplexity:
		case scored:
			d.options++
		default:
			d.words++
		}
	}
	if t := d.across[d.suite.Name]; t != nil {
		return t.Add(score, detect.Place{})
	}
	return nil
}

// summary says how the detectors did, which of them are missing, and which measures two things.
func (d *detection) summary() *detect.Summary {
	sum := detect.Summarize(d.seen, level)
	if d.options > 0 && d.words > 0 {
		p := sum.Detectors[detect.Perplexity]
		p.Warnings = append(p.Warnings, mixedPerplexity(d.options, d.words))
		setIn(&d.mixed, d.suite.Name, mixedPerplexity(d.options, d.words))
	}
	for name, why := range d.unable {
		if sum.Detectors[name].N > 0 {
			continue // it applies to cases of another kind
		}
		setIn(&sum.NotAvailable, name, why)
		sum.Detectors[name].Warnings = []string{}
	}
	return &sum
}

// mixedPerplexity warns of a detector that is two measures in one.
func mixedPerplexity(options, words int) string {
	return fmt.Sprintf("perplexity is of the option that was chosen in %d cases and of the generated words in %d: "+
		"these are of different sizes, so means over both say little", options, words)
}

// beginAcross prepares the tables over models, where there are several.
func (e *evaluation) beginAcross() {
	p := e.plan
	if !p.Has(Detection) || len(p.Models) < 2 {
		return
	}
	for i, name := range distinct(p.Models, UnderTest.Name) {
		setIn(&e.names, p.Models[i].Identity, name)
	}
	for _, s := range p.Suites {
		setIn(&e.across, s.Name, &detect.Table{})
	}
}

// endAcross sets the models side by side, where there are several.
func (e *evaluation) endAcross(_ context.Context, d *Document) error {
	if len(e.across) == 0 {
		return nil
	}
	d.Across = &Across{}
	for _, s := range e.plan.Suites {
		r := e.across[s.Name].Analyze(level)
		if w := e.mixed[s.Name]; w != "" { // as the last model has it
			r.Warnings = append(r.Warnings, w)
		}
		if len(e.plan.Suites) == 1 {
			d.Across.Detection = &r
			continue
		}
		setIn(&d.Across.Suites, s.Name, AcrossSuite{&r})
	}
	return nil
}

// sayDetectors says which detector tells wrong answers best, where it is surely above chance, and from which others it
// cannot be told apart; and which tell consistency better than correctness, or worse, for sure of all together, or that
// none does.
func sayDetectors(say sayer, d *detect.Summary) {
	if d == nil {
		return
	}
	var compared, above, below []string
	n := 0
	for _, name := range detect.Names {
		x, ok := d.Detectors[name]
		if !ok || x.N == 0 {
			continue
		}
		if n++; x.GainTogether == nil {
			continue
		}
		compared = append(compared, name)
		switch {
		case x.GainTogether.Lo > 0:
			above = append(above, name)
		case x.GainTogether.Hi < 0:
			below = append(below, name)
		}
	}
	sayBest(say, d, n)
	at := func(name string) string { return "detection.detectors." + name + ".gain.estimate" }
	if len(compared) > 0 && len(above)+len(below) == 0 {
		say(at(compared[0]), "",
			"No detector predicts inconsistency better than error, or worse (%d compared, all intervals include 0).",
			len(compared))
	}
	if len(above) > 0 {
		say(at(above[0]),
			"These detect that an answer changes with the prompt, not that it is wrong: they miss stable errors.",
			"%d of %d detectors predict inconsistency (the answer changes with the prompt) better than error: %s.",
			len(above), n, strings.Join(above, ", "))
	}
	if len(below) > 0 {
		say(at(below[0]), "",
			"%d of %d detectors predict error better than inconsistency (the answer changes with the prompt): %s.",
			len(below), n, strings.Join(below, ", "))
	}
}

// sayBest says which of n detectors tells wrong answers best.
func sayBest(say sayer, d *detect.Summary, n int) {
	b := d.Best
	if b == nil {
		return
	}
	area, beside := d.Detectors[b.Detector].Correctness.AUROC, b.Beside()
	path := "detection.detectors." + b.Detector + ".correctness.auroc.estimate"
	switch {
	case area.Lo <= .5:
	case len(beside) > 0:
		say(path, "", "Of %d detectors %s tells wrong answers from right ones with the highest AUROC, %s; on "+
			"the same cases these do not differ from it beyond chance: %s.", n, b.Detector, num(area),
			strings.Join(beside, ", "))
	default:
		say(path, "", "Of %d detectors %s tells wrong answers from right ones best: AUROC %s, on the same cases "+
			"higher than that of every other, beyond chance.", n, b.Detector, num(area))
	}
}
