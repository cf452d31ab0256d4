package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hallmark/internal/annotate"
	"hallmark/internal/assay"
	"hallmark/internal/atomicfile"
	"hallmark/internal/console"
	"hallmark/internal/exit"
	"hallmark/internal/grade"
	"hallmark/internal/inputfile"
	"hallmark/internal/metric/rate"
	"hallmark/internal/report"
	"hallmark/internal/run"
)

func (a *app) annotateCommand() *cobra.Command {
	return group("annotate", "Export answers for people to judge, and import their verdicts", a.annotateExport(), a.annotateImport(), a.annotateShow())
}

// An annotateDocument is what annotate import and annotate show print.
type annotateDocument struct {
	Run       string       `json:"run"`
	Stored    int          `json:"stored"`          // verdicts that this import added, one an answer and rater
	Revised   int          `json:"revised"`         // of these, those that follow another verdict of their rater
	Unchanged int          `json:"unchanged"`       // rows that say what was stored already
	Empty     int          `json:"empty"`           // rows without a verdict
	Audits    []modelAudit `json:"audits"`          // of each model on each suite that people judged answers of
	Pairs     []modelPairs `json:"pairs,omitempty"` // likewise, of pairs that were compared by meaning
}

// A modelAudit is what people said of one model's answers to one suite.
type modelAudit struct {
	Model string `json:"model"`
	Suite string `json:"suite"`
	*annotate.Result
}

// audits returns what people said of the answers of a run, by model and suite.
func audits(result *assay.Assay) []modelAudit {
	out, _ := judged(result)
	return out
}

// judged returns what people said of the answers of a run and of pairs of them, by model and suite.
func judged(result *assay.Assay) (all []modelAudit, pairs []modelPairs) {
	all = []modelAudit{}
	for _, m := range result.Document.Models {
		for _, s := range result.Document.Run.Suites {
			r := m.On(s.Name)
			if r != nil && r.Audit != nil {
				all = append(all, modelAudit{m.Model, s.Name, r.Audit})
			}
			if r != nil && r.Equality != nil && r.Equality.People != nil {
				pairs = append(pairs, modelPairs{m.Model, s.Name, r.Equality})
			}
		}
	}
	return all, pairs
}

// printAudits prints what people said, as JSON or for a terminal.
func (a *app) printAudits(doc *annotateDocument) error {
	if a.json {
		return writeJSON(a.stdout, doc)
	}
	if a.quiet {
		return nil
	}
	for _, m := range doc.Audits {
		if err := report.Audit(a.stdout, m.Result, m.Model, m.Suite, report.Style{Color: console.Colour(a.stdout), Width: console.Width(a.stdout)}); err != nil {
			return err
		}
	}
	for _, m := range doc.Pairs {
		if err := report.Equality(a.stdout, m.Equality, m.Model, m.Suite, report.Style{Color: console.Colour(a.stdout), Width: console.Width(a.stdout)}); err != nil {
			return err
		}
	}
	return nil
}

// raters lists raters with how many rows with a verdict each has.
func raters(by map[string]int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		all = append(all, fmt.Sprintf("%s: %d", report.Visible(name), by[name]))
	}
	return strings.Join(all, ", ")
}

// A modelPairs is what people said of pairs of one model's answers to one suite.
type modelPairs struct {
	Model string `json:"model"`
	Suite string `json:"suite"`
	*assay.Equality
}

func (a *app) annotateShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show [RUN]",
		Short: "Agreement of the raters, what is to be adjudicated again, and the corrected rates",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := a.openStored(cmd.Context())
			if err != nil {
				return err
			}
			defer store.Close()
			result, _, err := a.stored(cmd.Context(), store, runNamed(args))
			if err != nil {
				return err
			}
			doc := &annotateDocument{Run: result.Document.Run.ID}
			doc.Audits, doc.Pairs = judged(result)
			if len(doc.Audits) == 0 && len(doc.Pairs) == 0 {
				return exit.Usagef("run %s has no verdicts of people: `hallmark annotate export` writes sheets for them, `import` reads these back", doc.Run)
			}
			return a.printAudits(doc)
		},
	}
}

// exportFlags are the flags of `hallmark annotate export`.
type exportFlags struct {
	n        int
	raters   []string
	format   string
	unblind  bool
	disputed bool
	next     bool
	pairs    bool
	variants bool
	second   bool
	like     string
	model    string
	suite    string
	output   string
}

func (a *app) annotateExport() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export [RUN]",
		Short: "Write sheets with a seeded sample of the answers that need people",
		Long: "Write a sheet for each rater: all answers that need people (cases tagged human-audit, those a judge decided, those no grader could read,\n" +
			"and those found true but beyond their evidence) and 30 of the others, to check the oracles. Raters do not see the grader's verdict.\n" +
			"They fill in outcome with correct, incorrect or not_attempted; who looks closer also truth, decidability, reciprocity and format with pass, fail or n/a.\n" +
			"What they cannot tell they leave empty.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return exit.Usage(err)
			}
			store, err := a.openStored(cmd.Context())
			if err != nil {
				return err
			}
			defer store.Close()
			result, _, err := a.stored(cmd.Context(), store, runNamed(args))
			if err != nil {
				return err
			}
			seed := result.Document.Run.Seed
			if cmd.Flags().Changed("seed") {
				seed = a.seed
			}
			var like *assay.Assay
			if f.like != "" {
				if like, _, err = a.stored(cmd.Context(), store, f.like); err != nil {
					return err
				}
				if like.Document.Run.ID == result.Document.Run.ID {
					return exit.Usage(fmt.Errorf("--like %s: the run is compared with itself; name another run of the same questions", f.like))
				}
			}
			units, err := f.pick(cmd.Context(), store, result, like, seed)
			if err != nil {
				return exit.Usage(err)
			}
			if like != nil && len(f.shared(result.Units(), like)) < len(f.shared(result.Units(), nil)) {
				seed = 0 // of a part of the run a sample is none of the run's own
			}
			return a.writeSheets(&f, units, annotate.Options{Run: result.Document.Run.ID, Seed: seed, Unblind: f.unblind})
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&f.n, "n", 0, "at most `N` answers of each model on each suite, half of them of those that need people; 0: all of these, and 30 others")
	fs.StringArrayVar(&f.raters, "rater", nil, "write a sheet for `NAME` (repeatable); default rater-1 and rater-2")
	fs.StringVar(&f.format, "format", "", "jsonl or csv; default: by the name of the output, else jsonl")
	fs.BoolVar(&f.unblind, "unblind", false, "show the grader's verdicts and reasons, and the model")
	fs.BoolVar(&f.disputed, "disputed", false, "only the answers that are to be adjudicated again, for the rater "+annotate.Adjudicator+", who settles them")
	fs.BoolVar(&f.next, "next", false, "only answers that nobody judged yet, --n of each model on each suite (default 30), where a verdict narrows the interval of the wrong answers most")
	fs.BoolVar(&f.pairs, "pairs", false, "pairs of answers that were compared by meaning, in place of answers: --n of those joined and of those apart, 50 of each by default (docs/equality.md)")
	fs.BoolVar(&f.variants, "variants", false, "answers to all variants of the cases, for the rates over them: cases are drawn, in each one of its answers at random, --n of each model on each suite (default 30) that nobody judged yet, where a verdict narrows the interval most; the sheet shows other answers that say the same")
	fs.BoolVar(&f.second, "second", false, "answers that one rater labelled, for another: all whose label contradicts the grader, and others at random until --n (default 30) have two")
	fs.StringVar(&f.like, "like", "", "a common sample with the run `OTHER`, for comparing the two: of the cases that both have the first --n (default 100) in an order that is the same for both, less those that were judged; export it from each of the two")
	fs.StringVar(&f.model, "model", "", "only answers of this model")
	fs.StringVar(&f.suite, "suite", "", "only answers to this suite")
	fs.StringVarP(&f.output, "output", "o", "", "write to `FILE`; of several raters each to a file with the name before the ending")
	return cmd
}

func (f *exportFlags) check() error {
	if f.format == "" {
		f.format = "jsonl"
		if strings.EqualFold(filepath.Ext(f.output), ".csv") {
			f.format = "csv"
		}
	}
	one := func(of ...bool) bool { return slices.Contains(of, true) }
	like := f.like != ""
	switch {
	case f.format != "jsonl" && f.format != "csv":
		return fmt.Errorf("--format %q: use jsonl or csv", f.format)
	case f.n < 0:
		return fmt.Errorf("--n %d: want a number of answers, or 0 for all that need people", f.n)
	case f.next && one(f.disputed, f.pairs):
		return fmt.Errorf("--next draws answers that nobody judged yet; leave out --disputed and --pairs")
	case like && one(f.disputed, f.pairs, f.next):
		return fmt.Errorf("--like draws a sample of its own; leave out --disputed, --pairs and --next")
	case f.second && one(f.variants, f.next, f.disputed, f.pairs, like):
		return fmt.Errorf("--second is for what was labelled already; leave out --variants, --next, --disputed, --pairs and --like")
	case f.second && len(f.raters) != 1:
		return fmt.Errorf("--second writes one sheet: name the other rater with --rater")
	case f.variants && one(f.next, f.disputed, f.pairs, like):
		return fmt.Errorf("--variants draws a sample of its own; leave out --next, --disputed, --pairs and --like")
	case f.disputed && f.pairs:
		return fmt.Errorf("--disputed is for answers, --pairs for pairs of them; use one of the two")
	case f.disputed && len(f.raters) > 0:
		return fmt.Errorf("--disputed writes one sheet, for the rater %s; leave out --rater", annotate.Adjudicator)
	}
	if f.disputed {
		f.raters = []string{annotate.Adjudicator}
	} else if len(f.raters) == 0 {
		f.raters = []string{"rater-1", "rater-2"}
	}
	seen := map[string]bool{}
	for _, r := range f.raters {
		if strings.TrimSpace(r) == "" || strings.ContainsAny(r, "/\\\x00\n\r") {
			return fmt.Errorf("--rater %q: want a name, such as ann", r)
		}
		if seen[r] {
			return fmt.Errorf("--rater %q is there twice; each rater gets one sheet", r)
		}
		seen[r] = true
	}
	return nil
}

// pick returns the units to be shown.
func (f *exportFlags) pick(ctx context.Context, store run.Store, result, like *assay.Assay, seed uint64) ([]annotate.Unit, error) {
	all := result.Pairs
	if !f.pairs {
		all = result.Units()
	}
	units := f.shared(all, nil)
	id := result.Document.Run.ID
	switch {
	case len(units) == 0 && f.pairs:
		return nil, fmt.Errorf("run %s has no pair of answers that was compared by meaning; `hallmark run --equal meaning --entailment REF` compares them", id)
	case f.pairs:
		return annotate.SamplePairs(units, f.n, seed), nil
	}
	if len(units) == 0 {
		return nil, fmt.Errorf("run %s has no graded answer to show; `hallmark show %s` lists its models and suites", id, id)
	}
	switch {
	case f.second, f.variants, f.next, like != nil:
		return f.pickNext(ctx, store, units, result, like, seed)
	case !f.disputed:
		return annotate.Sample(units, f.n, seed), nil
	}
	disputed := map[string]bool{}
	for _, m := range audits(result) {
		for _, d := range m.Readjudicate {
			disputed[d.Unit] = true
		}
	}
	units = slices.DeleteFunc(units, func(u annotate.Unit) bool { return !disputed[u.ID] })
	if len(units) == 0 {
		return nil, fmt.Errorf("run %s has no answer to adjudicate again: its raters agree, or nobody has judged yet", id)
	}
	return units, nil
}

// shared returns the units of the model and suite that are asked for, and of these the ones whose question another run answered too, where there is one.
func (f *exportFlags) shared(units []annotate.Unit, like *assay.Assay) (of []annotate.Unit) {
	type asked struct{ suite, id, prompt, reference string }
	there := map[asked]bool{}
	if like != nil {
		for _, u := range like.Units() {
			there[asked{u.Suite, u.CaseID, u.Prompt, u.Reference}] = true
		}
	}
	for _, u := range units {
		if (f.model == "" || u.Model == f.model) && (f.suite == "" || u.Suite == f.suite) && (like == nil || there[asked{u.Suite, u.CaseID, u.Prompt, u.Reference}]) {
			of = append(of, u)
		}
	}
	return of
}

// pickNext returns the units, or answers to variants, of which people are to say something next, by what they said so
// far.
func (f *exportFlags) pickNext(ctx context.Context, store run.Store, units []annotate.Unit, result, like *assay.Assay,
	seed uint64) ([]annotate.Unit, error) {
	id := result.Document.Run.ID
	answers := f.shared(result.AnswersToVariants(), nil)
	if f.variants && len(answers) == 0 {
		return nil, fmt.Errorf("run %s asked each question in one wording, so its rate is of the answers to these; leave out --variants", id)
	}
	kept, ok := store.(run.AnnotationStore)
	if !ok {
		return nil, fmt.Errorf("the store keeps no annotations; leave out --next, --like and --variants")
	}
	annotations, err := kept.Annotations(ctx, id)
	if err != nil {
		return nil, err
	}
	none := ""
	switch {
	case f.second:
		none = "that a second rater should see: nobody labelled any, or enough have two"
		units, err = annotate.Second(slices.Concat(units, answers), annotations, f.raters[0], f.n, seed)
	case f.variants:
		if units, err = annotate.NextVariants(units, answers, annotations, f.n, seed); err == nil && len(units) == 0 {
			return nil, fmt.Errorf("run %s has no case left of which no answer to a variant was drawn", id)
		}
	default:
		var said map[string]grade.Outcome
		if said, err = annotate.Says(units, annotations); err != nil {
			return nil, err
		}
		if none = "that nobody judged"; like == nil {
			units = annotate.Next(units, said, f.n, seed)
			break
		}
		none = "of the common sample that nobody judged; --n draws more"
		if units, err = f.common(units, like, id); err == nil {
			units = slices.DeleteFunc(units, func(u annotate.Unit) bool { return said[u.ID] != "" })
		}
	}
	if err == nil && len(units) == 0 {
		err = fmt.Errorf("run %s has no answer %s", id, none)
	}
	return units, err
}

// commonCases is how many cases a common sample has by default.
const commonCases = 100

// common returns the units of the first cases in the common order that another run has too and that ask the same there.
func (f *exportFlags) common(units []annotate.Unit, like *assay.Assay, id string) ([]annotate.Unit, error) {
	type part struct{ model, suite string }
	ids, first := map[part][]string{}, map[part]map[string]bool{}
	for _, u := range f.shared(units, like) {
		at := part{u.Model, u.Suite}
		ids[at] = append(ids[at], u.CaseID)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("run %s has no answer to a question that run %s answered too", id, like.Document.Run.ID)
	}
	for at, of := range ids {
		first[at] = map[string]bool{}
		for _, c := range rate.Common(of)[:min(cmp.Or(f.n, commonCases), len(of))] {
			first[at][c] = true
		}
	}
	return slices.DeleteFunc(units, func(u annotate.Unit) bool { return !first[part{u.Model, u.Suite}][u.CaseID] }), nil
}

// writeSheets writes the sheets of all raters to one stream, or each to its own file.
func (a *app) writeSheets(f *exportFlags, units []annotate.Unit, opt annotate.Options) error {
	write := func(w io.Writer, rows []annotate.Row) error {
		if f.format == "csv" {
			return annotate.WriteCSV(w, rows, f.unblind, report.Visible)
		}
		return annotate.WriteJSONL(w, rows)
	}
	var all []annotate.Row
	for _, rater := range f.raters {
		rows := annotate.Rows(units, rater, opt)
		if f.output == "" {
			all = append(all, rows...)
			continue
		}
		path := f.output
		if len(f.raters) > 1 {
			ext := filepath.Ext(path)
			path = strings.TrimSuffix(path, ext) + "-" + rater + ext
		}
		if err := atomicfile.Write(path, func(w io.Writer) error { return write(w, rows) }); err != nil {
			return err
		}
		if !a.quiet {
			fmt.Fprintf(a.stderr, "sheet of %d answers for %s: %s\n", len(rows), rater, path)
		}
	}
	if f.output == "" {
		return write(a.stdout, all)
	}
	return nil
}

func (a *app) annotateImport() *cobra.Command {
	var revise bool
	cmd := &cobra.Command{
		Use:   "import RUN FILE…",
		Short: "Store people's verdicts beside a run, and print what they say",
		Long: "Read filled sheets (JSONL or CSV), store them beside the run and print the raters' agreement, the answers to adjudicate again\n" +
			"and the corrected rates. Nothing is stored unless every row of every file reads. The file - is standard input.",
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			inputs, closeAll, err := inputfile.Inputs(a.stdin, args[1:])
			if err != nil {
				return exit.Usage(err)
			}
			defer closeAll()
			store, err := a.openStored(cmd.Context())
			if err != nil {
				return err
			}
			defer store.Close()
			annotations, ok := store.(run.AnnotationStore)
			if !ok {
				return exit.Usagef("the store %s keeps no annotations", a.runs.Store)
			}
			result, plan, err := a.stored(cmd.Context(), store, args[0])
			if err != nil {
				return err
			}
			id := result.Document.Run.ID
			in := &annotate.Intake{Run: id, Units: slices.Concat(result.Units(), result.AnswersToVariants(), result.Pairs), Revise: revise, Show: report.Visible}
			if in.Stored, err = annotations.Annotations(cmd.Context(), id); err != nil {
				return err
			}
			for _, x := range inputs {
				if err := in.Read(x.Name, x.Reader); err != nil {
					return exit.Usage(err)
				}
			}
			if len(in.New)+in.Unchanged == 0 {
				return exit.Usagef("%s: no row has a verdict: fill in outcome with correct, incorrect or not_attempted, or truth, decidability, reciprocity or format with pass, fail or n/a", strings.Join(args[1:], ", "))
			}
			for _, file := range in.Shared {
				a.log.Warn("the sheet has verdicts of several raters: agreement counts them as people who judged apart", "sheet", file)
			}
			in.At(a.now())
			if err := annotations.Annotate(cmd.Context(), in.New); err != nil {
				return err
			}
			if result, err = assay.Evaluate(cmd.Context(), store, plan, version); err != nil {
				return err
			}
			h, err := store.Run(cmd.Context(), id)
			if err != nil {
				return err
			}
			if h.Result != nil { // the stored document is the run's as it now stands
				if h.Result, err = json.Marshal(result.Document); err != nil {
					return err
				}
				if err := store.PutRun(cmd.Context(), h); err != nil {
					return err
				}
			}
			if !a.quiet && !a.json {
				fmt.Fprintf(a.stderr, "%d verdicts stored, %d of them revised; %d were stored before, %d rows are empty; read of %s\n", len(in.New), in.Revised, in.Unchanged, in.Empty, raters(in.By))
			}
			answers, pairs := judged(result)
			return a.printAudits(&annotateDocument{id, len(in.New), in.Revised, in.Unchanged, in.Empty, answers, pairs})
		},
	}
	cmd.Flags().BoolVar(&revise, "revise", false, "let a rater's new verdict count instead of an earlier one, which stays in the store")
	return cmd
}
