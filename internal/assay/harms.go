package assay

import (
	"hallmark/internal/figure"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
)

// The cures of the two harms: neither works on the other.
const (
	cureStays = "These errors stay when the prompt moves: the model holds them as knowledge, and spreads them. " +
		"Check facts against a source, filter or add data, or retrieve evidence."
	cureMoves = "These answers move with the prompt: chance, which contradicts itself and lets answers be picked. " +
		"Quantify the uncertainty: sample and vote, lower the variance, or abstain."
)

type sayer = func(path, advice, format string, args ...any)

// sayStays and sayMoves say each harm that occurs, with its cure. Source: arXiv:2602.00723, 3.1.
func sayStays(say sayer, t *consistency.Taxonomy[*stat.Estimate]) {
	if t.Error.Value > 0 {
		say("consistency.taxonomy.prompt_agnostic_error", cureStays,
			"Wrong knowledge: %s of questions get the same wrong answer in every wording.", pct(t.Error))
	}
}

func sayMoves(say sayer, t *consistency.Taxonomy[*stat.Estimate]) {
	if t.Randomness.Value > 0 {
		say("consistency.taxonomy.randomness", cureMoves,
			"Chance: the answer changes with the wording on %s of questions.", pct(t.Randomness))
	}
}

// hides is how many times the deviation of accuracy the ambiguity has to be before the one is said to hide the other.
const hides = 5

// sayHidden says where accuracy hardly moves over the variants while the answers behind it do.
func sayHidden(say sayer, c *consistency.Result) {
	if c.Accuracy != nil && c.Ambiguity != nil && c.Ambiguity.Lo > hides*c.Accuracy.SD {
		say("consistency.ambiguity.estimate", "", "Accuracy moves by %s points over the variants (one standard "+
			"deviation), while %s of questions get more than one answer: its steadiness hides theirs.",
			figure.Trimmed(100*c.Accuracy.SD), pct(c.Ambiguity))
	}
}

// sayFamilies names the kind of variant that moves the answers most, where the intervals decide.
func sayFamilies(say sayer, f *consistency.Families) {
	if f == nil || f.MovesMost == "" {
		return
	}
	top, next := f.Ranking[0], f.Differences[0]
	say("families.ranking.0.disagreement.estimate",
		"Settle that part of the prompt first, and vary it where stability is measured.",
		"Variants of kind %s move the answers most: two of them disagree on a question with chance %s, more than "+
			"those of every other kind (than %s by %s).",
		top.Family, pct(top.Disagreement), next.Less, points(next))
}

func points(d consistency.FamilyDifference) string {
	return figure.Bracketed(figure.Hundredfold(figure.Trimmed), " points", d.Difference.Value, d.Difference.Lo,
		d.Difference.Hi)
}
