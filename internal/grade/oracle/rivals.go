package oracle

import (
	"slices"
	"strings"

	"hallmark/internal/reading"
)

// rivals returns the options that a question names beside its gold, as in "Which lies further west, Lisbon or Dublin?" and "Is it lead, zinc or
// gallium?": none where the gold is none of the words around its last "or".
func rivals(prompt string, accept []string) []string {
	prompt = strings.TrimRight(prompt, " ?.!")
	at := strings.LastIndex(prompt, " or ")
	if at < 0 || len(accept) != 1 {
		return nil
	}
	gold := content(accept[0])
	if len(gold) == 0 {
		return nil
	}
	list, last, listed := listOf(prompt[:at])
	right, _, _ := strings.Cut(prompt[at+len(" or "):], ",")
	next := strings.Fields(right)
	is := func(option string) bool { return slices.Equal(content(option), gold) }
	var found []string
	switch {
	case is(right) || prefix(content(right), gold) || listed && suffix(content(right), gold):
		if !listed {
			last = strings.Join(lastOption(strings.Fields(last), len(gold), article(next, 0)), " ")
		}
		found = append(list, last)
	case is(last) || suffix(content(last), gold):
		if !listed {
			right = strings.Join(firstOption(next, len(gold)), " ")
		}
		found = append(list, right)
	case slices.ContainsFunc(list, is):
		found = append(list, last, right)
	}
	return slices.DeleteFunc(found, func(p string) bool {
		c := content(p)
		return len(c) == 0 || len(c) > mostOfOption || slices.Equal(c, gold)
	})
}

// mostOfOption is how many words an option may have.
const mostOfOption = 6

// listOf returns the options that stand before the last one of a question's left side, and that last one, which begins where the question says so
// (listed) or somewhere in the words that are returned.
func listOf(left string) (list []string, last string, listed bool) {
	if i := strings.LastIndexAny(left, ":;?"); i >= 0 {
		left, listed = left[i+1:], true
	}
	parts := strings.Split(strings.TrimRight(left, ", "), ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	first := len(parts) - 1
	last = parts[first]
	if !listed && (first == 0 || !names(last)) {
		return nil, last, false
	}
	for first > 0 && (listed || names(parts[first-1])) {
		first--
	}
	return parts[first : len(parts)-1 : len(parts)-1], last, true
}

// names reports whether words between two commas can be an option: "the shot", but not "which weighs more" or "in 1990".
func names(part string) bool {
	words := content(part)
	return len(words) > 0 && len(words) <= mostOfOption && !reading.Is(words[0], "preposition") &&
		!slices.ContainsFunc(words, func(w string) bool { return reading.Is(w, "wh", "auxiliary") })
}

// lastOption returns the option at the end of words: from its article on, where the other option has one, else as many words as the
// gold has, and the capitalised ones before these.
func lastOption(words []string, gold int, hasArticle bool) []string {
	start := max(0, len(words)-gold)
	if hasArticle {
		for i := len(words) - 1; i >= max(0, len(words)-mostOfOption); i-- {
			if article(words, i) {
				return words[i:]
			}
		}
	}
	for start > 1 && isUpper(words[start][0]) && isUpper(words[start-1][0]) {
		start--
	}
	return words[start:]
}

// firstOption returns the option at the beginning of words: an article, as many words as the gold has, and the capitalised ones behind these.
func firstOption(words []string, gold int) []string {
	end := min(gold, len(words))
	if article(words, 0) {
		end = min(gold+1, len(words))
	}
	for end > 0 && end < len(words) && isUpper(words[end-1][0]) && isUpper(words[end][0]) {
		end++
	}
	return words[:end]
}

func article(words []string, i int) bool {
	return i < len(words) && reading.Is(strings.ToLower(words[i]), "article")
}

// content are the words of a text in small letters, without articles and marks.
func content(s string) (words []string) {
	for _, w := range strings.Fields(strings.ToLower(s)) {
		if w = strings.Trim(w, `"'“”‘’().,:;!?`); w != "" && !reading.Is(w, "article") {
			words = append(words, w)
		}
	}
	return words
}

func prefix(words, of []string) bool {
	return len(words) >= len(of) && slices.Equal(words[:len(of)], of)
}

func suffix(words, of []string) bool {
	return len(words) >= len(of) && slices.Equal(words[len(words)-len(of):], of)
}
