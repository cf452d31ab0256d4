package paraphrase

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"hallmark/internal/base/pattern"
)

// Ask is what a model is asked for paraphrases of {text}, {n} of them, where nothing else is said.
const Ask = "Say the text between the lines of dashes in {n} other ways that mean exactly the same. Keep every " +
	"name, number, unit, date, negation, and every word such as all, only or at least. Do not answer it and add " +
	"nothing to it. Write each on a line of its own, without numbers or quotation marks, and nothing " +
	"else.\n---\n{text}\n---"

// The placeholders of what a paraphraser is asked.
const (
	textMark  = "{text}"
	countMark = "{n}"
)

// CheckAsk reports what is wrong with the words in which a paraphraser is to be asked.
func CheckAsk(ask string) error {
	switch n := strings.Count(ask, textMark); {
	case n == 0:
		return errors.New("has no {text}; put it where the text goes that is to be paraphrased")
	case n > 1:
		return errors.New("has {text} twice; keep one")
	}
	return nil
}

// Request fills in what a paraphraser is asked.
func Request(ask, text string, n int) string {
	return strings.NewReplacer(textMark, text, countMark, strconv.Itoa(n)).Replace(ask)
}

// maxReply is the most that is read of a reply, in bytes.
const maxReply = 256 << 10

// MostReplies is the most paraphrases that are read of one reply.
const MostReplies = 400

var (
	listed   = pattern.New(`^\s*(?:\(?[0-9]{1,3}[.):]|[-*•])\s+(.*)$`)
	prefixed = pattern.New(`(?i)^(?:paraphrase|version|variant|option|rewrite|alternative)\s*[0-9]*\s*:\s*`)
)

// ReadReply returns the paraphrases of a model's reply, in their order: the strings of a JSON list where the reply
// holds one (or an object with it under paraphrases), else its list items where it has any, else its lines. Numbers
// of a list, quotation marks around a whole line, code fences and blocks of thoughts are left out, as is an opening
// line that ends with a colon. Empty lines are none.
func ReadReply(reply string) []string {
	if len(reply) > maxReply {
		reply = reply[:maxReply]
	}
	reply = strings.ToValidUTF8(reply, " ")
	if i := strings.LastIndex(reply, "</think>"); i >= 0 {
		reply = reply[i+len("</think>"):]
	}
	if texts := jsonReply(reply); texts != nil {
		return texts
	}
	var items, lines []string
	for line := range strings.Lines(reply) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "```") || strings.Trim(line, "-=*_ ") == "" {
			continue
		}
		if m := listed.FindStringSubmatch(line); m != nil {
			items = append(items, bare(m[1]))
		}
		lines = append(lines, bare(line))
		if len(lines) == MostReplies {
			break
		}
	}
	if len(items) > 1 || len(items) == 1 && len(lines) <= 2 {
		return items
	}
	if len(lines) > 1 && strings.HasSuffix(lines[0], ":") {
		lines = lines[1:]
	}
	return lines
}

func jsonReply(reply string) []string {
	start, end := strings.IndexByte(reply, '['), strings.LastIndexByte(reply, ']')
	if start < 0 || end < start || strings.TrimLeft(strings.TrimSpace(reply[:start]), "`jsonJSON \n") != "" &&
		!strings.Contains(reply[:start], `"paraphrases"`) {
		return nil
	}
	var texts []string
	if json.Unmarshal([]byte(reply[start:end+1]), &texts) != nil || len(texts) == 0 {
		return nil
	}
	return texts[:min(len(texts), MostReplies)]
}

// bare takes off what a model puts around a line.
func bare(s string) string {
	s = strings.TrimSpace(s)
	if t, ok := strings.CutPrefix(s, "**"); ok && strings.HasSuffix(t, "**") {
		s = strings.TrimSuffix(t, "**")
	}
	s = prefixed.ReplaceAllString(s, "")
	for _, q := range [][2]string{{`"`, `"`}, {"“", "”"}, {"'", "'"}, {"`", "`"}} {
		if len(s) > len(q[0])+len(q[1]) && strings.HasPrefix(s, q[0]) && strings.HasSuffix(s, q[1]) &&
			strings.Count(s, q[0]) <= 2 {
			s = s[len(q[0]) : len(s)-len(q[1])]
			break
		}
	}
	return strings.TrimSpace(s)
}

// Follows is the question whether the second text follows from the first: a judge is asked it in both directions.
// Texts that ask are meant too, as prompts are: what answers the one must answer the other.
func Follows(first, second string) string {
	return fmt.Sprintf("Here are two texts.\n\nFirst text:\n%s\n\nSecond text:\n%s\n\n"+
		"If both state something: must the second be true whenever the first is true? If both ask for something: "+
		"is every right answer to the "+
		"first also a right answer to the second? Reply with one word, yes or no.", first, second)
}

// ReadVerdict reads a judge's reply: yes or no as its first word, or else as its last; ok is false where it is neither.
func ReadVerdict(reply string) (yes, ok bool) {
	if i := strings.LastIndex(reply, "</think>"); i >= 0 {
		reply = reply[i+len("</think>"):]
	}
	words := strings.FieldsFunc(strings.ToLower(reply), func(r rune) bool { return r < 'a' || r > 'z' })
	if len(words) == 0 {
		return false, false
	}
	for _, w := range []string{words[0], words[len(words)-1]} {
		if w == "yes" || w == "no" {
			return w == "yes", true
		}
	}
	return false, false
}
