package assay

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/model"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/retrieve"
)

func index(t *testing.T, name, text string, forbidden ...string) *retrieve.Index {
	t.Helper()
	x, err := retrieve.Build([]retrieve.File{{Name: name, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}}, retrieve.Options{Forbidden: forbidden})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

const capitals = `{"id": "fr", "title": "France", "text": "Its capital is Paris."}
{"id": "fr2", "text": "France has a seat of government in Lyon."}
{"id": "it", "title": "Italy", "text": "Its capital is Rome."}
`

const asked = `suite: {name: asked, version: "1"}
cases:
  - {id: france, tags: [retrieval], prompt: "What is the capital of France?", phrasings: ["Where is the seat of government of France?"], gold: Paris}
  - {id: italy, prompt: "What is the capital of Italy?", phrasings: ["Name the capital of Italy."], gold: Rome}
  - {id: none, prompt: "Which is it, Ghent or Bruges?", phrasings: ["Which is it, Bruges or Ghent?"], gold: Brussels}
`

// A reader answers with the last word of the first line that it is shown, and quotes it; without a passage with that of
// the question alone.
type reader struct{}

func (reader) Identity() string { return "table" }

func (reader) Generate(_ context.Context, req model.Request) (model.Response, error) {
	passage, _, shown := strings.Cut(req.Prompt, "\n\n")
	if i := strings.LastIndexByte(passage, '\n'); i >= 0 {
		passage = passage[i+1:]
	}
	words := strings.Fields(strings.TrimRight(passage, ".?"))
	text := words[len(words)-1]
	if shown {
		text += `, as it says: "` + passage + `"`
	}
	return model.Response{Text: &text}, nil
}

// Each variant is asked behind the passage that is found for it; what was found is kept, counted, and enough to show
// the run again.
func TestRetrieval(t *testing.T) {
	p, store := plan(read(t, "asked.yaml", asked)), inmemory.New()
	p.Repeats = 1
	p.Retrieval = NewRetrieval(index(t, "capitals", capitals), []string{"capitals"}, 2, prompt.RALM, nil)
	callsSeq, _, err := p.Calls()
	if err != nil {
		t.Fatal(err)
	}
	calls := slices.Collect(callsSeq)
	var prompts []string
	for _, c := range calls {
		prompts = append(prompts, c.Request.Prompt)
	}
	want := []string{
		"France\nIts capital is Paris.\n\nWhat is the capital of France?",
		"France has a seat of government in Lyon.\n\nWhere is the seat of government of France?",
		"Italy\nIts capital is Rome.\n\nWhat is the capital of Italy?",
		"Italy\nIts capital is Rome.\n\nName the capital of Italy.", "Which is it, Ghent or Bruges?",
		"Which is it, Bruges or Ghent?",
	}
	if !slices.Equal(prompts, want) {
		t.Errorf("asked\n%q, want\n%q", prompts, want)
	}
	execute(t, p, reader{}, store)
	first := evaluate(t, p, store)
	if d := first.Document.Models[0].Consistency.Documents; d == nil || d.Questions != 3 || d.Ambiguity.Value != 1./3 ||
		d.K != 2 || d.QuestionsByCategory[consistency.Randomness] != 2 ||
		d.ByCategory[consistency.Randomness].Value != .5 || d.ByCategory[consistency.PromptAgnosticFactual].Value != 0 {
		t.Errorf("documents %s", bytesOf(t, d))
	}
	if got := first.Cases.At(0).Answers[1].Retrieved; !slices.Equal(got, []string{"fr2", "fr"}) {
		t.Errorf("retrieved %q", got)
	}
	if got := first.Cases.At(2).Answers[0].Retrieved; got == nil || len(got) > 0 {
		t.Errorf("nothing found is %v", got)
	}
	if got := first.Cases.At(0).Retrieved; len(got) != 2 ||
		got[0] != (evidence.Passage{ID: "fr", Text: "France: Its capital is Paris."}) || got[1].ID != "fr2" ||
		first.Cases.At(2).Retrieved != nil {
		t.Errorf("shown: %+v", got)
	}
	// A quotation from the passage that was shown is none from nowhere.
	if truth := first.Cases.At(0).Axes[0]; truth.Verdict != "pass" {
		t.Errorf("a quotation of the passage: %+v", truth)
	}
	if info := first.Document.Run.Retrieval; info == nil || info.Passages != 3 || info.Queries != 6 || info.Empty != 2 {
		t.Errorf("said of it: %+v", info)
	}

	kept, err := p.Stored()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParsePlan(kept)
	if err != nil || again.ID() != p.ID() {
		t.Fatalf("id %s, was %s, %v", again.ID(), p.ID(), err)
	}
	if a, b := bytesOf(t, first), bytesOf(t, evaluate(t, again, store)); a != b {
		t.Errorf("first %s\nthen  %s", a, b)
	}
	again.Variants = []prompt.Spec{{Kind: prompt.Conditions, N: 1}}
	if _, err := Evaluate(context.Background(), store, again, ""); err == nil ||
		!strings.Contains(err.Error(), "run it again with --retrieve") {
		t.Errorf("questions that were not searched: %v", err)
	}
}

// The id of a run has the passages in it, and all that decides what is found and shown; not the names of the files.
func TestRetrievalInTheID(t *testing.T) {
	id := func(r *Retrieval) string {
		p := plan(read(t, "asked.yaml", asked))
		p.Retrieval = r
		return p.ID()
	}
	base := id(NewRetrieval(index(t, "a", capitals), []string{"a"}, 2, prompt.RALM, nil))
	if other := id(NewRetrieval(index(t, "b", strings.ReplaceAll(capitals, `": "`, `":"`)), []string{"b", "c"}, 2,
		prompt.RALM, nil)); other != base {
		t.Error("the same passages under another name are another run")
	}
	for name, r := range map[string]*Retrieval{
		"none": nil, "k": NewRetrieval(index(t, "a", capitals), nil, 3, prompt.RALM, nil),
		"form":      NewRetrieval(index(t, "a", capitals), nil, 2, prompt.Cited, nil),
		"passages":  NewRetrieval(index(t, "a", strings.Replace(capitals, "Paris", "Nice", 1)), nil, 2, prompt.RALM, nil),
		"forbidden": NewRetrieval(index(t, "a", capitals, "France"), nil, 2, prompt.RALM, []string{"France"}),
	} {
		if id(r) == base {
			t.Errorf("%s is not in the id", name)
		}
	}
}
