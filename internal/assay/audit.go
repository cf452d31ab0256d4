package assay

import (
	"context"

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

// unit returns a graded answer to the default prompt as people are shown it.
func (x *sitting) unit(c *suite.Case, row *CaseRow, cell *cell, graded rate.Row) annotate.Unit {
	return annotate.Unit{
		ID: annotate.UnitID(x.id, x.model.Identity, x.suite.Name, c.ID), Model: x.model.Name(), Suite: x.suite.Name, CaseID: c.ID,
		System: c.System, Prompt: c.Prompt, Options: c.Options, Context: row.Context, Reference: row.Gold, Answer: cell.text,
		Grade: cell.grade, Gates: graded.Gates, Format: graded.HasFormat,
		Stratum: annotate.StratumOf(c.Tags, c.Oracle.Has("judge"), cell.grade),
	}
}

// audit adds what people said of the answers.
func (x *sitting) audit() (err error) {
	if len(x.annotations) > 0 && x.plan.Has(Rubric) {
		x.out.Audit, err = annotate.Analyze(x.units, x.annotations, x.plan.Seed, level)
	}
	return err
}
