package report

import (
	"html"
	"regexp"
	"strings"
	"testing"
)

// TestNoAutolinks: what GitHub Flavored Markdown takes for an address without any mark around it (its specification
// 0.29, section 6.9) is plain text, and reads as it was.
func TestNoAutolinks(t *testing.T) {
	autolink := regexp.MustCompile(`(?i)www\.|https?://|ftp://|mailto:|xmpp:|[a-z0-9._+-]+@[a-z0-9._-]+`)
	unescaped := regexp.MustCompile(`\\([!-/:-@\[-\x60{-~])`)
	for _, address := range []string{
		"www.example.com", "WWW.example.com", "wWw.example.com/a?b=c", "x www.www.www.example", "(www.example.com)",
		"*www.example.com", "é www.é.com",
		"http://example.com", "HTTPS://example.com", "https://www.example.com", "ftp://example.com",
		"mailto:a@example.com", "Mailto:a@example.com",
		"xmpp:a@example.com/b", "a@example.com", "a.b-c_d+e@example.com", "@team", "end of www.",
	} {
		written := escape(address)
		if found := autolink.FindString(written); found != "" {
			t.Errorf("%q is written as %q, in which %q is a link", address, written, found)
		}
		if read := html.UnescapeString(unescaped.ReplaceAllString(written, "$1")); read != address {
			t.Errorf("%q is written as %q, which reads %q", address, written, read)
		}
	}
	if s := "1.5 of 2.0, w.w.w. and ww."; escape(s) != s || strings.Contains(escape("awww. so"), "www.") {
		t.Errorf("%q, %q", escape(s), escape("awww. so"))
	}
}
