package paraphrase

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A swap is a phrase at a place of a text and another that means the same there.
type swap struct {
	at       int
	from, to string
}

// in makes the swap. A capital stays a capital.
func (w swap) in(text string) string {
	return text[:w.at] + w.as(text) + text[w.at+len(w.from):]
}

// as is what the swap puts into a text.
func (w swap) as(text string) string {
	if startsUpper(text[w.at:]) {
		return capitalized(w.to)
	}
	return w.to
}

// everySwap makes all swaps that do not overlap.
func everySwap(text string, swaps []swap) string {
	var out strings.Builder
	done := 0
	for _, w := range swaps {
		if w.at < done {
			continue
		}
		out.WriteString(text[done:w.at] + w.as(text))
		done = w.at + len(w.from)
	}
	return out.String() + text[done:]
}

// maxSwaps bounds the swaps of one text.
const maxSwaps = 40

// swapsIn finds what can be swapped in a text, from left to right, the longest phrase at a place.
func swapsIn(text string) (out []swap) {
	for i := 0; i < len(text) && len(out) < maxSwaps; {
		if r, n := utf8.DecodeRuneInString(text[i:]); !unicode.IsLetter(r) || i > 0 && inWord(text[:i]) {
			i += n
			continue
		}
		for _, from := range phrasesAt(text, i) {
			fold := strings.ToLower(from)
			if to, ok := lists().synonyms[fold]; ok && (from == fold || from == capitalized(fold) &&
				!midName(text, i)) {
				for _, t := range to {
					out = append(out, swap{i, from, t})
				}
			}
		}
		i = max(wordEnd(text, i), i+1)
	}
	return out
}

// phrasesAt returns the phrases of one word, of two and so on that begin at a place.
func phrasesAt(text string, start int) (all []string) {
	for end := start; len(all) < lists().longest && end < len(text); end++ { // over a space
		end = wordEnd(text, end)
		if end < len(text) && (isWordByte(text[end]) || isDigit(text[end])) {
			break
		}
		all = append(all, text[start:end])
		if end == len(text) || text[end] != ' ' {
			break
		}
	}
	return all
}

func wordEnd(text string, i int) int {
	for i < len(text) && isWordByte(text[i]) {
		i++
	}
	return i
}

// midName reports whether a capital at a place is that of a name: not at the beginning of a sentence.
func midName(text string, at int) bool {
	before := strings.TrimRight(text[:at], " \"“(")
	return before != "" && !strings.ContainsAny(before[len(before)-1:], ".?!:\n")
}

func isWordByte(b byte) bool {
	return b|0x20 >= 'a' && b|0x20 <= 'z' || b == '\'' || b == '-' || b >= 0x80
}

func inWord(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' || r == '-' || r == '’'
}
