package world

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"hallmark/internal/text/identifier"
)

// identifierKinds are the kinds of identifiers that a work may have.
var identifierKinds = []string{"arxiv", "doi", "isbn", "issn", "rfc", "url"}

var (
	doiShape   = regexp.MustCompile(`^10\.[0-9]{4,9}/[!-~]+$`)
	arxivShape = regexp.MustCompile(`^(?:[0-9]{4}\.[0-9]{4,5}|[a-z-]+(?:\.[A-Z]{2})?/[0-9]{7})$`)
)

// IdentifierFault says what is wrong with an identifier of a kind (isbn, issn, doi, rfc, arxiv, url) and what would
// be right; it is empty where nothing is. ISBNs and ISSNs are held to their check digits (ISO 2108, ISO 3297),
// hyphens and spaces aside.
func IdentifierFault(kind, text string) string {
	switch kind {
	case "isbn":
		digits := strings.NewReplacer("-", "", " ", "").Replace(text)
		var want byte
		switch len(digits) {
		case 10:
			want = identifier.Mod11(digits[:9])
		case 13:
			if p := digits[:3]; p != "978" && p != "979" {
				return "an ISBN-13 begins with 978 or 979"
			}
			want = identifier.EAN13(digits[:12])
		default:
			return "an ISBN has 10 or 13 digits"
		}
		return checkFault("ISBN", digits, want)
	case "issn":
		digits := strings.Replace(text, "-", "", 1)
		if len(digits) != 8 {
			return "an ISSN has 8 digits, as 1234-5679"
		}
		return checkFault("ISSN", digits, identifier.Mod11(digits[:7]))
	case "doi":
		if !doiShape.MatchString(text) {
			return "a DOI is 10., a registrant of 4 to 9 digits, / and a suffix without spaces"
		}
	case "rfc":
		if n, err := strconv.Atoi(text); err != nil || n < 1 || n > 99999 || strconv.Itoa(n) != text {
			return "an RFC is named by its number alone, as 791"
		}
	case "arxiv":
		if !arxivShape.MatchString(text) {
			return "an arXiv identifier is as 1706.03762 or math/0211159"
		}
	case "url":
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || !strings.Contains(u.Host, ".") ||
			strings.ContainsAny(text, " \t\"<>") {
			return "an address begins with https:// and a host"
		}
	default:
		return "known kinds are " + strings.Join(identifierKinds, ", ")
	}
	return ""
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

// identifierKey returns the compared form of an identifier: what two writings of the same one share.
func identifierKey(kind, text string) string {
	text = strings.TrimSpace(text)
	switch kind {
	case "isbn":
		return identifier.ISBNKey(text)
	case "issn":
		return strings.ToUpper(strings.ReplaceAll(text, "-", ""))
	case "url":
		return identifier.URLKey(text)
	case "rfc":
		text = strings.TrimLeft(strings.TrimPrefix(strings.ToLower(text), "rfc"), " -0")
	case "arxiv":
		text = strings.TrimSpace(strings.TrimPrefix(strings.ToLower(text), "arxiv:"))
	case "doi":
		text = strings.ToLower(text)
		for _, p := range []string{"https://doi.org/", "http://doi.org/", "http://dx.doi.org/", "https://dx.doi.org/",
			"doi:"} {
			text = strings.TrimPrefix(text, p)
		}
		return strings.TrimSpace(text)
	}
	return strings.ToLower(text)
}
