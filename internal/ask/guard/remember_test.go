package guard

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"hallmark/internal/ask/guard/memory"
	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
)

// gone is a model that must not be asked.
var gone = modeltest.Func{ID: "gone", Answer: func(context.Context, model.Request) (model.Response, error) {
	return model.Response{}, errors.New("the model inside was asked")
}}

func TestRecall(t *testing.T) {
	m := new(memory.Memory).Next([]memory.Entry{{Question: "Who wrote The Lamp?", Answer: "Ada Bel",
		Reasons: []string{"<a quote>"}}})
	c := Defaults()
	plain, err := New(gone, c)
	if err != nil {
		t.Fatal(err)
	}
	c.Memory = m
	g, err := New(gone, c)
	if err != nil {
		t.Fatal(err)
	}
	if g.Identity() == plain.Identity() {
		t.Error("a memory does not change the identity")
	}
	for _, q := range []string{"Who wrote The Lamp?", "Tell me: who wrote The Lamp?"} {
		r, err := g.Generate(context.Background(), model.Request{Prompt: q})
		if err != nil || *r.Text != "Ada Bel" {
			t.Fatalf("%s: %v, %v", q, r.Text, err)
		}
		var trace Trace
		if err := json.Unmarshal(r.Raw, &trace); err != nil || trace.Act != Remembered || trace.Calls != 0 {
			t.Errorf("%s: %+v, %v", q, trace, err)
		}
		if _, ok := Remember(model.Request{Prompt: q}, r); ok {
			t.Error("what is remembered enters the memory again")
		}
	}
	for name, req := range map[string]model.Request{
		"another question": {Prompt: "Who wrote The Gate?"},
		"a system line":    {System: "Be brief.", Prompt: "Who wrote The Lamp?"},
		"earlier turns": {Messages: []model.Message{{Role: "user", Text: "a"}, {Role: "assistant", Text: "b"}},
			Prompt: "Who wrote The Lamp?"},
		"options":      {Prompt: "Who wrote The Lamp?", Options: []string{" Ada", " Bel"}},
		"a plain text": {Prompt: "Who wrote The Lamp?", Raw: true},
	} {
		if _, err := g.Generate(context.Background(), req); err == nil {
			t.Errorf("%s is answered from the memory", name)
		}
	}
}

func TestRemember(t *testing.T) {
	text, empty := "Ada Bel", ""
	with := func(act Act, text *string) model.Response {
		return model.Response{Text: text, Raw: (&Trace{Act: act, Reason: "why"}).json()}
	}
	q := model.Request{System: "s", Prompt: "Who wrote The Lamp?"}
	for _, act := range []Act{Passed, Replaced, Repaired, Corrected, Asked, Abstained} {
		e, ok := Remember(q, with(act, &text))
		if !ok || e.Answer != text || e.Question != q.Prompt || e.System != "s" || e.Abstains != (act == Abstained) ||
			len(e.Reasons) != 1 {
			t.Errorf("%s: %+v, %v", act, e, ok)
		}
	}
	for name, r := range map[string]model.Response{
		"unguarded": with(Unguarded, &text), "null": with(Passed, nil), "empty": with(Passed, &empty),
		"no guard's": {Text: &text}, "another body": {Text: &text, Raw: []byte(`{"id":"x"}`)},
	} {
		if _, ok := Remember(q, r); ok {
			t.Errorf("an answer that is %s is remembered", name)
		}
	}
	if _, ok := RememberAsIs(q, model.Response{Text: &text}); !ok {
		t.Error("as it is, an answer of no guard is not taken")
	}
}
