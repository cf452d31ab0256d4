package local

import (
	"slices"
	"strings"
	"testing"

	"hallmark/internal/model"
)

// TestTrace: a probe takes the path that a request takes.
func TestTrace(t *testing.T) {
	m := open(t)
	talk := []model.Message{{Role: "system", Text: "S"}, {Role: "user", Text: "What is the <|end|> city?"}}
	chat, err := m.Trace(Probe{Messages: []ChatMessage{ChatMessage(talk[0]), ChatMessage(talk[1])}, Logits: true,
		Continue: 4})
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.ChatTokens(model.Request{System: "S", Prompt: talk[1].Text}, 0)
	if err != nil || !slices.Equal(chat.Tokens, want) || *chat.Rendered != "<|begin|>S\nQ: What is the <|end|> city?\nA:" {
		t.Errorf("tokens %v, want %v, of %q: %v", chat.Tokens, want, *chat.Rendered, err)
	}
	last := chat.Logits[len(chat.Logits)-1]
	if len(chat.Logits) != len(want) || len(chat.Continuation) != 4 ||
		slices.Index(last, slices.Max(last)) != int(chat.Continuation[0]) {
		t.Errorf("%d rows of logits, continuation %v", len(chat.Logits), chat.Continuation)
	}
	text := "the <|end|> city"
	plain, err := m.Trace(Probe{Text: &text})
	if err != nil || !slices.Contains(plain.Tokens, 1) || plain.Decoded != "the  city" || plain.Logits != nil ||
		plain.Rendered != nil {
		t.Errorf("%+v, %v", plain, err)
	}
	same, err := m.Trace(Probe{Tokens: plain.Tokens, Logits: true})
	if err != nil || !slices.Equal(same.Tokens, plain.Tokens) || len(same.Logits) != len(plain.Tokens) {
		t.Errorf("%+v, %v", same, err)
	}
	for want, p := range map[string]Probe{
		"no tokens": {}, "outside the vocabulary": {Tokens: []int32{300}, Logits: true},
		"token 1 is -1": {Tokens: []int32{1, -1}}, "want user": {Messages: []ChatMessage{{Role: "assistant", Text: "x"}}},
		`role "tool"`: {Messages: []ChatMessage{{Role: "tool"}, {Role: "user"}}},
	} {
		if _, err := m.Trace(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
