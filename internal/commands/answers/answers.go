// Package answers grades answers that stand in files: by the rules of their suite and by judges, and beside labels.
package answers

import (
	"context"
	"fmt"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/driver"
	"hallmark/internal/commands/spec"
	"hallmark/internal/grade"
	"hallmark/internal/metric/grading"
	"hallmark/internal/metric/rate"
	"hallmark/internal/run"
)

// level is the confidence of every interval.
const level = .95

// Judged reports whether judges are to be asked.
func Judged(f *spec.Run) bool { return len(f.Judges) > 0 || f.JudgeAll }

// A Rubric is what analyze rubric prints.
type Rubric struct {
	rate.Result
	Grading grade.Grading `json:"grading"`
	Judged  *assay.Judged `json:"judged,omitempty"` // where judges were asked

	suite    string
	rows     []rate.Row
	unscored []assay.Unscored
}

// Ruled returns what answers did by the rules of their suite.
func (g *Graded) Ruled(seed uint64, perCase bool) *Rubric {
	result := rate.Analyze(g.Rows, rate.Options{Level: level, Check: grading.ShippedFor(grade.Version), Seed: seed})
	result.Warnings = append(result.Warnings, g.Warnings...)
	return newRubric(g.Suite.Name, g.Rows, result, perCase)
}

func newRubric(suite string, rows []rate.Row, result rate.Result, perCase bool) *Rubric {
	if perCase {
		result.PerCase = rate.PerCase(rows)
	}
	return &Rubric{Result: result, Grading: grade.Current(), suite: suite, rows: rows}
}

// ByJudges returns what the answers in files did by rules and judges.
func ByJudges(ctx context.Context, by *driver.Bench, f spec.Run, paths []string,
	perCase bool) (out *Rubric, err error) {
	f.Methods = []string{assay.Rubric}
	err = judging(ctx, by, f, paths, func(store run.Store, plan *assay.Plan) error {
		result, err := assay.Evaluate(ctx, store, plan, by.Runs.Version)
		if err != nil {
			return err
		}
		m := result.Document.Models[0]
		var did rate.Result
		if m.Rubric != nil {
			did = *m.Rubric
		}
		out = newRubric(plan.Suites[0].Name, result.Rows(0), did, perCase)
		out.Judged, out.unscored = m.Judged, m.Unscored
		return nil
	})
	return out, err
}

// Lacking is an error of exit 3 where no answer was graded, or the call of a judge failed.
func (r *Rubric) Lacking() error {
	if len(r.rows) == 0 {
		return exit.With(exit.Unscored, fmt.Errorf("suite %s: no case has a gold answer or an oracle, "+
			"so no answer was graded; add gold to the cases", r.suite))
	}
	if err := driver.Graded(r.Outcomes.N, r.Ungradable, "suite "+r.suite); err != nil {
		return err
	}
	for _, u := range r.unscored {
		if strings.HasPrefix(u.Reason, "judge: ") {
			return exit.With(exit.Unscored, fmt.Errorf("case %q: %s", u.CaseID, u.Reason))
		}
	}
	return nil
}

// judging imports answers without making a run of them, has judges asked about them as in one, and passes the plan on
// with the store that has their replies.
func judging(ctx context.Context, by *driver.Bench, f spec.Run, paths []string,
	then func(run.Store, *assay.Plan) error) error {
	if f.Suites[0] == "" {
		return exit.Usagef("which suite was answered? name it with --suite")
	}
	f.Imported, f.NoReport = &spec.Imported{Name: "analyzed", Paths: paths, OfOne: true}, true
	return by.Do(ctx, &driver.Task{Run: &f, Then: then})
}
