package oracle

import (
	"regexp"
	"slices"
	"strings"

	"hallmark/internal/answer"
)

// letterMark is the letter of an option in a question: "A) ", "(b) ", "C. ".
var letterMark = regexp.MustCompile(`(?:^|[\s(])([A-Ha-h])[).:]\s`)

// letteredOptions returns the options that a question lists by letters from A on, as in "Which gas is released? A)
// chloramine B) carbon monoxide", where a gold is one of them, or its letter; nil else.
func letteredOptions(prompt, gold string) (options []string) {
	second := func(mark string) bool { return strings.Contains(prompt, mark) }
	// nearly all, and seen at little cost
	if !slices.ContainsFunc([]string{"B)", "b)", "B.", "b.", "B:", "b:"}, second) {
		return nil
	}
	marks := letterMark.FindAllStringSubmatchIndex(prompt, -1)
	for first := len(marks) - 1; first >= 0; first-- { // the last list: "Vitamin A. Which …? A) … B) …"
		if prompt[marks[first][2]]|0x20 != 'a' {
			continue
		}
		for i, m := range marks[first:] {
			if prompt[m[2]] != prompt[marks[first][2]]+byte(i) {
				return nil
			}
			end := len(prompt)
			if first+i+1 < len(marks) {
				end = marks[first+i+1][0]
			}
			text := strings.Trim(prompt[m[1]:end], " \t\r\n,;.?")
			if i > 0 && end == len(prompt) {
				text = strings.TrimPrefix(text, "or ")
			}
			options = append(options, strings.TrimSuffix(strings.TrimSuffix(text, " or"), ","))
		}
		break
	}
	form := answer.Normalize(answer.Normalized, gold)
	letter := strings.Trim(gold, "()., ")
	for i, text := range options {
		named := len(letter) == 1 && letter[0]|0x20 == 'a'+byte(i)
		if text != "" && len(options) > 1 && (named || answer.Normalize(answer.Normalized, text) == form) {
			return options
		}
	}
	return nil
}
