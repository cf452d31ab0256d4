package oracle

import (
	"slices"
	"strings"

	"hallmark/internal/base/pattern"
	"hallmark/internal/text/answer"
	"hallmark/internal/text/reading"
)

// askedOptions returns the options that a question names, as in "Which lies further west, Lisbon or Dublin?" and "Is it
// lead, zinc or gallium?", and which of them the gold is: none where the gold is none of the options around its last
// "or", or may be two of them.
func askedOptions(prompt string, accept []string) (found []string, gold int) {
	if len(accept) != 1 || len(content(accept[0])) == 0 {
		return nil, -1
	}
	words := content(accept[0])
	options, longer := optionsOf(strings.TrimRight(prompt, " ?.!"), words)
	at := goldOf(options, longer, words)
	if at < 0 {
		return nil, -1
	}
	if last := len(options) - 1; at == last && !within(words, content(options[last]...)) && longer != nil {
		options[last] = longer
	}
	for i, o := range options {
		if reading.Is(strings.ToLower(o[0]), "preposition") && !reading.Is(words[0], "preposition") && len(o) > 1 {
			o = o[1:]
		}
		c := content(o...)
		switch is := i == at; {
		case is:
			gold = len(found)
		case len(c) == 0 || len(c) > mostOfOption || slices.Equal(c, []string{"that"}):
			continue
		}
		found = append(found, strings.Join(o, " "))
	}
	if len(found) < 2 {
		return nil, -1
	}
	return found, gold
}

// goldOf returns which of the options the gold is, or is a part of; -1 where none is, or several may be.
func goldOf(options [][]string, longer, gold []string) int {
	at := -1
	for i, o := range options {
		c := content(o...)
		if i == len(options)-1 && !within(gold, c) {
			c = content(longer...)
		}
		switch is := slices.Equal(c, gold); {
		case !within(gold, c) && !within(c, gold), is && at >= 0 && equal(options[at], gold):
		case at < 0 || is:
			at = i
		case !equal(options[at], gold):
			return -1
		}
	}
	return at
}

// mostOfOption is how many words an option may have.
const mostOfOption = 6

func equal(option, gold []string) bool { return slices.Equal(content(option...), gold) }

// within reports whether all words of a are among those of b.
func within(a, b []string) bool {
	return len(a) > 0 && !slices.ContainsFunc(a, func(w string) bool { return !slices.Contains(b, w) })
}

// optionsOf returns the options around the last "or" of a question, each as its words: those between commas and
// colons, and of the first and the last, which go on from and into the rest of the question, what is built like its
// neighbour. Where that says nothing it is as many words as the gold has. Of the last one it also returns what it is
// with the word that ends the question, if one is left: "woodwind" and "woodwind instrument".
func optionsOf(prompt string, gold []string) (options [][]string, longer []string) {
	at := strings.LastIndex(prompt, " or ")
	if at < 0 {
		return nil, nil
	}
	left, right := prompt[:at], strings.Fields(strings.SplitN(prompt[at+len(" or "):], ",", 2)[0])
	listed := false
	if i := strings.LastIndexAny(left, ":;?"); i >= 0 {
		left, listed = left[i+1:], true
	}
	parts := strings.Split(strings.TrimRight(left, ", "), ",")
	if len(right) == 0 {
		return nil, nil
	}
	next, bounded := right, false // what stands behind a part, and whether its end is known
	// the options stand behind the rest of the question: "Which is older, A or the B of C?"
	apart := listed
	for i := len(parts) - 1; i >= 0; i-- {
		words := strings.Fields(parts[i])
		if len(words) == 0 {
			break
		}
		whole := listed || len(parts) > 1 && names(parts[i])
		if !whole {
			if first := strings.ToLower(words[0]); bounded &&
				(reading.Is(first, "wh") || reading.Is(first, "preposition") && i < len(parts)-1) {
				apart = true
				break
			}
			words = tail(words, next, bounded, gold)
		}
		options = append(options, words)
		if !whole {
			break
		}
		next, bounded = words, true
	}
	if len(options) == 0 {
		return nil, nil
	}
	last := head(right, options[0], gold)
	if c := content(right...); apart && len(c) <= mostOfOption {
		last = right
	}
	if len(right) == len(last)+1 {
		longer = right
	}
	slices.Reverse(options)
	return append(options, last), longer
}

// names reports whether words between two commas can be an option: "the shot", but not "which weighs more" or "in
// 1990".
func names(part string) bool {
	words := content(part)
	return len(words) > 0 && len(words) <= mostOfOption &&
		!slices.ContainsFunc(words, func(w string) bool { return reading.Is(w, "wh", "auxiliary", "copula") })
}

// tail returns the option at the end of words: from the word on that begins the next option too, be it that very word,
// an article or a preposition, else as many words as the next one has or, where that goes on into the rest of the
// question, as the gold; and the capitalised ones before these.
func tail(words, next []string, bounded bool, gold []string) []string {
	first := strings.ToLower(next[0])
	from := max(0, len(words)-mostOfOption)
	for _, like := range []func(string) bool{
		func(w string) bool { return w == first || reading.Is(first, "article") && reading.Is(w, "article") },
		func(w string) bool { return reading.Is(first, "preposition") && reading.Is(w, "preposition") },
	} {
		for i := len(words) - 1; i >= from; i-- {
			if like(strings.ToLower(words[i])) && i < len(words)-1 {
				return words[i:]
			}
		}
	}
	n := 1
	switch {
	case bounded:
		return words[max(0, len(words)-len(next)):]
	case isDigit(next[0][0]) && isDigit(words[len(words)-1][0]):
	case equalEnds(words, next, gold):
		n = len(gold)
	}
	start := max(0, len(words)-n)
	for start > 1 && isUpper(words[start][0]) && isUpper(words[start-1][0]) && isUpper(next[0][0]) {
		start--
	}
	return words[start:]
}

// equalEnds reports whether the gold is the end of what stands before "or", or the beginning of what stands behind it.
func equalEnds(before, behind, gold []string) bool {
	b, a := content(before...), content(behind...)
	return len(b) >= len(gold) && slices.Equal(b[len(b)-len(gold):], gold) ||
		len(a) >= len(gold) && slices.Equal(a[:len(gold)], gold)
}

// head returns the option at the beginning of words: the gold where it begins them, else as many words as the option
// before it has, and the capitalised ones behind these.
func head(words, before, gold []string) []string {
	n := len(content(before...))
	if c := content(words...); len(c) >= len(gold) && slices.Equal(c[:len(gold)], gold) {
		n = len(gold)
	}
	end := 0
	for end < len(words) && n > 0 {
		if len(content(words[end])) > 0 {
			n--
		}
		end++
	}
	for end > 0 && end < len(words) && isUpper(words[end-1][0]) { // The Lord of the Rings
		next := end
		for next < len(words) && reading.Is(words[next], "article", "preposition") {
			next++
		}
		if next == len(words) || !isUpper(words[next][0]) {
			break
		}
		end = next + 1
	}
	return words[:end]
}

// content are the words of texts in small letters, without articles and marks.
func content(texts ...string) (words []string) {
	for w := range strings.FieldsSeq(strings.ToLower(strings.Join(texts, " "))) {
		if w = strings.Trim(w, `"'“”‘’().,:;!?`); w != "" && !reading.Is(w, "article") {
			words = append(words, w)
		}
	}
	return words
}

// letterMark is the letter of an option in a question: "A) ", "(b) ", "C. ".
var letterMark = pattern.New(`(?:^|[\s(])([A-Ha-h])[).:]\s`)

// letteredOptions returns the options that a question lists by letters from A on, as in "Which gas is released? A)
// chloramine B) carbon monoxide", where a gold is one of them, or its letter; nil else.
func letteredOptions(prompt, gold string) (options []string) {
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
