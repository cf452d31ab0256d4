package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What chat models put around an answer. It says nothing of what was asked, and what was read as the first or the last thing said would not be it.
var (
	// greetings open an answer, before a mark that ends them.
	greetings = byLetter("sure|sure thing|certainly|of course|great question|good question|excellent question|interesting question|that's a great question|that's a good question|" +
		"that is a great question|that is a good question|what a great question|thanks for asking|thank you for asking|thank you for your question|thanks for your question|" +
		"thanks for the question|hello|hi|hi there|hey|hello there|okay|ok|alright|no problem|happy to help|glad to help|i'd be happy to help|i'm happy to help|i'd be glad to help|" +
		"i'd be happy to help with that|i'm happy to help with that|here is the answer|here's the answer|here is my answer|here's my answer|here is your answer|here's your answer|" +
		"here you go|here it is")
	// headings stand over an answer, or before it in one line.
	headings = byLetter("answer|the answer|my answer|short answer|final answer|the short answer|quick answer|direct answer|response")
	// farewells close an answer: how their sentence begins.
	farewells = byLetter("i hope this helps|hope this helps|i hope that helps|hope that helps|hope it helps|i hope this clarifies|i hope this answers|let me know if you have|let me know if you need|" +
		"let me know if you'd like|let me know if you would like|let me know if you want|let me know if there|let me know if i can|please let me know if you have|please let me know if you need|" +
		"please let me know if there|feel free to ask|feel free to reach|feel free to let me know|would you like to know more|would you like to learn more|would you like more|would you like me to|" +
		"would you like to see|do you want to know more|do you want me to|do you have any other|do you have any more|do you have any further|is there anything else|anything else i can|happy to help|" +
		"if you have any other|if you have any more|if you have any further|if you need anything else|confidence:|have a great day|have a nice day")
)

// byLetter groups phrases by their first letter.
func byLetter(phrases string) (by [26][]string) {
	for _, p := range strings.Split(phrases, "|") {
		by[p[0]-'a'] = append(by[p[0]-'a'], p)
	}
	return by
}

// begins reports whether s begins with a phrase of ASCII, in capitals or not.
func begins(s, phrase string) bool {
	return len(s) >= len(phrase) && strings.EqualFold(s[:len(phrase)], phrase)
}

const (
	longestGreeting = 48  // bytes of the longest greeting, with marks around it
	longestFarewell = 200 // bytes of a sentence that closes an answer
	mostFrames      = 4   // pieces taken off at each end
)

// unframed returns an answer without greetings and headings before it, and without offers, wishes and pictures behind it; the whole of it where
// nothing else would be left.
func unframed(s string) string {
	t := s
	for range mostFrames {
		rest, ok := withoutOpening(t)
		if !ok {
			break
		}
		t = rest
	}
	for range mostFrames {
		rest, ok := withoutClosing(t)
		if !ok {
			break
		}
		t = rest
	}
	if len(t) == len(s) {
		return s
	}
	for i := 0; i < len(t); i++ {
		if isAlnum(t[i]) {
			return t
		}
	}
	return s
}

func withoutOpening(s string) (string, bool) {
	body := strings.TrimLeft(s, " \t\r\n#*_")
	if body == "" || len(s)-len(body) > longestGreeting {
		return s, false
	}
	letter := body[0] | 0x20
	if letter < 'a' || letter > 'z' {
		return s, false
	}
	names, titles := greetings[letter-'a'], headings[letter-'a']
	if len(names)+len(titles) == 0 {
		return s, false
	}
	head := body[:min(len(body), longestGreeting)]
	curly := strings.Contains(head, "’")
	if curly {
		head = strings.ReplaceAll(head, "’", "'")
	}
	cut := func(name string) (rest string, mark byte) { // what stands behind the words, and the mark that ends them
		if !begins(head, name) {
			return "", 0
		}
		n := len(name)
		if curly && strings.Contains(body[:min(len(body), n+2)], "’") {
			n += 2
		}
		rest = strings.TrimLeft(body[min(n, len(body)):], "*_ ")
		if rest == "" {
			return "", 0
		}
		return rest, rest[0]
	}
	for _, name := range names {
		if rest, mark := cut(name); mark == '!' || mark == '.' || mark == ':' || mark == ',' && strings.IndexByte(name, ' ') < 0 {
			return strings.TrimLeft(rest[1:], "*_! \n"), true
		}
	}
	for _, name := range titles {
		rest, mark := cut(name)
		if mark == ':' {
			rest = strings.TrimLeft(rest[1:], "*_ ")
			if rest != "" && rest[0] != '\n' && len(name) > len("answer") && !explains(rest) {
				return rest, true
			}
		}
		if (mark == ':' || mark == '\n') && rest != "" && rest[0] == '\n' {
			return strings.TrimLeft(rest, "\n"), true
		}
	}
	return s, false
}

// explains reports whether a later line sets an explanation apart from the answer.
func explains(s string) bool {
	k := strings.IndexByte(s, '\n')
	if k < 0 {
		return false
	}
	for _, title := range []string{"explanation", "long answer", "longer answer", "reason", "details", "why"} {
		if strings.HasPrefix(strings.ToLower(strings.TrimLeft(s[k:min(len(s), k+longestGreeting)], " \n#*_")), title) {
			return true
		}
	}
	return false
}

func withoutClosing(s string) (string, bool) {
	body := strings.TrimRightFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '*' || r == '_' })
	if r, n := utf8.DecodeLastRuneInString(body); r >= 0x2600 && (unicode.Is(unicode.So, r) || r >= 0x1f3fb && r <= 0x1f3ff || r >= 0xfe00 && r <= 0xfe0f) {
		return body[:len(body)-n], true
	}
	start := max(0, len(body)-longestFarewell)
	if len(body) < 2 {
		return s, false
	}
	if k := strings.LastIndexAny(body[start:len(body)-1], ".!?\n"); k >= 0 {
		start += k + 1
	} else if start > 0 {
		return s, false
	}
	last := strings.TrimLeft(body[start:], " \n*_")
	if last == "" || last[0]|0x20 < 'a' || last[0]|0x20 > 'z' {
		return s, false
	}
	ends := farewells[(last[0]|0x20)-'a']
	if len(ends) > 0 && strings.Contains(last, "’") {
		last = strings.ReplaceAll(last, "’", "'")
	}
	for _, f := range ends {
		if begins(last, f) {
			return body[:start], true
		}
	}
	return s, false
}
