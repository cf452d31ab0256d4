// Package doctor looks logs of other tools, stored runs and bundles through before anybody draws conclusions from
// them: it brings their answers into the form of metric/soundness, and says in sentences what that finds.
package doctor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/bundle"
	"hallmark/internal/commands/driver"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/stored"
	"hallmark/internal/commands/suitecheck"
	"hallmark/internal/metric/method"
	"hallmark/internal/metric/soundness"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite"
	"hallmark/internal/suite/imported"
	"hallmark/internal/text/answer"
)

// level is the confidence of every interval and of all tests together.
const level = .95

// A Visit is what `hallmark doctor` is told.
type Visit struct {
	Names     []string // of files, or of one run or bundle
	Files     spec.Imported
	Suite     string
	AsOf      string
	HalfWidth float64 // of the interval that is wanted of a rate
}

// A Document is what `hallmark doctor --json` prints.
type Document struct {
	Looked []Looked `json:"looked_at"`
	*soundness.Result
	ImportNotes []string `json:"import_notes"` // of reading the logs, as `hallmark import` has them
}

// A Looked is the answers of one model to one suite.
type Looked struct {
	Model   string `json:"model"`
	Suite   string `json:"suite"`
	Cases   int    `json:"cases"`
	Answers int    `json:"answers"` // that are there
	Missing int    `json:"missing"`
}

// Shape is a document before anything was looked at, by which gates are checked.
func Shape() *Document {
	return &Document{Result: soundness.Look(nil, nil, soundness.Options{Level: level, HalfWidth: .03})}
}

// Look looks through what was named. Errors of input are of exit 2.
func (v *Visit) Look(ctx context.Context, with *driver.Bench) (*Document, error) {
	plan, store, err := v.open(ctx, with)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	doc := &Document{Looked: []Looked{}, ImportNotes: []string{}}
	if plan.Imported != nil {
		doc.ImportNotes = append(doc.ImportNotes, plan.Imported.Notes...)
	}
	var logs []*soundness.Log
	if err := assay.See(ctx, store, plan, with.Runs.Version, func(t *method.Table) error {
		l, err := logOf(t, plan.Imported != nil)
		logs = append(logs, l)
		return err
	}); err != nil {
		return nil, err
	}
	for _, l := range logs {
		doc.Looked = append(doc.Looked, counted(l))
	}
	var others []soundness.Issue
	for i, s := range plan.Suites {
		asked := map[string]bool{}
		for _, c := range logs[i].Cases { // models come one after another, each with all suites
			asked[c.ID] = true
		}
		found, err := ofSuite(ctx, s, plan, asked)
		if err != nil {
			return nil, err
		}
		others = append(others, found...)
	}
	doc.Result = soundness.Look(logs, others,
		soundness.Options{Level: level, Seed: with.In.Seed, HalfWidth: v.HalfWidth})
	if slices.ContainsFunc(plan.Suites, func(s *suite.Suite) bool { return s.Cases.Len() > mostChecked }) {
		doc.ByCheck["gold_unreadable"] = soundness.Tally{Skipped: fmt.Sprintf(
			"more than %d cases: hallmark suite check puts golds to their oracles, and finds questions nearly the same",
			mostChecked)}
	}
	return doc, nil
}

// counted says how many answers a log has.
func counted(l *soundness.Log) Looked {
	out := Looked{Model: l.Model, Suite: l.Suite, Cases: len(l.Cases)}
	for i := range l.Cases {
		for k := range l.Cases[i].Answers {
			if l.Cases[i].Answers[k].Missing == "" {
				out.Answers++
			} else {
				out.Missing++
			}
		}
	}
	return out
}

// open returns the plan of what was named, with a store of its answers: of files one that ends with the command.
func (v *Visit) open(ctx context.Context, with *driver.Bench) (*assay.Plan, run.Store, error) {
	logs, kind := 0, ""
	for _, name := range v.Names {
		if kind = kindOf(name); kind == aLog {
			logs++
		}
	}
	switch {
	case logs == len(v.Names):
		return v.imports(ctx, with)
	case len(v.Names) > 1:
		return nil, nil, exit.Usagef("files of answers are looked at together, a run or a bundle alone: name one of " +
			"them")
	case v.Suite != "" || len(v.Files.Map) > 0 || v.AsOf != "":
		return nil, nil, exit.Usagef("--suite, --map and --as-of are of files of answers; a run has its own")
	case kind == aBundle:
		b, err := with.Runs.Bundle(ctx, v.Names[0])
		if err != nil {
			return nil, nil, err
		}
		return b.Records(ctx)
	}
	records, err := with.Runs.Read(ctx)
	if err != nil {
		return nil, nil, err
	}
	plan, _, err := with.Runs.Plan(ctx, records, v.Names[0])
	if err != nil {
		return nil, nil, errors.Join(err, records.Close())
	}
	return plan, records, nil
}

// What a name can be of.
const (
	aLog    = "log"
	aBundle = "bundle"
	aRun    = "run"
)

// kindOf tells what a name is of: a file of answers, a bundle, or a run.
func kindOf(name string) string {
	if name == "-" {
		return aLog
	}
	if info, err := os.Stat(name); err != nil && !stored.IsBundle(name) {
		return aRun
	} else if err != nil || !info.Mode().IsRegular() {
		return aLog // whoever opens it says what is wrong; a stream is read once
	}
	in, err := inputfile.Open(name)
	if err != nil {
		return aLog
	}
	defer in.Close() // only read
	if head, _ := bufio.NewReader(in).Peek(64); bundle.Begins(head) {
		return aBundle
	}
	return aLog
}

// imports reads files as `hallmark import` does, into a store in memory.
func (v *Visit) imports(ctx context.Context, with *driver.Bench) (*assay.Plan, run.Store, error) {
	v.Files.Paths = v.Names
	if err := v.Files.ReadMap(); err != nil {
		return nil, nil, exit.Usage(err)
	}
	f := spec.Default()
	f.Imported, f.NoReport, f.Plan.AsOf = &v.Files, true, v.AsOf
	if v.Suite != "" {
		f.Suites = []string{v.Suite}
	}
	plan, _, err := f.Resolve(with.In)
	if err != nil {
		return nil, nil, exit.Usage(err)
	}
	store := inmemory.New()
	if err := v.Files.Keep(ctx, store, plan, with.Now()); err != nil {
		return nil, nil, err
	}
	return plan, store, nil
}

// logOf brings the answers of one model to one suite into the form that is looked at.
func logOf(t *method.Table, fromLog bool) (*soundness.Log, error) {
	l := &soundness.Log{Model: t.Model, Suite: t.Suite}
	for c := range t.Cases {
		x, err := caseOf(&c, fromLog)
		if err != nil {
			return nil, err
		}
		l.Cases = append(l.Cases, x)
		l.ScoresAlone = l.ScoresAlone || slices.Equal(c.Options, imported.Verdicts)
	}
	return l, nil
}

func caseOf(c *method.Case, fromLog bool) (soundness.Case, error) {
	x := soundness.Case{ID: c.ID, Question: c.Prompt, Options: c.Options, Right: -1, Gold: c.Case.Answers(),
		Decline: c.Decline, Gradable: c.Oracle != nil || !c.Gold.IsZero() || c.Decline, Cluster: c.Cluster}
	if right, ok := c.GoldOption(); ok {
		x.Right = right
	}
	for i := range c.Answers {
		a := &c.Answers[i]
		switch {
		case a.Use == sample && a.Repeat == 0, a.Use == repeat: // the answer itself, and asked again of few
		case fromLog && a.Missing != "" && (a.Use != "" || a.Variant > 0): // not every log has all
		default:
			said, err := answerOf(c.Case, a)
			if err != nil {
				return x, err
			}
			if fromLog && said.Finish == model.FinishStop { // which stands for what the log does not say, too
				said.Finish = ""
			}
			x.Answers = append(x.Answers, said)
		}
	}
	return x, nil
}

// The uses of draws, and of answers that were asked again.
const (
	sample = "sample"
	repeat = "repeat"
)

func answerOf(c *suite.Case, a *method.Answer) (soundness.Answer, error) {
	x := soundness.Answer{Variant: a.Variant, Repeat: a.Repeat, Sampled: a.Use != "", Missing: a.Missing, Text: a.Text,
		Chosen: -1}
	if a.Grade != nil {
		x.Outcome = a.Grade.Outcome()
		x.Chosen = chosen(c, a)
	}
	if r := a.Response; r != nil {
		x.Finish, x.Tokens = r.Finish, r.Usage.CompletionTokens
		if len(r.Raw) > 0 {
			var scores map[string]any
			if err := json.Unmarshal(r.Raw, &scores); err != nil {
				return x, fmt.Errorf("case %q: scores: %w", c.ID, err)
			}
			if len(scores) > 0 {
				x.Scores = map[string]float64{}
			}
			for name, v := range scores {
				switch v := v.(type) {
				case float64:
					x.Scores[name] = v
				case bool:
					if x.Scores[name] = 0; v {
						x.Scores[name] = 1
					}
				}
			}
		}
	}
	return x, nil
}

// chosen returns the option that an answer to the default prompt chose, by its place; -1 where that cannot be told.
func chosen(c *suite.Case, a *method.Answer) int {
	if len(c.Options) == 0 || a.Variant != 0 {
		return -1
	}
	for _, said := range []string{a.Grade.Answer, a.Text} {
		for i, option := range c.Options {
			if words := answer.Words(said); words != "" && words == answer.Words(option) {
				return i
			}
		}
		if l, ok := answer.Letter(said); ok {
			if i := int(l[0] - 'a'); i < len(c.Options) {
				return i
			}
		}
	}
	return -1
}

// mostChecked are the cases up to which questions that are nearly the same are looked for, and golds are put to their
// own oracles: both take long of many.
const mostChecked = 10_000

// ofSuite returns what is to be said of the cases of a suite that were asked: questions that stand twice, and golds
// that their own oracle does not call correct, as `hallmark suite check` finds them.
func ofSuite(ctx context.Context, s *suite.Suite, plan *assay.Plan,
	asked map[string]bool) ([]soundness.Issue, error) {
	if s.Cases.Len() > mostChecked {
		return duplicates(suitecheck.DuplicatesOf(s, false), s.Name, asked), nil
	}
	checked, err := suitecheck.Check(ctx, s.Name, s, suitecheck.Options{AsOf: plan.AsOf, Seed: plan.Seed,
		HalfWidth: .03, Level: level})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil { // of what cannot be checked the evaluation says why
		return duplicates(suitecheck.DuplicatesOf(s, true), s.Name, asked), nil
	}
	out := duplicates(checked.Duplicates, s.Name, asked)
	unread, seen := gathered{}, map[string]bool{}
	for _, g := range checked.Golds.Found {
		if g.Form != "sentence" && asked[g.CaseID] && !seen[g.CaseID] {
			seen[g.CaseID] = true
			unread.add(g.CaseID)
		}
	}
	if unread.n > 0 {
		out = append(out, unread.issue(soundness.Fault, "gold_unreadable", s.Name, len(asked),
			fmt.Sprintf("%d of %s have a gold that would not be graded correct if it were the answer", unread.n,
				figure.Counted(len(asked), "case")),
			"write the gold as the value alone (hallmark suite check says what is wrong with each)"))
	}
	return out, nil
}

// duplicates says which of the cases that were asked ask the same, or nearly the same.
func duplicates(d suitecheck.Duplicates, name string, asked map[string]bool) (out []soundness.Issue) {
	twice, differ, near := gathered{}, gathered{}, gathered{}
	for _, g := range d.Identical {
		cases := slices.DeleteFunc(slices.Clone(g.Cases), func(c suitecheck.Place) bool { return !asked[c.CaseID] })
		if len(cases) < 2 {
			continue
		}
		for _, c := range cases {
			if twice.add(c.CaseID); g.Conflict {
				differ.add(c.CaseID)
			}
		}
	}
	for _, p := range d.Near {
		if asked[p.Cases[0].CaseID] && asked[p.Cases[1].CaseID] {
			if near.n++; near.n == 1 {
				near.ids = []string{p.Cases[0].CaseID, p.Cases[1].CaseID}
			}
		}
	}
	if twice.n > 0 {
		f := twice.issue(soundness.Doubt, "duplicate_question", name, len(asked),
			fmt.Sprintf("%d of %s ask the same as another", twice.n, figure.Counted(len(asked), "case")),
			"take out the copies, or know that intervals are by question: they count once there")
		if differ.n > 0 {
			f.Severity, f.Examples = soundness.Fault, differ.ids
			f.Text += fmt.Sprintf(", %d of them with another gold", differ.n)
			f.Remedy = "settle which gold is right: one of the two grades a right answer as wrong"
		}
		out = append(out, f)
	}
	if near.n > 0 {
		out = append(out, near.issue(soundness.Note, "duplicate_question", name, len(asked),
			fmt.Sprintf("%s of cases ask nearly the same", figure.Counted(near.n, "pair")),
			"read them (hallmark suite check); a column that groups them (--map cluster=COLUMN) makes them one"))
	}
	return out
}

// gathered are cases of which something is said.
type gathered struct {
	n   int
	ids []string
}

func (g *gathered) add(id string) {
	if g.n++; len(g.ids) < 2 {
		g.ids = append(g.ids, id)
	}
}

func (g *gathered) issue(s soundness.Severity, check, suite string, of int, text, remedy string) soundness.Issue {
	return soundness.Issue{Check: check, Severity: s, Suite: suite, Count: g.n, Of: of, Examples: g.ids, Text: text,
		Remedy: remedy}
}
