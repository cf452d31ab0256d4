package assay

import (
	"cmp"
	"context"
	"math"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/assay/annotate"
	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/rate"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
)

// Items returns the graded answers to the default prompts of all models and suites of the run's plan, as people are
// shown them.
func (a *Assay) Items() []annotate.Item { return a.shown((*answerSet).items) }

// AnswersToVariants returns the graded answers to all variants of the cases that have several, of all models and
// suites, as people are shown them.
func (a *Assay) AnswersToVariants() []annotate.Item { return a.shown((*answerSet).answersToVariants) }

func (a *Assay) shown(of func(t *answerSet, run string) []annotate.Item) (items []annotate.Item) {
	for _, part := range a.Cases.parts {
		if part.answers != nil {
			items = append(items, of(part.answers, a.Document.Run.ID)...)
		}
	}
	return items
}

// answersToVariants returns the graded answers of a model to all variants of the cases of a suite in a run, in the
// order of the trials; none where cases have one variant.
func (t *answerSet) answersToVariants(run string) (answers []annotate.Item) {
	if !t.rephrased {
		return nil
	}
	for ci, trial := range eachTrial(t.table) {
		c := t.cases.At(ci)
		if trial.purpose != forVariant || !t.rub.Gradable(c) || trial.grade.Outcome() == grade.NoOutcome {
			continue
		}
		u := t.unit(ci, c, trial, annotate.VariantID(run, t.model.Identity, t.suite.Name, c.ID, trial.variant.Number))
		u.Prompt, u.Variant = prompt.Asked(c, *trial.variant, t.by.layout()), trial.variant.Number
		if trial.class != answer.Ungradable {
			u.Value = trial.class.Text()
		}
		if order := trial.variant.OptionOrder; len(order) == len(c.Options) {
			u.Options = make([]string, len(order))
			for at, from := range order {
				u.Options[at] = c.Options[from]
			}
		}
		answers = append(answers, u)
	}
	return answers
}

// unit is an answer to a case under an id, as people are shown it.
func (t *answerSet) unit(ci int, c *suite.Case, trial *trial, id string) annotate.Item {
	text := t.reply(ci, trial)
	g := trial.unfolded(text)
	return annotate.Item{
		ID: id, Model: t.model.Name(), Shown: annotate.Shown{
			Suite: t.suite.Name, CaseID: c.ID, System: c.System, Prompt: c.Prompt, Options: c.Options,
			Context: c.Context, Reference: GoldShown(c), Answer: text,
		},
		Grade: *g, Stratum: annotate.StratumOf(c.Tags, c.Oracle.Has("judge"), *g),
		Gates: t.rub.Settings(c).FormatIsGating, Format: rubric.HasFormat(c), Cluster: t.cluster(ci),
	}
}

// items returns the graded answers of a model to the default prompts of a suite in a run.
func (t *answerSet) items(run string) (items []annotate.Item) {
	for ci, c := range t.cases.All() {
		if said := t.asked(ci); said != nil && t.rub.Gradable(c) && said.grade.Reason == "" {
			items = append(items, t.unit(ci, c, said, annotate.ItemID(run, t.model.Identity, t.suite.Name, c.ID)))
		}
	}
	return items
}

// labels puts what people said of the answers beside the verdicts of the grader.
func (x *sitting) labels() error {
	if len(x.annotations) == 0 {
		return nil
	}
	x.shown, x.variants = x.items(x.id), x.answersToVariants(x.id)
	said, err := annotate.Says(x.shown, x.annotations)
	if err != nil {
		return err
	}
	x.said = map[string]grade.Outcome{}
	ofVariants, err := annotate.SaysOfVariants(x.shown, x.variants, x.annotations)
	for i := range x.graded {
		id := annotate.ItemID(x.id, x.model.Identity, x.suite.Name, x.graded[i].CaseID)
		if l := cmp.Or(said[id], ofVariants[id]); l != "" {
			x.graded[i].Label, x.said[x.graded[i].CaseID] = l, l
		}
	}
	for i := range x.over {
		x.over[i].Label = ofVariants[annotate.VariantID(x.id, x.model.Identity, x.suite.Name, x.over[i].CaseID,
			x.overOf[i])]
	}
	return err
}

// contradicts reports whether two independent estimates differ at p < .05, by the widths of their intervals.
func contradicts(a *stat.Rate, b *rate.Share) bool {
	z := stat.Z(level)
	se := math.Hypot((a.Hi-a.Lo)/(2*z), (b.Hi-b.Lo)/(2*z))
	return b.Rate != nil && math.Abs(a.Value-*b.Rate) > z*se
}

// audit adds what people said of the answers, and has it correct the outcomes where it is enough.
func (x *sitting) audit(context.Context) (err error) {
	if x.said == nil {
		return nil
	}
	x.out.Audit, err = annotate.Analyze(x.shown, x.variants, x.annotations, x.plan.Seed, level)
	if err != nil || x.out.Audit == nil || x.out.Rubric == nil {
		return err
	}
	if r, over := x.out.Audit.OverVariants, x.out.Rubric.OverVariants; over != nil && r != nil && r.Incorrect != nil {
		over.Outcomes.Corrected(rate.CorrectedByLabels, r.Correct, r.Incorrect, r.NotAttempted,
			r.IncorrectGivenAttempted)
	}
	if r := x.out.Audit.Outcomes; r != nil && r.Incorrect != nil {
		if was := x.out.Rubric.Outcomes; was.Grading.State == rate.CorrectedByCheck &&
			contradicts(r.Incorrect, was.Incorrect) {
			note(&x.out.Rubric.Warnings, "labels and the check of the grader contradict each other (p < .05): people "+
				"find %s wrong, and the check implies %s; the labels count", ratePct(r.Incorrect),
				sharePct(was.Incorrect))
		}
		x.out.Rubric.Outcomes.Corrected(rate.CorrectedByLabels, r.Correct, r.Incorrect, r.NotAttempted,
			r.IncorrectGivenAttempted)
	}
	return nil
}
