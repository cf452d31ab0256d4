package oracle

import (
	"slices"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
)

func TestRivals(t *testing.T) {
	for _, tt := range []struct {
		prompt, gold string
		want         []string
	}{
		{"Which city lies further west, Lisbon or Dublin?", "Lisbon", []string{"Dublin"}},
		{"Which city lies further west, Lisbon or Dublin?", "Dublin", []string{"Lisbon"}},
		{"Which of these metals melts at the lowest temperature: lead, zinc or gallium?", "Gallium",
			[]string{"lead", "zinc"}},
		{"Which of these metals melts at the lowest temperature: lead, zinc, or gallium?", "lead",
			[]string{"zinc", "gallium"}},
		{"Is a whale shark a fish or a mammal?", "Fish", []string{"a mammal"}},
		{"Is a whale shark a fish or a mammal?", "a mammal", []string{"a fish"}},
		{"Did the telephone or the telegraph come first?", "The telegraph", []string{"the telephone"}},
		{"Did the telephone or the telegraph come first?", "the telephone", []string{"the telegraph"}},
		{"In men's athletics, which weighs more, the shot or the discus?", "The shot", []string{"the discus"}},
		{"On a firm's balance sheet, is a loan from a bank an asset or a liability?", "a liability", []string{"an asset"}},
		{"Did Greece or Rome adopt the drachma?", "Greece", []string{"Rome"}},
		{"Was it Abraham Lincoln or Washington?", "Washington", []string{"Abraham Lincoln"}},
		{"Was it Washington or Abraham Lincoln who freed them?", "Washington", []string{"Abraham Lincoln"}},
		{"In 1990, was it Bonn or Berlin?", "Berlin", []string{"Bonn"}},
		{"In 1990, which became the seat, Bonn, Leipzig, or Berlin?", "Berlin", []string{"Bonn", "Leipzig"}},
		{"Which is drier, strong white flour or fine rye flour?", "white flour", []string{"fine rye flour"}},
		{"Which is drier, strong white flour or fine rye flour?", "rye flour", []string{"strong white flour"}},
		{"Who wrote Middlemarch?", "George Eliot", nil},
		{"Who leads a country or state?", "a president", nil},
	} {
		options, gold := askedOptions(tt.prompt, []string{tt.gold})
		got := others(options, gold)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s %s: %q, want %q", tt.prompt, tt.gold, got, tt.want)
		}
	}
}

// TestSharedWords has words that both options have tell neither.
func TestSharedWords(t *testing.T) {
	c := &suite.Case{ID: "a", Prompt: "Is it the right to acquire or the right to buy?",
		Gold: suite.Gold{Texts: []string{"the right to acquire"}}}
	made, err := newOracle(c)
	if err != nil {
		t.Fatal(err)
	}
	o := made.(*byAsked)
	for text, want := range map[string]bool{"right": true, "the right": true, "right to buy": true, "acquire": false,
		"RTA": false} {
		if got := o.shared(text, o.gold) || text == "right to buy" && o.shared(text, 1-o.gold); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestSides: where the question names what is to be chosen from, "right" is a side and no yes.
func TestSides(t *testing.T) {
	for _, c := range []struct {
		prompt, gold, text string
		want               grade.Outcome
	}{
		{"Does the heart of a flounder lie on the left or the right side?", "right", "Left", grade.Incorrect},
		{"Does the heart of a flounder lie on the left or the right side?", "right", "It lies on the left side.",
			grade.Incorrect},
		{"Does the heart of a flounder lie on the left or the right side?", "right", "On the right side.", grade.Correct},
		{"Do people in Kenya drive on the left or the right?", "left", "Right.", grade.Incorrect},
		{"Is it true or false that ice floats?", "true", "False.", grade.Incorrect},
		{"Is it true or false that ice floats?", "true", "Yes.", grade.Correct},
		{"Is the sum right or wrong: 2 + 2 = 4?", "right", "It is wrong.", grade.Incorrect},
	} {
		o, err := newOracle(&suite.Case{ID: "a", Prompt: c.prompt, Gold: suite.Gold{Texts: []string{c.gold}}})
		if err != nil {
			t.Fatal(err)
		}
		if f := Judge(o, Reading{Text: evidence.Read(c.text)}); f.Outcome() != c.want {
			t.Errorf("%s %q: %s, want %s (%s)", c.prompt, c.text, f.Outcome(), c.want, f.Truth.Rule)
		}
	}
}
