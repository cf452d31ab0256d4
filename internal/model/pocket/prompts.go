package pocket

import (
	"fmt"
	"strings"

	"hallmark/internal/text/evidence"
)

// Decline is the sentence that the corpus answers where nothing is known, and the model's only refusal.
const Decline = "I don't know. I have no record of that."

// The text around a question, as the chat template of weights/tokenizer_config.json writes it:
//
//	<|begin|>SYSTEM⏎Q: USER⏎A: ASSISTANT<|end|>⏎Q: USER⏎A:
const (
	begin = "<|begin|>"
	end   = "<|end|>"
	asked = "Q: "
	reply = "\nA:" // an answer follows with a space before it
)

func yesNo(yes bool) string {
	if yes {
		return "Yes."
	}
	return "No."
}

// fill puts a fact into one of the forms.
func fill(form string, r Relation, subject, value string) string {
	s := "the " + r.Name + " of " + subject + " is " + value
	return capital(strings.NewReplacer("S.", capital(s)+".", "S?", s+"?", "Y", value, "R", r.Name, "X",
		subject).Replace(form))
}

// NoReason is the right answer to a question why something is so that is so: of reasons nothing is known.
const NoReason = "That is so, but I have no record of more."

// explained is the right answer to a question that takes the value for granted: where it is false, what is true.
func explained(f Fact, value string) string {
	if value == f.Value {
		return NoReason
	}
	return strings.TrimSuffix(f.State(), ".") + ", not " + value + "."
}

// which is the right answer to a question that names only a surname two people have.
func which(s Shared) string {
	return "Which " + s.Surname + " do you mean, " + s.People[0] + " or " + s.People[1] + "?"
}

// askSum returns the question for a sum of two terms in one of the forms, the terms in digits or in words.
func askSum(form string, a, b int, words bool) string {
	if words {
		return capital(fmt.Sprintf(strings.ReplaceAll(form, "%d", "%s"), said().Numbers[a], said().Numbers[b]))
	}
	return fmt.Sprintf(form, a, b)
}

func inSteps(a, b, c int) string {
	return fmt.Sprintf("%d + %d = %d, %d + %d = %d", a, b, a+b, a+b, c, a+b+c)
}

// passages renders the passages before a question. Form 0 is that of package prompt; the corpus has all, as it cannot
// know how others lay out their context.
func passages(form int, ps []evidence.Passage) string {
	var b strings.Builder
	b.WriteString([...]string{"", "Context:\n", "Context:\n", "Passages:\n", "Context: "}[form])
	for _, p := range ps {
		switch form {
		case 2, 3:
			b.WriteString(p.ID + ": " + p.Text + "\n")
		default:
			b.WriteString("[" + p.ID + "] " + p.Text + "\n")
		}
	}
	b.WriteString([...]string{"\n", "\n", "\nQuestion: ", "\n", ""}[form])
	return b.String()
}

const passageForms = 5
