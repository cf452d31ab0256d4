// Package answers grades answers that stand in files: by the rules of their suite and by judges, and beside labels.
package answers

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/driver"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/suites"
	"hallmark/internal/grade"
	"hallmark/internal/metric/grading"
	"hallmark/internal/metric/rate"
	"hallmark/internal/run"
	"hallmark/internal/suite"
	"hallmark/internal/suite/imported"
	"hallmark/internal/suite/logs"
)

// level is the confidence of every interval.
const level = .95

// Judged reports whether judges are to be asked.
func Judged(f *spec.Run) bool { return len(f.Judges) > 0 || f.Plan.JudgeAll }

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
		return result.Err()
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

// A Graded is what the answers of files did, by the rules of their suite.
type Graded struct {
	Suite    *suite.Suite
	Rows     []rate.Row
	Warnings []string
	Texts    map[string]string // the answers that were graded, by case: with Files.Keep, as many as have room
}

// mostKept is how many bytes of answers are kept, so that two files are not held whole.
const mostKept = 64 << 20

// Graded reads answers as `hallmark import` does, and grades one a case: where it has several, that to the prompt as
// written, the first draw, or the next to it. Each case that can be graded gives a row, in the suite's order; one
// without an answer is unscored and says so. Without a suite it is that of the questions of the log. An error is of a
// file, of answers of several models, of a suite that has no rubric, and of the context, which is asked before each
// case.
func (f *Files) Graded(ctx context.Context, open func() (*suite.Suite, error), asOf string,
	contract bool) (g *Graded, err error) {
	s, err := open()
	if err != nil {
		return nil, err
	}
	read, err := logs.Read(f.Paths, &logs.Options{Suite: s, Stdin: f.Stdin, OfOne: true, SkipBad: f.SkipBad})
	if err != nil {
		return nil, err
	}
	defer read.Texts.Close() // only read
	g = &Graded{Suite: read.Suite, Warnings: append([]string{}, read.Suite.Warnings...)}
	if Skipped(f.Notes, read.Bad, read.Skipped); read.Bad > 0 {
		g.Warnings = append(g.Warnings, fmt.Sprintf("%d bad lines were skipped", read.Bad))
	}
	r, err := suites.Rubric(g.Suite, asOf)
	if err != nil {
		return nil, err
	}
	r.Contract = contract
	if models := read.Models(); len(models) > 1 {
		return nil, fmt.Errorf("the answers are of %d models (%s), and this takes those of one; `hallmark import` "+
			"makes a run of them all", len(models), strings.Join(models, ", "))
	}
	found, clusters := firsts(read), suite.Clusters(g.Suite.Cases, g.Suite.Cluster)
	kept := 0
	if f.Keep {
		g.Texts = map[string]string{}
	}
	for i, c := range g.Suite.Cases.All() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !r.Gradable(c) {
			continue
		}
		answer, text, err := answerOf(read, found, int32(i))
		if err != nil {
			return nil, err
		}
		if f.Keep && kept+len(text) <= mostKept {
			kept += len(text)
			g.Texts[c.ID] = text
		}
		row := rate.NewRow(r, c, new(r.Grade(c, answer)), text)
		if clusters != nil {
			row.Cluster = clusters[i]
		}
		g.Rows = append(g.Rows, row)
	}
	if more := read.Len() - len(found); more > 0 {
		g.Warnings = append(g.Warnings, fmt.Sprintf("%d answers to other variants and repeats of the cases are not "+
			"counted; `hallmark import` makes a run of them all", more))
	}
	return g, nil
}

// firsts returns the one answer of each case that is graded.
func firsts(read *imported.Answers) map[int32]imported.Answer {
	found := map[int32]imported.Answer{}
	for i := range read.Len() {
		x := read.At(i)
		y, ok := found[x.Item]
		if !ok || cmp.Or(cmp.Compare(x.Variant, y.Variant), cmp.Compare(x.Repeat, y.Repeat)) < 0 {
			found[x.Item] = x
		}
	}
	return found
}

// answerOf is the answer to a case that was read, as graders take it, and its text.
func answerOf(read *imported.Answers, found map[int32]imported.Answer, item int32) (a grade.Answer, text string,
	err error) {
	x, ok := found[item]
	if !ok {
		return grade.Answer{Failure: "the case has no row in the file"}, "", nil
	}
	a.Finish, a.Failure = x.Finish, x.Failure
	if a.Text, err = read.Said(&x); err == nil && a.Text != nil {
		text = *a.Text
	}
	return a, text, err
}
