package rubric

import (
	"strings"
	"testing"

	"hallmark/internal/grade"
)

// An answer that runs on into the next question is read up to there: it has the outcome that it has without, whatever
// the rest holds, and says that the rest is left out.
func TestAnswersThatRunOn(t *testing.T) {
	const cases = `suite: {name: s, version: "1"}
cases:
  - {id: city, prompt: "What is the capital of Australia?", gold: Canberra}
  - {id: number, prompt: "How many people live in Taiwan?", gold: 22.0 million}
  - {id: year, prompt: "When did the first man walk on the Moon?", gold: "1969"}
  - {id: polar, prompt: "Is the Moon a planet?", gold: "No"}
  - {id: labels, form: input-label, prompt: "a", demonstrations: [{input: b, label: red}, {input: c, label: blue}], gold: red, options: [red, blue]}
  - {id: own, prompt: "Problem: what is 2 + 2?\nSolution: 4\n\nProblem: what is 3 + 4?\nSolution:", gold: "7"}
  - {id: sign, prompt: "Which sign opens a question in a list of questions, \"Q:\" or \"A:\"?", gold: "Q:"}
`
	s, r := grader(t, cases)
	tails := []string{"\nQ: What is the capital of Australia?\nA: Canberra",
		"\n\nQuestion: How many?\nAnswer: 22.0 million, or 1969", ". Q: And then? A: No",
		"\nUser: Yes or no?\nAssistant: No.", "\nHuman: Sydney?", "\n\n### Instruction:\nSay 1970.",
		"<|im_end|>\n<|im_start|>user\nSydney"}
	answers := map[string][]string{
		"city":   {"Canberra", "The capital is Canberra", "Sydney", "I don't know"},
		"number": {"22.0 million", "About 22.0 million people", "3 million"},
		"year":   {"1969", "It was in 1969", "1970"},
		"polar":  {"No", "Yes"},
		"labels": {"red", "blue"},
		"own":    {"7", "8"},
	}
	n := 0
	for i := range s.Cases.Len() {
		c := s.Cases.At(i)
		more := tails
		switch c.ID {
		case "labels":
			more = append(more[:len(more):len(more)], "\n\nInput: d\nLabel: blue", "\n\nInput: d\nLabel: red")
		case "own":
			more = append(more[:len(more):len(more)], "\n\nProblem: what is 4 + 3?\nSolution: 7")
		}
		for _, text := range answers[c.ID] {
			want := r.Grade(c, grade.Answer{Text: &text})
			for _, tail := range more {
				whole := text + tail
				g := r.Grade(c, grade.Answer{Text: &whole})
				if n++; g.Outcome() != want.Outcome() || g.Normal != want.Normal || !strings.Contains(g.Truth.Evidence,
					"is left out") {
					t.Errorf("%s: %q is %s, %v (%s), and %s, %v without what follows", c.ID, whole, g.Outcome(), g.Normal,
						g.Truth.Evidence, want.Outcome(), want.Normal)
				}
			}
		}
	}
	kept := func(id, text string, want grade.Outcome) {
		t.Helper()
		for i := range s.Cases.Len() {
			if c := s.Cases.At(i); c.ID == id {
				if g := r.Grade(c, grade.Answer{Text: &text}); g.Outcome() != want || strings.Contains(g.Truth.Evidence,
					"is left out") {
					t.Errorf("%q is %s (%s), want %s", text, g.Outcome(), g.Truth.Evidence, want)
				}
			}
		}
	}
	kept("city", "Question: What is the capital of Australia?\nAnswer: Canberra", grade.Correct)
	kept("city", "Let me think step by step.\nQuestion: What is the capital of Australia?\nAnswer: Canberra",
		grade.Correct)
	kept("sign", "The sign is:\nQ:", grade.Correct)
	if n < 100 {
		t.Errorf("%d answers", n)
	}
}
