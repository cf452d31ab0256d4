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
		{"Which of these metals melts at the lowest temperature: lead, zinc or gallium?", "Gallium", []string{"zinc", "lead"}},
		{"Which of these metals melts at the lowest temperature: lead, zinc, or gallium?", "lead", []string{"gallium", "zinc"}},
		{"Is a whale shark a fish or a mammal?", "Fish", []string{"a mammal"}},
		{"Is a whale shark a fish or a mammal?", "a mammal", []string{"a fish"}},
		{"Did the telephone or the telegraph come first?", "The telegraph", []string{"the telephone"}},
		{"Did the telephone or the telegraph come first?", "the telephone", []string{"the telegraph"}},
		{"In men's athletics, which weighs more, the shot or the discus?", "The shot", []string{"the discus"}},
		{"Who wrote Middlemarch?", "George Eliot", nil},
		{"Who leads a country or state?", "a president", nil},
	} {
		got := rivals(tt.prompt, []string{tt.gold})
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s %s: %q, want %q", tt.prompt, tt.gold, got, tt.want)
		}
	}
}
