package answers

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"hallmark/internal/commands/suites"
	"hallmark/internal/grade"
	"hallmark/internal/metric/rate"
	"hallmark/internal/suite"
	"hallmark/internal/suite/imported"
	"hallmark/internal/suite/logs"
)

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
	found, clusters := map[int32]imported.Answer{}, suite.Clusters(g.Suite.Cases, g.Suite.Cluster)
	for i := range read.Len() {
		x := read.At(i)
		y, ok := found[x.Item]
		if !ok || cmp.Or(cmp.Compare(x.Variant, y.Variant), cmp.Compare(x.Repeat, y.Repeat)) < 0 {
			found[x.Item] = x
		}
	}
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
		x, ok := found[int32(i)]
		answer := grade.Answer{Failure: "the case has no row in the file"}
		text := ""
		if ok {
			if answer, text, err = answerOf(read, &x); err != nil {
				return nil, err
			}
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

// answerOf is an answer that was read, as graders take it, and its text.
func answerOf(read *imported.Answers, x *imported.Answer) (a grade.Answer, text string, err error) {
	a.Finish, a.Failure = x.Finish, x.Failure
	if a.Text, err = read.Said(x); err == nil && a.Text != nil {
		text = *a.Text
	}
	return a, text, err
}
