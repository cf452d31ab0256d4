package prompt

import (
	"strings"
	"unicode"

	"hallmark/internal/model"
	"hallmark/internal/suite"
	"hallmark/internal/text/retrieve"
)

// A RetrievedForm is the layout of a passage that was found.
type RetrievedForm string

// The layouts. Each stands at the very beginning of a text to continue, before demonstrations, and in a chat at the
// beginning of the question's turn, an empty line behind it.
const (
	// RALM is in-context retrieval augmentation as published: title and text on lines of their own; before
	// questions in the form qa title and text in paragraphs, and "Based on this text, answer these questions:".
	// Source: arXiv:2302.00083 and its code.
	RALM RetrievedForm = "ralm"
	// Cited is the layout of a case's own passages, "[id] text", with "title: " before the text where there is one.
	Cited RetrievedForm = "passage"
)

// RetrievedWords is where the text of a passage is cut; the source cuts at as many of its model's tokens.
const RetrievedWords = 256

// QueryWords is how many words of a question are searched for, its last; the source takes as many of its model's
// tokens.
const QueryWords = 32

// Query returns what is searched for a variant: the last QueryWords words of its question, with what a template
// puts around it. Demonstrations, options, passages and the words of a layout are no part of it.
func Query(v Variant) string {
	question := v.Prompt
	if v.Template != nil && v.Template.Around != "" {
		question = fill(v.Template.Around, questionMark, question)
	}
	words := strings.Fields(question)
	return strings.Join(words[max(0, len(words)-QueryWords):], " ")
}

// behind puts a request behind the passage that a search found for its question.
func behind(p *retrieve.TitledPassage, req model.Request, layout RetrievedForm, form suite.Form) model.Request {
	id, between, end := "", "\n", "\n\n"
	switch {
	case layout == Cited:
		id, between = "["+p.ID+"] ", ": "
	case req.Raw && form == suite.QA:
		between, end = "\n\n", "\n\nBased on this text, answer these questions:\n"
	}
	if p.Title == "" {
		between = ""
	}
	req.Prompt = id + p.Title + between + firstWords(p.Text, RetrievedWords) + end + req.Prompt
	return req
}

// firstWords returns the beginning of a text up to n words, without space around it.
func firstWords(text string, n int) string {
	text = strings.TrimSpace(text)
	inWord := false
	for i, r := range text {
		if space := unicode.IsSpace(r); space == inWord {
			if inWord = !space; inWord {
				n--
			} else if n == 0 {
				return text[:i]
			}
		}
	}
	return text
}
