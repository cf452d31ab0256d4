package report

import (
	"fmt"
	"strings"
)

// OneLine keeps an error on one line, as CONTRACT promises, whatever a server, a parser or a file put into it:
// nothing in it moves a terminal, and of much text its beginning and its end, which holds the remedy, are shown.
func OneLine(s string) string {
	const begin, end = 3000, 1000 // bytes
	s = Visible(strings.Join(strings.Fields(s), " "))
	if len(s) <= begin+end {
		return s
	}
	return fmt.Sprintf("%s … (%d bytes more) … %s", strings.ToValidUTF8(s[:begin], ""), len(s)-begin-end,
		strings.ToValidUTF8(s[len(s)-end:], ""))
}

// Wrapped breaks each line of a text at spaces into lines of at most n cells.
func Wrapped(text string, n int) string {
	var lines []string
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			lines = append(lines, "")
			continue
		}
		lines = append(lines, wrap(line, n)...)
	}
	return strings.Join(lines, "\n")
}
