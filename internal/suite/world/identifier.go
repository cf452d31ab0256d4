package world

import (
	"net/url"
	"strconv"
	"strings"

	"hallmark/internal/base/pattern"
	"hallmark/internal/text/identifier"
)

// identifierKinds are the kinds of identifiers that a work may have.
var identifierKinds = []string{"arxiv", "doi", "isbn", "issn", "rfc", "url"}

var (
	doiShape   = pattern.New(`^10\.[0-9]{4,9}/[!-~]+$`)
	arxivShape = pattern.New(`^(?:[0-9]{4}\.[0-9]{4,5}|[a-z-]+(?:\.[A-Z]{2})?/[0-9]{7})$`)
)

// identifierForms say of the kinds without check digits whether a text is one, and what would be.
var identifierForms = map[string]struct {
	is   func(string) bool
	want string
}{
	"doi": {doiShape.MatchString, "a DOI is 10., a registrant of 4 to 9 digits, / and a suffix without spaces"},
	"rfc": {func(s string) bool {
		n, err := strconv.Atoi(s)
		return err == nil && n >= 1 && n <= 99999 && strconv.Itoa(n) == s
	}, "an RFC is named by its number alone, as 791"},
	"arxiv": {arxivShape.MatchString, "an arXiv identifier is as 1706.03762 or math/0211159"},
	"url": {func(s string) bool {
		u, err := url.Parse(s)
		return err == nil && (u.Scheme == "https" || u.Scheme == "http") && strings.Contains(u.Host, ".") &&
			!strings.ContainsAny(s, " \t\"<>")
	}, "an address begins with https:// and a host"},
}

// IdentifierFault says what is wrong with an identifier of a kind (isbn, issn, doi, rfc, arxiv, url) and what would
// be right; it is empty where nothing is. ISBNs and ISSNs are held to their check digits (ISO 2108, ISO 3297),
// hyphens and spaces aside.
func IdentifierFault(kind, text string) string {
	switch form, known := identifierForms[kind]; {
	case kind == "isbn":
		return isbnFault(strings.NewReplacer("-", "", " ", "").Replace(text))
	case kind == "issn":
		digits := strings.Replace(text, "-", "", 1)
		if len(digits) != 8 {
			return "an ISSN has 8 digits, as 1234-5679"
		}
		return checkFault("ISSN", digits, identifier.Mod11(digits[:7]))
	case !known:
		return "known kinds are " + strings.Join(identifierKinds, ", ")
	case !form.is(text):
		return form.want
	}
	return ""
}

func isbnFault(digits string) string {
	switch len(digits) {
	case 10:
		return checkFault("ISBN", digits, identifier.Mod11(digits[:9]))
	case 13:
		if p := digits[:3]; p != "978" && p != "979" {
			return "an ISBN-13 begins with 978 or 979"
		}
		return checkFault("ISBN", digits, identifier.EAN13(digits[:12]))
	}
	return "an ISBN has 10 or 13 digits"
}

func checkFault(what, digits string, want byte) string {
	if want == 0 {
		return "an " + what + " is digits, the last of which may be X"
	}
	if last := digits[len(digits)-1]; last != want && (want != 'X' || last != 'x') {
		return "the check digit would be " + string(want) + ", not " + string(last)
	}
	return ""
}

// identifierKey returns the compared form of an identifier without fault: what two writings of the same one share.
func identifierKey(kind, text string) string {
	switch kind {
	case "isbn":
		return identifier.ISBNKey(strings.TrimSpace(text))
	case "issn":
		return strings.ToUpper(strings.ReplaceAll(text, "-", ""))
	case "url":
		return identifier.URLKey(text)
	}
	return strings.ToLower(text)
}
