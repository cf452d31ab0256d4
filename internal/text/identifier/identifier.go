// Package identifier reads what names a document, an edition, a person or an
// account, brings two writings of one to the same form, and says what is wrong
// with one as such: a check digit, a length, a letter of another alphabet.
package identifier

import (
	"slices"
	"strings"

	"hallmark/internal/base/pattern"
)

// An Identifier names a document, an edition, a person or an account.
type Identifier struct {
	Kind string // "doi", "url", "isbn", "arxiv", "issn", "rfc", "orcid", "iban"
	Text string // as written
	Key  string // in its compared form
}

var (
	doiPattern   = pattern.New(`\b10\.[0-9]{4,9}/[^\s"<>,;]+`)
	urlPattern   = pattern.New(`(?i)\b(?:https?://|www\.)[^\s"<>\]]+`)
	isbnPattern  = pattern.New(`\b(?:97[89][- ]?)?[0-9](?:[- ]?[0-9]){8}[- ]?[0-9Xx]\b`)
	arxivPattern = pattern.New(`(?i)\barxiv(?:\.org/(?:abs|pdf)/|:? (?:(?:number|no\.?|id):? )?|` +
		`:)([0-9]{4}\.[0-9]{4,5}|[a-z-]+/[0-9]{7})`)
	orcidPattern = pattern.New(`\b[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9Xx]\b`)
	issnPattern  = pattern.New(`\b[0-9]{4}[- ][0-9]{3}[0-9Xx]\b`)
	rfcPattern   = pattern.New(`(?i)\bRFC(?:[ -]?|:? ?#|:? |": ?"?|s? (?:no\.?|number|document) ?)[0-9]{1,6}\b`)
	ibanPattern  = pattern.New(`\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b`)
)

// kinds are the identifiers that Find looks for, in its order.
var kinds = []struct {
	name    string
	pattern pattern.Pattern
	may     func(plain string) bool       // whether a text can hold one, as the patterns cost time
	key     func(text string) string      // the compared form
	counts  func(plain, text string) bool // whether a match is one; nil where each is
}{
	{"doi", doiPattern, func(s string) bool { return strings.Contains(s, "10.") }, lowerASCII, nil},
	{"url", urlPattern, func(s string) bool {
		return strings.Contains(s, "://") || strings.Contains(s, "www.")
	}, URLKey, nil},
	// A telephone number is no ISBN: one needs its check digit, or the word.
	{"isbn", isbnPattern, func(s string) bool { return hasDigits(s, 9) }, ISBNKey, func(plain, text string) bool {
		return strings.Contains(plain, "ISBN") || strings.Contains(plain, "isbn") || isISBN(ISBNKey(text))
	}},
	{"arxiv", arxivPattern, func(s string) bool { return holdsFold(s, "arxiv") }, func(s string) string {
		return "arxiv:" + lowerASCII(arxivPattern.FindStringSubmatch(s)[1])
	}, nil},
	{"orcid", orcidPattern, func(s string) bool {
		return hasDigits(s, 15) && strings.IndexByte(s, '-') >= 0
	}, joined, nil},
	// An ISSN looks like a range of years, so the text must speak of one; and like a part of an ORCID.
	{"issn", issnPattern, func(s string) bool { return holdsFold(s, "issn") }, joined, func(plain, text string) bool {
		return !slices.ContainsFunc(orcidPattern.FindAllString(plain, most), func(orcid string) bool {
			return strings.Contains(orcid, text)
		})
	}},
	{"rfc", rfcPattern, func(s string) bool { return holdsFold(s, "rfc") }, func(s string) string {
		return "rfc" + strings.TrimLeft(s[len(strings.TrimRight(s, "0123456789")):], "0")
	}, nil},
	{"iban", ibanPattern, func(s string) bool { return hasDigits(s, 10) }, ibanKey, func(plain, text string) bool {
		return strings.Contains(plain, "IBAN") || validIBAN(ibanKey(text))
	}},
}

// most bounds the identifiers read of one text, of each kind.
const most = 64

// Find returns the identifiers of a text, by kind and place.
func Find(plain string) []Identifier {
	var ids []Identifier
	for _, k := range kinds {
		if !k.may(plain) {
			continue
		}
		for _, s := range k.pattern.FindAllString(plain, most) {
			s, _, _ = strings.Cut(s, "](") // [10.1000/1](https://doi.org/10.1000/1)
			s = strings.TrimRight(s, ".,;:!?)]'”’")
			if k.counts == nil || k.counts(plain, s) {
				ids = append(ids, Identifier{k.name, s, k.key(s)})
			}
		}
	}
	return ids
}

// hosts are addresses without a scheme: "sqlite.org", "github.com/golang/go".
var hosts = pattern.New(`(?i)\b(?:[a-z0-9][a-z0-9-]{0,62}\.){1,8}(?:org|com|net|edu|gov|int|info|dev|[a-z]{2})\b` +
	`(?:/[^\s"<>\]]*)?`)

// FindKinds returns the identifiers of a text that are of some kinds, of any where none are given; where it has none,
// also what is one with its kind before it, such as "2616" where an RFC is asked for.
func FindKinds(text string, kinds []string) []Identifier {
	other := func(id Identifier) bool { return len(kinds) > 0 && !slices.Contains(kinds, id.Kind) }
	find := func(text string) []Identifier { return slices.DeleteFunc(Find(text), other) }
	ids := find(text)
	for k := 0; k < len(kinds) && len(ids) == 0; k++ {
		if kinds[k] != "url" {
			ids = find(strings.ToUpper(kinds[k]) + ": " + strings.TrimLeft(text, " \n#"))
			continue
		}
		for _, bare := range hosts.FindAllString(text, 4) {
			for _, id := range find("https://" + bare) {
				id.Text = bare
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// lowerASCII is for keys: strings.ToLower would make a "k" of the Kelvin sign, so that a look-alike passed.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// joined drops what separates the digits of a number.
func joined(s string) string {
	return strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(s))
}

// hasDigits reports whether a text holds at least n digits.
func hasDigits(s string, n int) bool {
	for i := 0; i < len(s) && n > 0; i++ {
		if s[i] >= '0' && s[i] <= '9' {
			n--
		}
	}
	return n == 0
}

// holdsFold reports whether s holds the word, given in small letters, in any case of ASCII letters.
func holdsFold(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		if s[i]|0x20 == word[0] && strings.EqualFold(s[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// URLKey returns the compared form of an address: no scheme, no "www.", no closing slash, host in small letters.
func URLKey(s string) string {
	for _, p := range []string{"https://", "http://", "HTTPS://", "HTTP://"} {
		s = strings.TrimPrefix(s, p)
	}
	s = strings.TrimSuffix(strings.TrimSuffix(s, "/"), ".git") // under which a repository is cloned
	s = strings.TrimSuffix(s, "/index.html")
	host, path, _ := strings.Cut(s, "/")
	host = strings.TrimPrefix(lowerASCII(host), "www.")
	if path == "" {
		return host
	}
	return host + "/" + path
}
