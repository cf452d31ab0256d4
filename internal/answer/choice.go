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
	m := bareLetter.FindStringSubmatch(s)
	if all := namedLetter.FindAllStringSubmatch(s, -1); m == nil && len(all) > 0 {
		m = all[len(all)-1]
	}
	if m == nil {
		m = leadingLetter.FindStringSubmatch(s[:min(len(s), 64)])
	}
	return strings.ToLower(strings.Join(m[min(1, len(m)):], "")), m != nil
}
