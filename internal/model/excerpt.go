package model

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hallmark/internal/text/secret"
)

// mostExcerpt is how many bytes an excerpt has.
const mostExcerpt = 300

// Excerpt returns the start of a text from outside as one line that is safe to print: at most 300 bytes, runs of space
// as one space. Control characters and what steers a terminal go without a trace: what is left between its parts would
// hide a key from who looks for it later.
func Excerpt(s string) string { return Line(s, mostExcerpt) }

// Line is Excerpt with a bound of its own.
func Line(s string, most int) string {
	cut := len(s) > 4*most
	if cut {
		s = s[:4*most]
	}
	s = secret.Unsteered(strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return -1
	}, s)), " ")
	if len(s) > most {
		for s = s[:most]; !utf8.ValidString(s); {
			s = s[:len(s)-1]
		}
		cut = true
	}
	if cut {
		s += " …"
	}
	return s
}
