package grading

import (
	"strings"
	"time"

	"hallmark/internal/suite"
	"hallmark/internal/text/quantity"
)

// A Length is a band of answers by their words: reading errs more on long ones.
type Length string

// The bands, by the words of the answer: what stands between blanks.
const (
	UpTo5  Length = "up_to_5"
	UpTo25 Length = "6_to_25"
	UpTo80 Length = "26_to_80"
	Over80 Length = "over_80"
)

// Lengths lists the bands from short to long.
var Lengths = []Length{UpTo5, UpTo25, UpTo80, Over80}

// LengthOf returns the band of an answer; an empty one is in the first.
func LengthOf(text string) Length {
	switch n := len(strings.Fields(text)); {
	case n <= 5:
		return UpTo5
	case n <= 25:
		return UpTo25
	case n <= 80:
		return UpTo80
	}
	return Over80
}

// FromGold is the oracle of a case that names none.
const FromGold = "from gold"

// OracleOf returns the type of the case's oracle as the suite writes it, FromGold where it writes none.
func OracleOf(c *suite.Case) string {
	if c.Oracle == nil {
		return FromGold
	}
	return c.Oracle.Type
}

// mostWords is how long a name may be; a gold of more words is a sentence, which no rule compares.
const mostWords = 8

// goldOfOracle are the types of golds that the type of an oracle tells.
var goldOfOracle = map[string]string{
	"choice": "choice", "numeric": "number", "calc": "number", "identifier": "identifier", "program": "program",
	"refusal": "no_answer", "clarification": "no_answer", "proof": "sentence", "judge": "sentence", "temporal": "name",
}

// GoldOf returns the type of the case's gold: choice, number, date, yes_no, identifier, sentence, program,
// no_answer where not to answer is right, else name, which takes in every short text. It goes by the form of the
// first accepted answer, so a year alone is a number. Labels may say it better.
func GoldOf(c *suite.Case) string {
	golds := c.Answers()
	if c.Oracle != nil {
		if kind := goldOfOracle[c.Oracle.Type]; kind != "" {
			return kind
		}
		if len(c.Oracle.Accept) > 0 {
			golds = c.Oracle.Accept
		}
	}
	switch {
	case c.Decline:
		return "no_answer"
	case len(c.Options) > 0 && (c.AnswerType == "" || c.AnswerType == suite.Choice):
		return "choice"
	case c.AnswerType == suite.Numeric:
		return "number"
	case len(golds) == 0:
		return "name"
	}
	return form(golds[0])
}

// DateLayouts are the forms in which a gold is a date, to the month or the day.
var DateLayouts = []string{"2006-01-02", "2006-01", "2 January 2006", "January 2, 2006", "January 2 2006",
	"January 2006", "2 January", "January 2"}

// form says what a gold looks like.
func form(gold string) string {
	gold = strings.TrimSpace(gold)
	switch strings.ToLower(strings.Trim(gold, ".")) {
	case "yes", "no", "true", "false":
		return "yes_no"
	}
	for _, layout := range DateLayouts {
		if _, err := time.Parse(layout, gold); err == nil {
			return "date"
		}
	}
	words := strings.Fields(gold)
	// Apollo 11 is a name
	if _, ok := quantity.Number(gold); ok && len(words) <= 3 &&
		strings.IndexAny(strings.TrimLeft(gold, "+-−.$€£ "), "0123456789") == 0 {
		return "number"
	}
	if len(words) > mostWords {
		return "sentence"
	}
	return "name"
}
