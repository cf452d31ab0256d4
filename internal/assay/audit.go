package assay

import (
	"context"
	"slices"

	"hallmark/internal/annotate"
	"hallmark/internal/metric/rate"
	"hallmark/internal/run"
	"hallmark/internal/suite"
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
func (a *Assay) Units(p *Plan) (units []annotate.Unit) {
	rows, graded := a.Cases, a.Rows
	for _, m := range p.Models {
		for _, s := range p.Suites {
			cases := p.cases(s)
			units = append(units, unitsOf(p.ID(), m.Identity, cases, rows[:len(cases)], graded[0])...)
			rows, graded = rows[len(cases):], graded[1:]
		}
	}
	return units
}

// unitsOf returns the units of a model on the cases of a suite, with a row of each case, and one of each that has something to be graded by.
func unitsOf(id, model string, cases []suite.Case, rows []CaseRow, graded []rate.Row) []annotate.Unit {
	units := make([]annotate.Unit, 0, len(graded))
	for i := range cases {
		c, row := &cases[i], &rows[i]
		if len(graded) == 0 || graded[0].CaseID != c.ID {
			continue
		}
		g := &graded[0]
		graded = graded[1:]
		at := slices.IndexFunc(row.Answers, func(a AnswerRow) bool { return a.Variant == 0 })
		if g.Grade.Reason != "" || at < 0 {
			continue
		}
		units = append(units, annotate.Unit{
			ID: annotate.UnitID(id, model, row.Suite, c.ID), Model: row.Model, Suite: row.Suite, CaseID: c.ID,
			System: c.System, Prompt: c.Prompt, Options: c.Options, Context: row.Context, Reference: row.Gold, Answer: row.Answers[at].Text,
			Grade: *g.Grade, Gates: g.Gates, Format: g.HasFormat,
			Stratum: annotate.StratumOf(c.Tags, c.Oracle.Has("judge"), *g.Grade),
		})
	}
	return units
}

// audit adds what people said of the answers.
func (x *sitting) audit() (err error) {
	if len(x.annotations) > 0 && x.plan.Has(Rubric) {
		units := unitsOf(x.id, x.model.Identity, x.cases, x.rows, x.graded)
		x.out.Audit, err = annotate.Analyze(units, x.annotations, x.plan.Seed, level)
	}
	return err
}
