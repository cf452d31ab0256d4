package assay

import (
	"fmt"
	"maps"
	"slices"

	"hallmark/internal/assay/annotate"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/rate"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// A Finding is a sentence that an estimate or a comparison supports.
type Finding struct {
	// Sentence is the claim in plain words, with its figure and interval in it.
	Sentence string `json:"sentence"`
	// Path names the figure in the result document, as a gate would: rubric.hallucination.rate.
	Path string `json:"path"`
	// Advice says what the finding calls for; empty where nothing.
	Advice string `json:"advice,omitempty"`
	// Warnings are reasons for doubt.
	Warnings []string `json:"warnings,omitempty"`
}

// findings returns what the figures of one model on one suite say beyond themselves, the most important first. A
// sentence is only written where its figure exists, and a comparison only where its interval supports it. judged
// says that a judge was named.
func findings(r *SuiteResult, judged bool) []Finding {
	out := []Finding{}
	say := func(path, advice, format string, args ...any) {
		out = append(out, Finding{Sentence: fmt.Sprintf(format, args...), Path: path, Advice: advice})
	}
	if r.Rubric != nil {
		sayOutcomes(say, r.Rubric, judged)
	}
	sayConsistency(say, r.Consistency)
	sayFamilies(say, r.Families)
	sayAlone(say, r.Consistency, r.ConsistencySampled)
	sayKinds(say, r.Rubric)
	sayDetectors(say, r.Detection)
	if a := r.RepeatAgreement; a != nil && a.Agreement != nil && len(a.Warnings) > 0 {
		say("repeat_agreement.agreement", "Compare every stability figure with this agreement.",
			"Asked the same prompt again, the model gives the same answer %s of the time (%d cases).",
			pct(a.Agreement), a.Cases)
	}
	return out
}

// sayConsistency says which answers stay over variants, and what that hides.
func sayConsistency(say sayer, c *consistency.Result) {
	switch {
	case c == nil:
		return
	case c.Range != nil && c.Range.Taxonomy != nil:
		t := c.Range.Taxonomy
		say("consistency.range.taxonomy.randomness.hi", "", "The stability of its answers is a range, as %d "+
			"could not be graded: %s of questions get the same wrong answer in every prompt variant, and %s get "+
			"answers that change with the variant.",
			c.Ungradable, ends(t.Error.Lo, t.Error.Hi), ends(t.Randomness.Lo, t.Randomness.Hi))
	case c.Taxonomy != nil:
		sayTaxonomy(say, c)
	}
	// accuracy hardly moves over the variants while the answers behind it do
	if c.Accuracy != nil && c.Ambiguity != nil && c.Ambiguity.Lo > hides*c.Accuracy.SD {
		say("consistency.ambiguity.estimate", "", "Accuracy varies little over the prompt variants (one "+
			"standard deviation is %s points), but %s of questions get more than one answer.",
			figure.Trimmed(100*c.Accuracy.SD), pct(c.Ambiguity))
	}
}

// sayAlone says how much the answers change where nothing tells whether they are right, and over samples.
func sayAlone(say sayer, c *consistency.Result, d *Sampled) {
	if c == nil {
		return
	}
	if c.SemanticStability != nil && c.Accuracy == nil {
		say("consistency.semantic_stability.estimate", "Give the cases a gold answer.",
			"Semantic stability is %s; accuracy was not measured, and a stable answer need not be right.",
			num(c.SemanticStability))
	}
	if d != nil && d.Result != nil && d.Ambiguity != nil && d.PredictiveEntropy != nil {
		say("consistency_sampled.ambiguity", "",
			"Sampled %d times at temperature 1, the same prompt gives different answers on %s of questions (mean "+
				"entropy %s nats).", d.Samples, pct(d.Ambiguity), figure.Fixed(d.PredictiveEntropy.Value, 2))
		sayUnseen(say, d.UnseenByGreedy, c.Tau)
	}
}

// sayOutcomes says the headline: how many answers are wrong, beside how many were not attempted; and where most are.
func sayOutcomes(say sayer, ru *rate.Result, judged bool) {
	o := &ru.Outcomes
	if o.N == 0 {
		return
	}
	const path = "rubric.outcomes.incorrect.hi"
	switch u := ru.Ungradable; {
	case o.Grading.State == rate.CorrectedByLabels:
		say(path, "",
			"Wrong: %s of %d answers, corrected by what people said of %d of them (as read: %s). Not attempted: %s.",
			sharePct(o.Incorrect), o.N, o.Grading.Labelled, sharePct(o.Grading.AsRead), sharePct(o.NotAttempted))
	case o.Grading.State == rate.CorrectedByCheck:
		say(path, "", "Wrong: %s of %d answers, corrected by a check of the grader on other labelled answers (as "+
			"read: %s). Not attempted: %s.",
			sharePct(o.Incorrect), o.N, sharePct(o.Grading.AsRead), sharePct(o.NotAttempted))
	case u == o.N:
		say("rubric.outcomes.ungradable.rate",
			"Compare the answers with the accepted ones: the grader, not the model, may be at fault.",
			"None of the %d answers could be graded, so nothing is known of the model.", u)
		return
	case u > 0:
		say(path, whoCanTell(u, judged),
			"Read as wrong: %s of %d answers; as not attempted: %s. %d could not be graded.",
			ends(o.Incorrect.Ends()), o.N, ends(o.NotAttempted.Ends()), u)
	default:
		say(path, "", "Wrong: %s of %d answers. Not attempted (declined, asked back or named no answer): %s.",
			sharePct(o.Incorrect), o.N, sharePct(o.NotAttempted))
	}
	if m := ru.MostWrong; m != nil {
		g := ru.ByClass[m.Class].Outcomes
		say("rubric.by_class."+m.Class+".outcomes.incorrect.hi", "",
			"It is wrong more often on %s than over all: %s of %d answers, by bounds that hold for all %d classes "+
				"together.", m.Class, sharePct(g.Incorrect), g.N, m.Classes)
	}
}

// whoCanTell says what would decide the answers that could not be graded.
func whoCanTell(n int, judged bool) string {
	label := fmt.Sprintf("label them in about %d min (hallmark annotate export)", annotate.Minutes(n))
	if judged {
		return "Have people " + label + "."
	}
	return "Name a judge (the same command with --judge REF), " + label +
		", or list the other names of the right answers in the suite."
}

// sayKinds says what kind most of the rubric failures are.
func sayKinds(say sayer, ru *rate.Result) {
	if ru == nil || ru.Hallucination == nil {
		return
	}
	kinds := []struct {
		rate *stat.Rate
		path string
		name string
		cure string
	}{
		{ru.Commission, "rubric.commission.rate", "assertions that fail",
			"Add evidence to the prompt, or let the model decline."},
		{ru.OverRefusal, "rubric.over_refusal.rate", "refusals of questions that can be answered",
			"Loosen the instruction to decline: the inputs sufficed."},
		{ru.Undecided, "rubric.undecided.rate", "answers that commit to nothing",
			"Ask for one determinate answer, or for the missing information by name."},
	}
	largest := 0
	for i, k := range kinds {
		if k.rate != nil && k.rate.Value > kinds[largest].rate.Value {
			largest = i
		}
	}
	if k := kinds[largest]; k.rate != nil && k.rate.Value > ru.Hallucination.Value/2 {
		say(k.path, k.cure, "Most rubric failures are %[2]s: %[1]s of the %[3]d cases with H scored.",
			ratePct(k.rate), k.name, ru.N)
	}
}

// sayTaxonomy says which errors are stable, and which change with the prompt.
func sayTaxonomy(say sayer, c *consistency.Result) {
	ti := c.TaxonomyIntervals
	stable, random := ti.Error.Lo > ti.Randomness.Hi, ti.Randomness.Lo > ti.Error.Hi
	switch {
	case stable:
		say("consistency.taxonomy.prompt_agnostic_error", cureStays,
			"Its errors are mostly stable: %s of questions get the same wrong answer in every prompt variant, %s "+
				"get answers that change with the variant.", pct(ti.Error), pct(ti.Randomness))
	case random:
		say("consistency.taxonomy.randomness", cureSensitive,
			"Its errors are mostly random: the answer changes with the prompt variant on %s of questions, %s "+
				"get the same wrong answer every time.", pct(ti.Randomness), pct(ti.Error))
	case ti.Error.Value > 0 || ti.Randomness.Value > 0: // else there is nothing to tell apart
		say("consistency.taxonomy.randomness", "", "The data do not show which are more frequent: stable errors "+
			"(%s of questions) or answers that change with the prompt variant (%s).", pct(ti.Error), pct(ti.Randomness))
	}
	// each harm that occurs beside what was said, with its cure. Source: arXiv:2602.00723, 3.1
	if !stable && ti.Error.Value > 0 {
		say("consistency.taxonomy.prompt_agnostic_error", cureStays,
			"Wrong knowledge: %s of questions get the same wrong answer in every prompt variant.", pct(ti.Error))
	}
	if !random && ti.Randomness.Value > 0 {
		say("consistency.taxonomy.randomness", cureSensitive,
			"Chance: the answer changes with the prompt variant on %s of questions.", pct(ti.Randomness))
	}
	if o := c.Overstatement; o != nil && o.Lo > 0 {
		say("consistency.overstatement", "", "The default prompt overstates what the model reliably knows by %s: "+
			"it gets so many questions right there, but not in every prompt variant.", pct(o))
	}
}

// sayUnseen says how often greedy consistency does not see that samples differ, and on which tag most.
func sayUnseen(say sayer, u *Unseen, tau float64) {
	if u == nil || u.Split == 0 {
		return
	}
	where := ""
	if tag, g, ok := worstTag(u); ok {
		where = fmt.Sprintf(" The share is higher on %s: %s of %d, by bounds that hold for all %d tags together.",
			tag, pct(g.Share), g.Cases, len(u.ByTag))
	}
	say("consistency_sampled.unseen_by_greedy.share",
		"Greedy decoding gives one answer where samples differ, and looks certain: judge these questions by samples.",
		"Greedy consistency overlooks %d of %d questions, %s: their greedy answers agree over the prompt variants "+
			"(self-consistency of at least %s), and their samples do not (below it).%s",
		u.Split, u.Cases, pct(u.Share), figure.Exact(tau), where)
}

// worstTag returns the tag whose share of such cases lies above that over all for sure; of several the one with the
// highest lower bound, of equal ones the first in the alphabet. The bounds of all tags and of all cases hold together
// (Bonferroni).
func worstTag(u *Unseen) (name string, g UnseenGroup, ok bool) {
	together := 1 - (1-level)/float64(len(u.ByTag)+1)
	most := u.shareAt(together).Hi
	for _, tag := range slices.Sorted(maps.Keys(u.ByTag)) {
		t := u.ByTag[tag]
		if lo := t.shareAt(together).Lo; t.Cases > 0 && lo > most {
			name, g, ok, most = tag, t, true, lo
		}
	}
	return name, g, ok
}

// ends writes the two ends of what was read: 12 % to 31 %.
func ends(lo, hi float64) string {
	return figure.Trimmed(100*lo) + " % to " + figure.Trimmed(100*hi) + " %"
}

// sharePct writes a share of outcomes: a rate with its interval, or the ends of a range.
func sharePct(s *rate.Share) string {
	if s.Rate == nil {
		return ends(s.Ends())
	}
	return ratePct(new(stat.Rate(s.Interval)))
}

func ratePct(r *stat.Rate) string { return pct(new(stat.Estimate(*r))) }

// pct writes a share with its interval: 12.5 % [10.1, 15.2].
func pct(i *stat.Estimate) string {
	return figure.Bracketed(figure.Hundredfold(figure.Trimmed), " %", i.Value, i.Lo, i.Hi)
}

func num(i *stat.Estimate) string {
	return figure.Bracketed(figure.Decimal, "", i.Value, i.Lo, i.Hi)
}

// The cures of the two harms: neither works on the other.
const (
	cureStays = "These errors stay when the prompt changes: the model holds them as knowledge, and spreads them. " +
		"Check facts against a source, filter or add data, or retrieve evidence."
	cureSensitive = "These answers change with the prompt, so they contradict each other, and a user can pick the " +
		"one that suits. Quantify the uncertainty: sample and vote, lower the variance, or abstain."
)

type sayer = func(path, advice, format string, args ...any)

// hides is how many times the deviation of accuracy the ambiguity has to be before the one is said to hide the other.
const hides = 5

// sayFamilies names the kind of variant that changes the answers most, where the intervals decide.
func sayFamilies(say sayer, f *consistency.Families) {
	if f == nil || f.ChangesMost == "" {
		return
	}
	top, next := f.Ranking[0], f.Differences[0]
	say("families.ranking.0.disagreement.estimate",
		"Settle that part of the prompt first, and vary it where stability is measured.",
		"Prompt variants of kind %s change the answers most: two of them disagree on a question with chance %s, more "+
			"than those of every other kind (than %s by %s).",
		top.Family, pct(top.Disagreement), next.Less, figure.Bracketed(figure.Hundredfold(figure.Trimmed), " points",
			next.Difference.Value, next.Difference.Lo, next.Difference.Hi))
}
