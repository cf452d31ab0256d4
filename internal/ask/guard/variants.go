package guard

import (
	"strings"

	"hallmark/internal/base/pattern"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/paraphrase"
)

var (
	askForm     = pattern.New(`(?i)^(?:what|who) (?:is|was) (the [^?]+ of [^?]+)\?$`)
	requestForm = pattern.New(`(?i)^(?:name|tell me|give|give me|state) (the [^?]+ of [^?]+?)[.?]$`)
	sumForm     = pattern.New(`(?i)^what is ([^?]*\b(?:plus|minus|times)\b[^?]*)\?$`)
)

// Variants returns up to n other phrasings of a question, made by rules that keep its meaning: a question for
// something becomes a request and the other way round, and openings are put before it. They depend on the question
// alone.
func Variants(question string, n int) []string {
	var all []string
	add := func(s string) {
		if len(all) < n && s != question {
			all = append(all, s)
		}
	}
	lead, asked := "", ""
	if len(question) <= 2000 {
		lead, asked = split(question)
	}
	switch {
	case askForm.MatchString(asked):
		of := askForm.FindStringSubmatch(asked)[1]
		add(lead + "Name " + of + ".")
	case requestForm.MatchString(asked):
		of := requestForm.FindStringSubmatch(asked)[1]
		add(lead + claim{of: of}.direct())
	case sumForm.MatchString(asked):
		add(lead + "How much is " + sumForm.FindStringSubmatch(asked)[1] + "?")
	}
	for _, o := range paraphrase.Openings {
		add(o + question)
	}
	return all
}

// split parts a question into what stands before its last sentence, with the blank, and that sentence.
func split(question string) (lead, asked string) {
	t := evidence.Read(question)
	n := len(t.Sentences)
	if t.Plain != question || n < 2 {
		return "", question
	}
	at := t.Words[t.Sentences[n-1].Words.Start].Start
	return question[:at], strings.TrimSpace(question[at:])
}
