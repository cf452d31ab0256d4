package assay

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/finding"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
)

// findings returns what the figures of one model on one suite say beyond themselves, the most important first. A
// sentence is only written where its figure exists, and a comparison only where its interval supports it.
func findings(r *SuiteResult) []finding.Finding {
	out := []finding.Finding{}
	say := func(path, advice, format string, args ...any) {
		out = append(out, finding.Finding{Sentence: fmt.Sprintf(format, args...), Path: path, Advice: advice})
	}
	if ru := r.Rubric; ru != nil && ru.Hallucination != nil {
		h := ru.Hallucination
		kinds := []struct {
			rate *stat.Rate
			path string
			name string
			cure string
		}{
			{ru.Commission, "rubric.commission.rate", "assertions that fail", "Add evidence to the prompt, or let the model decline."},
			{ru.OverRefusal, "rubric.over_refusal.rate", "refusals of questions that can be answered", "Loosen the instruction to decline: the inputs sufficed."},
			{ru.Undecided, "rubric.undecided.rate", "answers that commit to nothing", "Ask for one determinate answer, or for the missing information by name."},
		}
		largest := 0
		for i, k := range kinds {
			if k.rate != nil && k.rate.Rate > kinds[largest].rate.Rate {
				largest = i
			}
		}
		if k := kinds[largest]; k.rate != nil && k.rate.Rate > h.Rate/2 {
			say(k.path, k.cure, "Most of its hallucinations are %[2]s: %[1]s of all cases.", ratePct(k.rate), k.name)
		}
		if name, g, ok := worstClass(r, h); ok {
			say("rubric.by_class."+name+".hallucination.rate", "", "It is worst on %s: %s of %d cases, above its rate elsewhere.", name, ratePct(g.Hallucination), g.N)
		}
		if ru.Unread > 0 {
			say("rubric.unread", "Look at them: here the grader, not the model, may be at fault.", "%d answers could not be read by any oracle.", ru.Unread)
		}
	}
	if c := r.Consistency; c != nil && c.Taxonomy != nil {
		ti := c.TaxonomyIntervals
		switch {
		case ti.Error.Lo > ti.Randomness.Hi:
			say("consistency.taxonomy.prompt_agnostic_error", cureStays,
				"Its errors are mostly stable: %s of questions get the same wrong answer in every wording, %s change with the wording.", pct(ti.Error), pct(ti.Randomness))
			sayMoves(say, ti)
		case ti.Randomness.Lo > ti.Error.Hi:
			say("consistency.taxonomy.randomness", cureMoves,
				"Its errors are mostly random: the answer changes with the wording on %s of questions, %s get the same wrong answer every time.", pct(ti.Randomness), pct(ti.Error))
			sayStays(say, ti)
		case ti.Error.Estimate == 0 && ti.Randomness.Estimate == 0: // nothing to tell apart
		default:
			say("consistency.taxonomy.randomness", "", "Stable errors (%s of questions) and answers that change with the wording (%s) cannot be told apart in size at this n.", pct(ti.Error), pct(ti.Randomness))
			sayStays(say, ti)
			sayMoves(say, ti)
		}
		if o := c.Overstatement; o != nil && o.Lo > 0 {
			say("consistency.overstatement", "", "The default prompt overstates what the model reliably knows by %s: that share is right there, but not in every wording.", pct(o))
		}
	}
	if c := r.Consistency; c != nil {
		sayHidden(say, c)
	}
	sayFamilies(say, r.Families)
	if c := r.Consistency; c != nil && c.SemanticStability != nil && c.Accuracy == nil {
		say("consistency.semantic_stability.estimate", "Give the cases a gold answer.", "Semantic stability is %s; accuracy was not measured, and a stable answer need not be right.", num(c.SemanticStability))
	}
	if g, d := r.Consistency, r.ConsistencySampled; g != nil && d != nil && d.Result != nil && d.Ambiguity != nil && d.PredictiveEntropy != nil {
		say("consistency_sampled.ambiguity", "",
			"Drawn %d times at temperature 1, the same prompt gives different answers on %s of questions (mean entropy %.2f nats).", d.Draws, pct(d.Ambiguity), d.PredictiveEntropy.Estimate)
		sayUnseen(say, d.UnseenByGreedy, g.Tau)
	}
	sayDetectors(say, r.Detection)
	if a := r.RepeatAgreement; a != nil && a.Agreement != nil && len(a.Warnings) > 0 {
		say("repeat_agreement.agreement", "Read every stability figure against this floor.", "Asked again in the same words, the model agrees with itself %s of the time (%d cases).", pct(a.Agreement), a.Cases)
	}
	return out
}

// sayUnseen says how often greedy consistency does not see that a belief is split, and on which tag most.
func sayUnseen(say func(path, advice, format string, args ...any), u *Unseen, tau float64) {
	if u == nil || u.Split == 0 {
		return
	}
	where := ""
	if tag, g, ok := worstTag(u); ok {
		where = fmt.Sprintf(" Most of all on %s: %s of %d.", tag, pct(g.Share), g.Cases)
	}
	say("consistency_sampled.unseen_by_greedy.share", "Greedy decoding settles on one side of a split belief and looks certain: judge these by draws.",
		"Greedy consistency does not see %d of %d questions, %s, that agree over the wordings (self-consistency of at least %s) and are split when drawn (below it).%s",
		u.Split, u.Cases, pct(u.Share), strconv.FormatFloat(tau, 'g', -1, 64), where)
}

// worstTag returns the tag whose share of such cases is highest for sure, by the lower bound, if that lies above the interval
// over all; of equal ones the first in the alphabet.
func worstTag(u *Unseen) (name string, g UnseenGroup, ok bool) {
	for _, tag := range slices.Sorted(maps.Keys(u.ByTag)) {
		t := u.ByTag[tag]
		if t.Share != nil && t.Share.Lo > u.Share.Hi && (!ok || t.Share.Lo > g.Share.Lo) {
			name, g, ok = tag, t, true
		}
	}
	return name, g, ok
}

// worstClass returns the class with the highest hallucination rate, if its interval lies above the rate over all.
func worstClass(r *SuiteResult, overall *stat.Rate) (name string, g classRate, ok bool) {
	for _, class := range suite.Classes {
		c, measured := r.Rubric.ByClass[class]
		if !measured || c.Hallucination == nil || c.Hallucination.Lo <= overall.Hi {
			continue
		}
		if !ok || c.Hallucination.Rate > g.Hallucination.Rate {
			name, g, ok = class, classRate{c.N, c.Hallucination}, true
		}
	}
	return name, g, ok
}

type classRate struct {
	N             int
	Hallucination *stat.Rate
}

func ratePct(r *stat.Rate) string { return pct(&stat.Interval{Estimate: r.Rate, Lo: r.Lo, Hi: r.Hi}) }

// pct writes a share with its interval: 12.5 % [10.1, 15.2].
func pct(i *stat.Interval) string {
	return fmt.Sprintf("%s %% [%s, %s]", tenth(100*i.Estimate), tenth(100*i.Lo), tenth(100*i.Hi))
}

func num(i *stat.Interval) string { return fmt.Sprintf("%.3f [%.3f, %.3f]", i.Estimate, i.Lo, i.Hi) }

func tenth(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }
