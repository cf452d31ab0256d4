package sheets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/assay/annotate"
	"hallmark/internal/base/atomicfile"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/stored"
	"hallmark/internal/grade"
	"hallmark/internal/metric/rate"
	"hallmark/internal/report"
	"hallmark/internal/run"
)

// An Export is what `hallmark annotate export` is told.
type Export struct {
	N        int      // at most, of each model on each suite; 0 for the default of the sample
	Raters   []string // a sheet for each
	Format   string   // jsonl or csv; "" by the name of the output
	Unblind  bool     // the grader's verdicts are shown
	Output   string   // "" for standard output
	Model    string   // only its answers
	Suite    string   // only answers to it
	Disputed bool     // the samples, one of them; none is Sample's
	Next     bool
	Pairs    bool
	Variants bool
	Second   bool
	Like     string    // a common sample with this run
	Seed     *uint64   // of the sample; nil: the run's
	Notes    io.Writer // is told which sheets were written
}

// Write draws the sample of a stored run that is asked for and writes it, to out where no file is named.
func (f *Export) Write(ctx context.Context, runs *stored.Runs, name string, out io.Writer) error {
	if err := f.check(); err != nil {
		return exit.Usage(err)
	}
	store, result, _, err := runs.ReadRun(ctx, name)
	if err != nil {
		return err
	}
	defer store.Close()
	seed := result.Document.Run.Seed
	if f.Seed != nil {
		seed = *f.Seed
	}
	var like *assay.Assay
	if f.Like != "" {
		if like, _, err = runs.Run(ctx, store, f.Like); err != nil {
			return err
		}
		if like.Document.Run.ID == result.Document.Run.ID {
			return exit.Usagef("--like %s: the run is compared with itself; name another run of the same questions",
				f.Like)
		}
	}
	items, err := f.pick(ctx, store, result, like, seed)
	if err != nil {
		return exit.Usage(err)
	}
	if like != nil && len(f.shared(result.Items(), like)) < len(f.shared(result.Items(), nil)) {
		seed = 0 // of a part of the run a sample is none of the run's own
	}
	if err := result.Err(); err != nil {
		return err
	}
	if like != nil && like.Err() != nil {
		return like.Err()
	}
	return f.write(items, annotate.Options{Run: result.Document.Run.ID, Seed: seed, Unblind: f.Unblind}, out)
}

func (f *Export) check() error {
	if f.Format == "" {
		f.Format = "jsonl"
		if strings.EqualFold(filepath.Ext(f.Output), ".csv") {
			f.Format = "csv"
		}
	}
	one := func(of ...bool) bool { return slices.Contains(of, true) }
	like := f.Like != ""
	for _, rule := range []struct {
		broken bool
		says   string
	}{
		{f.Format != "jsonl" && f.Format != "csv", fmt.Sprintf("--format %q: use jsonl or csv", f.Format)},
		{f.N < 0, fmt.Sprintf("--n %d: want a number of answers, or 0 for all that need people", f.N)},
		{f.Next && one(f.Disputed, f.Pairs),
			"--next draws answers that nobody judged yet; leave out --disputed and --pairs"},
		{like && one(f.Disputed, f.Pairs, f.Next),
			"--like draws a sample of its own; leave out --disputed, --pairs and --next"},
		{f.Second && one(f.Variants, f.Next, f.Disputed, f.Pairs, like), "--second is for what was labelled already; " +
			"leave out --variants, --next, --disputed, --pairs and --like"},
		{f.Second && len(f.Raters) != 1, "--second writes one sheet: name the other rater with --rater"},
		{f.Variants && one(f.Next, f.Disputed, f.Pairs, like),
			"--variants draws a sample of its own; leave out --next, --disputed, --pairs and --like"},
		{f.Disputed && f.Pairs, "--disputed is for answers, --pairs for pairs of them; use one of the two"},
		{f.Disputed && len(f.Raters) > 0,
			fmt.Sprintf("--disputed writes one sheet, for the rater %s; leave out --rater", annotate.Adjudicator)},
	} {
		if rule.broken {
			return errors.New(rule.says)
		}
	}
	if f.Disputed {
		f.Raters = []string{annotate.Adjudicator}
	} else if len(f.Raters) == 0 {
		f.Raters = []string{"rater-1", "rater-2"}
	}
	return f.checkRaters()
}

func (f *Export) checkRaters() error {
	for i, r := range f.Raters {
		if strings.TrimSpace(r) == "" || strings.ContainsAny(r, "/\\\x00\n\r") {
			return fmt.Errorf("--rater %q: want a name, such as ann", r)
		}
		if slices.Contains(f.Raters[:i], r) {
			return fmt.Errorf("--rater %q is there twice; each rater gets one sheet", r)
		}
	}
	return nil
}

// pick returns the units to be shown.
func (f *Export) pick(ctx context.Context, store run.Store, result, like *assay.Assay,
	seed uint64) ([]annotate.Item, error) {
	all := result.Pairs
	if !f.Pairs {
		all = result.Items()
	}
	items := f.shared(all, nil)
	id := result.Document.Run.ID
	switch {
	case len(items) == 0 && f.Pairs:
		return nil, fmt.Errorf("run %s has no pair of answers that was compared for semantic equivalence; "+
			"`hallmark run --equal meaning --entailment REF` compares them", id)
	case f.Pairs:
		return annotate.SamplePairs(items, f.N, seed), nil
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("run %s has no graded answer to show; `hallmark show %s` lists its models and suites",
			id, id)
	}
	switch {
	case f.Second, f.Variants, f.Next, like != nil:
		return f.pickNext(ctx, store, items, result, like, seed)
	case !f.Disputed:
		return annotate.Sample(items, f.N, seed), nil
	}
	disputed := map[string]bool{}
	for _, m := range Of(result).Audits {
		for _, d := range m.Readjudicate {
			disputed[d.Item] = true
		}
	}
	items = slices.DeleteFunc(items, func(u annotate.Item) bool { return !disputed[u.ID] })
	if len(items) == 0 {
		return nil, fmt.Errorf("run %s has no answer to adjudicate again: its raters agree, or nobody has judged yet",
			id)
	}
	return items, nil
}

// shared returns the units of the model and suite that are asked for, and of these the ones whose question
// another run answered too, where there is one.
func (f *Export) shared(items []annotate.Item, like *assay.Assay) (of []annotate.Item) {
	type asked struct{ suite, id, prompt, reference string }
	there := map[asked]bool{}
	if like != nil {
		for _, u := range like.Items() {
			there[asked{u.Suite, u.CaseID, u.Prompt, u.Reference}] = true
		}
	}
	for _, u := range items {
		if (f.Model == "" || u.Model == f.Model) && (f.Suite == "" || u.Suite == f.Suite) &&
			(like == nil || there[asked{u.Suite, u.CaseID, u.Prompt, u.Reference}]) {
			of = append(of, u)
		}
	}
	return of
}

// pickNext returns the units, or answers to variants, of which people are to say something next, by what they said so
// far.
func (f *Export) pickNext(ctx context.Context, store run.Store, items []annotate.Item, result, like *assay.Assay,
	seed uint64) ([]annotate.Item, error) {
	id := result.Document.Run.ID
	answers := f.shared(result.AnswersToVariants(), nil)
	if f.Variants && len(answers) == 0 {
		return nil, fmt.Errorf("run %s asked each question with one prompt variant, "+
			"so its rate is of the answers to these; leave out --variants", id)
	}
	annotations, err := store.Annotations(ctx, id)
	if err != nil {
		return nil, err
	}
	none := ""
	switch {
	case f.Second:
		none = "that a second rater should see: nobody labelled any, or enough have two"
		items, err = annotate.Second(slices.Concat(items, answers), annotations, f.Raters[0], f.N, seed)
	case f.Variants:
		if items, err = annotate.NextVariants(items, answers, annotations, f.N, seed); err == nil && len(items) == 0 {
			return nil, fmt.Errorf("run %s has no case left of which no answer to a variant was drawn", id)
		}
	default:
		var said map[string]grade.Outcome
		if said, err = annotate.Says(items, annotations); err != nil {
			return nil, err
		}
		if none = "that nobody judged"; like == nil {
			items = annotate.Next(items, said, f.N, seed)
			break
		}
		none = "of the common sample that nobody judged; --n draws more"
		if items, err = f.common(items, like, id); err == nil {
			items = slices.DeleteFunc(items, func(u annotate.Item) bool { return said[u.ID] != "" })
		}
	}
	if err == nil && len(items) == 0 {
		err = fmt.Errorf("run %s has no answer %s", id, none)
	}
	return items, err
}

// commonCases is how many cases a common sample has by default.
const commonCases = 100

// common returns the units of the first cases in the common order that another run has too and that ask the same there.
func (f *Export) common(items []annotate.Item, like *assay.Assay, id string) ([]annotate.Item, error) {
	type part struct{ model, suite string }
	ids, first := map[part][]string{}, map[part]map[string]bool{}
	for _, u := range f.shared(items, like) {
		at := part{u.Model, u.Suite}
		ids[at] = append(ids[at], u.CaseID)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("run %s has no answer to a question that run %s answered too", id, like.Document.Run.ID)
	}
	for at, of := range ids {
		first[at] = map[string]bool{}
		for _, c := range rate.Common(of)[:min(cmp.Or(f.N, commonCases), len(of))] {
			first[at][c] = true
		}
	}
	return slices.DeleteFunc(items, func(u annotate.Item) bool { return !first[part{u.Model, u.Suite}][u.CaseID] }), nil
}

// write writes the sheets of all raters to one stream, or each to its own file.
func (f *Export) write(items []annotate.Item, opt annotate.Options, out io.Writer) error {
	write := func(w io.Writer, rows []annotate.Row) error {
		if f.Format == "csv" {
			return annotate.WriteCSV(w, rows, f.Unblind, report.Visible)
		}
		return annotate.WriteJSONL(w, rows)
	}
	var all []annotate.Row
	for _, rater := range f.Raters {
		rows := annotate.Rows(items, rater, opt)
		if f.Output == "" {
			all = append(all, rows...)
			continue
		}
		path := f.Output
		if len(f.Raters) > 1 {
			ext := filepath.Ext(path)
			path = strings.TrimSuffix(path, ext) + "-" + rater + ext
		}
		if err := atomicfile.Write(path, func(w io.Writer) error { return write(w, rows) }); err != nil {
			return err
		}
		fmt.Fprintf(f.Notes, "sheet of %d answers for %s: %s\n", len(rows), rater, path)
	}
	if f.Output == "" {
		return write(out, all)
	}
	return nil
}
