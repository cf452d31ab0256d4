package guard

import (
	"strings"

	"hallmark/internal/base/pattern"
)

// A claim is a statement "the R of X is Y" that a question asks about or takes for granted.
type claim struct {
	text    string // as in the question
	of      string // "the capital of Velmoria"
	value   string
	premise bool // taken for granted: why, since when
	negated bool // asked whether it is false
}

var claimPatterns = []struct {
	form             pattern.Pattern
	of, value        int
	premise, negated bool
}{
	{pattern.New(`(?i)\bis it (?:true|right|correct|so) that (the [^?]+? of [^?]+?) (?:is|was) ([^?]+)\?$`), 1,
		2, false, false},
	{pattern.New(
		`(?i)\bis it (?:false|wrong|untrue|incorrect) that (the [^?]+? of [^?]+?) (?:is|was) ([^?]+)\?$`), 1, 2,
		false, true},
	{pattern.New(`(?i)(?:^|[:.!?] )(the [^.?]+? of [^?]+?) (?:is|was) ([^?]+?)\. is (?:that|this|it) ` +
		`(?:true|right|correct|so)\?$`), 1, 2, false, false},
	{pattern.New(`(?i)(?:^|[:.!?] )(the [^.?]+? of [^?]+?) (?:is|was) ([^?]+?)\. is (?:that|this|it) ` +
		`(?:false|wrong|untrue|incorrect)\?$`), 1, 2, false, true},
	{pattern.New(`(?i)(?:^|[:.!?] )(?:why|since when|how come) (?:is|was) ([^?]+?) (the [^?]+? of [^?]+)\?$`),
		2, 1, true, false},
	{pattern.New(`(?i)(?:^|[:.!?] )explain why ([^?]+?) (?:is|was) (the [^?]+? of [^?]+?)[.?]$`), 2, 1, true,
		false},
	{pattern.New(`(?i)(?:^|[:.!?] )how (?:did|has) ([^?]+?) (?:become|became) (the [^?]+? of [^?]+)\?$`), 2, 1,
		true, false},
	{pattern.New(`(?i)(?:^|[:.!?] )(?:is|was) ([^?]+?) (the [^?]+? of [^?]+)\?$`), 2, 1, false, false},
}

// readClaim finds the claim of a question, if it has one of the forms.
func readClaim(question string) claim {
	if len(question) > 2000 {
		return claim{}
	}
	for _, p := range claimPatterns {
		m := p.form.FindStringSubmatch(question)
		if m == nil {
			continue
		}
		of, value := strings.TrimSpace(m[p.of]), strings.TrimSpace(m[p.value])
		// "the R of X is Y" is cut at its first "is"; what it names must hold a relation and a thing.
		if !strings.Contains(of, " of ") || value == "" || strings.ContainsAny(value, "?!") {
			continue
		}
		if c := of[0]; c == 'T' {
			of = "t" + of[1:]
		}
		return claim{text: of + " is " + value, of: of, value: value, premise: p.premise, negated: p.negated}
	}
	return claim{}
}

// direct is the question for what the claim says, without saying it.
func (c claim) direct() string {
	what := "What"
	if personPattern.MatchString(strings.ToLower(c.of)) {
		what = "Who"
	}
	return what + " is " + c.of + "?"
}

// put is the claim's statement with another value.
func (c claim) put(value string) string {
	return strings.ToUpper(c.of[:1]) + c.of[1:] + " is " + value
}
