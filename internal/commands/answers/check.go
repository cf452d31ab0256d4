package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"hallmark/internal/assay"
	"hallmark/internal/assay/annotate"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/commands/driver"
	"hallmark/internal/commands/spec"
	"hallmark/internal/grade"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/grading"
	"hallmark/internal/model"
	"hallmark/internal/report"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

// A Check is what `hallmark grade check` is told.
type Check struct {
	Answers, Labels string    // files; the answers bear the labels themselves where these are not named
	List            int       // misread answers that are listed
	Asked           *spec.Run // with the suite, and the judges where there are some
}

// Run reads answers to a suite and their labels, and sets them beside what the graders say.
func (c *Check) Run(ctx context.Context, with *driver.Bench, s *suite.Suite,
	rub *rubric.Rubric) (*grading.CheckDocument, error) {
	rub.Contract = c.Asked.Plan.AnswerContract
	answers, labels, raters, err := readLabelled(with, s, c.Answers, c.Labels)
	if err != nil {
		return nil, err
	}
	doc := &grading.CheckDocument{Grading: grade.Current(), All: c.Asked.Plan.JudgeAll}
	by := func(c *suite.Case, _ grading.Key, text string) grade.Grade {
		return rub.Grade(c, grade.Answer{Text: &text})
	}
	var judged *assay.Judged
	if Judged(c.Asked) {
		if by, doc.Judges, judged, err = c.judged(ctx, with); err != nil {
			return nil, err
		}
	}
	rows, unlabelled, err := answers.Rows(ctx, by, labels)
	if err != nil {
		return nil, err
	}
	doc.Result = grading.Analyze(rows, grading.Options{Level: level, List: c.List, Show: report.Visible})
	if judged != nil {
		var families []string
		for _, judge := range c.Asked.Judges {
			if f := model.Family(judge); f != "" && !slices.Contains(families, f) {
				families = append(families, f)
			}
		}
		doc.Biases = grading.NewBiases(rows, judged.OrderAgreement, families, level)
	}
	doc.Suite.Name, doc.Suite.Version, doc.Suite.Hash = report.Visible(s.Name), report.Visible(s.Version),
		string(s.Hash())
	doc.Raters, doc.Unlabelled = raters, unlabelled
	if raters.Split > 0 {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("raters disagree on %d answers, "+
			"which are left out; rater %q settles them", raters.Split, annotate.Adjudicator))
	}
	if raters.Twice == 0 {
		doc.Warnings = append(doc.Warnings,
			"no answer was labelled by two raters, so errors of the labels count as errors of the grader")
	}
	doc.Warnings = append(doc.Warnings, s.Warnings...)
	return doc, nil
}

// readLabelled reads answers to a suite and their labels, which stand among them where no file of labels is named.
func readLabelled(with *driver.Bench, s *suite.Suite, path, labelsPath string) (*grading.Answers,
	map[grading.Key]grading.Label, grading.Raters, error) {
	none := grading.Raters{}
	if labelsPath = cmp.Or(labelsPath, path); path == "-" && labelsPath == "-" {
		return nil, nil, none,
			errors.New("answers and labels cannot both come from standard input; name a file for one of them")
	}
	answers := &grading.Answers{Suite: s}
	if err := inputfile.Each(with.In.Stdin, []string{path}, answers.Read); err != nil {
		return nil, nil, none, err
	}
	outcomes := &annotate.Outcomes{Check: answers.Check, Among: labelsPath == path, Cluster: clusterOf(s)}
	if err := inputfile.Each(with.In.Stdin, []string{labelsPath}, outcomes.Read); err != nil {
		return nil, nil, none, err
	}
	labels, raters := outcomes.Settle(with.In.Seed, level)
	return answers, labels, raters, nil
}

// clusterOf returns what names the cluster of a case of a suite; nil where each is one of its own.
func clusterOf(s *suite.Suite) func(caseID string) string {
	clusters := suite.Clusters(s.Cases, s.Cluster)
	if clusters == nil {
		return nil
	}
	names := map[string]string{}
	for i, c := range s.Cases.All() {
		if clusters[i] != 0 {
			names[c.ID] = fmt.Sprintf("cluster %d", clusters[i])
		}
	}
	return func(caseID string) string { return names[caseID] }
}

// judged returns how rules and judges grade the answers, the identities of the judges, and what they had a part in.
func (c *Check) judged(ctx context.Context, with *driver.Bench) (by func(*suite.Case, grading.Key, string) grade.Grade,
	judges []string, part *assay.Judged, err error) {
	if c.Answers == "-" {
		return nil, nil, nil, errors.New("with --judge the answers are read twice; name a file")
	}
	grades := map[grading.Key]grade.Grade{}
	err = judging(ctx, with, *c.Asked, []string{c.Answers}, func(store run.Store, plan *assay.Plan) error {
		for flag, m := range plan.Helpers() {
			if flag == "judge" {
				judges = append(judges, m.Identity)
			}
		}
		result, readings, err := assay.Read(ctx, store, plan, with.Runs.Version)
		if err != nil {
			return err
		}
		part = result.Document.Models[0].Judged
		for r := range readings.All() {
			g, err := r.Grade()
			if err != nil {
				return err
			}
			if at := (grading.Key{CaseID: r.CaseID, Variant: r.Variant, Repeat: r.Repeat}); r.Use == "" ||
				r.Repeat > 0 {
				grades[at] = g
			}
		}
		return readings.Err()
	})
	return func(_ *suite.Case, key grading.Key, _ string) grade.Grade { return grades[key] }, judges, part, err
}
