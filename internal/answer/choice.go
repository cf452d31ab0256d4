package answer

import (
	"regexp"
	"strings"
)

var (
	// "B", "(b)", "**B.**", "\boxed{B}"
	bareLetter = regexp.MustCompile(`^[\s*_("'\[]*(?:\\(?:boxed|text|mathrm)\{)*\s*\(?([A-Za-z])\)?\s*\}*[\s*_)"'\].:,;!]*$`)
	// "B. Paris", "(B) Paris", "B: Paris"
	leadingLetter = regexp.MustCompile(`^[\s*_"']*(?:[(\[]([A-Za-z])[)\]]|([A-Za-z])[).:])[*_]*\s+\S`)
	// "the answer is (B)", "Answer: B", "option B is right"; the last one counts. Small letters only in brackets: "the answer is a dog".
	namedLetter = regexp.MustCompile(`(?:[Aa]nswer|ANSWER|[Oo]ption|[Cc]hoice)(?:\s+is|\s*:)?[\s*_:"']*(?:\\boxed\{)?(?:[(\[]([A-Za-z])[)\]]|([A-Z])(?:[\s*_.,;:!)"'}\]]|$))`)
)

// Letter returns the letter of the option that s names, in small type, and false if it names none. It reads, in this order, a letter
// alone ("B", "(b)", "\boxed{B}"), the last one that is called answer, option or choice ("the answer is (B)", "Answer: B"), and one in
// front ("B. Paris", "(B) Paris").
func Letter(s string) (string, bool) {
	if len(s) > 0 && len(s) <= 64 { // a bare letter with its dress is short
		if m := bareLetter.FindStringSubmatch(s); m != nil {
			return strings.ToLower(m[1]), true
		}
	}
	if strings.Contains(s, "nswer") || strings.Contains(s, "NSWER") || strings.Contains(s, "ption") || strings.Contains(s, "hoice") {
		if all := namedLetter.FindAllStringSubmatch(s, -1); len(all) > 0 {
			m := all[len(all)-1]
			return strings.ToLower(m[1] + m[2]), true
		}
	}
	if m := leadingLetter.FindStringSubmatch(s[:min(len(s), 64)]); m != nil {
		return strings.ToLower(m[1] + m[2]), true
	}
	return "", false
}

// Option returns the index of the option that s chooses, and false if it chooses none or several. The words of an option come
// before a letter, so that options may be letters themselves; then the letter that s names ("a" is index 0); then the one option whose
// words stand in s as whole words, where no other option's do. An option inside a longer option that also stands in s does not count.
func Option(s string, options []string) (int, bool) {
	words := Words(s)
	forms := make([]string, len(options))
	found, n := -1, 0
	for i, o := range options {
		if forms[i] = Words(o); forms[i] == words && words != "" {
			found = i
			n++
		}
	}
	if n > 0 {
		return found, n == 1
	}
	if l, ok := Letter(s); ok {
		i := int(l[0] - 'a')
		return i, i < len(options)
	}
	for i, f := range forms {
		if f == "" || !containsWords(words, f) {
			continue
		}
		inLonger := false
		for j, g := range forms {
			inLonger = inLonger || j != i && len(g) > len(f) && containsWords(g, f) && containsWords(words, g)
		}
		if !inLonger {
			found = i
			n++
		}
	}
	return found, n == 1
}

// containsWords reports whether part stands in s with no letter or digit right beside it.
func containsWords(s, part string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], part)
		if i < 0 {
			return false
		}
		start := from + i
		end := start + len(part)
		if !endsInWord(s[:start]) && !startsWithWord(s[end:]) {
			return true
		}
		from = start + 1
	}
}
