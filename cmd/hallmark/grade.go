package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hallmark/internal/annotate"
	"hallmark/internal/assay"
	"hallmark/internal/evaluate/spec"
	"hallmark/internal/exit"
	"hallmark/internal/grade"
	"hallmark/internal/inputfile"
	"hallmark/internal/metric/grading"
	"hallmark/internal/report"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

func (a *app) gradeCommand() *cobra.Command {
	return group("grade", "How well answers are graded", a.gradeCheck())
}

// A gradeCheckDocument is what grade check prints.
type gradeCheckDocument struct {
	Suite   gradedSuite   `json:"suite"`
	Grading grade.Grading `json:"grading"`
	// Judges are the identities of those that had a part in it, all of them asked of every answer where All is set.
	Judges []string `json:"judges,omitempty"`
	All    bool     `json:"judge_all,omitempty"`
	grading.Result
}

type gradedSuite struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Hash    string `json:"hash"`
}

func (a *app) gradeCheck() *cobra.Command {
	var labels, suiteName, asOf string
	var list int
	judges := spec.Default()
	cmd := &cobra.Command{
		Use:   "check ANSWERS --suite SUITE [--labels LABELS]",
		Short: "What graders make of answers that people labelled: the matrix of read against true outcomes",
		Long: "Answers are JSON objects, one a line: {\"case_id\": \"cap-0001\", \"response\": \"Paris\"}, with variant and repeat where a case has several.\n" +
			"Labels are CSV or JSON lines with case_id and outcome (correct, incorrect or not_attempted), and where they are needed variant, repeat and rater;\n" +
			"unsupported (yes or no), style and type are optional. Without --labels they stand among the answers. The file - is standard input. docs/grading.md says what the figures mean.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if list < 0 {
				return exit.Usagef("--list %d: want a number of disagreements, 0 or more", list)
			}
			if labels == "" {
				labels = args[0]
			}
			doc, err := a.checkGrading(cmd.Context(), args[0], labels, suiteName, asOf, list, judges)
			if err != nil {
				return exit.Usage(err)
			}
			if a.json {
				err = writeJSON(a.stdout, doc)
			} else {
				err = writeGradeCheck(a.stdout, doc)
			}
			if err == nil && (doc.Decided == nil || doc.Decided.K == 0) {
				return exit.With(exit.Unscored, fmt.Errorf("none of %d labelled answers could be graded, so nothing is known of how they are read", doc.N+doc.Unscored))
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&labels, "labels", "", "`FILE` of labels; default: the answers' own")
	a.trust.Add(f)
	judges.AddGroup(f, spec.Reaching)
	judges.AddGroup(f, spec.Judging)
	f.StringVar(&suiteName, "suite", "", "the suite that was answered: built-in name or FILE")
	f.StringVar(&asOf, "as-of", "", "today of the answers, as 2026-11-20; default: the suite's")
	f.IntVar(&list, "list", 10, "list at most this many answers that were misread")
	return cmd
}

// checkGrading reads answers and labels, and sets them beside what the graders say.
func (a *app) checkGrading(ctx context.Context, answersPath, labelsPath, suiteName, asOf string, list int, judges spec.Run) (*gradeCheckDocument, error) {
	s, rub, err := a.answeredSuite(suiteName, asOf)
	if err != nil {
		return nil, err
	}
	rub.Contract = judges.Contract
	if answersPath == "-" && labelsPath == "-" {
		return nil, fmt.Errorf("answers and labels cannot both come from standard input; name a file for one of them")
	}
	answers := &grading.Answers{Suite: s}
	if err := inputfile.Each(a.stdin, []string{answersPath}, answers.Read); err != nil {
		return nil, err
	}
	outcomes := &annotate.Outcomes{Check: answers.Check, Among: labelsPath == answersPath}
	if err := inputfile.Each(a.stdin, []string{labelsPath}, outcomes.Read); err != nil {
		return nil, err
	}
	labels, raters := outcomes.Settle(a.seed, level)
	doc := &gradeCheckDocument{Grading: grade.Current(), All: judges.JudgeAll}
	by := func(c *suite.Case, _ grading.Key, text string) grade.Grade {
		return rub.Grade(c, grade.Answer{Text: &text})
	}
	if len(judges.Judges) > 0 || judges.JudgeAll {
		judges.Suites, judges.AsOf = []string{suiteName}, asOf
		if by, doc.Judges, err = a.judgedGrades(ctx, judges, answersPath); err != nil {
			return nil, err
		}
	}
	rows, unlabelled, err := answers.Rows(ctx, by, labels)
	if err != nil {
		return nil, err
	}
	doc.Result = grading.Analyze(rows, grading.Options{Level: level, List: list, Show: report.Visible})
	doc.Suite = gradedSuite{report.Visible(s.Name), report.Visible(s.Version), string(s.Hash())}
	doc.Raters, doc.Unlabelled = raters, unlabelled
	if raters.Split > 0 {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("raters disagree on %d answers, which are left out; rater %q settles them", raters.Split, annotate.Adjudicator))
	}
	if raters.Twice == 0 {
		doc.Warnings = append(doc.Warnings, "no answer was labelled by two raters, so errors of the labels count as errors of the grader")
	}
	doc.Warnings = append(doc.Warnings, s.Warnings...)
	return doc, nil
}

// judgedGrades returns how rules and judges grade the answers of a file, and the identities of the judges.
func (a *app) judgedGrades(ctx context.Context, f spec.Run, path string) (by func(*suite.Case, grading.Key, string) grade.Grade, judges []string, err error) {
	if path == "-" {
		return nil, nil, fmt.Errorf("with --judge the answers are read twice; name a file")
	}
	grades := map[grading.Key]grade.Grade{}
	err = a.judging(ctx, f, []string{path}, func(store run.Store, plan *assay.Plan) error {
		for flag, m := range plan.Helpers() {
			if flag == "judge" {
				judges = append(judges, m.Identity)
			}
		}
		_, readings, err := assay.Read(ctx, store, plan, version)
		if err != nil {
			return err
		}
		for r := range readings.All() {
			g, err := r.Grade()
			if err != nil {
				return err
			}
			if at := (grading.Key{CaseID: r.CaseID, Variant: r.Variant, Repeat: r.Repeat}); r.Use == "" || r.Repeat > 0 {
				grades[at] = g
			}
		}
		return nil
	})
	return func(_ *suite.Case, key grading.Key, _ string) grade.Grade { return grades[key] }, judges, err
}

// writeGradeCheck prints a check for people.
func writeGradeCheck(w io.Writer, d *gradeCheckDocument) error {
	p := new(lines)
	unit := "; intervals at 95 %, each answer to a case of its own"
	if d.Unit == grading.ByCase {
		unit = "; intervals at 95 % by case, as answers of one case err together"
	}
	p.f("%d labelled answers to %d cases of suite %q%s\n", d.N, d.Cases, d.Suite.Name, unit)
	p.matrix(d)
	p.f("\nof what was decided\n")
	p.share("read as it is", d.Agreement)
	p.share("fw: not incorrect, read as incorrect", d.FW)
	p.share("fr: incorrect, read otherwise", d.FR)
	for _, c := range d.OffDiagonal {
		p.share(fmt.Sprintf("  %s, read as %s", grading.Words(c.Truth), grading.Words(c.Read)), &c.Share)
	}
	p.f("\ndecided\n")
	p.share("all answers", d.Decided)
	p.share("truly correct", d.Coverage.Correct)
	p.share("truly incorrect", d.Coverage.Incorrect)
	p.share("truly not attempted", d.Coverage.NotAttempted)
	p.f("\n%-26s %5s  %-22s %-22s %-22s\n", "by", "n", "decided", "fw", "fr")
	groups(p, "length", grading.Lengths, d.ByLength, func(l grading.Length) string { return grading.LengthWords(l) + " words" })
	groups(p, "class", nil, d.ByClass, nil)
	groups(p, "gold", nil, d.ByGold, nil)
	groups(p, "oracle", nil, d.ByOracle, nil)
	groups(p, "grader", nil, d.ByGrader, nil)
	groups(p, "style", nil, d.ByStyle, nil)
	p.calibration(d.Calibration)
	if s := d.Unsupported; s != nil {
		p.f("\nevidence, of right answers that were read as right\n")
		p.share("unsupported, read as supported", s.Missed)
		p.share("supported, read as unsupported", s.Wrong)
	}
	p.raters(d)
	p.disagreements(d)
	for i, warning := range d.Warnings {
		if i == 0 {
			p.f("\n")
		}
		p.f("warning: %s\n", report.Visible(warning))
	}
	_, err := io.WriteString(w, p.text())
	return err
}
