package prompt

import (
	"slices"
	"strings"
	"testing"

	"hallmark/internal/model"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/retrieve"
)

// The layouts of a passage, to the letter; that before questions and answers is the one of in-context RALM.
func TestRetrievedLayouts(t *testing.T) {
	prize := &retrieve.TitledPassage{ID: "d7", Title: "Nobel Prize", Text: " In 1901 it went to Röntgen.\n"}
	untitled := &retrieve.TitledPassage{ID: "d8", Text: "It went to Curie."}
	demos := []suite.Demonstration{{Input: "1+1?", Label: "2"}}
	for _, tt := range []struct {
		name string
		c    suite.Case
		opt  RenderOptions
		want string
	}{
		{"qa", suite.Case{Form: suite.QA, System: "Be brief."}, RenderOptions{Retrieved: prize},
			"Nobel Prize\n\nIn 1901 it went to Röntgen.\n\nBased on this text, answer these questions:\nBe brief.\n\n" +
				"Q: 1+1?\nA: 2\n\nQ: who?\nA:"},
		{"qa by option", suite.Case{}, RenderOptions{Retrieved: untitled, Form: suite.QA},
			"It went to Curie.\n\nBased on this text, answer these questions:\nQ: 1+1?\nA: 2\n\nQ: who?\nA:"},
		{"a claim", suite.Case{Form: suite.Claim}, RenderOptions{Retrieved: prize},
			"Nobel Prize\nIn 1901 it went to Röntgen.\n\nClaim: 1+1?\nLabel: 2\n\nClaim: who?\nLabel:"},
		{"chat", suite.Case{Context: []evidence.Passage{{ID: "L1", Text: "Own."}}}, RenderOptions{Retrieved: prize},
			"Nobel Prize\nIn 1901 it went to Röntgen.\n\n[L1] Own.\n\nwho?"},
		{"chat, cited", suite.Case{}, RenderOptions{Retrieved: prize, RetrievedForm: Cited},
			"[d7] Nobel Prize: In 1901 it went to Röntgen.\n\nwho?"},
		{"chat, cited, untitled", suite.Case{}, RenderOptions{Retrieved: untitled, RetrievedForm: Cited},
			"[d8] It went to Curie.\n\nwho?"},
		{"nothing found", suite.Case{}, RenderOptions{RetrievedForm: Cited}, "who?"},
	} {
		if tt.opt.RetrievedForm == "" {
			tt.opt.RetrievedForm = RALM
		}
		v := Variant{Prompt: "who?", Demonstrations: demos}
		got := Render(&tt.c, v, tt.opt)
		if got.Prompt != tt.want {
			t.Errorf("%s:\n%q, want\n%q", tt.name, got.Prompt, tt.want)
		}
		if got := Asked(&tt.c, v, tt.opt); got != "who?" {
			t.Errorf("%s: asked %q", tt.name, got)
		}
	}
	long := &retrieve.TitledPassage{ID: "d9", Text: strings.Repeat("one\ttwo  ", RetrievedWords)}
	if got := behind(long, model.Request{}, RALM, ""); len(strings.Fields(got.Prompt)) != RetrievedWords ||
		!strings.HasPrefix(got.Prompt, "one\ttwo  one") || !strings.HasSuffix(got.Prompt, "two\n\n") {
		t.Errorf("a long passage: %d words, %.30q", len(strings.Fields(got.Prompt)), got.Prompt)
	}
}

// FEVER in the study of retrieval: the claim is worded otherwise, its demonstrations stay, and what is searched is the
// claim alone.
func TestQueryOfAClaim(t *testing.T) {
	c := suite.Case{ID: "f", Form: suite.Claim, Prompt: "Fox 2000 Pictures released the film Soul Food.",
		Phrasings: []string{"Soul Food is a film that Fox 2000 Pictures released."},
		Demonstrations: []suite.Demonstration{{Input: "Water is dry.", Label: "REFUTES"},
			{Input: "Ice is cold.", Label: "SUPPORTS"}}, Options: []string{"SUPPORTS", "REFUTES"}}
	vs, _ := Variants(&c, []Spec{{Phrasings, 1}}, 1, Given{})
	if len(vs) != 2 || Query(vs[0]) != c.Prompt || Query(vs[1]) != c.Phrasings[0] {
		t.Fatalf("queries of %+v", vs)
	}
	if !slices.Equal(vs[0].Demonstrations, vs[1].Demonstrations) {
		t.Error("the demonstrations changed with the claim")
	}
	// The layout of a template is not searched for, what it puts around the question is.
	vs, _ = Variants(&c, []Spec{{Templates, 3}, {Conditions, 1}}, 1, Given{})
	for _, v := range vs[:4] {
		if Query(v) != c.Prompt {
			t.Errorf("%s: %q", v.Name, Query(v))
		}
	}
	if want := "Could you please help me with this? " + c.Prompt + " Thank you very much."; len(vs) != 5 ||
		Query(vs[4]) != want {
		t.Errorf("%d variants, the last searches %q", len(vs), Query(vs[len(vs)-1]))
	}
	words := strings.Fields(strings.Repeat("a b c ", 20))
	if got := Query(Variant{Prompt: " " + strings.Join(words, "\n ")}); got != strings.Join(words[60-QueryWords:], " ") {
		t.Errorf("the last words: %q", got)
	}
}
