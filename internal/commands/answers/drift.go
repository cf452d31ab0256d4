package answers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/lists"
	"hallmark/internal/commands/driver"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/undertest"
	"hallmark/internal/grade"
	"hallmark/internal/grade/judge"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/grading"
	"hallmark/internal/model"
	"hallmark/internal/report"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

// A Drift is what `hallmark grade drift` is told.
type Drift struct {
	Answers, Labels string // files, as of Check
	Date            string // of the sitting; "": today
	Against         string // the date of the sitting that it is compared with; "": the first
	Again           bool   // asks once more on a date that has a sitting
	New             bool   // begins with other anchors than earlier sittings of the suite had
	Asked           *spec.Run
}

// The first day of which there can be a sitting, and how many a day has.
var firstDay = dayOf(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))

const (
	daySittings = 10
	dayRepeats  = 10 * daySittings // of which a sitting takes as many as a judge is asked at most
)

func dayOf(t time.Time) int { return int(t.UTC().Unix() / (24 * 60 * 60)) }

func dateOf(day int) string { return time.Unix(int64(day)*24*60*60, 0).UTC().Format(time.DateOnly) }

// A sitting is one time at which a judge was asked about all anchors. Its replies are records whose repeats are
// numbered by its day and its number on that day, so that the same question is asked at each; its mark is another, that
// says of which anchors it is.
type sitting struct {
	day, number int
	mark        mark
}

// A mark is what is stored of a sitting that is complete.
type mark struct {
	Fingerprint string `json:"fingerprint"`
	Anchors     int    `json:"anchors"`
}

func (s *sitting) at() report.Sitting {
	return report.Sitting{Date: dateOf(s.day), Number: s.number + 1}
}

// markCall is the call under which the mark of a sitting is stored. No judge is asked it.
func (s *sitting) markCall(by *assay.UnderTest, suite string) run.Call {
	return run.Call{Model: by.Identity, Request: model.Request{Prompt: "hallmark grade drift: sitting on suite " +
		suite},
		Repeat: s.day*daySittings + s.number}
}

// Run asks a judge about anchors, and compares its verdicts with those that it gave at an earlier time.
func (d *Drift) Run(ctx context.Context, with *driver.Bench, s *suite.Suite,
	rub *rubric.Rubric) (*report.DriftDocument, error) {
	now, against, err := d.days(with.Now())
	if err != nil {
		return nil, exit.Usage(err)
	}
	answers, labels, _, err := readLabelled(with, s, d.Answers, d.Labels)
	if err != nil {
		return nil, exit.Usage(err)
	}
	clusters := clusterOf(s)
	anchors := answers.Anchors(labels, func(id string) string {
		if clusters != nil {
			if c := clusters(id); c != "" {
				return "cluster " + c
			}
		}
		return "case " + id
	})
	anchors, asked := questions(s, rub, anchors)
	if len(anchors) == 0 {
		return nil, exit.Usagef("%s: no labelled answer that a judge can be asked about", d.Answers)
	}
	store, err := with.Runs.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	plan := &assay.Plan{Suites: []*suite.Suite{s}}
	models, err := with.Models.Models(ctx, store, d.Asked, plan)
	if err != nil {
		return nil, err
	}
	defer models.Close()
	x := &drifting{Drift: d, bench: with, store: store, models: models, by: plan.Judge, suite: s.Name, anchors: anchors,
		asked: asked, mark: mark{grading.Fingerprint(string(s.Hash()), anchors), len(anchors)}}
	return x.sit(ctx, now, against, s)
}

// days are the day of the sitting, and that of the one it is compared with, 0: the first.
func (d *Drift) days(now time.Time) (day, against int, err error) {
	of := func(flag, text string, to *int) {
		if text == "" || err != nil {
			return
		}
		t, wrong := time.Parse(time.DateOnly, text)
		if *to = dayOf(t); wrong != nil || *to < firstDay || t.Year() > 2100 {
			err = fmt.Errorf("--%s %q: write a date from 2020 to 2100 as 2026-11-20", flag, text)
		}
	}
	day = dayOf(now)
	of("date", d.Date, &day)
	of("against", d.Against, &against)
	return day, against, err
}

// questions returns the anchors that a judge can be asked about, and what it is asked.
func questions(s *suite.Suite, rub *rubric.Rubric, all []grading.Anchor) (anchors []grading.Anchor,
	asked []judge.Asked) {
	rub.Bench = rubric.Bench{Judges: 1, All: true}
	cases := map[string]*suite.Case{}
	for _, c := range s.Cases.All() {
		cases[c.ID] = c
	}
	for _, a := range all {
		for _, q := range rub.Questions(cases[a.CaseID], grade.Answer{Text: &a.Text}) {
			if q.Asked != nil {
				anchors, asked = append(anchors, a), append(asked, *q.Asked)
				break
			}
		}
	}
	return anchors, asked
}

// drifting is a Drift under way.
type drifting struct {
	*Drift
	bench   *driver.Bench
	store   run.Store
	models  *undertest.Models
	by      *assay.UnderTest
	suite   string
	anchors []grading.Anchor
	asked   []judge.Asked
	mark    mark
}

// sit holds the sitting of a day, and compares it.
func (x *drifting) sit(ctx context.Context, day, against int, s *suite.Suite) (*report.DriftDocument, error) {
	own, now, err := x.next(ctx, day)
	if err != nil {
		return nil, err
	}
	var then *sitting
	if i := slices.IndexFunc(own, func(was sitting) bool {
		return (against == 0 || was.day == against) && (was.day != now.day || was.number < now.number)
	}); i >= 0 {
		then = &own[i]
	} else if against > 0 {
		return nil, exit.Usagef("--against %s: there is no sitting of %s on these anchors then; there are %s",
			dateOf(against), report.Visible(x.by.Ref), dates(own))
	}
	verdicts, err := x.ask(ctx, &now)
	if err != nil {
		return nil, err
	}
	return x.document(ctx, s, own, &now, then, verdicts)
}

// next returns the sitting of a day, and the judge's own on the same anchors.
func (x *drifting) next(ctx context.Context, day int) (own []sitting, now sitting, err error) {
	all, err := x.sittings(ctx, max(day, dayOf(x.bench.Now())))
	if err != nil {
		return nil, now, err
	}
	var others []sitting
	held, taken := false, map[int]bool{}
	now = sitting{day: day, mark: x.mark}
	for _, was := range all {
		if was.day == day {
			taken[was.number] = true
		}
		if was.mark != x.mark {
			others = append(others, was)
			continue
		}
		if own = append(own, was); was.day == day && !x.Again {
			now.number, held = was.number, true
		}
	}
	if len(own) == 0 && len(others) > 0 && !x.New {
		return nil, now, exit.Usagef("the anchors have the fingerprint %s, and %s sat on %s of suite %q on %s: go "+
			"back to those answers and labels, or begin with these by --new", x.mark.Fingerprint,
			report.Visible(x.by.Ref), others[0].mark.Fingerprint, x.suite, dates(others))
	}
	for !held && taken[now.number] {
		now.number++
	}
	if now.number >= daySittings {
		return nil, now, exit.Usagef("%s has %d sittings of it, and no more are kept: name another --date", dateOf(day),
			daySittings)
	}
	return own, now, nil
}

func dates(all []sitting) string {
	out := lists.Map(all, func(s sitting) string { return dateOf(s.day) })
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(slices.Compact(out), ", ")
}

// sittings are those of the judge on the suite up to a day, in the order of time.
func (x *drifting) sittings(ctx context.Context, last int) (all []sitting, err error) {
	look := func(candidates []sitting) (found []sitting, err error) {
		keys := lists.Map(candidates, func(s sitting) run.Key { return s.markCall(x.by, x.suite).Key() })
		records, err := x.store.Lookup(ctx, keys)
		for i, key := range keys {
			r, ok := records[key]
			if !ok || r.Response == nil || r.Response.Text == nil {
				continue
			}
			if err := json.Unmarshal([]byte(*r.Response.Text), &candidates[i].mark); err != nil {
				return nil, fmt.Errorf("the mark of the sitting on %s does not read: %w", dateOf(candidates[i].day),
					err)
			}
			found = append(found, candidates[i])
		}
		return found, err
	}
	var days []sitting
	for day := firstDay; day <= last; day++ {
		days = append(days, sitting{day: day})
	}
	firsts, err := look(days)
	if err != nil {
		return nil, err
	}
	for _, f := range firsts {
		var more []sitting
		for n := 1; n < daySittings; n++ {
			more = append(more, sitting{day: f.day, number: n})
		}
		if more, err = look(more); err != nil {
			return nil, err
		}
		all = append(append(all, f), more...)
	}
	return all, nil
}

// call is the call by which an anchor is put to the judge in a sitting.
func (x *drifting) call(s *sitting, i, round int) run.Call {
	return assay.JudgeCall(x.by, x.asked[i].Text(), s.day*dayRepeats+s.number*10+round)
}

// ask has the judge asked about all anchors, again where its reply cannot be read, and marks the sitting as complete.
func (x *drifting) ask(ctx context.Context, s *sitting) ([]grade.Outcome, error) {
	f := *x.Asked
	f.RetryErrors = true
	open := make([]int, len(x.anchors))
	for i := range open {
		open[i] = i
	}
	for round := 0; round < assay.JudgeTries && len(open) > 0; round++ {
		calls := lists.Map(open, func(i int) run.Call { return x.call(s, i, round) })
		id := "drift " + x.mark.Fingerprint
		if err := x.bench.Calls(ctx, x.store, x.models, slices.Values(calls), &f, id); err != nil {
			return nil, err
		}
		said, missing, err := x.replies(ctx, calls)
		if err != nil {
			return nil, err
		}
		if missing != "" {
			return nil, exit.With(exit.Unscored, fmt.Errorf("the judge did not answer about all anchors (%s): the "+
				"same command goes on", missing))
		}
		still := open[:0:0]
		for k, i := range open {
			if _, _, err := judge.Read(said[k], x.asked[i].Answer); err != nil {
				still = append(still, i)
			}
		}
		open = still
	}
	b, err := json.Marshal(x.mark)
	if err != nil {
		return nil, err
	}
	if err := x.store.Add(ctx, []run.Record{{Call: s.markCall(x.by, x.suite), Attempts: 1, At: x.bench.Now(),
		Response: &model.Response{Text: new(string(b)), Finish: model.FinishStop}}}); err != nil {
		return nil, err
	}
	return x.verdicts(ctx, s)
}

// replies are the texts of calls; missing says why one has none.
func (x *drifting) replies(ctx context.Context, calls []run.Call) (said []string, missing string, err error) {
	records, err := run.Records(ctx, x.store, calls)
	for _, r := range records {
		text := ""
		switch {
		case r == nil:
			missing = "its reply is not stored"
		case r.Failure != "":
			missing = r.Failure
		case r.Response != nil && r.Response.Text != nil:
			text = *r.Response.Text
		}
		said = append(said, text)
	}
	return said, missing, err
}

// verdicts are what the judge said in a sitting of each anchor; "" where no reply could be read.
func (x *drifting) verdicts(ctx context.Context, s *sitting) ([]grade.Outcome, error) {
	out := make([]grade.Outcome, len(x.anchors))
	for round := range assay.JudgeTries {
		var calls []run.Call
		for i := range x.anchors {
			calls = append(calls, x.call(s, i, round))
		}
		said, _, err := x.replies(ctx, calls)
		if err != nil {
			return nil, err
		}
		for i := range out {
			if out[i] == "" {
				out[i], _, _ = judge.Read(said[i], x.asked[i].Answer)
			}
		}
	}
	return out, nil
}

// document puts together what is printed.
func (x *drifting) document(ctx context.Context, s *suite.Suite, own []sitting, now, then *sitting,
	verdicts []grade.Outcome) (*report.DriftDocument, error) {
	doc := &report.DriftDocument{Judge: x.by.Identity, Wording: judge.Version, Fingerprint: x.mark.Fingerprint,
		Anchors: len(x.anchors), Now: now.at(), Sittings: []report.Sitting{}, Warnings: []string{}}
	doc.Suite.Name, doc.Suite.Version, doc.Suite.Hash = s.Name, s.Version, string(s.Hash())
	for i := range own {
		if was := &own[i]; *was != *now {
			doc.Sittings = append(doc.Sittings, was.at())
		}
	}
	if then == nil {
		return doc, nil
	}
	was, err := x.verdicts(ctx, then)
	if err != nil {
		return nil, err
	}
	doc.Then = new(then.at())
	doc.Drift = grading.NewDrift(x.anchors, was, verdicts, grading.Options{Level: level, Show: report.Visible})
	return doc, nil
}
