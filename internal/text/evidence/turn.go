package evidence

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hallmark/internal/base/pattern"
)

// turnMark finds the marks of turns of chat templates.
var turnMark = pattern.New(`(?i)`+strings.ReplaceAll(
	regexp.QuoteMeta(strings.Join(slices.Sorted(maps.Keys(Listed("turn mark"))), "\n")), "\n", "|"), "<", "[", "#")

// numbered finds what may be an item of a quiz, at the beginning of a line, behind the end of a sentence or with a
// Q: its number and its text up to a question mark on its line.
var numbered = pattern.New(
	`(?:\n[ \t*_]*|[.!?…][ \t*_]+|[\s*_]Q(?:uestion )?)([2-9]|[1-9][0-9])[.)] [^?\n]{3,300}\?`,
	"1", "2", "3", "4", "5", "6", "7", "8", "9")

// Own returns what of an answer its model says in its own turn: the text up to where it writes the next one for its
// reader, as base models do that run on ("22.0 million. Q: …"); false where it does not. A turn opens with a label at
// the beginning of a line, or with a capital behind the end of a sentence, or with a mark of chat templates. Labels
// name turns beside those of lexicon.txt, in small letters, as "input" of a prompt whose parts begin with "Input:". Any
// other label opens one where its text asks something and another label follows, as in a dialogue ("Student: And …?
// Teacher: …"), but a word that takes back; and so does a number from 2 on, which does not follow the one before it,
// where its text asks ("2. Who …? …"). A
// label or mark that told, what was asked and what is right, holds itself is none. Nothing is cut before a word was
// said, and nothing inside a block of reasoning. It takes time linear in the text.
func Own(text string, labels []string, told string) (own string, ran bool) {
	told = strings.ToLower(told)
	start := 0
	if i := strings.LastIndex(text, "</think>"); i >= 0 {
		start = i + len("</think>")
	} else if strings.Contains(text, "<think>") {
		return text, false
	}
	body := text[start:]
	said := strings.IndexFunc(body, inWord)
	if said < 0 {
		return text, false
	}
	end := quizzed(body[:labelled(body, said, labels, told)], said)
	if end = marked(body[:end], said, told); end == len(body) {
		return text, false
	}
	return strings.TrimRight(text[:start+end], " \t\r\n"), true
}

// MayRunOn reports whether a text holds a sign by which a turn could open; Own cuts none that holds none.
func MayRunOn(text string) bool { return strings.ContainsAny(text, ":?<[#") }

// labelled returns where a label opens a turn in a text whose first word begins at said; its end where none does.
func labelled(body string, said int, labels []string, told string) int {
	asker, from := -1, 0 // the last label that may open a turn, and where its text begins
	for i := 0; ; i++ {
		k := strings.IndexByte(body[i:], ':')
		if k < 0 {
			return len(body)
		}
		i += k
		name, at := turnLabel(body, i)
		switch {
		case at < 0 || strings.Contains(told, name+":"):
			continue
		case asker >= 0 && at > from && strings.Contains(body[from:at], "?"):
			return asker
		case at > said && (Listed("turn")[name] || slices.Contains(labels, name)):
			return at
		}
		if asker = -1; at > said && !Listed("turn not")[name] && !Listed("corrects")[name] {
			asker, from = at, i
		}
	}
}

// quizzed returns where an item of a quiz follows an answer that is no item before it.
func quizzed(body string, said int) int {
	for _, m := range numbered.FindAllStringSubmatchIndex(body, -1) {
		n, _ := strconv.Atoi(body[m[2]:m[3]])
		before := strconv.Itoa(n - 1)
		if said < m[0] && !strings.Contains(body[:m[0]], before+".") && !strings.Contains(body[:m[0]], before+")") {
			return m[0] + 1 // the mark that ends the sentence before stays
		}
	}
	return len(body)
}

// marked returns where the mark of a chat template ends the turn.
func marked(body string, said int, told string) int {
	for _, m := range turnMark.FindAllStringIndex(body, -1) {
		if said < m[0] && !strings.Contains(told, strings.ToLower(body[m[0]:m[1]])) {
			return m[0]
		}
	}
	return len(body)
}

// turnLabel returns the label before the colon at i, in small letters, and where it begins: the whole line up to there,
// but for signs of markdown and a number, or one word with a capital behind the end of a sentence; -1 where neither is.
func turnLabel(s string, i int) (name string, at int) {
	const most = 48 // bytes of a label with its signs
	window := s[max(0, i-most):i]
	line := window[strings.LastIndexByte(window, '\n')+1:]
	if bullet := strings.HasPrefix(strings.TrimLeft(line, " \t"), "* "); len(line) < len(window) && !bullet {
		name := strings.ToLower(strings.Trim(line, " \t#>*_0123456789"))
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz ") == "" {
			return name, i - len(line)
		}
	}
	word := strings.TrimRight(line, " \t#*_0123456789")
	k := strings.LastIndexAny(word, " \t") + 1
	before := strings.TrimRight(strings.TrimRight(word[:k], " \t"), "\"'”’)]*_")
	last, _ := utf8.DecodeLastRuneInString(before)
	if k == len(word) || word[k] < 'A' || word[k] > 'Z' || !strings.ContainsRune(".!?…", last) {
		return "", -1
	}
	return strings.ToLower(word[k:]), i - len(line) + k
}

// What chat models put around an answer says nothing of what was asked, and what was read as the first or the last
// thing said would not be it.
var (
	opening = pattern.New(`(?i)^[ \t\r\n#*_]{0,48}(?:(?:` + AnyOf("greeting") + `)[*_ ]*[!.:,]|(?:` +
		AnyOf("heading") +
		`)[*_ ]*[:\n]|answer[*_ :]*\n)[*_! \n]*`) // "Answer: Paris" marks an answer: see Answer
	farewell = pattern.New(`(?i)^[ \n*_]*(?:` + AnyOf("farewell") + `)`)
)

// AnyOf returns a pattern for the phrases of a sense, the longest first, with straight or curled apostrophes.
func AnyOf(sense string) string {
	phrases := slices.Sorted(maps.Keys(Listed(sense)))
	slices.Reverse(phrases) // what goes on comes before its beginning
	return strings.ReplaceAll(strings.Join(phrases, "|"), "'", "['’]")
}

// unframed returns an answer without greetings and headings before it, and without offers and wishes behind it; the
// whole of it where nothing else would be left.
func unframed(s string) string {
	const mostFrames = 4 // pieces that are taken off at each end
	t := s
	for i, n := 0, 1; i < mostFrames && n > 0; i++ {
		n = len(opening.FindString(t))
		t = t[n:]
	}
	for range mostFrames {
		body := strings.TrimRightFunc(t, func(r rune) bool {
			return unicode.IsSpace(r) || r == '*' || r == '_' || pictograph(r)
		})
		start := strings.LastIndexAny(body[:max(0, len(body)-1)], ".!?\n") + 1
		if !farewell.MatchString(body[start:]) {
			break
		}
		t = body[:start]
	}
	if strings.IndexFunc(t, inWord) < 0 {
		return s
	}
	return t
}

// pictograph reports whether a rune is a picture, or a part of one, and no sign that a text is read by.
func pictograph(r rune) bool {
	return r >= 0x2600 && unicode.Is(unicode.So, r) || r >= 0x1f3fb && r <= 0x1f3ff || r >= 0xfe00 && r <= 0xfe0f
}
