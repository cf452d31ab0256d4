package prompt

import (
	"slices"
	"testing"

	"hallmark/internal/model"
)

func TestFollowUps(t *testing.T) {
	turns := []model.Message{{Role: "user", Text: "q"}, {Role: "assistant", Text: "a"}}
	chat := model.Request{System: "s", Messages: turns, Prompt: "Who?", MaxTokens: 9, Temperature: 1,
		Options: []string{"x"}}
	raw := model.Request{Prompt: "Q: Who?\nA:", Raw: true, Stop: []string{"\n"}}
	label := model.Request{Prompt: "Input: a b\nLabel:", Raw: true}
	for _, c := range []struct {
		name    string
		got     model.Request
		prompt  string
		options []string
	}{
		{"chat, correct", IsCorrect(chat, " Ann\n"), "Who? Ann\nIs the above statement correct?",
			[]string{"Yes", "yes", "YES", "No", "no", "NO"}},
		{"raw, correct", IsCorrect(raw, " Ann"), "Q: Who?\nA: Ann\nIs the above statement correct?",
			[]string{" Yes", " yes", " YES", " No", " no", " NO"}},
		{"chat, true", PossibleAnswer(chat, "Ann"), "Question: Who?\nPossible answer: Ann\nIs the possible answer:\n" +
			"A) True\nB) False\nThe possible answer is:", []string{"A", "True", "B", "False"}},
		{"raw, true", PossibleAnswer(raw, "Ann"), "Q: Who?\nPossible answer: Ann\nIs the possible answer:\nA) True\n" +
			"B) False\nThe possible answer is:", []string{" A", " True", " B", " False"}},
		{"label, true", PossibleAnswer(label, "red"), "Input: a b\nPossible answer: red\nIs the possible answer:\n" +
			"A) True\nB) False\nThe possible answer is:", []string{" A", " True", " B", " False"}},
	} {
		if c.got.Prompt != c.prompt || !slices.Equal(c.got.Options, c.options) || c.got.MaxTokens != 0 ||
			c.got.Temperature != 0 || c.got.Stop != nil {
			t.Errorf("%s: %+v", c.name, c.got)
		}
	}
	if got := IsCorrect(chat, "Ann"); got.System != "s" || len(got.Messages) != 2 || got.Raw {
		t.Errorf("%+v", got)
	}
	if got := Listed(IsCorrect(chat, "Ann"), 5); got.Options != nil || got.MaxTokens != 1 || got.TopLogProbs != 5 {
		t.Errorf("%+v", got)
	}
}
