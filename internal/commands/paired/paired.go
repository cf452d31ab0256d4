// Package paired sets evaluated runs beside each other, case by case: what each brings, which cases ask the same in
// all of them, and whether their judges changed.
package paired

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
	"hallmark/internal/base/lists"
	"hallmark/internal/grade"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/method"
	"hallmark/internal/metric/rate"
	"hallmark/internal/text/evidence"
)

// A Comparison is what compare and analyze reduction print.
type Comparison struct {
	*rate.Reduction
	Grading grade.Grading `json:"grading"` // of both
	Judge   *Judges       `json:"judge,omitempty"`
	// Runs are the two that are compared, base first; absent of files.
	Runs []rate.SeriesRun `json:"runs,omitempty"`
	// Accept is what came of the thresholds that the user declared.
	Accept []gate.Acceptance `json:"accept,omitempty"`
}

// Judges says how the judges of two runs differ.
type Judges struct {
	Drift []Drift `json:"drift"`
}

// A Drift is a judge of two runs, with the anchors on which it gave different verdicts: it changed between them,
// under the same name.
type Drift struct {
	Judge   string   `json:"judge"`
	Anchors int      `json:"anchors"` // with a verdict in both runs
	Changed []string `json:"changed"`
}

// Drifted compares the judges of two runs by their verdicts on the anchors; nil where none is in both. The warnings
// say what it means.
func Drifted(base, other *assay.Judged) (out *Judges, warnings []string) {
	of := func(j *assay.Judged) (names []string, all bool) {
		if j == nil || j.Judge == "" {
			return nil, false
		}
		return append([]string{j.Judge}, j.Panel...), j.All
	}
	was, wasAll := of(base)
	is, isAll := of(other)
	if !slices.Equal(was, is) || wasAll != isAll {
		warnings = append(warnings,
			"the runs were graded with different judges, or one without: a difference may be the grader's")
	}
	if base == nil || other == nil {
		return nil, warnings
	}
	for _, a := range base.Anchors {
		for _, b := range other.Anchors {
			if a.Judge != b.Judge {
				continue
			}
			d := Drift{Judge: a.Judge, Changed: []string{}}
			for id, verdict := range a.Verdicts {
				if now, ok := b.Verdicts[id]; ok {
					if d.Anchors++; now != verdict {
						d.Changed = append(d.Changed, id)
					}
				}
			}
			slices.Sort(d.Changed)
			if out == nil {
				out = &Judges{}
			}
			out.Drift = append(out.Drift, d)
			if len(d.Changed) > 0 {
				warnings = append(warnings, fmt.Sprintf("the judge %s gave other verdicts on %d of %d anchors: it "+
					"changed between the runs, and a difference may be its own", d.Judge, len(d.Changed), d.Anchors))
			}
		}
	}
	return out, warnings
}

// A Series is what compare --series prints.
type Series struct {
	*rate.Series
	Grading grade.Grading `json:"grading"` // of all
}

// A Side is what one run brings to a comparison: one model on one suite.
type Side struct {
	ID    rate.SeriesRun
	Rows  []rate.Row
	asked map[string]question // by case
	cases assay.CaseTable     // of the model on the suite
	suite assay.SuiteInfo
	about string // the identity of the model
	// missing counts the cases without an answer to the default prompt
	missing int
	made    conditions
	file    bool // of answers, which is no run

	Categories map[string]string      // of consistency, by case
	Standings  []consistency.Standing // nil where consistency was not measured
	Judged     *assay.Judged          // nil where no judge had a part

	measured map[string]method.Result // by added methods
	changed  map[string]bool          // cases that are not the same in all runs: see SameQuestions
}

// A question is what must be equal for a case to be the same in two runs.
type question struct{ system, prompt, context, options, gold string }

// asked is what a case asks, with its gold as it is shown.
func asked(system, prompt string, context []evidence.Passage, options []string, gold string) question {
	return question{system, prompt, fmt.Sprintf("%q", context), strings.Join(options, "\x00"), gold}
}

// Name is the run, the model and the suite, by the names that they were given, where they have such.
func (s *Side) Name() string {
	name, named := cmp.Or(s.ID.Name, s.ID.Run), cmp.Or(s.ID.ModelName, s.ID.Model)
	if name == named { // a run that is named as its model
		return fmt.Sprintf("%s on %s", name, s.ID.Suite)
	}
	return fmt.Sprintf("%s %s on %s", name, named, s.ID.Suite)
}

// Pick returns the graded rows of the one model and suite that the flags leave.
func Pick(result *assay.Assay, modelRef, suiteName string) (Side, error) {
	info := result.Document.Run
	var found []int
	for i := range result.Standings {
		m, s := result.Document.Models[i/len(info.Suites)], info.Suites[i%len(info.Suites)]
		if (modelRef == "" || m.Model == modelRef || m.Name == modelRef) && (suiteName == "" || s.Name == suiteName) {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		return Side{}, fmt.Errorf("run %s has no model %q on suite %q; it has %s", info.ID, modelRef, suiteName,
			has(result))
	case 1:
		side := sideAt(result, found[0])
		return side, result.Err()
	}
	return Side{}, fmt.Errorf("run %s has several models or suites: say which with --model and --suite; it has %s",
		info.ID, has(result))
}

// sideAt is the side of the model and suite with that index among the standings.
func sideAt(result *assay.Assay, i int) Side {
	info := result.Document.Run
	m, s := &result.Document.Models[i/len(info.Suites)], info.Suites[i%len(info.Suites)]
	on := m.On(s.Name)
	side := Side{ID: rate.SeriesRun{Run: info.ID, Model: m.Model, Suite: s.Name, Name: info.Name, ModelName: m.Name},
		Rows: result.Rows(i), Standings: result.Standings[i], suite: s, about: m.Identity,
		made: conditionsOf(result, on), cases: result.Cases.Of(m.Model, s.Name),
		asked: map[string]question{}, Categories: map[string]string{}}
	if on != nil {
		side.Judged, side.measured = on.Judged, on.Measured
	}
	for _, u := range m.Unscored {
		if u.Axis == assay.WholeAnswer && u.Variant == 0 && u.Repeat == 0 && (u.Suite == "" || u.Suite == s.Name) {
			side.missing++
		}
	}
	for _, c := range side.cases.All() {
		if category := c.FlowCategory(); category != "" {
			side.Categories[c.ID] = category
		}
		side.asked[c.ID] = asked(c.System, c.Prompt, c.Context, c.Options, c.Gold)
	}
	return side
}

// SameQuestions leaves out the cases that bear one id and ask different things, or have different golds, as after a
// change of the suite; it says how many.
func SameQuestions(sides []Side) []string {
	changed := map[string]bool{}
	for _, s := range sides[1:] {
		for id, q := range s.asked {
			if first, ok := sides[0].asked[id]; ok && first != q {
				changed[id] = true
			}
		}
	}
	if len(changed) == 0 {
		return nil
	}
	for i := range sides {
		sides[i].changed = changed
		sides[i].Rows = slices.DeleteFunc(slices.Clone(sides[i].Rows), func(r rate.Row) bool {
			return changed[r.CaseID]
		})
		maps.DeleteFunc(sides[i].Categories, func(id, _ string) bool { return changed[id] })
		sides[i].Standings = slices.DeleteFunc(slices.Clone(sides[i].Standings), func(s consistency.Standing) bool {
			return changed[s.ID]
		})
	}
	return []string{
		fmt.Sprintf("%d cases ask something else, or have another gold, in one of the runs and are left out: the "+
			"suite changed", len(changed))}
}

// Clusters returns the clusters of cases by id.
func Clusters(standings []consistency.Standing) map[string]int32 {
	of := make(map[string]int32, len(standings))
	for i := range standings {
		of[standings[i].ID] = standings[i].Cluster
	}
	return of
}

// Standings returns how the cases of every side stood in consistency.
func Standings(sides []Side) [][]consistency.Standing {
	return lists.Map(sides, func(s Side) []consistency.Standing { return s.Standings })
}
