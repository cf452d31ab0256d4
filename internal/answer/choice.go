package answer

import (
	"regexp"
	"strings"
)

var (
	// "B", "(b)", "**B.**", "\boxed{B}"
	bareLetter = regexp.MustCompile(`^[\s*_("'\[]*(?:\\(?:boxed|text|mathrm)\{)*\s*\(?([A-Za-z])\)?\s*\}*[\s*_)"'\].:,;!]*$`)
	// "B. Paris", "(B) Paris", "B: Paris", "B, because it is Paris"
	leadingLetter = regexp.MustCompile(`^[\s*_"']*(?:[(\[]([A-Za-z])[)\]],?|([A-Za-z])[).:]|([A-Z])[*_]*,\s+(?:because|since|as|for))[*_]*\s+\S`)
	// "the answer is (B)", "Answer: B", "option B is right"; the last one counts. Small letters only in brackets: "the answer is a dog".
	namedLetter = regexp.MustCompile(`(?:[Aa]nswer|ANSWER|[Oo]ption|[Cc]hoice)(?:\s+is|\s*:)?[\s*_:"']*(?:\\boxed\{)?(?:[(\[]([A-Za-z])[)\]]|([A-Z])(?:[\s*_.,;:!)"'}\]]|$))`)
)

// Letter returns the letter of the option that s names, in small type, and false if it names none. It reads, in this order, a letter
// alone ("B", "(b)", "\boxed{B}"), the last one that is called answer, option or choice ("the answer is (B)", "Answer: B"), and one in
// front ("B. Paris", "(B) Paris", "B, because").
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
		return strings.ToLower(m[1] + m[2] + m[3]), true
	}
	return "", false
}
