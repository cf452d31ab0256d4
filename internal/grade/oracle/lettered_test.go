package oracle

import (
	"slices"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
)

func TestLetteredOptions(t *testing.T) {
	gases := []string{"ozone", "argon", "neon"}
	for _, tt := range []struct {
		prompt, gold string
		want         []string
	}{
		{"Which gas is it? A) ozone B) argon C) neon", "B", gases},
		{"Which gas is it? (a) ozone, (b) argon or (c) neon?", "b)", gases},
		{"Which gas is it?\nA. ozone\nB. argon\nC. neon", "Argon", gases},
		{"Which gas is it? A) ozone B) argon C) neon", "Krypton", nil},
		{"Which gas is it? A) ozone B) argon C) neon", "D", nil},
		{"Which gas is it? B) argon C) neon", "B", nil},
		{"Who was Henry A. Wallace?", "A", nil},
		{"What does vitamin A. do? A) ozone B) argon C) neon", "a", gases},
	} {
		if got := letteredOptions(tt.prompt, tt.gold); !slices.Equal(got, tt.want) {
			t.Errorf("%s %s: %q, want %q", tt.prompt, tt.gold, got, tt.want)
		}
	}
}

// TestGoldIsALetter has a table whose questions list their options and whose golds are letters: the letter, the words
// and both are the answer.
func TestGoldIsALetter(t *testing.T) {
	o, err := newOracle(&suite.Case{ID: "a", Prompt: "Which of these is a noble gas? A) ozone B) argon C) nitrogen",
		Gold: suite.Gold{Texts: []string{"B"}}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]grade.Outcome{
		"B": grade.Correct, "argon": grade.Correct, "Argon.": grade.Correct, "**B) argon**": grade.Correct,
		"The noble gas is argon.": grade.Correct,
		"A":                       grade.Incorrect, "Nitrogen": grade.Incorrect, "C) nitrogen": grade.Incorrect,
		"I don't know.": grade.NotAttempted,
	} {
		f := Judge(o, Reading{Text: evidence.Read(text)})
		if got := f.Outcome(); got != want {
			t.Errorf("%s: %s, want %s (%s)", text, got, want, f.Truth.Rule)
		}
	}
}
