package assay

import (
	"context"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/text/paraphrase"
)

const asking = `{"suite": {"name": "asking"}}
{"id": "spain", "prompt": "What is the capital of Spain?", "gold": "Madrid"}
{"id": "also", "prompt": "What is the capital of Spain?", "gold": "Madrid"}
{"id": "many", "prompt": "How many of the 12 moons are red?", "gold": "3"}
`

// answering stores a reply to every call that has one; what reply returns "" for stays unasked.
func answering(t *testing.T, store run.Store, calls []run.Call, reply func(prompt string) string) {
	t.Helper()
	var records []run.Record
	for _, c := range calls {
		if text := reply(c.Request.Prompt); text != "" {
			records = append(records, run.Record{Call: c, Response: &model.Response{Text: &text,
				Usage: model.Usage{PromptTokens: 7, CompletionTokens: 2}}, Attempts: 1})
		}
	}
	if err := store.Add(t.Context(), records); err != nil {
		t.Fatal(err)
	}
}

// waves makes the calls of a plan, wave by wave, and returns how many there were of each.
func waves(t *testing.T, p *Plan, store run.Store, reply func(string) string) (counts []int) {
	t.Helper()
	counts = make([]int, 4)
	err := p.Ask(t.Context(), store, false, func(w Wave) error {
		counts[slices.Index([]string{ForParaphrases, ForEquivalence, ForVariants, ForJudge},
			w.For)] = len(slices.Collect(w.Calls))
		answering(t, store, slices.Collect(w.Calls), reply)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

func paraphrased(t *testing.T, x *Paraphrasing, n int) *Plan {
	p := plan(read(t, "asking.jsonl", asking))
	p.Variants, p.Paraphrasing, p.Repeats = []prompt.Spec{{Kind: prompt.Paraphrases, N: n}}, x, 1
	return p
}

func scripted(q string) string {
	switch {
	case strings.Contains(q, "First text:"):
		if strings.Contains(q, "Spain has which capital?") {
			return "No, it does not."
		}
		return "yes"
	case strings.Contains(q, "other ways"):
		if strings.Contains(q, "Spain") {
			return "1. Name the capital of Spain.\n2. Spain has which capital?\n3. Name the capital of France.\n4. name the capital of spain"
		}
		return "Of the 12 moons, how many are red?\nHow many moons are red?"
	case strings.Contains(q, "Spain"):
		return "Madrid"
	}
	return "3"
}

// A model's paraphrases are asked first, once for prompts that are alike, then its judge in both directions, then the
// variants; what is refused is counted by reason; and from the records alone the same result follows.
func TestParaphrasesByModel(t *testing.T) {
	x := &Paraphrasing{By: ByModel, Model: &UnderTest{Ref: "writer", Identity: "writer"}, Ask: paraphrase.Ask, Draws: 1,
		Filter: paraphrase.Version,
		Judge:  &UnderTest{Ref: "critic", Identity: "writer"}}
	p, store := paraphrased(t, x, 3), inmemory.New()
	counts := waves(t, p, store, scripted)
	if want := []int{2, 6, 6, 0}; !slices.Equal(counts,
		want) { // 2 prompts; 3 candidates both ways; each default and one paraphrase of each
		t.Errorf("calls by wave are %v, want %v", counts, want)
	}
	a, err := Evaluate(t.Context(), store, p, "v")
	if err != nil {
		t.Fatal(err)
	}
	res := a.Document.Models[0].Paraphrases
	if res.Candidates != 10 || res.Admitted != 3 || res.Used != 3 || res.Full != 0 || res.None != 0 || res.Failed != 0 {
		t.Errorf("%+v", res)
	}
	// Eight calls made and admitted them, and four more were answered, as two of the three cases ask the same: each
	// counts once.
	if m := a.Document.Models[0]; res.Tokens != (Tokens{Prompt: 8 * 7, Completion: 8 * 2}) ||
		m.Tokens != (Tokens{Prompt: 12 * 7, Completion: 12 * 2}) {
		t.Errorf("the paraphrases took %+v, the run %+v", res.Tokens, m.Tokens)
	}
	for reason, want := range map[string]int{"name": 2, "judge": 2, "twice": 2, "number": 1, "empty": 0} {
		if got, ok := res.Rejected[reason]; !ok || got != want {
			t.Errorf("%d rejected for %s, want %d", got, reason, want)
		}
	}
	again := paraphrased(t, x, 3)
	b, err := Evaluate(t.Context(), store, again, "v")
	if err != nil {
		t.Fatal(err)
	}
	if bytesOf(t, a.Document) != bytesOf(t, b.Document) || bytesOf(t, rowsOf(a)) != bytesOf(t, rowsOf(b)) {
		t.Error("another result from the same records")
	}
}

// Where the paraphraser was not asked, or failed, the cases are named; none of them stops the others.
func TestParaphrasesMissing(t *testing.T) {
	x := &Paraphrasing{By: ByModel, Model: &UnderTest{Ref: "writer", Identity: "writer"}, Ask: paraphrase.Ask, Draws: 1,
		Filter: paraphrase.Version}
	p, store := paraphrased(t, x, 2), inmemory.New()
	waves(t, p, store, func(q string) string {
		if strings.Contains(q, "other ways") && strings.Contains(q, "Spain") {
			return ""
		}
		return scripted(q)
	})
	a, err := Evaluate(t.Context(), store, p, "v")
	if err != nil {
		t.Fatal(err)
	}
	m := a.Document.Models[0]
	var missing []string
	for _, u := range m.Unscored {
		if u.Axis == "paraphrases" && strings.Contains(u.Reason, "was not asked") {
			missing = append(missing, u.CaseID)
		}
	}
	if !slices.Equal(missing, []string{"spain", "also"}) || m.Paraphrases.Failed != 2 || m.Paraphrases.Used != 1 {
		t.Errorf("missing %v, %+v", missing, m.Paraphrases)
	}
	// Nothing asked at all, as a gate is checked: the keys are there.
	shape, err := Shape(context.Background(), paraphrased(t, x, 2), "v")
	if err != nil || shape.Document.Models[0].Paraphrases == nil ||
		shape.Document.Models[0].Paraphrases.Acceptance != nil {
		t.Errorf("%v %+v", err, shape)
	}
}

// Rules and files need no record, so their variants are planned at once; what makes or admits paraphrases is in the
// run's id, and what a file is called is not.
func TestParaphrasesByRulesAndFile(t *testing.T) {
	rules := paraphrased(t, &Paraphrasing{By: paraphrase.Version, Filter: paraphrase.Version}, 4)
	callsSeq, _, err := rules.Calls()
	if err != nil {
		t.Fatal(err)
	}
	calls := slices.Collect(callsSeq)
	if err != nil || len(calls) != 15 {
		t.Errorf("%d calls, %v", len(calls), err)
	}
	file := func(filter, from string) *Plan {
		return paraphrased(t, &Paraphrasing{By: ByFile, From: from, Filter: filter, Texts: []paraphrase.Entry{
			{Prompt: "what is the capital of Spain", Paraphrases: []string{"Name the capital of Spain.", "",
				"Name the capital of Peru."}}}}, 3)
	}
	p := file(paraphrase.Version, "a.jsonl")
	if calls, notes, err := p.Calls(); err != nil || len(slices.Collect(calls)) != 5 || len(notes) != 2 {
		t.Errorf("%v, %v", notes, err)
	}
	open := file(NoFilter, "a.jsonl")
	if calls, _, err := open.Calls(); err != nil || len(slices.Collect(calls)) != 7 {
		t.Errorf("another number of calls, %v", err)
	}
	if p.ID() != file(paraphrase.Version, "b.jsonl").ID() || p.ID() == open.ID() || p.ID() == rules.ID() {
		t.Error("the id depends on the name of a file, or not on the filter or the texts")
	}
	none := paraphrased(t, &Paraphrasing{By: ByFile, Filter: paraphrase.Version}, 3)
	if _, _, err := none.Calls(); err == nil || !strings.Contains(err.Error(), `no case of suite "asking" has any`) {
		t.Errorf("a plan without a paraphrase: %v", err)
	}
}

// Entries of a file that are of no case are counted, and lines by id and by prompt of one case add up.
func TestParaphraseFileEntries(t *testing.T) {
	p := paraphrased(t, &Paraphrasing{By: ByFile, From: "f.jsonl", Filter: NoFilter, Texts: []paraphrase.Entry{
		{ID: "nowhere", Paraphrases: []string{"x"}}, {Prompt: "What else?", Paraphrases: []string{"y"}},
		{ID: "spain", Paraphrases: []string{"Spain has which capital?"}},
		{Prompt: "what is the capital of Spain?", Paraphrases: []string{"Name the capital of Spain."}},
	}}, 3)
	want := []string{`paraphrases: 2 of 4 entries of f.jsonl are of no case of these suites, the first is "nowhere"`}
	if got := p.paraphraseNotes(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	g := p.given(p.Suites[0])
	if texts, _ := g.Paraphrases("spain"); len(texts) != 2 {
		t.Errorf("%q", texts)
	}
	if texts, why := g.Paraphrases("many"); len(texts) != 0 || why != "f.jsonl has no paraphrase of it" {
		t.Errorf("%q, %q", texts, why)
	}
}
