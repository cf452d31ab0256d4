package assay

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/model"
	"hallmark/internal/suite"
)

func TestParseProbe(t *testing.T) {
	b, err := ParseProbe("facts = known + rare-*")
	if err != nil || b.Name != "facts" || strings.Join(b.Tags, ",") != "known,rare-*" {
		t.Errorf("%+v, %v", b, err)
	}
	for tags, want := range map[string]bool{"known": true, "rare-2": true, "rare": false, "unknown": false, "": false} {
		if got := b.has(&suite.Case{Tags: []string{"x", tags}}); got != want {
			t.Errorf("a case of tag %q: %v", tags, got)
		}
	}
	for _, bad := range []string{"", "facts", "=known", "facts=", "facts=a++b", "facts=*"} {
		if _, err := ParseProbe(bad); err == nil {
			t.Errorf("%q passed", bad)
		}
	}
}

func TestSweepCheck(t *testing.T) {
	over := 1.5
	for _, tt := range []struct {
		want   string
		stage  int
		stages []SweepStage
	}{
		{"two models at least", 0, []SweepStage{{Name: "dense"}}},
		{"dense one first", 0, []SweepStage{{Name: "R1", Sparsity: .1}, {Name: "R2", Sparsity: .2}}},
		{"R2: a sparsity of 0.1 after 0.2 of R1; want the models in the order of their sparsity", 2,
			[]SweepStage{{Name: "dense"}, {Name: "R1", Sparsity: .2}, {Name: "R2", Sparsity: .1}}},
		{"q8: a size of 3 after 2 of q4; want the largest model first", 2, []SweepStage{{Name: "f16", Size: 4},
			{Name: "q4", Size: 2, Sparsity: .5}, {Name: "q8", Size: 3, Sparsity: .25}}},
		{"named \"R1\"", 2, []SweepStage{{Name: "dense"}, {Name: "R1", Sparsity: .2}, {Name: "R1", Sparsity: .3}}},
		{"as .149 for 14.9 %", 1, []SweepStage{{Name: "dense"}, {Name: "R1", Sparsity: 14.9}}},
		{"from 0", 1, []SweepStage{{Name: "dense"}, {Name: "R1", Sparsity: math.NaN()}}},
		{"without a name", 1, []SweepStage{{Name: "dense"}, {Sparsity: .2}}},
		{"sparsity of all", 1, []SweepStage{{Name: "dense"}, {Name: "R1", Sparsity: .2, OfAll: &over}}},
		{"100 at most", 100, make([]SweepStage, 101)},
	} {
		at, err := (&Sweep{Stages: tt.stages}).Check()
		if err == nil || !strings.Contains(err.Error(), tt.want) || at != tt.stage {
			t.Errorf("%s: stage %d, %v", tt.want, at, err)
		}
	}
	// Two of one sparsity, such as a staged and a one-shot model, stand beside each other; also at that of the dense
	// model.
	if _, err := (&Sweep{Stages: []SweepStage{{Name: "dense"}, {Name: "tuned"}, {Name: "R1", Sparsity: .2},
		{Name: "one-shot", Sparsity: .2}}}).Check(); err != nil {
		t.Error(err)
	}
}

// A plan without a sweep has the id that it always had; with one, the file's name decides nothing, and all else does.
func TestSweepInTheID(t *testing.T) {
	plan := func(s *Sweep) *Plan {
		p := Defaults()
		p.Models = []UnderTest{{Ref: "a", Identity: "a"}, {Ref: "b", Identity: "b"}}
		p.Suites = []*suite.Suite{{Name: "s"}}
		p.Sweep = s
		return &p
	}
	b, err := json.Marshal(plan(nil))
	if err != nil || strings.Contains(string(b), "sweep") {
		t.Errorf("a plan without a sweep is stored with one: %s, %v", b, err)
	}
	base := func() *Sweep {
		return &Sweep{Stages: []SweepStage{{Name: "dense"}, {Name: "R1", Sparsity: .2}},
			Probes: []SweepProbe{{Name: "p", Tags: []string{"t"}}}, Corpus: &SweepCorpus{From: "f", Texts: []string{"a b"}},
			From: "x", Dense: "y"}
	}
	id := plan(base()).ID()
	same := base()
	same.From, same.Dense, same.Corpus.From = "", "", "elsewhere"
	if plan(same).ID() != id {
		t.Error("where a sweep comes from changes the run")
	}
	if same.Corpus.From != "elsewhere" {
		t.Error("the id changes the plan")
	}
	for name, change := range map[string]func(*Sweep){
		"sparsity": func(s *Sweep) { s.Stages[1].Sparsity = .3 }, "name": func(s *Sweep) { s.Stages[1].Name = "R2" },
		"probe": func(s *Sweep) { s.Probes = nil }, "corpus": func(s *Sweep) {
			s.Corpus.Texts[0] = "a c"
		}, "no corpus": func(s *Sweep) {
			s.Corpus = nil
		},
	} {
		s := base()
		change(s)
		if plan(s).ID() == id {
			t.Errorf("another %s is the same run", name)
		}
	}
	if plan(nil).ID() == id {
		t.Error("a sweep is the same run as none")
	}
}

func TestReadCorpus(t *testing.T) {
	c, err := ReadCorpus("c.jsonl", []byte("{\"text\": \" The sea is wide.\"}\n\n{\"text\": \"Two words\", \"n\": 1}\n"))
	if err != nil || len(c.Texts) != 2 || c.From != "c.jsonl" {
		t.Fatalf("%+v, %v", c, err)
	}
	calls := (&Sweep{Corpus: c}).corpusCalls("m")
	if r := calls[0].Request; len(calls) != 2 || r.Prompt != "The" || r.Options[0] != " sea is wide." || !r.Raw {
		t.Errorf("%+v", calls)
	}
	for data, want := range map[string]string{
		"": "c.jsonl", "{\"text\": \"one\"}": "c.jsonl:1: a text of fewer than two words",
		"{\"text\": \"a b\"}\n{\"x\": 1}": "c.jsonl:2: \"text\" is missing",
		"nonsense":                        "c.jsonl:1: ", "{\"text\": 3}": "c.jsonl:1: ",
	} {
		if _, err := ReadCorpus("c.jsonl", []byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

// Whatever a corpus holds, its texts are asked as they stand.
func FuzzReadCorpus(f *testing.F) {
	f.Add("{\"text\": \"a\u00a0b c\"}\n")
	f.Add("{\"text\": \"\u2003a\u2003b\"}")
	f.Fuzz(func(t *testing.T, data string) {
		c, err := ReadCorpus("c", []byte(data))
		if err != nil {
			return
		}
		for i, call := range (&Sweep{Corpus: c}).corpusCalls("") {
			r := call.Request
			if r.Prompt == "" || strings.TrimSpace(r.Options[0]) == "" ||
				r.Prompt+r.Options[0] != strings.TrimSpace(c.Texts[i]) {
				t.Errorf("%q is asked as %q and %q", c.Texts[i], r.Prompt, r.Options[0])
			}
		}
	})
}

// By hand: scores of ln 2 less and of 0 are probabilities of 1/3 and 2/3, by position; the gold ones come first,
// together.
func TestClasses(t *testing.T) {
	p := Defaults()
	p.OptionScore = prompt.Sum
	c := &suite.Case{ID: "c", Options: []string{"a", "b", "c"}}
	got := p.classes(c, []bool{false, true, true}, scoredTrial([]float64{0, -math.Ln2, -math.Ln2}))
	if len(got) != 2 || math.Abs(got[0]-.5) > 1e-12 || math.Abs(got[1]-.5) > 1e-12 {
		t.Errorf("classes %v", got)
	}
	if got := p.classes(c, []bool{false, true, true},
		scoredTrial([]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)})); got != nil {
		t.Errorf("of impossible options: %v", got)
	}
	if got := p.classes(c, []bool{false, true, true}, &trial{}); got != nil {
		t.Errorf("of no answer: %v", got)
	}
}

func scoredTrial(scores []float64) *trial {
	var r model.Response
	options := make([]string, len(scores))
	for _, s := range scores {
		r.Options = append(r.Options, model.OptionScore{LogProbs: []float64{s}})
	}
	c := &trial{stored: true, spot: spot{variant: &prompt.Variant{}}}
	c.own().options, c.response = options, &r
	return c
}

// A served model and one in process are given other texts before the options they score, unless the form is a plain
// one.
func TestTemplateNotes(t *testing.T) {
	notes := func(form suite.Form, options []string, refs ...string) string {
		p := Defaults()
		p.Form, p.Sampled, p.Repeats = form, 0, 0
		for _, r := range refs {
			p.Models = append(p.Models, UnderTest{Ref: r, Identity: r})
		}
		p.Suites = []*suite.Suite{{Name: "s", Cases: suite.ListOf([]suite.Case{{ID: "a", Prompt: "Where?",
			Phrasings: []string{"At?"}, Options: options, Gold: suite.Gold{Texts: []string{"b"}}}})}}
		_, notes, err := p.Calls()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(notes, "; ")
	}
	two := []string{"a", "b"}
	const served = "http://127.0.0.1:1/v1#m"
	if got := notes("", two, "pocket", served, "hf:x"); !strings.Contains(got,
		"by "+served+", and after its chat template by pocket, hf:x, ") || !strings.Contains(got, "--form qa") {
		t.Errorf("notes %q", got)
	}
	for _, got := range []string{notes("qa", two, "pocket", served), notes("", nil, "pocket", served),
		notes("", two, "pocket", "hf:x"), notes("", two, served), notes("", two, "phantom:x.yaml", served)} {
		if got != "" {
			t.Errorf("notes %q", got)
		}
	}
}
