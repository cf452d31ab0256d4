package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/text/evidence"
)

// A script answers by the last line of the prompt, or by a part of it. It notes what it was asked.
type script struct {
	answers   map[string]string // the longest key that the prompt holds decides
	otherwise string
	fail      func(model.Request) error
	mu        sync.Mutex
	asked     []model.Request
}

func (s *script) Identity() string { return "script" }

func (s *script) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	if err := ctx.Err(); err != nil {
		return model.Response{}, err
	}
	s.mu.Lock()
	s.asked = append(s.asked, req)
	s.mu.Unlock()
	if s.fail != nil {
		if err := s.fail(req); err != nil {
			return model.Response{}, err
		}
	}
	text, longest := s.otherwise, 0
	for part, answer := range s.answers {
		if strings.Contains(req.Prompt, part) && len(part) > longest {
			text, longest = answer, len(part)
		}
	}
	resp := model.Response{Text: &text, Finish: model.FinishStop, Usage: model.Usage{PromptTokens: 3, CompletionTokens: 2}}
	for range req.Options {
		resp.Options = append(resp.Options, model.OptionScore{LogProbs: []float64{-1}})
	}
	return resp, nil
}

// A batcher is a script that answers batches, and notes their sizes.
type batcher struct {
	*script
	mu    sync.Mutex
	sizes []int
}

func (b *batcher) GenerateBatch(ctx context.Context, reqs []model.Request) []model.Result {
	b.mu.Lock()
	b.sizes = append(b.sizes, len(reqs))
	b.mu.Unlock()
	results := make([]model.Result, len(reqs))
	for i, r := range reqs {
		results[i].Response, results[i].Err = b.Generate(ctx, r)
	}
	return results
}

func (b *batcher) Probe(context.Context) (model.Capabilities, error) {
	return model.Capabilities{Temperature0: true, Sampling: true, LogProbs: true, TopLogProbs: 5, OptionScores: true, HiddenStates: true, ContextTokens: 512}, nil
}

// town is a small index.
func town() *Inventory {
	return &Inventory{
		Name: "town",
		Entities: []Entity{
			{Name: "Ada Ralel", Kind: "person"}, {Name: "Edgar Ralel", Kind: "person"}, {Name: "Nora Selwil", Kind: "person"},
			{Name: "Velmoria", Kind: "country"}, {Name: "Zantelwick", Kind: "city"},
			{Name: "Dorlaric", Kind: "language"}, {Name: "meljorka", Kind: "currency"},
			{Name: "The Silver Lantern", Kind: "book"}, {Name: "The Open Door", Kind: "book"},
			{Name: "Mercury", Kind: "planet", About: "the planet"}, {Name: "Mercury", Kind: "metal", About: "the metal"},
		},
		Identifiers: []Identifier{{ID: "F-811", Kind: "catalogue number", Of: "The Silver Lantern"}, {ID: "G-204", Kind: "catalogue number", Of: "The Open Door"}, {ID: "10.1000/182", Kind: "doi"}},
		Passages:    []evidence.Passage{{ID: "P1", Text: "The founder of the Kelman Institute is Nora Selwil."}},
	}
}

const cited = "[L1] The capital of Firgilmark is Corpalstead.\n[L2] The capital of Ilhanesia is Zantelwick.\n\n"

// Each row is a question with what the model says to it, and what the guard makes of that: the act, what failed and the
// answer. The other wordings get the same answer unless answers says otherwise.
var rows = []struct {
	name, prompt, says string
	answers            map[string]string
	off                []string
	act                Act
	failed             string // the first that failed
	answer             string // "" for the model's own
}{
	// categorical
	{name: "a person", prompt: "Who wrote The Silver Lantern?", says: "Nora Selwil", act: Passed},
	{name: "no person", prompt: "Who wrote The Silver Lantern?", says: "Dorlaric", act: Abstained, failed: Categorical},
	{name: "no name", prompt: "Who wrote The Silver Lantern?", says: "in 1840", act: Abstained, failed: Categorical},
	{name: "a date", prompt: "When was The Silver Lantern published?", says: "In 1840.", act: Passed},
	{name: "a date in words", prompt: "When was it published?", says: "In nineteen hundred and two.", act: Passed},
	{name: "no date", prompt: "In which year was The Silver Lantern published?", says: "Zantelwick", act: Abstained, failed: Categorical},
	{name: "a number", prompt: "How many people live in Velmoria?", says: "12.3 million", act: Passed},
	{name: "no number", prompt: "How many people live in Velmoria?", says: "Dorlaric", act: Abstained, failed: Categorical},
	{name: "a place", prompt: "What is the capital of Velmoria?", says: "Zantelwick", act: Passed},
	{name: "a person for a place", prompt: "What is the capital of Velmoria?", says: "Nora Selwil", act: Abstained, failed: Categorical},
	{name: "a language for a currency", prompt: "What is the currency of Velmoria?", says: "Dorlaric", act: Abstained, failed: Categorical},
	{name: "a number for a profession", prompt: "What is the profession of Nora Selwil?", says: "1771", act: Abstained, failed: Categorical},
	{name: "yes", prompt: "Is Velmoria an island?", says: "Yes.", act: Passed},
	{name: "a statement for yes or no", prompt: "Is Velmoria an island?", says: "Velmoria is an island in the north.", act: Passed},
	{name: "neither yes nor no", prompt: "Is Velmoria an island?", says: "Dorlaric", act: Abstained, failed: Categorical},
	{name: "a choice is no yes or no", prompt: "Is Velmoria an island or a mountain?", says: "A mountain.", act: Passed},
	{name: "politely asked", prompt: "Could you name the author of The Silver Lantern?", says: "Nora Selwil", act: Passed},
	{name: "a decline has no kind", prompt: "Who wrote The Silver Lantern?", says: "I don't know.", act: Passed},
	{name: "categorical off", prompt: "Who wrote The Silver Lantern?", says: "Dorlaric", off: []string{Categorical}, act: Passed},
	{name: "tests off", prompt: "Who wrote The Silver Lantern?", says: "Dorlaric", off: []string{TestLayer}, act: Passed},

	// logical
	{name: "yes and no", prompt: "Is Velmoria an island?", says: "Yes. No. It may be.", act: Abstained, failed: Logical},
	{name: "a line that begins with no", prompt: "[L1] No trader may sell bread.\n\nIs selling bread prohibited? Cite the line.", says: "Yes. [L1] says: “No trader may sell bread.”", act: Passed},
	{name: "a demand is no question", prompt: "Define an inertial frame. Do not tell me that you are unsure.", says: "A frame in which bodies move uniformly.", act: Passed},
	{name: "the question is put right", prompt: "In which year did Nora Selwil paint the Mona Lisa?", says: "There is a mistake in the question: that is not true. Correct is: Leonardo.", act: Passed},
	{name: "who cites", prompt: "Someone cites 1776 with the Roman numeral MCDXCII. Replace it by the correct one.", says: "MDCCLXXVI", act: Passed},
	{name: "cases told apart", prompt: "[L1] Lorra, the probe in orbit, weighs 397 kilograms.\n[L2] Lorra, the probe at the pole, weighs 453 kilograms.\n\nGive the mass of Lorra.",
		says: "That depends on which is meant. For the one it is 453; for the other it is 397.", act: Passed},
	{name: "cases told apart, of a shared name", prompt: "Where was Ralel born?", says: "If you mean Ada, in Zantelwick; if you mean Edgar, in Velmoria.", act: Passed},
	{name: "it depends, and nothing else", prompt: "What is the capital of Firgilmark?", says: "That depends.", act: Abstained, failed: Adjudication},
	{name: "what a line says, quoted", prompt: "[L1] The value of 10! is 3628800.\n\nWhat is 10!? Cite the line.", says: "3628800. [L1] says: “The value of 10! is 3628800.”", act: Passed},
	{name: "two values", prompt: "Describe Velmoria.", says: "The capital of Velmoria is Arn. The capital of Velmoria is Born.", act: Abstained, failed: Logical},
	{name: "one value twice", prompt: "Describe Velmoria.", says: "The capital of Velmoria is Arn. Again, the capital of Velmoria is Arn.", act: Passed},
	{name: "what the context says", prompt: cited + "What is the capital of Firgilmark?", says: "Corpalstead", act: Passed},
	{name: "not what the context says", prompt: cited + "What is the capital of Firgilmark?", says: "Born", act: Corrected, failed: Logical, answer: "Corpalstead"},
	{name: "the context says nothing of it", prompt: cited + "What is the currency of Firgilmark?", says: "meljorka", act: Passed},
	{name: "not what the index says", prompt: "Who is the founder of the Kelman Institute?", says: "Edgar Ralel", act: Corrected, failed: Logical, answer: "Nora Selwil"},
	{name: "the context before the index", prompt: "[L1] The founder of the Kelman Institute is Oskar Born.\n\nWho is the founder of the Kelman Institute?", says: "Oskar Born", act: Passed},
	{name: "premise put right", prompt: "Why is Born the capital of Velmoria?", says: "The capital of Velmoria is Arn, not Born.",
		answers: map[string]string{"What is the capital of Velmoria?": "Arn"}, act: Passed},
	{name: "premise taken", prompt: "Why is Born the capital of Velmoria?", says: "Since it lies on a river and has a port.",
		answers: map[string]string{"What is the capital of Velmoria?": "Arn"}, act: Corrected, failed: Logical, answer: "The capital of Velmoria is Arn, not Born."},
	{name: "premise of which nothing is known", prompt: "Why is Born the capital of Velmoria?", says: "Since it lies on a river and has a port.",
		answers: map[string]string{"What is the capital of Velmoria?": "I don't know."}, act: Passed},
	{name: "yes to what it denies", prompt: "Is it true that the capital of Velmoria is Born?", says: "Yes.",
		answers: map[string]string{"What is the capital of Velmoria?": "Arn"}, act: Corrected, failed: Logical, answer: "No."},
	{name: "no to what it says", prompt: "Is Arn the capital of Velmoria?", says: "No.",
		answers: map[string]string{"What is the capital of Velmoria?": "Arn"}, act: Corrected, failed: Logical, answer: "Yes."},
	{name: "a falsehood repeated", prompt: "Is it false that the capital of Velmoria is Born?", says: "The capital of Velmoria is Born.",
		answers: map[string]string{"What is the capital of Velmoria?": "Arn"}, act: Corrected, failed: Logical, answer: "The capital of Velmoria is Arn."},

	// empirical
	{name: "the right line", prompt: cited + "Cite the line. What is the capital of Firgilmark?", says: "Corpalstead [L1]", act: Passed},
	{name: "the wrong line", prompt: cited + "Cite the line. What is the capital of Firgilmark?", says: "Corpalstead [L2]", act: Corrected, failed: Empirical, answer: "Corpalstead [L1]"},
	{name: "no such line", prompt: cited + "Cite the line. What is the capital of Firgilmark?", says: "Corpalstead [L9]", act: Corrected, failed: Empirical, answer: "Corpalstead [L1]"},
	{name: "a quotation", prompt: cited + "What do the passages say of Ilhanesia?", says: `"The capital of Ilhanesia is Zantelwick."`, act: Passed},
	{name: "a quotation that names another line", prompt: "[L1] § 25. No trader may use a balance that has not been sealed.\n[L2] § 55. Section 25 is repealed from 1 July 2023.\n\nIs an unsealed balance prohibited? Cite the line.",
		says: "No. [L2] says: “§ 55. Section 25 is repealed from 1 July 2023.”", act: Passed},
	{name: "an invented quotation", prompt: cited + "What do the passages say of Ilhanesia?", says: `"Ilhanesia has been a republic since long ago."`, act: Abstained, failed: Empirical},
	{name: "an identifier of the index", prompt: "What is the catalogue number of The Silver Lantern?", says: "F-811", act: Passed},
	{name: "an identifier of something else", prompt: "What is the catalogue number of The Silver Lantern?", says: "G-204", act: Corrected, failed: Empirical, answer: "F-811"},
	{name: "an invented identifier", prompt: "What is the catalogue number of The Broken Moon?", says: "H-100", act: Abstained, failed: Empirical},
	{name: "an identifier of no form", prompt: "What is the catalogue number of The Broken Moon?", says: "do Window", act: Abstained, failed: Empirical},
	{name: "an identifier that was declined", prompt: "What is the catalogue number of The Broken Moon?", says: "I have no record of that.", act: Passed},
	{name: "a DOI of the index", prompt: "Give the DOI of the handbook.", says: "https://doi.org/10.1000/182 is the link, DOI 10.1000/182", off: []string{ChainLayer}, act: Abstained, failed: Empirical}, // the address is not in it
	{name: "a bare DOI of the index", prompt: "Give the DOI of the handbook.", says: "10.1000/182", act: Passed},
	{name: "an invented DOI", prompt: "Quote the conclusion and give the DOI.", says: "10.1234/abcd.5", act: Abstained, failed: Empirical},
	{name: "an identifier of the question", prompt: "What is G-204 the number of, and is 10.5555/12345678 a DOI?", says: "10.5555/12345678 is one.", act: Passed},

	// operational
	{name: "a sum", prompt: "What is 3 plus 13?", says: "16", act: Passed},
	{name: "a wrong sum", prompt: "What is 3 plus 13?", says: "17", act: Corrected, failed: Operational, answer: "3 + 13 = 16"},
	{name: "a wrong sum in words", prompt: "What is eight plus eighteen?", says: "28", act: Corrected, failed: Operational, answer: "8 + 18 = 26"},
	{name: "a declined sum", prompt: "What is 3 plus 13?", says: "I don't know.", act: Corrected, failed: Adjudication, answer: "3 + 13 = 16"},
	{name: "steps", prompt: "What is 4 plus 8 plus 2?", says: "4 + 8 = 12, 12 + 2 = 14", act: Passed},
	{name: "a wrong step", prompt: "What is 4 plus 8 plus 2?", says: "4 + 8 = 13, 13 + 2 = 15", act: Corrected, failed: Operational, answer: "4 + 8 = 12, 12 + 2 = 14"},
	{name: "a wrong step of a problem", prompt: "A town of 50 people grows by 20 a year. How many are there after a year?", says: "50 + 20 = 80, so 80.", act: Abstained, failed: Operational},
	{name: "moves with the wording", prompt: "What is the colour of Velmoria's flag?", says: "green",
		answers: map[string]string{"Name the": "red", "Please answer": "red", "Question: ": "red"}, act: Replaced, failed: Operational, answer: "red"},
	{name: "scatters over the wordings", prompt: "What is the colour of Velmoria's flag?", says: "green",
		answers: map[string]string{"Name the": "red", "Please answer": "blue", "Question: ": "white"}, act: Abstained, failed: Operational},
	{name: "half of the wordings agree", prompt: "What is the colour of Velmoria's flag?", says: "green",
		answers: map[string]string{"Name the": "red", "Please answer": "Green.", "Question: ": "white"}, act: Passed},
	{name: "other words for the same", prompt: "What is the colour of Velmoria's flag?", says: "green",
		answers: map[string]string{"Name the": "It is green.", "Please answer": "The colour of the flag is green.", "Question: ": "Green"}, act: Passed},

	// reciprocity
	{name: "no line", prompt: cited + "Cite the line. What is the capital of Firgilmark?", says: "Corpalstead", act: Corrected, failed: Reciprocity, answer: "Corpalstead [L1]"},
	{name: "outside knowledge", prompt: cited + "According to the context, what is the currency of Firgilmark?", says: "In the Northern League it is the krone.", act: Abstained, failed: Reciprocity},
	{name: "no source", prompt: "Who signed the treaty? Cite your sources.", says: "It was signed by Nora Selwil.", act: Abstained, failed: Reciprocity},
	{name: "a source", prompt: "Who signed the treaty? Cite your sources.", says: "According to the town's records, Nora Selwil signed it.", act: Passed},
	{name: "no steps", prompt: "What is 4 plus 8? Show the steps.", says: "12", act: Corrected, failed: Reciprocity, answer: "4 + 8 = 12"},

	// the chain that an answer is
	{name: "an unused step", prompt: "How many apples are there?", says: "2 + 2 = 4, 3 + 5 = 8", off: []string{Operational}, act: Abstained, failed: ChainLayer},
	{name: "another conclusion", prompt: "How many apples are there?", says: "2 + 2 = 4, 4 + 5 = 9. So there are 11.", off: []string{Operational}, act: Abstained, failed: ChainLayer},
	{name: "a conclusion", prompt: "How many apples are there?", says: "2 + 2 = 4, 4 + 5 = 9. So there are 9.", off: []string{Operational}, act: Passed},
	// the chain that was asked for
	{name: "a chain", prompt: cited + "What is the capital of Firgilmark?", says: "Corpalstead",
		answers: map[string]string{"Answer as a chain": "CLAIM: The capital of Firgilmark is Corpalstead.\nEVIDENCE: [L1]\nCONCLUSION: Corpalstead"}, act: Passed},
	{name: "a chain to another end", prompt: cited + "What is the capital of Firgilmark?", says: "Corpalstead", off: []string{Logical},
		answers: map[string]string{"Answer as a chain": "CLAIM: The capital of Firgilmark is Born.\nEVIDENCE: [L1]\nCONCLUSION: Born"}, act: Abstained, failed: ChainLayer},
	{name: "a chain with an unused step", prompt: cited + "What is the capital of Firgilmark?", says: "Corpalstead",
		answers: map[string]string{"Answer as a chain": "CLAIM: Cats purr.\nEVIDENCE: everyone knows\nCLAIM: The capital of Firgilmark is Corpalstead.\nEVIDENCE: [L1]\nCONCLUSION: Corpalstead"}, act: Abstained, failed: ChainLayer},
	{name: "a chain without ground", prompt: cited + "What is the capital of Firgilmark?", says: "Corpalstead",
		answers: map[string]string{"Answer as a chain": "CLAIM: The capital of Firgilmark is Corpalstead.\nEVIDENCE: [L7]\nCONCLUSION: Corpalstead"}, act: Abstained, failed: ChainLayer},

	// adjudication
	{name: "two of a surname", prompt: "What is the birthplace of Ralel?", says: "Zantelwick", act: Asked, failed: Adjudication, answer: "Which Ralel do you mean, Ada Ralel or Edgar Ralel?"},
	{name: "asked back by the model", prompt: "What is the birthplace of Ralel?", says: "Which Ralel do you mean?", act: Passed},
	{name: "both named", prompt: "What is the birthplace of Ralel?", says: "Ada Ralel was born in Zantelwick, Edgar Ralel in Born.", off: []string{Operational}, act: Passed},
	{name: "one of a surname in full", prompt: "What is the birthplace of Edgar Ralel?", says: "Zantelwick", act: Passed},
	{name: "a first name that the index has not", prompt: "What is the birthplace of Oskar Ralel?", says: "Zantelwick", act: Passed},
	{name: "one name for two things", prompt: "What is the mass of Mercury?", says: "330 yottagrams", act: Asked, failed: Adjudication, answer: "Which Mercury do you mean, the planet or the metal?"},
	{name: "one of two things", prompt: "What is the mass of the planet Mercury?", says: "330 yottagrams", act: Passed},
	{name: "adjudication off", prompt: "What is the birthplace of Ralel?", says: "Zantelwick", off: []string{Adjudication}, act: Passed},
	{name: "no repair without adjudication", prompt: "What is 3 plus 13?", says: "17", off: []string{Adjudication}, act: Abstained, failed: Operational},
	{name: "an empty answer", prompt: "Describe Velmoria.", says: "", act: Abstained, failed: Adjudication},
	{name: "two answers", prompt: "What is the capital of Velmoria?", says: "Arn or Born", act: Abstained, failed: Adjudication},
	{name: "repaired", prompt: "What is 3 plus 13?", says: "17", answers: map[string]string{"That answer does not hold": "It is 16."}, act: Repaired, failed: Operational, answer: "It is 16."},
	{name: "correction off", prompt: "What is 3 plus 13?", says: "17", off: []string{Correction}, act: Abstained, failed: Operational},
}

func TestGuard(t *testing.T) {
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			inner := &script{answers: map[string]string{}, otherwise: tt.says}
			for k, v := range tt.answers {
				inner.answers[k] = v
			}
			c := Defaults()
			c.Off, c.Inventory = tt.off, town()
			m, err := New(inner, c)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := m.Generate(t.Context(), model.Request{Prompt: tt.prompt})
			if err != nil {
				t.Fatal(err)
			}
			var trace Trace
			if err := json.Unmarshal(resp.Raw, &trace); err != nil {
				t.Fatal(err)
			}
			failed := ""
			if len(trace.Failed) > 0 {
				failed = trace.Failed[0]
			}
			if trace.Act != tt.act || failed != tt.failed {
				t.Errorf("act %s, failed %q, want %s and %q\n%s", trace.Act, failed, tt.act, tt.failed, resp.Raw)
			}
			switch want := tt.answer; {
			case tt.act == Abstained:
				if r := evidence.Read(*resp.Text); !strings.HasPrefix(*resp.Text, "I cannot verify an answer: ") {
					t.Errorf("answer %q", *resp.Text)
				} else if _, ok := r.Declines(); !ok {
					t.Errorf("%q does not read as a decline", *resp.Text)
				}
			case want == "" && *resp.Text != tt.says, want != "" && *resp.Text != want:
				t.Errorf("answer %q, want %q", *resp.Text, want)
			}
			if trace.Calls != len(inner.asked) || trace.Calls > c.MostCalls() {
				t.Errorf("%d calls told, %d made, at most %d", trace.Calls, len(inner.asked), c.MostCalls())
			}
			if want := (model.Usage{PromptTokens: 3 * trace.Calls, CompletionTokens: 2 * trace.Calls}); resp.Usage != want {
				t.Errorf("usage %+v, want %+v", resp.Usage, want)
			}
		})
	}
}

// Every test, layer and part has rows that fail by it and hold without it.
func TestRowsCoverEveryPart(t *testing.T) {
	seen := map[string]bool{}
	for _, tt := range rows {
		seen[tt.failed] = true
	}
	for _, name := range append(append([]string{}, Tests...), ChainLayer, Adjudication) {
		if !seen[name] {
			t.Errorf("no row fails by %s", name)
		}
	}
}

// What an abstention says quotes nothing of the answer or the question, so that it asserts nothing.
func TestAbstentionsQuoteNothing(t *testing.T) {
	for _, why := range []string{wrongKind, contradicts, notFound, unknownName, unstable, wrongSum, noEvidence, noChain, undetermined} {
		text := "I cannot verify an answer: " + why + "."
		r := evidence.Read(text)
		if _, ok := r.Declines(); !ok {
			t.Errorf("%q does not read as a decline", text)
		}
		if _, ok := r.Asks(); ok {
			t.Errorf("%q asks", text)
		}
		if strings.ContainsAny(why, "“”\"%0123456789") {
			t.Errorf("%q quotes", why)
		}
	}
}

func TestContract(t *testing.T) {
	open := func(t *testing.T) model.Model {
		m, err := New(&batcher{script: &script{otherwise: "Blue."}}, Defaults())
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	modeltest.Run(t, open, modeltest.Options{Greedy: true, Score: []string{"a", "b"}, Errors: map[string]modeltest.ErrorCase{
		"transient": {New: failing(model.ErrTransient), Request: model.Request{Prompt: "x"}, Class: modeltest.Transient},
		"gone":      {New: failing(model.ErrGone), Request: model.Request{Prompt: "x"}, Class: modeltest.Gone},
		"final":     {New: failing(errors.New("refused")), Request: model.Request{Prompt: "x"}, Class: modeltest.Final},
	}})
}

func failing(err error) func(*testing.T) model.Model {
	return func(t *testing.T) model.Model {
		m, e := New(&script{fail: func(model.Request) error { return err }}, Defaults())
		if e != nil {
			t.Fatal(e)
		}
		return m
	}
}

// A final failure of a side call is that call's answer; one that may pass fails the whole, to be tried again.
func TestFailuresOfSideCalls(t *testing.T) {
	for _, tt := range []struct {
		err  error
		pass bool
	}{{errors.New("too long"), true}, {fmt.Errorf("slow: %w", model.ErrTransient), false}, {fmt.Errorf("bye: %w", model.ErrGone), false}} {
		inner := &script{otherwise: "green", fail: func(r model.Request) error {
			if strings.HasPrefix(r.Prompt, "Question: ") || strings.Contains(r.Prompt, "chain") {
				return tt.err
			}
			return nil
		}}
		m, err := New(inner, Defaults())
		if err != nil {
			t.Fatal(err)
		}
		resp, err := m.Generate(t.Context(), model.Request{Prompt: "What is the colour of grass?"})
		switch {
		case tt.pass && (err != nil || *resp.Text != "green"):
			t.Errorf("%v: %v", tt.err, err)
		case !tt.pass && !errors.Is(err, tt.err):
			t.Errorf("%v: got %v", tt.err, err)
		}
	}
}

// A batch gives what its requests give one by one, and asks the model in few batches.
func TestBatch(t *testing.T) {
	var reqs []model.Request
	for _, tt := range rows {
		reqs = append(reqs, model.Request{Prompt: tt.prompt})
	}
	inner := &batcher{script: &script{otherwise: "Corpalstead [L2]", answers: map[string]string{"plus": "17", "That answer does not hold": "16"}}}
	c := Defaults()
	c.Inventory = town()
	m, err := New(inner, c)
	if err != nil {
		t.Fatal(err)
	}
	together := m.(model.Batcher).GenerateBatch(t.Context(), reqs)
	if len(inner.sizes) > 3 {
		t.Errorf("%d batches of %v: want the first calls in one, and one for each repair", len(inner.sizes), inner.sizes)
	}
	for i, r := range reqs {
		alone, err := m.Generate(t.Context(), r)
		if err != nil || together[i].Err != nil {
			t.Fatal(err, together[i].Err)
		}
		if !reflect.DeepEqual(alone, together[i].Response) {
			t.Errorf("%q: alone %s, together %s", r.Prompt, alone.Raw, together[i].Response.Raw)
		}
	}
	if _, ok := mustNew(t, &script{}, c).(model.Batcher); ok {
		t.Error("a guard around a model that is no Batcher is one: it would ask for many at once")
	}
}

// A model that panics takes the batch with it, as it does alone, and leaves no goroutine waiting.
func TestBatchPanics(t *testing.T) {
	inner := &batcher{script: &script{otherwise: "x", fail: func(r model.Request) error {
		if strings.Contains(r.Prompt, "That answer") {
			panic("broken")
		}
		return nil
	}}}
	m := mustNew(t, inner, Defaults())
	defer func() {
		if p := recover(); p != "broken" {
			t.Errorf("recovered %v", p)
		}
	}()
	m.(model.Batcher).GenerateBatch(t.Context(), []model.Request{{Prompt: "What is 1 plus 1?"}, {Prompt: "What is 2 plus 2?"}})
	t.Error("no panic")
}

func mustNew(t *testing.T, inner model.Model, c Config) model.Model {
	t.Helper()
	m, err := New(inner, c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Scored options and texts to continue pass through as they are.
func TestPassThrough(t *testing.T) {
	inner := &script{otherwise: "17"}
	m := mustNew(t, inner, Defaults())
	for _, req := range []model.Request{{Prompt: "What is 3 plus 13?", Options: []string{"16", "17"}}, {Prompt: "Q: What is 3 plus 13?\nA:", Raw: true}} {
		inner.asked = nil
		resp, err := m.Generate(t.Context(), req)
		if err != nil || len(inner.asked) != 1 || !reflect.DeepEqual(inner.asked[0], req) || *resp.Text != "17" || len(resp.Options) != len(req.Options) {
			t.Errorf("%+v: %+v, asked %+v, %v", req, resp, inner.asked, err)
		}
	}
}

// Every inner call keeps the system text, the turns before and the passages; draws have seeds of their own.
func TestInnerCalls(t *testing.T) {
	inner := &script{otherwise: "Corpalstead [L2]"}
	seed := int64(7)
	req := model.Request{System: "Be brief.", Messages: []model.Message{{Role: "user", Text: "Hello"}, {Role: "assistant", Text: "Hi"}}, Prompt: cited + "Cite the line. What is the capital of Firgilmark?", MaxTokens: 9, LogProbs: true, Seed: &seed}
	c := Defaults()
	if _, err := mustNew(t, inner, c).Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if len(inner.asked) != c.MostCalls()-1 { // there is no claim to ask outright
		t.Fatalf("%d calls, want %d", len(inner.asked), c.MostCalls()-1)
	}
	seeds := map[int64]bool{}
	for i, r := range inner.asked {
		if r.System != req.System || len(r.Messages) < 2 || r.Messages[0] != req.Messages[0] || !strings.HasPrefix(r.Prompt, cited) || r.MaxTokens != 9 || r.LogProbs {
			t.Errorf("call %d: %+v", i, r)
		}
		if r.Temperature > 0 {
			seeds[*r.Seed] = true
		}
	}
	if len(seeds) != c.Candidates-1 || seeds[seed] {
		t.Errorf("seeds %v", seeds)
	}
	last := inner.asked[len(inner.asked)-1]
	if n := len(last.Messages); n != 4 || last.Messages[3].Text != "Corpalstead [L2]" || !strings.Contains(last.Prompt, "line L2 does not say “Corpalstead”") {
		t.Errorf("the repair is asked for as %+v", last)
	}
}

// The identity tells every setting that changes answers, and the index by content.
func TestIdentity(t *testing.T) {
	seen := map[string]string{}
	for name, change := range map[string]func(*Config){
		"defaults": func(*Config) {}, "off": func(c *Config) { c.Off = []string{Logical} }, "candidates": func(c *Config) { c.Candidates = 5 },
		"phrasings": func(c *Config) { c.Phrasings = 2 }, "agreement": func(c *Config) { c.Agreement = .75 }, "repairs": func(c *Config) { c.Repairs = 2 },
		"seed": func(c *Config) { c.Seed = 2 }, "index": func(c *Config) { c.Inventory = town() },
		"part of the index": func(c *Config) { c.Inventory = town().Cover(50, 1) }, "complete": func(c *Config) { c.Inventory = &Inventory{Complete: true} },
	} {
		c := Defaults()
		change(&c)
		id := mustNew(t, &script{}, c).Identity()
		if other, twice := seen[id]; twice {
			t.Errorf("%s and %s are both %q", name, other, id)
		}
		seen[id] = name
		if !strings.HasSuffix(id, " over script") {
			t.Errorf("%q does not name the model inside", id)
		}
	}
	a, b := Defaults(), Defaults()
	a.Off, b.Off = []string{Logical, Empirical}, []string{Empirical, Logical, Logical}
	if a.String() != b.String() {
		t.Errorf("%q and %q act alike", a, b)
	}
}

func TestConfigErrors(t *testing.T) {
	for want, change := range map[string]func(*Config){
		`off "oracle" is no part of the guard: use tests`: func(c *Config) { c.Off = []string{"oracle"} },
		"candidates 0: want a number from 1 to 32":        func(c *Config) { c.Candidates = 0 },
		"phrasings -1":                          func(c *Config) { c.Phrasings = -1 },
		"repairs 9":                             func(c *Config) { c.Repairs = 9 },
		"agreement 2: want a share from 0 to 1": func(c *Config) { c.Agreement = 2 },
	} {
		c := Defaults()
		change(&c)
		if _, err := New(&script{}, c); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
