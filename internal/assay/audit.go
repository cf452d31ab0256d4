package assay

import (
	"context"
	"fmt"
	"math"

	"hallmark/internal/annotate"
	"hallmark/internal/metric/rate"
	"hallmark/internal/run"
	"hallmark/internal/stat"
)

// annotationsOf returns what people said of the answers of a run; none where the store keeps no annotations.
func annotationsOf(ctx context.Context, store run.Store, id string) ([]run.Annotation, error) {
	s, ok := store.(run.AnnotationStore)
	if !ok {
		return nil, nil
	}
	return s.Annotations(ctx, id)
}

// Units returns the graded answers to the default prompts of all models and suites of the run's plan, as people are shown them.
func (a *Assay) Units() (units []annotate.Unit) {
	for i, part := range a.Cases.parts {
		if set, answered := part.(*answerSet); answered {
			units = append(units, set.units(a.Document.Run.ID, a.Rows[i])...)
		}
	}
	return units
}

// units returns the units of a model on the cases of a suite in a run, given the grades of those that have something to be graded by.
func (t *answerSet) units(run string, graded []rate.Row) []annotate.Unit {
	units := make([]annotate.Unit, 0, len(graded))
	for i := range t.cases {
		c, said := &t.cases[i], t.asked(i)
		if len(graded) == 0 || graded[0].CaseID != c.ID {
			continue
		}
		g := &graded[0]
		graded = graded[1:]
		if g.Grade.Reason != "" || said == nil {
			continue
		}
		units = append(units, annotate.Unit{
			ID: annotate.UnitID(run, t.model.Identity, t.suite.Name, c.ID), Model: t.model.Name(), Suite: t.suite.Name, CaseID: c.ID,
			System: c.System, Prompt: c.Prompt, Options: c.Options, Context: c.Context, Reference: goldShown(c), Answer: said.text,
			Grade: *g.Grade, Gates: g.Gates, Format: g.HasFormat,
			Stratum: annotate.StratumOf(c.Tags, c.Oracle.Has("judge"), *g.Grade),
		})
	}
	return units
}

// labels puts what people said of the answers beside the verdicts of the grader.
func (x *sitting) labels() error {
	if len(x.annotations) == 0 || !x.plan.Has(Rubric) {
		return nil
	}
	said, err := annotate.Says(x.units(x.id, x.graded), x.annotations)
	for i := range x.graded {
		x.graded[i].Label = said[annotate.UnitID(x.id, x.model.Identity, x.suite.Name, x.graded[i].CaseID)]
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
func (x *sitting) audit() (err error) {
	if len(x.annotations) == 0 || !x.plan.Has(Rubric) {
		return nil
	}
	x.out.Audit, err = annotate.Analyze(x.units(x.id, x.graded), x.annotations, x.plan.Seed, level)
	if err != nil || x.out.Audit == nil || x.out.Rubric == nil {
		return err
	}
	if r := x.out.Audit.Outcomes; r != nil && r.Incorrect != nil {
		if was := x.out.Rubric.Outcomes; was.Grading.State == rate.CorrectedByCheck && contradicts(r.Incorrect, was.Incorrect) {
			x.out.Rubric.Warnings = append(x.out.Rubric.Warnings, fmt.Sprintf("labels and the check of the grader contradict each other (p < .05): people find %s wrong, and the check implies %s; the labels count",
				ratePct(r.Incorrect), sharePct(was.Incorrect)))
		}
		x.out.Rubric.Outcomes.Corrected(rate.CorrectedByLabels, r.Correct, r.Incorrect, r.NotAttempted, r.IncorrectGivenAttempted)
	}
	return nil
}
