package model

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestName is the most characters of a name that a user gives.
const longestName = 40

// IsName reports whether a text is a name that a user may give: up to 40 letters, digits and marks, with a letter or a
// digit first.
func IsName(s, marks string) bool {
	other := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(marks, r)
	}
	return s != "" && utf8.RuneCountInString(s) <= longestName && !strings.ContainsRune(marks, rune(s[0])) &&
		!strings.ContainsFunc(s, other)
}

// Named parts NAME=REF, as in gpt=openai:gpt-4o, where the name is IsName with the marks -, _ and the dot. Else the
// whole is the reference, and the name is "".
func Named(s string) (name, ref string) {
	name, ref, found := strings.Cut(s, "=")
	if !found || !IsName(name, "-_.") {
		return "", s
	}
	return name, ref
}
