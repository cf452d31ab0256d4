package rubric

import (
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
)

// What the last line commits to decides truth and decidability; what the prose before it makes up is still found.
func TestContract(t *testing.T) {
	s, err := suite.Parse("c.yaml", []byte(`suite: {name: c}
cases:
  - {id: cap, prompt: "What is the capital of Australia?", gold: Canberra}
  - id: doc
    class: conflict-rag
    prompt: "How many days does a refund take?"
    context: [{id: L1, text: "A refund takes five days."}, {id: L2, text: "Parcels are sent on Mondays."}]
    gold: five days
`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	prose := "It is easy to think of Sydney, or of Melbourne, and both have been called so; I might be wrong on either.\n"
	for _, tt := range []struct {
		of, text  string
		outcome   grade.Outcome
		unwarrant bool
	}{
		{"cap", prose + "ANSWER: Canberra", grade.Correct, false},
		{"cap", "Canberra is the capital.\nANSWER: Sydney", grade.Incorrect, false},
		{"cap", "It is Canberra, perhaps.\nCANNOT ANSWER: I do not know.", grade.NotAttempted, false},
		{"doc", "ANSWER: five days\nCITE: L1", grade.Correct, false},
		{"doc", "The page says \"a refund takes at least nine whole weeks to arrive\".\nANSWER: five days\nCITE: L1",
			grade.Incorrect, true},
	} {
		r.Contract = true
		c := s.Cases.At(0)
		if tt.of == "doc" {
			c = s.Cases.At(1)
		}
		g := r.Grade(c, grade.Answer{Text: &tt.text})
		if g.Outcome() != tt.outcome || (g.Reciprocity.Verdict == grade.Fail) != tt.unwarrant {
			t.Errorf("%q: %s, reciprocity %s (%s); want %s, and %v", tt.text, g.Outcome(), g.Reciprocity.Verdict,
				g.Reciprocity.Rule, tt.outcome, tt.unwarrant)
		}
	}
	// Where nobody asked for it, the line is text like any other.
	r.Contract = false
	text := "Canberra is the capital.\nANSWER: Sydney"
	if g := r.Grade(s.Cases.At(0), grade.Answer{Text: &text}); g.Outcome() == grade.Correct {
		t.Errorf("%s", g.Outcome())
	}
}
