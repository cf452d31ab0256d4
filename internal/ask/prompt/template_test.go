package prompt

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hallmark/internal/archtest"
	"hallmark/internal/model"
	"hallmark/internal/suite"
)

// Layouts, to the letter: the words around the question change, the question, its options and the letters that are
// scored do not.
func TestTemplates(t *testing.T) {
	c := sample()
	c.Demonstrations, c.Domain, c.ShowOptions = nil, "civic", true
	vs, short := Variants(&c, []Spec{{Templates, 6}}, 1, Given{})
	if len(vs) != 7 || len(short) != 0 {
		t.Fatalf("%d variants, short %v", len(vs), short)
	}
	const passages = "[L1] Paris is the capital.\n[L2] Lyon is not.\n\n"
	const asked = "Which city is the capital?"
	for i, want := range []struct {
		name   string
		family Family
		prompt string
	}{
		{"default", "", passages + asked + "\n\nA. Lyon\nB. Paris\nC. Nice"},
		{"wording 1", Wording, passages + "Question: " + asked + "\nOptions: A. Lyon\nB. Paris\nC. Nice\nAnswer:"},
		{"wording 2", Wording, "Answer the following question.\n" + passages + "Question: " + asked +
			"\nOptions: A. Lyon\nB. Paris\nC. Nice\nAnswer:"},
		{"separators 1", Separators, passages + "Question: " + asked + " | Options: A. Lyon | B. Paris | C. Nice | Answer:"},
		{"spacing 1", Spacing, passages + "Question:\n" + asked + "\nOptions:\nA. Lyon\nB. Paris\nC. Nice\nAnswer:"},
		{"casing 1", Casing, passages + "QUESTION: " + asked + "\nOPTIONS: A. Lyon\nB. Paris\nC. Nice\nANSWER:"},
		{"labels 1", Labels, passages + "Question: " + asked + "\nOptions: (A) Lyon\n(B) Paris\n(C) Nice\nAnswer:"},
	} {
		req := Render(&c, vs[i], RenderOptions{})
		if vs[i].Name != want.name || vs[i].Family != want.family || req.Prompt != want.prompt {
			t.Errorf("variant %d is %s of %s:\n%q\nwant %s of %s:\n%q", i, vs[i].Name, vs[i].Family, req.Prompt, want.name,
				want.family, want.prompt)
		}
		if !cmp.Equal(req.Options, []string{"A", "B", "C"}) || req.System != "Be brief." {
			t.Errorf("variant %d scores %q under %q", i, req.Options, req.System)
		}
	}
	demonstrated := sample()
	demonstrated.Context = nil
	v := Variant{Prompt: asked, Demonstrations: demonstrated.Demonstrations[:1], Template: &Template{Intro: "Think.\n",
		Question: "Ask: {question}\nPick: {choices}", Reply: "\nSay:"}}
	if diff := cmp.Diff(model.Request{Raw: true, Stop: []string{"\n\n", "\nAsk:"},
		Prompt: "Be brief.\n\nThink.\nAsk: 1+1?\nSay: 2\n\nAsk: " + asked + "\nPick: A. Lyon\nB. Paris\nC. Nice\nSay:"},
		Render(&demonstrated, v, RenderOptions{Form: suite.QA, Generate: true})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(model.Request{System: "Be brief.", Options: demonstrated.Options,
		Prompt:   "Ask: " + asked + "\nSay:",
		Messages: []model.Message{{Role: "user", Text: "Think.\nAsk: 1+1?\nSay:"}, {Role: "assistant", Text: "2"}}},
		Render(&demonstrated, v, RenderOptions{})); diff != "" {
		t.Error(diff)
	}
}

// Conditions change what stands around the question that is asked, in whatever layout it has, and never the
// demonstrations.
func TestConditions(t *testing.T) {
	c := sample()
	c.Context, c.Prompt = nil, "Which city\nis the capital?"
	vs, short := Variants(&c, []Spec{{Conditions, len(looking().Conditions) + 1}}, 1, Given{})
	if len(vs) != len(looking().Conditions)+1 || len(short) != 1 || short[0].Got != len(looking().Conditions) {
		t.Fatalf("%d variants, short %v", len(vs), short)
	}
	plain := c
	plain.Prompt = "Which city?"
	if vs, short := Variants(&plain, []Spec{{Conditions, len(looking().Conditions)}}, 1,
		Given{}); len(vs) != len(looking().Conditions) || !strings.HasSuffix(short[0].Why,
		"single line changes nothing in it") {
		t.Errorf("%d variants of a single line, short %v", len(vs), short)
	}
	seen := map[string]bool{}
	for _, v := range vs {
		for _, form := range suite.Forms {
			if form == suite.Continue {
				continue
			}
			req, plain := Render(&c, v, RenderOptions{Form: form}), Render(&c, vs[0], RenderOptions{Form: form})
			if seen[string(form)+req.Prompt] {
				t.Errorf("%s in %s stands twice", v.Name, form)
			}
			seen[string(form)+req.Prompt] = true
			if !strings.Contains(strings.ReplaceAll(req.Prompt, "\n", " "), "Which city is the capital?") ||
				!cmp.Equal(req.Messages, plain.Messages) || !cmp.Equal(req.Options, plain.Options) ||
				!cmp.Equal(req.Stop, plain.Stop) {
				t.Errorf("%s in %s: %+v", v.Name, form, req)
			}
			if form == suite.QA && (!strings.HasSuffix(req.Prompt, "\nA:") ||
				!strings.Contains(req.Prompt, "Q: 2+2?\nA: 4\n\nQ: ")) {
				t.Errorf("%s: %q", v.Name, req.Prompt)
			}
		}
	}
}

// A text that is to be continued has no question to lay out, and its variants of these kinds are none.
func TestContinuedTextsHaveNoLayouts(t *testing.T) {
	c := sample()
	c.Form, c.Options = suite.Continue, nil
	vs, short := Variants(&c, []Spec{{Templates, 2}, {Conditions, 2}}, 1, Given{})
	if len(vs) != 1 || len(short) != 2 || short[0].Why != "it is a text to be continued as it is" ||
		short[1].Why != short[0].Why {
		t.Errorf("%v %v", vs, short)
	}
}

// However many layouts are asked for, no two look alike, a larger number only adds, and all cases of a shape have the
// same.
func TestLayoutsDiffer(t *testing.T) {
	for _, form := range suite.Forms {
		for shapes := range 8 {
			if form == suite.Continue {
				continue
			}
			c := sample()
			c.Form, c.ShowOptions = form, shapes&1 > 0
			if shapes&2 > 0 {
				c.Demonstrations = nil
			}
			if shapes&4 > 0 {
				c.Domain = "civic"
			}
			vs, short := Variants(&c, []Spec{{Templates, 300}}, 1, Given{})
			if len(vs) != 301 || len(short) > 0 {
				t.Fatalf("%s %b: %d variants, short %v", form, shapes, len(vs), short)
			}
			seen := map[string]bool{}
			for _, v := range vs {
				req := Render(&c, v, RenderOptions{})
				p := fmt.Sprint(req)
				if seen[p] {
					t.Fatalf("%s %b: %s stands twice", form, shapes, v.Name)
				}
				if seen[p] = true; strings.Contains(req.Prompt, "{") {
					t.Fatalf("%s has a placeholder left: %s", v.Name, p)
				}
			}
			few, _ := Variants(&c, []Spec{{Templates, 90}}, 1, Given{})
			for i := range few {
				if !cmp.Equal(few[i].Template, vs[i].Template) {
					t.Fatalf("template %d of 90 is not that of 300", i)
				}
			}
			other := c
			other.ID, other.Prompt = "c2", "Else?"
			if also, _ := Variants(&other, []Spec{{Templates, 90}}, 1, Given{}); !cmp.Equal(also[89].Template, vs[89].Template) {
				t.Fatal("another case has other templates")
			}
		}
	}
	c := suite.Case{ID: "c", Prompt: "Why?"}
	if vs, short := Variants(&c, []Spec{{Templates, MaxVariants}}, 1, Given{}); len(vs) < 5000 || len(short) != 1 ||
		short[0].Got != len(vs)-1 {
		t.Errorf("%d variants, short %v", len(vs), short)
	}
}

func TestParseTemplates(t *testing.T) {
	for _, tt := range []struct{ in, err string }{
		{"- 'Q: {question}'\n- '{choices} Q: {question'\n", "f.yaml:2: the template has no {question}; put it where the " +
			"question goes"},
		{"- '{question}'\n- {text: 'Q: {question} {question}'}\n",
			"f.yaml:2: the template has {question} or {choices} twice"},
		{"- {text: 'Q: {question}', famly: wording}", `f.yaml:1: unknown key "famly"`},
		{"- {text: 'Q: {question}', family: x}", `f.yaml:1: unknown family "x"; want one of wording, separators`},
		{"- {text: [1]}", "f.yaml:1: text must be a text, not a list"},
		{"text: '{question}'", "f.yaml:1: templates are a list"},
		{"- [a]", "f.yaml:1: want a text, or a mapping"},
		{"[]", "f.yaml:1: the list is empty"},
		{" \n", "f.yaml:1: the file is empty"},
		{"- 'a\n- b", "f.yaml:"},
	} {
		if _, _, err := ParseTemplates("f.yaml", []byte(tt.in)); err == nil || !strings.HasPrefix(err.Error(), tt.err) {
			t.Errorf("%q: error %v, want %s", tt.in, err, tt.err)
		}
	}
	ts, warnings, err := ParseTemplates("d/f.yaml", []byte("- \"Now:\\nAsk {question} of {choices}. Say:\"\n"+
		"- 'Q: {question}'\n- {name: n, text: '{question}', family: wording}\n- 'Q: {question}'\n"))
	want := []Template{
		{Name: "template 1", Family: Several, Intro: "Now:\n", Question: "Ask {question} of {choices}", Reply: ". Say:"},
		{Name: "template 2", Family: Several, Question: "Q: {question}"},
		{Name: "n", Family: Wording, Question: "{question}"}}
	if diff := cmp.Diff(want, ts); err != nil || diff != "" || len(warnings) != 1 ||
		warnings[0] != "f.yaml: 1 of 4 templates stand there twice and count once" {
		t.Errorf("%v %v %s", err, warnings, diff)
	}
	c := suite.Case{ID: "c", Prompt: "Why {choices}?", Options: []string{"x", "{question}"}, ShowOptions: true}
	vs, short := Variants(&c, []Spec{{Templates, 3}}, 1, Given{Templates: ts})
	if len(vs) != 2 || len(short) != 1 || short[0].Why != "template n has no {choices}, and its options are shown" {
		t.Fatalf("%v %v", vs, short)
	}
	if p := Render(&c, vs[1], RenderOptions{}).Prompt; p != "Now:\nAsk Why {choices}? of A. x\nB. {question}. Say:" {
		t.Errorf("%q", p)
	}
	c.ShowOptions, c.Options = false, nil
	if vs, short := Variants(&c, []Spec{{Templates, 3}}, 1, Given{Templates: ts}); len(vs) != 3 ||
		short[0].Why != "n is the layout that it has anyway" {
		t.Errorf("%v %v", vs, short)
	}
}

// The published templates for MMLU read as they are: 302, of which 254 differ (checklist, notes on prompt structures).
func TestPublishedTemplates(t *testing.T) {
	path := archtest.Published(t, "prompt_templates/mmlu_templates.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ts, warnings, err := ParseTemplates(path, data)
	if err != nil || len(ts) < 240 || len(ts) > 254 || len(warnings) != 1 {
		t.Fatalf("%d templates, %v, %v", len(ts), warnings, err)
	}
	for _, x := range ts {
		if x.Question == "" || !strings.Contains(x.Question, choicesMark) {
			t.Fatalf("%+v", x)
		}
	}
}

func FuzzTemplates(f *testing.F) {
	f.Add("- 'Q: {question}'\n- {text: '{choices}\\n{question}', name: n}", "Why?", "x")
	f.Add("[\"{topic}{question}{letter}{option}\"]", "{question}", "{choices}")
	f.Fuzz(func(t *testing.T, file, question, option string) {
		ts, _, err := ParseTemplates("f", []byte(file))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("no place in %v", err)
			}
			return
		}
		c := suite.Case{ID: "c", Prompt: question, Domain: "civic", Options: []string{option, "y"},
			Demonstrations: []suite.Demonstration{{Input: "i", Label: "l"}}}
		for _, form := range suite.Forms {
			for _, x := range ts {
				req := Render(&c, Variant{Prompt: question, Template: &x}, RenderOptions{Form: form, Generate: true})
				if !strings.Contains(req.Prompt, strings.TrimSpace(question)) {
					t.Errorf("%+v lost the question: %q", x, req.Prompt)
				}
			}
		}
	})
}
