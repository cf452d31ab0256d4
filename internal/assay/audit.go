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
func (e *evaluation) unit(m Subject, s *suite.Suite, c *suite.Case, row *CaseRow, cell *cell, graded rate.Row) annotate.Unit {
	u := annotate.Unit{
		ID: annotate.UnitID(e.id, m.Identity, s.Name, c.ID), Model: m.Name(), Suite: s.Name, CaseID: c.ID,
		System: c.System, Prompt: c.Prompt, Options: c.Options, Context: row.Context, Reference: row.Gold, Answer: cell.text,
		Grade: cell.grade, Gates: graded.Gates, Format: graded.HasFormat,
		Stratum: annotate.StratumOf(c.Tags, c.Oracle.Has("judge"), cell.grade),
	}
	return u
}

// audit adds what people said of the answers to one model's result on one suite.
func (e *evaluation) audit(out *SuiteResult, units []annotate.Unit) error {
	if len(e.annotations) == 0 || !e.plan.Has(Rubric) {
		return nil
	}
	var err error
	out.Audit, err = annotate.Analyze(units, e.annotations, e.plan.Seed, level)
	return err
}
