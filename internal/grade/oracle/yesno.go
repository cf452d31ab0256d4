package oracle

import (
	"slices"

	"hallmark/internal/evidence"
)

// polarQuestion are the words that open a question to which yes or no is an answer.
var polarQuestion = map[string]bool{
	"is": true, "are": true, "was": true, "were": true, "am": true, "do": true, "does": true, "did": true, "can": true, "could": true, "has": true, "have": true, "had": true,
	"will": true, "would": true, "should": true, "may": true, "might": true, "must": true, "shall": true,
}

// wordsOfTruth speak of the statement that a question is about and are no part of it; those that are true here turn it over.
var wordsOfTruth = map[string]bool{
	"true": false, "right": false, "correct": false, "case": false, "really": false, "actually": false, "indeed": false,
	"false": true, "wrong": true, "incorrect": true, "untrue": true,
}

// imply returns what the accepted answers say to a question that admits yes or no: by the word with which one opens or ends ("…, so no");
// else yes where one states what the question asks about, and no where a rejected answer does; turned over where the question
// asks whether it is false. It is noPolarity where that cannot be read, or accepted answers disagree.
func (o *exact) imply() polarity {
	q := evidence.Read(o.c.Prompt)
	admits := false
	for _, s := range q.Sentences {
		admits = admits || s.Question && polarQuestion[q.Words[s.Words.Start].Fold]
	}
	if !admits {
		return noPolarity
	}
	said := noPolarity
	for _, t := range o.accept {
		p := spoken(t.text)
		if p == noPolarity || p == said {
			continue
		}
		if said != noPolarity {
			return noPolarity
		}
		said = p
	}
	if said != noPolarity {
		return said
	}
	var content []string
	turned := false
	for _, w := range evidence.Phrase(o.c.Prompt) {
		turns, ofTruth := wordsOfTruth[w]
		turned = turned || turns
		switch {
		case denies(w):
			return noPolarity
		case !ofTruth && !evidence.Stop[w]:
			content = append(content, w)
		}
	}
	states := func(t target) bool {
		for _, w := range content {
			if !slices.Contains(t.words, w) {
				return false
			}
		}
		return len(content) > 0 && !slices.ContainsFunc(t.words, denies)
	}
	switch {
	case slices.ContainsFunc(o.accept, states) == slices.ContainsFunc(o.reject, states):
		return noPolarity
	case slices.ContainsFunc(o.accept, states) != turned:
		return yes
	}
	return no
}

// spoken returns the yes or no with which a text opens or closes: "No, it is Paris", "It is Paris, so no", but not "Dr. No".
func spoken(s string) polarity {
	t := evidence.Read(s)
	if p := polarWord(t.Words[0].Fold); p != noPolarity || len(t.Words) == 1 {
		return p
	}
	last, before := t.Words[len(t.Words)-1], t.Words[len(t.Words)-2]
	if before.Clause == last.Clause && before.Fold != "so" && before.Fold != "is" {
		return noPolarity
	}
	return polarWord(last.Fold)
}

func denies(w string) bool { return w == "not" || w == "never" || w == "no" }

func polarWord(w string) polarity {
	if w == "yes" || w == "no" {
		return polar[w]
	}
	return noPolarity
}

// bare returns what an answer says that is a yes or no and nothing else of content: "No.", "No, it isn't."
func bare(t *evidence.Text, question map[string]bool) polarity {
	if len(t.Words) == 0 || len(t.Words) > 40 {
		return noPolarity
	}
	p := polarWord(t.Words[0].Fold)
	for _, w := range t.Words[1:] {
		if q := polarWord(w.Fold); q != noPolarity && q != p {
			return noPolarity
		}
		if _, ofTruth := wordsOfTruth[w.Fold]; !ofTruth && !question[w.Fold] && !evidence.Stop[w.Fold] && !denies(w.Fold) {
			return noPolarity
		}
	}
	return p
}
