package evidence

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What chat models put around an answer says nothing of what was asked, and what was read as the first or the last thing said would not be it.
var (
	greetings    = ordered("greeting")    // open an answer, before a mark that ends them
	headings     = ordered("heading")     // stand over an answer, or before it in one line
	farewells    = ordered("farewell")    // how a sentence begins that closes an answer
	explanations = ordered("explanation") // head what is set apart from a short answer
	labels       = Listed("label")        // headings that mark the answer where they stand: see Answer
)

// begins returns what stands behind a phrase, where s begins with it, in capitals or not, with straight or curled apostrophes.
func begins(s, phrase string) (rest string, ok bool) {
	for i := 0; i < len(phrase); i++ {
		if curled, ok := strings.CutPrefix(s, "’"); ok && phrase[i] == '\'' {
			s = curled
			continue
		}
		if s == "" || s[0] != phrase[i] && (s[0]|0x20 != phrase[i]|0x20 || s[0] < 'A') {
			return "", false
		}
		s = s[1:]
	}
	return s, true
}

func beginsAny(s string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool {
		_, ok := begins(s, p)
		return ok
	})
}

const (
	longestGreeting = 48  // bytes of marks before a greeting, and of a heading in a line
	longestFarewell = 200 // bytes of a sentence that closes an answer
	mostFrames      = 4   // pieces taken off at each end
)

// unframed returns an answer without greetings and headings before it, and without offers, wishes and pictures behind it; the whole of it where
// nothing else would be left.
func unframed(s string) string {
	t := s
	for _, without := range []func(string) (string, bool){withoutOpening, withoutClosing} {
		for range mostFrames {
			rest, ok := without(t)
			if !ok {
				break
			}
			t = rest
		}
	}
	if len(t) < len(s) && strings.IndexFunc(t, func(r rune) bool { return r < utf8.RuneSelf && isAlnum(byte(r)) }) >= 0 {
		return t
	}
	return s
}

func withoutOpening(s string) (string, bool) {
	body := strings.TrimLeft(s, " \t\r\n#*_")
	if len(s)-len(body) > longestGreeting {
		return s, false
	}
	for _, name := range greetings {
		rest, _ := begins(body, name)
		if rest = strings.TrimLeft(rest, "*_ "); rest != "" && (strings.IndexByte("!.:", rest[0]) >= 0 || rest[0] == ',' && strings.IndexByte(name, ' ') < 0) {
			return strings.TrimLeft(rest[1:], "*_! \n"), true
		}
	}
	for _, name := range headings {
		rest, _ := begins(body, name)
		rest = strings.TrimLeft(rest, "*_ ")
		if colon, ok := strings.CutPrefix(rest, ":"); ok {
			rest = strings.TrimLeft(colon, "*_ ")
			if rest != "" && rest[0] != '\n' && !labels[name] && !explains(rest) {
				return rest, true
			}
		}
		if rest != "" && rest[0] == '\n' {
			return strings.TrimLeft(rest, "\n"), true
		}
	}
	return s, false
}

// explains reports whether a later line sets an explanation apart from the answer.
func explains(s string) bool {
	_, below, _ := strings.Cut(s, "\n")
	below = strings.TrimLeft(below, " \n#*_")
	return beginsAny(below, explanations)
}

func withoutClosing(s string) (string, bool) {
	body := strings.TrimRightFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '*' || r == '_' })
	if r, n := utf8.DecodeLastRuneInString(body); pictograph(r) {
		return body[:len(body)-n], true
	}
	start := max(0, len(body)-longestFarewell)
	if k := strings.LastIndexAny(body[start:max(start, len(body)-1)], ".!?\n"); k >= 0 {
		start += k + 1
	} else if start > 0 {
		return s, false
	}
	if beginsAny(strings.TrimLeft(body[start:], " \n*_"), farewells) {
		return body[:start], true
	}
	return s, false
}

// pictograph reports whether a rune is a picture, or a part of one, and no sign that a text is read by.
func pictograph(r rune) bool {
	return r >= 0x2600 && unicode.Is(unicode.So, r) || r >= 0x1f3fb && r <= 0x1f3ff || r >= 0xfe00 && r <= 0xfe0f
}
