package reading

import (
	"fmt"
	"slices"
	"testing"

	"hallmark/internal/text/evidence"
)

// TestClaims holds which words of an answer are put forward, and in what role.
func TestClaims(t *testing.T) {
	const capital, author = "What is the capital of France?", "Who painted the Night Watch?"
	for _, c := range []struct{ question, answer, want string }{
		{capital, "Lyon", "Lyon/bare"},
		{capital, "It is Lyon.", "Lyon/complement"},
		{capital, "The capital of France is Lyon.", "Lyon/complement"},
		{capital, "Lyon is the capital of France.", "Lyon/subject"},
		{capital, "I believe it is Lyon.", "Lyon/complement"},
		{capital, "Capital: Lyon", "Lyon/label"},
		{capital, "The answer is Lyon.", "Lyon/marked"},
		{author, "Rembrandt painted it.", "Rembrandt/subject"},
		{author, "It was painted by Rembrandt.", "Rembrandt/agent"},
		{author, "Rembrandt did.", "Rembrandt/subject"},
	} {
		names := []string{"marked", "bare", "complement", "subject", "agent", "label", "guessed", "object", "oblique",
			"fragment", "bold"}
		text := evidence.Read(c.answer)
		var got []string
		for _, claim := range Claims(text, NewQuestion(c.question)) {
			got = append(got, fmt.Sprintf("%s/%s", text.Slice(claim.Words), names[claim.Role]))
		}
		if !slices.Contains(got, c.want) {
			t.Errorf("%q: claims %q, want %q among them", c.answer, got, c.want)
		}
	}
}

// TestPolarities holds what answers to a question of yes or no say first, if that answers it.
func TestPolarities(t *testing.T) {
	q := NewQuestion("Can penguins fly?")
	for answer, want := range map[string]string{
		"No.": "no", "Yes, they can.": "yes", "No, they cannot fly.": "no", "Penguins cannot fly.": "no",
		"Penguins can fly.": "yes",
		"They can't.":       "no", "That is correct.": "yes", "The answer is no.": "no", "Fish is what penguins eat.": "",
		"So no, not a chance.": "no", "So yes, your bird is one that does.": "yes",
		"Its wings are strong, and yes, it does.":   "yes",
		"It eats fish, so no, nothing of the sort.": "no", "There is no ice, and no penguin.": "",
		"It saw ice, and no, penguins were not there.": "",
	} {
		first := ""
		if said := Polarities(evidence.Read(answer), q); len(said) > 0 && said[0].Firm() {
			first = said[0].String()
		}
		if first != want {
			t.Errorf("%q says %q, want %q", answer, first, want)
		}
	}
}
