package evidence

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// What chat models put around an answer says nothing of what was asked, and what was read as the first or the last
// thing said would not be it.
var (
	opening = regexp.MustCompile(`(?i)^[ \t\r\n#*_]{0,48}(?:(?:` + AnyOf("greeting") + `)[*_ ]*[!.:,]|(?:` +
		AnyOf("heading") +
		`)[*_ ]*[:\n]|answer[*_ :]*\n)[*_! \n]*`) // "Answer: Paris" marks an answer: see Answer
	farewell = regexp.MustCompile(`(?i)^[ \n*_]*(?:` + AnyOf("farewell") + `)`)
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
	for range mostFrames {
		t = t[len(opening.FindString(t)):]
	}
	for range mostFrames {
		body := strings.TrimRightFunc(t, func(r rune) bool {
			return unicode.IsSpace(r) || r == '*' || r == '_' || pictograph(r)
		})
		start := strings.LastIndexAny(body[:max(0, len(body)-1)], ".!?\n") + 1
		if farewell.MatchString(body[start:]) {
			t = body[:start]
		}
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
