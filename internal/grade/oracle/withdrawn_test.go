package oracle

import (
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/program"
	"hallmark/internal/text/quantity"
)

// TestChoiceWithdrawn denies an option, or takes it back, whose letter an answer names: that is not to choose it. Where
// the question asks what is not so, to deny one is to name it.
func TestChoiceWithdrawn(t *testing.T) {
	right := 1
	for _, tt := range []struct {
		prompt, answer string
		want           grade.Outcome // empty: anything but correct
	}{
		{"Which is the capital?", "B. No, wait, that is wrong: it is A.", ""},
		{"Which is the capital?", "The answer is B. No, wait, that is wrong: it is A.", ""},
		{"Which is the capital?", "B) Paris. No, wait, that is wrong: it is A) Lyon.", ""},
		{"Which is the capital?", "It is not B) Paris.", ""},
		{"Which is the capital?", "Not B) Paris", ""},
		{"Which is the capital?", "It is not B) the Paris.", ""},
		{"Which is the capital?", "B) Paris is wrong.", ""},
		{"Which is the capital?", "B) Paris", grade.Correct},
		{"Which is the capital?", "It is not A) Lyon, it is B) Paris.", grade.Correct},
		{"Which is the capital?", "B) Paris\n\nA) Lyon is wrong.", grade.Correct},
		{"Which is the capital?", "The answer is B) Paris, not A) Lyon.", grade.Correct},
		{"Which is not the capital?", "Option A isn't the capital, as nobody rules there.", grade.Incorrect},
	} {
		c := &suite.Case{ID: "q", Prompt: tt.prompt, Options: []string{"Lyon", "Paris", "Nice"}, ShowOptions: true,
			Gold: suite.Gold{Option: &right}}
		o, err := New(c, quantity.Date{}, program.Steps)
		if err != nil {
			t.Fatal(err)
		}
		got := Judge(o, Reading{Text: evidence.Read(tt.answer)}).Outcome()
		if tt.want != "" && got != tt.want || tt.want == "" && got == grade.Correct {
			t.Errorf("%s %q: %s, want %s", tt.prompt, tt.answer, got, tt.want)
		}
	}
}
