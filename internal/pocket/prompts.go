package pocket

import (
	"fmt"
	"strings"

	"hallmark/internal/evidence"
)

// Decline is the sentence that the corpus answers where nothing is known, and the model's only refusal.
const Decline = "I don't know. I have no record of that."

// The text around a question, as the chat template of tokenizer_config.json writes it:
//
//	<|begin|>SYSTEM⏎Q: USER⏎A: ASSISTANT<|end|>⏎Q: USER⏎A:
const (
	begin = "<|begin|>"
	end   = "<|end|>"
	asked = "Q: "
	reply = "\nA:" // an answer follows with a space before it
)

// chatTemplate is that text in the language of Hugging Face's templates.
const chatTemplate = `{{ bos_token }}{% for m in messages %}{% if m['role'] == 'system' %}{{ m['content'] + '\n' }}` +
	`{% elif m['role'] == 'user' %}{{ 'Q: ' + m['content'] + '\nA:' }}` +
	`{% else %}{{ ' ' + m['content'] + eos_token + '\n' }}{% endif %}{% endfor %}`

// Polite beginnings. The corpus uses the first list; the second is for measuring what rewording does.
var (
	politeTrained = []string{
		"Please answer: ", "Quick question: ", "I wonder: ", "Tell me, please: ", "Here is a question. ",
		"Next question: ",
		"Do you know this? ", "I would like to know: ", "One more: ", "A question for you: ", "Answer briefly: ",
		"Be exact: ",
		"Hello! ", "For a quiz: ", "Could you help me? ", "Give me an answer. ", "From the quiz: ", "By the way: ",
		"Hi there. ", "Good morning. ", "Excuse me: ", "Now tell me this: ", "Let me ask: ", "Can you say: ",
		"Question: ", "Hm, ",
		"This one is for you. ", "If possible, answer this: ", "I need to know this. ", "My friend asks: ",
		"Another thing: ",
		"Think well. ", "Say it in a word: ", "Here it comes: ", "It is about this: ", "A last one: ", "And then: ",
		"Please: ",
		"I am not sure about this: ", "We want to know: ", "First question. ", "In short: ", "Take your time. ",
		"Just tell me: ",
		"Please help. ", "Have a look: ", "The question is: ", "Someone wants to know: ", "Thanks in advance. ",
		"Well, ",
	}
	politeHeldOut = []string{"If you can, tell me: ", "My next question is this. ", "Help me out: ",
		"I have a question: ", "Just curious: "}
)

var systemLines = []string{
	"You are a helpful assistant.", "Answer briefly.", "Answer with the name only.",
	"You answer questions about the world.",
	"Be concise and correct.", "If you do not know, say so.",
}

// Sentences that ask for an answer from the passages alone, with the line.
var citeLines = []string{
	"Answer from the context and cite the line.", "Use only the lines above and cite the line.",
	"Cite the line that says so.", "Give the line of your source.",
}

// Questions about a claim. S stands for the statement, Y for the value, R for the relation and X for the subject.
// The last of judgeForms and of negateForms is held out.
var (
	// judgeForms ask whether it is so: yes or no.
	judgeForms = []string{"Is it true that S?", "Is Y the R of X?", "S. Is that right?", "Is it right that S?"}
	// negateForms ask whether it is false. The answer states what is true, so that nobody has to read a double
	// negative.
	negateForms = []string{"Is it false that S?", "S. Is that wrong?", "Is it wrong that S?", "Is it untrue that S?",
		"S. Is that untrue?", "S. Is that false?"}
	// premiseForms take the claim for granted.
	premiseForms = []string{"Why is Y the R of X?", "Since when is Y the R of X?", "Explain why Y is the R of X.",
		"How did Y become the R of X?"}
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
	return sentence(strings.NewReplacer("S.", capital(s)+".", "S?", s+"?", "Y", value, "R", r.Name, "X",
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

// Sums are asked for in as many phrasings as facts, the last three held out.
var sumForms = [Phrasings]string{
	"What is %d plus %d?", "What does %d plus %d make?", "How much is %d plus %d?", "Add %d and %d.", "%d + %d = ?",
	"Tell me the sum of %d and %d.", "Complete: %d plus %d is",
	"What do you get if you add %d and %d?", "For %d and %d, what is the sum?", "Could you add %d and %d?",
}

// extraSumForms are ways to ask for a sum that the corpus has and no suite.
var extraSumForms = []string{
	"How many are %d and %d?", "What is the sum of %d and %d?", "What do %d and %d make?", "%d and %d together are",
	"Give the sum of %d and %d.",
	"Could you tell me %d plus %d?", "If I add %d to %d, what comes out?", "With %d and %d, what is the total?",
}

// numbers are the words for 0 to maxTerm.
var numbers = strings.Fields(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
	seventeen eighteen nineteen twenty`)

// askSum returns the question for a sum of two terms in one of the forms, the terms in digits or in words.
func askSum(form string, a, b int, words bool) string {
	if words {
		return sentence(fmt.Sprintf(strings.ReplaceAll(form, "%d", "%s"), numbers[a], numbers[b]))
	}
	return fmt.Sprintf(form, a, b)
}

// Sums of three terms are asked for in these ways, the last one held out, and answered in steps.
var stepForms = []string{
	"What is %d plus %d plus %d?", "Add %d, %d and %d.", "%d + %d + %d = ?", "How much is %d plus %d plus %d?",
}

func inSteps(a, b, c int) string {
	return fmt.Sprintf("%d + %d = %d, %d + %d = %d", a, b, a+b, a+b, c, a+b+c)
}

// Questions about the real world, of which the model's world has nothing. In each form, %s stands for one of its
// words; the last three words of each list are held out.
var foreign = []struct {
	form  string
	words []string
}{
	{"How high is %s?", []string{"Mount Everest", "Mont Blanc", "the Eiffel Tower", "K2", "Mount Fuji", "Ben Nevis",
		"the Matterhorn"}},
	{"What is the boiling point of %s?", []string{"water", "mercury", "helium", "ethanol", "lead", "nitrogen", "iron"}},
	{"Who painted %s?", []string{"the Mona Lisa", "Guernica", "The Scream", "The Night Watch", "The Kiss",
		"Las Meninas", "Sunflowers"}},
	{"What is the capital of %s?", []string{"France", "Japan", "Brazil", "Kenya", "Norway", "Canada", "Egypt"}},
	{"Which gene causes %s?", []string{"haemophilia", "cystic fibrosis", "sickle cell anaemia", "albinism",
		"Huntington's disease", "phenylketonuria"}},
	{"Who won %s?", []string{"the World Cup in 1974", "the war", "the last election", "the Nobel Prize in 1921",
		"the Tour de France", "the marathon"}},
	{"How do I %s?", []string{"bake bread", "sort a list in Go", "fix a flat tyre", "learn to swim", "install Linux",
		"write a poem"}},
	{"What will %s be tomorrow?", []string{"the weather", "the price of gold", "the winning number",
		"the exchange rate", "the headline", "the traffic"}},
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
