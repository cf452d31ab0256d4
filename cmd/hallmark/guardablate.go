package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/assay"
	"hallmark/internal/figure"
	"hallmark/internal/guard"
	"hallmark/internal/metric/rate"
	"hallmark/internal/model/hosted"
	"hallmark/internal/run"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
)

// guardable are the tags of the pressures that a guard can see from where it stands: context, identifiers, ambiguity, premises, arithmetic.
var guardable = []string{"retrieval", "conflict-rag", "id-precision", "nonexistent-citation", "ambiguity", "false-premise", "calc"}

// An Ablation is the guard with its parts switched off in turn, each a stored run compared with the run without a guard.
type Ablation struct {
	Suite     string        `json:"suite"`
	Model     string        `json:"model"`
	Index     string        `json:"index"`
	Guardable []string      `json:"guardable"`          // the tags of the cases that count as guardable
	Wordings  bool          `json:"wordings,omitempty"` // the cases are other phrasings of the suite's, several of one case
	Rows      []AblationRow `json:"rows"`
}

// An AblationRow is one configuration.
type AblationRow struct {
	Name   string                   `json:"name"`
	Run    string                   `json:"run"`
	Flags  []string                 `json:"flags"` // of `hallmark run`
	Groups map[string]AblationGroup `json:"groups"`
	Acts   map[string]int           `json:"acts,omitempty"` // what the guard did, by guard.Act
}

// An AblationGroup holds the rates of some cases.
type AblationGroup struct {
	N             int            `json:"n"`          // cases of which H is known
	Ungradable    int            `json:"ungradable"` // cases whose answer could not be graded, in no rate
	Commission    *stat.Rate     `json:"commission"`
	OverRefusal   *stat.Rate     `json:"over_refusal"`
	Undecided     *stat.Rate     `json:"undecided"`
	Hallucination *stat.Rate     `json:"hallucination"`
	Reduction     *stat.Estimate `json:"commission_reduction,omitempty"` // against the run without a guard
	McNemarP      *float64       `json:"mcnemar_p,omitempty"`            // of hallucination, against the same
}

func (a *app) guardAblate() *cobra.Command {
	var suiteName, modelRef, index, tags, choices string
	var coverages, only []string
	var models modelFlags
	var concurrency int
	var wordings bool
	cmd := &cobra.Command{
		Use:   "ablate --index FILE",
		Short: "Measure the guard with its layers, its tests and its index taken away in turn",
		Long: "Run a suite without a guard, with the whole guard, without each layer and each test, with each alone, and at parts of the index, and " +
			"print commission, over-refusal and hallucination of each as a Markdown table (or JSON). Every row is a stored run that `hallmark compare` takes. " +
			"Inner calls are recorded, so that rows share them and a repeated command asks nothing. With --wordings the questions are the guardable cases in the " +
			"suite's other phrasings, each a case of its own.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if index == "" {
				return usagef("guard ablate needs an index: --index FILE; `hallmark guard index -o FILE` writes that of the built-in world")
			}
			b := &ablater{app: a, suite: suiteName, model: modelRef, index: index, models: models, concurrency: concurrency, choices: choices, tags: strings.Split(tags, ","), only: only, wordings: wordings}
			var parts []float64
			for _, c := range coverages {
				var p float64
				if _, err := fmt.Sscanf(strings.TrimSpace(c)+"\n", "%g\n", &p); err != nil || !(p >= 0 && p <= 100) {
					return usagef("--coverage %q: want percentages from 0 to 100, as 100,80,50,0", c)
				}
				parts = append(parts, p)
			}
			result, err := b.run(cmd.Context(), parts)
			if err != nil {
				return err
			}
			if a.json {
				return writeJSON(a.stdout, result)
			}
			return result.markdown(a.stdout)
		},
	}
	f := cmd.Flags()
	f.StringVar(&suiteName, "suite", "pocket", "built-in suite or `FILE`")
	f.StringVar(&modelRef, "model", "pocket", "model `REF`")
	f.StringVar(&index, "index", "", "`FILE` of what the deployment knows to exist")
	f.StringSliceVar(&coverages, "coverage", []string{"100", "80", "50", "0"}, "parts of the index, in percent")
	f.StringVar(&choices, "choices", assay.Defaults().Choices, "multiple choice without letters: score the options, which no guard sees, or generate with letters shown")
	f.StringSliceVar(&only, "rows", nil, "make only the rows whose names hold one of these `WORDS`, beside the run without a guard")
	f.StringVar(&tags, "guardable", strings.Join(guardable, ","), "tags of the cases that count as guardable")
	f.BoolVar(&wordings, "wordings", false, "ask the guardable cases in the suite's other phrasings instead")
	f.IntVarP(&concurrency, "concurrency", "j", 0, "calls in flight; 0: 16 to a server, one per core in process")
	models.add(f)
	return cmd
}

// An ablater makes the rows of an ablation.
type ablater struct {
	*app
	suite, model, index string
	choices             string
	models              modelFlags
	concurrency         int
	tags, only          []string
	wordings            bool // the cases are the other phrasings of the guardable ones

	full *guard.Inventory
	base []rate.Row
}

// flags returns the flags of one row's run.
func (b *ablater) flags(change func(*guardFlags)) *runFlags {
	f := &runFlags{}
	f.add(pflag.NewFlagSet("run", pflag.ContinueOnError))
	f.suites, f.models, f.methods, f.concurrency, f.modelFlags = []string{b.suite}, []string{b.model}, []string{assay.Rubric}, b.concurrency, b.models
	f.sampled, f.repeats, f.choices = 0, 1, b.choices
	if f.api == "" {
		f.api = string(hosted.Chat)
	}
	if change != nil {
		f.guard.on, f.guard.index = true, b.index
		change(&f.guard)
	}
	return f
}

func (b *ablater) run(ctx context.Context, coverages []float64) (*Ablation, error) {
	first := b.flags(func(*guardFlags) {})
	if err := first.guard.resolve("", b.seed); err != nil {
		return nil, usage(err)
	}
	b.full = first.guard.config.Inventory
	out := &Ablation{Suite: b.suite, Model: b.model, Index: b.full.Hash(), Guardable: b.tags, Wordings: b.wordings}
	row := func(name string, change func(*guardFlags)) error {
		r, err := b.row(ctx, name, b.flags(change))
		if err == nil {
			out.Rows = append(out.Rows, *r)
		}
		return err
	}
	off := func(parts ...string) func(*guardFlags) { return func(f *guardFlags) { f.off = parts } }
	but := func(all []string, one string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == one })
	}
	errs := row("no guard", nil)
	step := func(name string, change func(*guardFlags)) {
		wanted := len(b.only) == 0 || slices.ContainsFunc(b.only, func(w string) bool { return strings.Contains(name, strings.TrimSpace(w)) })
		if errs == nil && wanted {
			errs = row(name, change)
		}
	}
	step("guard", off())
	for _, layer := range guard.Layers {
		step("without "+layer, off(layer))
	}
	for _, test := range guard.Tests {
		step("without "+test, off(test))
	}
	step("without correction", off(guard.Correction))
	step("without repair", func(f *guardFlags) { f.repairs = 0 })
	step("one candidate", func(f *guardFlags) { f.candidates = 1 })
	for _, layer := range guard.Layers {
		step("only "+layer, off(but(guard.Layers, layer)...))
	}
	for _, test := range guard.Tests {
		step("only "+test, off(append(but(guard.Tests, test), guard.ChainLayer, guard.Adjudication)...))
	}
	for _, c := range coverages {
		if c < 100 {
			step(fmt.Sprintf("index at %g %%", c), func(f *guardFlags) { f.coverage = c })
		}
	}
	return out, errs
}

// row runs one configuration, or reads it from the store.
func (b *ablater) row(ctx context.Context, name string, f *runFlags) (*AblationRow, error) {
	plan, _, err := b.resolve(f)
	if err != nil {
		return nil, usage(err)
	}
	store, err := b.openStore(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	if b.wordings {
		w := plan.Suites[0].Wordings(func(c *suite.Case) bool { return b.guardable(c.Class, c.Tags) })
		if len(w.Cases) == 0 {
			return nil, usagef("--wordings: suite %s has no guardable case with phrasings; list them under phrasings", b.suite)
		}
		plan.Suites[0] = w
	}
	subjects, err := b.subjects(ctx, store, f, plan)
	if err != nil {
		return nil, err
	}
	defer subjects.close()
	if _, err := plan.Validate(); err != nil {
		return nil, usage(err)
	}
	if len(plan.Models) != 1 {
		return nil, usagef("--model %s: an ablation is of one model", b.model)
	}
	budget, err := openPurse(ctx, store, plan.ID(), run.Budget{}, b.now)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(b.probe(ctx, store, plan, subjects, false, budget), budget.close(ctx)); err != nil {
		return nil, err
	}
	header, err := b.begin(ctx, store, plan, b.now())
	if err != nil {
		return nil, err
	}
	if _, err := b.ask(ctx, store, subjects, plan, &header, *f, budget); err != nil {
		return nil, err
	}
	result, err := assay.Evaluate(ctx, store, plan, version)
	if err != nil {
		return nil, err
	}
	rows := result.Rows[0]
	r := &AblationRow{Name: name, Run: plan.ID(), Flags: plan.Models[0].Guard, Groups: map[string]AblationGroup{}}
	if b.base == nil {
		b.base = rows
	}
	guardable := func(c rate.Row) bool { return b.guardable(c.Class, c.Tags) }
	b.group(r, "guardable", rows, guardable)
	b.group(r, "other", rows, func(c rate.Row) bool { return !guardable(c) })
	b.group(r, "all", rows, func(rate.Row) bool { return true })
	if f.guard.on {
		absent := b.absent(plan.Suites[0], f.guard.config.Inventory)
		b.group(r, "guardable_in_index", rows, func(c rate.Row) bool { return guardable(c) && !absent[c.CaseID] })
		b.group(r, "guardable_absent", rows, func(c rate.Row) bool { return guardable(c) && absent[c.CaseID] })
		r.Acts = map[string]int{}
		calls, _, again := plan.Calls()
		if again != nil {
			return nil, again
		}
		var keys []run.Key
		for c := range calls {
			keys = append(keys, c.Key())
		}
		err = run.EachKey(ctx, store, keys, func(_ int, rec *run.Record) error {
			var t guard.Trace
			if rec != nil && rec.Response != nil && json.Unmarshal(rec.Response.Raw, &t) == nil && t.Act != "" {
				r.Acts[string(t.Act)]++
			}
			return nil
		})
	}
	return r, err
}

// guardable reports whether a case of that class and those tags counts as guardable.
func (b *ablater) guardable(class string, tags []string) bool {
	return slices.ContainsFunc(b.tags, func(t string) bool { return class == t || slices.Contains(tags, t) })
}

// group adds the rates of those cases that belong to it.
func (b *ablater) group(r *AblationRow, name string, rows []rate.Row, belongs func(rate.Row) bool) {
	pick := func(rows []rate.Row) []rate.Row {
		return slices.DeleteFunc(slices.Clone(rows), func(c rate.Row) bool { return !belongs(c) })
	}
	rows = pick(rows)
	if len(rows) == 0 {
		return
	}
	res := rate.Analyze(rows, rate.Options{Level: level})
	g := AblationGroup{N: res.N, Ungradable: res.Unread, Commission: res.Commission, OverRefusal: res.OverRefusal, Undecided: res.Undecided, Hallucination: res.Hallucination}
	if r.Flags != nil {
		c := rate.Compare(pick(b.base), rows, rate.Options{Level: level})
		g.Reduction, g.McNemarP = c.CommissionReduction, &c.McNemarP
	}
	r.Groups[name] = g
}

// absent tells of each case whether its question names something of the whole index that the part lacks.
func (b *ablater) absent(s *suite.Suite, part *guard.Inventory) map[string]bool {
	known := map[string]bool{}
	for _, e := range part.Entities {
		known[e.Name] = true
	}
	absent := map[string]bool{}
	for _, c := range s.Cases {
		named := b.full.Mentions(c.Prompt)
		if len(named) == 0 { // a surname alone: all of its bearers
			for _, e := range b.full.Entities {
				if last := e.Name[strings.LastIndexByte(e.Name, ' ')+1:]; e.Kind == "person" && strings.Contains(c.Prompt, last) {
					named = append(named, e.Name)
				}
			}
		}
		if slices.ContainsFunc(named, func(name string) bool { return !known[name] }) {
			absent[c.ID] = true
		}
	}
	return absent
}

// ungradable returns the fewest and the most answers of a row that could not be graded.
func (x *Ablation) ungradable() (least, most int) {
	least = x.Rows[0].Groups["all"].Ungradable
	for _, r := range x.Rows {
		u := r.Groups["all"].Ungradable
		least, most = min(least, u), max(most, u)
	}
	return least, most
}

// markdown writes the ablation as tables.
func (x *Ablation) markdown(w io.Writer) error {
	percent := func(r *stat.Rate) string {
		if r == nil {
			return "–"
		}
		return figure.Bracketed(tenths, "", r.Value, r.Lo, r.Hi)
	}
	var err error
	print := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, format, args...)
		}
	}
	n := x.Rows[0].Groups
	if x.Wordings {
		print("%s on %s in other wordings, index %s; percent of questions with 95 %% intervals, which are too narrow, as several are of one case\n\n", x.Model, x.Suite, x.Index)
	} else {
		print("%s on %s, index %s; percent of cases with 95 %% intervals\n\n", x.Model, x.Suite, x.Index)
	}
	cases := func(group string) int { return n[group].N + n[group].Ungradable }
	others := cases("other") > 0 // none where other wordings are asked
	head, rule := fmt.Sprintf("| | commission, %d guardable | reduction | over-refusal | H |", cases("guardable")), "| --- | --- | --- | --- | --- |"
	if others {
		head += fmt.Sprintf(" commission, %d others | over-refusal | H | H, all %d |", cases("other"), cases("all"))
		rule += " --- | --- | --- | --- |"
	}
	print("%s\n%s\n", head, rule)
	for _, r := range x.Rows {
		g, o, all := r.Groups["guardable"], r.Groups["other"], r.Groups["all"]
		reduction := "–"
		if i := g.Reduction; i != nil {
			reduction = fmt.Sprintf("%.0f [%.0f, %.0f]", 100*i.Value, 100*math.Max(i.Lo, -9.99), 100*i.Hi)
		}
		print("| %s | %s | %s | %s | %s |", r.Name, percent(g.Commission), reduction, percent(g.OverRefusal), percent(g.Hallucination))
		if others {
			print(" %s | %s | %s | %s |", percent(o.Commission), percent(o.OverRefusal), percent(o.Hallucination), percent(all.Hallucination))
		}
		print("\n")
	}
	if least, most := x.ungradable(); most > 0 {
		print("\n%d to %d of the %d answers of a row could not be graded and are in no rate.\n", least, most, cases("all"))
	}
	print("\n| guardable cases that name | n | commission | over-refusal | H |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range x.Rows {
		if r.Name != "guard" && !strings.HasPrefix(r.Name, "index") {
			continue
		}
		for _, part := range []struct{ key, title string }{{"guardable_in_index", "only what the index has"}, {"guardable_absent", "something that it lacks"}} {
			if g, ok := r.Groups[part.key]; ok {
				print("| %s: %s | %d | %s | %s | %s |\n", r.Name, part.title, g.N, percent(g.Commission), percent(g.OverRefusal), percent(g.Hallucination))
			}
		}
	}
	print("\n| what the guard did | passed | replaced | repaired | corrected | asked | abstained |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range x.Rows {
		if r.Acts != nil {
			print("| %s | %d | %d | %d | %d | %d | %d |\n", r.Name, r.Acts["passed"], r.Acts["replaced"], r.Acts["repaired"], r.Acts["corrected"], r.Acts["asked"], r.Acts["abstained"])
		}
	}
	return err
}
