package oracle

import (
	"slices"
	"testing"
)

func TestRivals(t *testing.T) {
	for _, tt := range []struct {
		prompt, gold string
		want         []string
	}{
		{"Which city lies further west, Lisbon or Dublin?", "Lisbon", []string{"Dublin"}},
		{"Which city lies further west, Lisbon or Dublin?", "Dublin", []string{"Lisbon"}},
		{"Which of these metals melts at the lowest temperature: lead, zinc or gallium?", "Gallium", []string{"lead", "zinc"}},
		{"Which of these metals melts at the lowest temperature: lead, zinc, or gallium?", "lead", []string{"zinc", "gallium"}},
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
		got := rivals(tt.prompt, []string{tt.gold})
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s %s: %q, want %q", tt.prompt, tt.gold, got, tt.want)
		}
	}
}

// TestSharedWords has words that both options have tell neither.
func TestSharedWords(t *testing.T) {
	o := &byGold{accept: []string{"the right to acquire"}, options: []string{"the right to buy"}}
	for text, want := range map[string]bool{"right": true, "the right": true, "right to buy": false, "acquire": false, "RTA": false} {
		if got := o.shared(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
