package assay

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"hallmark/internal/archtest"
	"hallmark/internal/assay/annotate"
	"hallmark/internal/grade"
	"hallmark/internal/metric/rate"
	"hallmark/internal/model"
	"hallmark/internal/model/simulated"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/suite"
)

// misread returns a suite of the same questions whose golds are wrong: one case in seven takes another answer for
// right, and one in five every answer that a phantom invents. So a grader that reads by it errs as an imperfect one
// does.
func misread(t testing.TB, s *suite.Suite) *suite.Suite {
	var b strings.Builder
	b.WriteString("suite: {name: phantom, version: \"1\"}\ncases:\n")
	for i, c := range s.Cases.All() {
		gold := "Astoria"
		switch {
		case i%7 == 3:
			gold = "Lisbon"
		case i%5 == 1:
			gold = "[Astoria, " + "Zembla, Ruritania, Freedonia" + "]"
		}
		var words []string
		for _, p := range c.Phrasings {
			words = append(words, fmt.Sprintf("%q", p))
		}
		fmt.Fprintf(&b, "  - {id: %s, tags: [%s], prompt: %q, gold: %s, phrasings: [%s]}\n", c.ID, strings.Join(c.Tags, ", "),
			c.Prompt, gold, strings.Join(words, ", "))
	}
	return read(t, "phantom.yaml", b.String())
}

// A labelledRun is a whole run that was read by golds that err, and how its answers truly are.
type labelledRun struct {
	plan  Plan
	store run.Store
	truth map[string]grade.Outcome // by case and variant
}

func whereIs(u *annotate.Item) string { return fmt.Sprint(u.CaseID, " ", u.Variant) }

// runToLabel makes the calls of a phantom on true golds, and reads them by these for the truth.
func runToLabel(t testing.TB, s, erring *suite.Suite, rates simulated.Profile, seed uint64) *labelledRun {
	rates.Seed = &seed
	m := simulated.New(rates, simulated.FromSuites([]*suite.Suite{s}))
	l := &labelledRun{plan: Defaults(), store: inmemory.New(), truth: map[string]grade.Outcome{}}
	l.plan.Models, l.plan.Suites, l.plan.Repeats, l.plan.Seed = []UnderTest{{Ref: "phantom", Identity: m.Identity()}},
		[]*suite.Suite{s}, 1, seed
	calls, _, err := l.plan.Calls()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Execute(t.Context(), l.store, map[string]model.Model{m.Identity(): m}, calls,
		run.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, u := range evaluate(t, &l.plan, l.store).AnswersToVariants() {
		l.truth[whereIs(&u)] = u.Grade.Outcome()
	}
	l.plan.Suites = []*suite.Suite{erring}
	return l
}

// label stores what a person who knows says of answers.
func (l *labelledRun) label(t testing.TB, id string, items []annotate.Item, seed uint64) {
	in := &annotate.Intake{Run: id, Items: items, Show: func(s string) string { return s }}
	var b strings.Builder
	for _, r := range annotate.Rows(items, "ann", annotate.Options{Run: id, Seed: seed}) {
		u := &items[slices.IndexFunc(items, func(u annotate.Item) bool { return u.ID == r.Unit })]
		r.Outcome = string(l.truth[whereIs(u)])
		if err := annotate.WriteJSONL(&b, []annotate.Row{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := in.Read("sheet", strings.NewReader(b.String())); err != nil {
		t.Fatal(err)
	}
	in.At(time.Unix(1, 0))
	if err := l.store.(run.AnnotationStore).Annotate(t.Context(), in.New); err != nil {
		t.Fatal(err)
	}
}

// What labels correct holds the truth in whole runs, from the calls over the sheet to the document: of golds that take
// 14 % of the right answers for wrong and 17 % of the wrong ones for right, over the default prompts, over all variants
// and between two runs.
func TestPhantomLabels(t *testing.T) {
	if archtest.Race {
		t.Skip("a simulation: the race detector sees the same code in other tests")
	}
	s := questions(t, 3, stratum{"all", "", 200})
	erring := misread(t, s)
	rates, better := profileOf(t, designs[0].rates), profileOf(t, "{prompt_agnostic_factual: .6, "+
		"prompt_agnostic_error: .1, randomness: .1, decline: .15, unread: .05}")
	// Wrong: error, and half of random. Declines and empty answers are not attempted.
	const wrong, wrongBetter = .15 + .1, .1 + .05
	type figure struct {
		name  string
		truth float64
	}
	figures := []figure{{"incorrect", wrong}, {"correct", .6}, {"not_attempted", .15}, {"over_variants.incorrect", wrong},
		{"difference.incorrect", wrongBetter - wrong}, {"difference.not_attempted", .05}}
	held, asRead, width := make([]int, len(figures)), make([]int, len(figures)), make([]float64, len(figures))
	runs := archtest.Draws(2, 20, 300)
	for i := range runs {
		base, other := runToLabel(t, s, erring, rates, uint64(1+i)), runToLabel(t, s, erring, better, uint64(1_000_001+i))
		var rows [2][]rate.Row
		var was, is *rate.Result
		for k, l := range []*labelledRun{base, other} {
			a := evaluate(t, &l.plan, l.store)
			id := a.Document.Run.ID
			if k == 0 {
				was = a.Document.Models[0].On("phantom").Rubric
				l.label(t, id, annotate.Sample(a.Items(), 60, uint64(1+i)), uint64(1+i))
				picks, err := annotate.NextVariants(a.Items(), a.AnswersToVariants(), nil, 60, uint64(1+i))
				if err != nil {
					t.Fatal(err)
				}
				l.label(t, id, picks, uint64(1+i))
				is = evaluate(t, &l.plan, l.store).Document.Models[0].On("phantom").Rubric
			}
			var ids []string
			for _, u := range a.Items() {
				ids = append(ids, u.CaseID)
			}
			common := rate.Common(ids)[:60]
			fresh := &labelledRun{plan: l.plan, store: freshLabels{l.store, inmemory.New()}, truth: l.truth}
			fresh.label(t, id, slices.DeleteFunc(a.Items(), func(u annotate.Item) bool {
				return !slices.Contains(common, u.CaseID)
			}), 0)
			rows[k] = evaluate(t, &fresh.plan, fresh.store).Rows(0)
		}
		c := rate.Compare(rows[0], rows[1], rate.Options{Seed: uint64(i)}).Outcomes
		if is.Outcomes.Grading.State != rate.CorrectedByLabels ||
			is.OverVariants.Outcomes.Grading.State != rate.CorrectedByLabels || c.Grading.State != rate.CorrectedByLabels {
			t.Fatalf("run %d: %s, %s over variants, %s between runs", i, is.Outcomes.Grading.State,
				is.OverVariants.Outcomes.Grading.State, c.Grading.State)
		}
		type bounds struct{ lo, hi float64 }
		share := func(s *rate.Share) bounds { return bounds{s.Lo, s.Hi} }
		difference := func(d *rate.Bounded) bounds { return bounds{d.Lo, d.Hi} }
		for j, x := range [][2]bounds{
			{share(is.Outcomes.Incorrect), share(was.Outcomes.Incorrect)},
			{share(is.Outcomes.Correct), share(was.Outcomes.Correct)},
			{share(is.Outcomes.NotAttempted), share(was.Outcomes.NotAttempted)},
			{share(is.OverVariants.Outcomes.Incorrect), share(was.OverVariants.Outcomes.Incorrect)},
			{difference(c.Difference.Incorrect), difference(c.Grading.Read.Incorrect)},
			{difference(c.Difference.NotAttempted), difference(c.Grading.Read.NotAttempted)},
		} {
			truth := figures[j].truth
			if holds(truth, x[0].lo, x[0].hi) {
				held[j]++
			}
			if holds(truth, x[1].lo, x[1].hi) {
				asRead[j]++
			}
			width[j] += (x[0].hi - x[0].lo) / float64(runs)
		}
	}
	var b strings.Builder
	b.WriteString("| figure | truth | covered | width | covered as read |\n| --- | --- | --- | --- | --- |\n")
	for j, f := range figures {
		share := func(k int) float64 { return float64(k) / float64(runs) }
		fmt.Fprintf(&b, "| %s | %.2f | %.3f | %.3f | %.3f |\n", f.name, f.truth, share(held[j]), width[j], share(asRead[j]))
		const least = .93
		if share(held[j]) < least-2.5*math.Sqrt(least*(1-least)/float64(runs)) {
			t.Errorf("%s: %d of %d intervals hold %v", f.name, held[j], runs, f.truth)
		}
	}
	t.Log("\n" + b.String())
	asRecorded(t, "labels", b.String())
}

// freshLabels is a store with the records of one and the annotations of another.
type freshLabels struct {
	run.Store
	labels run.AnnotationStore
}

func (f freshLabels) Annotate(ctx context.Context, list []run.Annotation) error {
	return f.labels.Annotate(ctx, list)
}

func (f freshLabels) Annotations(ctx context.Context, id string) ([]run.Annotation, error) {
	return f.labels.Annotations(ctx, id)
}
