package prompt

import (
	"strings"

	"hallmark/internal/base/pattern"
)

// contracted is a line of an answer contract: what it says, and the word that it begins with.
var contracted = pattern.New("(?i)^[\\s*_`#>-]*(ANSWER|CANNOT ANSWER|CITE)[*_`]*\\s*:[\\s*_`]*(.*?)[\\s*_`]*$")

// Contracted returns what the last lines of an answer commit to, where the prompt asked for such lines
// (docs/grading.md): the answer with the ids of the passages that it cites in brackets behind it, or a decline with
// its reason. false where the last line is none of them, or none has an answer: the text is read as any other then.
// Of two answers the last one counts.
func Contracted(text string) (says string, ok bool) {
	lines := strings.Split(strings.TrimRight(text, " \t\r\n*_`"), "\n")
	cites := ""
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.TrimSpace(lines[i]) == "" {
			continue
		}
		m := contracted.FindStringSubmatch(lines[i])
		if m == nil {
			return "", false
		}
		switch word := strings.ToUpper(m[1]); {
		case word == "CITE":
			for _, id := range strings.FieldsFunc(m[2], func(r rune) bool {
				return strings.ContainsRune(" ,;[]()", r)
			}) {
				cites += " [" + id + "]"
			}
		case word == "CANNOT ANSWER":
			return strings.TrimSpace("I cannot answer that. " + m[2]), true
		case m[2] == "":
			return "", false
		default:
			return m[2] + cites, true
		}
	}
	return "", false
}
