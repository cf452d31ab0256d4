package evidence

import (
	"regexp"
	"strings"
)

// An Identifier names a document, an edition, a person or an account.
type Identifier struct {
	Kind string // "doi", "url", "isbn", "arxiv", "issn", "rfc", "orcid", "iban"
	Text string // as written
	Key  string // in its compared form
}

var (
	doiPattern   = regexp.MustCompile(`\b10\.[0-9]{4,9}/[^\s"<>,;]+`)
	urlPattern   = regexp.MustCompile(`(?i)\b(?:https?://|www\.)[^\s"<>\]]+`)
	isbnPattern  = regexp.MustCompile(`\b(?:97[89][- ]?)?[0-9](?:[- ]?[0-9]){8}[- ]?[0-9Xx]\b`)
	arxivPattern = regexp.MustCompile(`(?i)\barxiv(?:\.org/(?:abs|pdf)/|:? (?:(?:number|no\.?|id):? )?|:)([0-9]{4}\.[0-9]{4,5}|[a-z-]+/[0-9]{7})`)
)

// maxIdentifiers bounds the identifiers read of one text, of each kind.
const maxIdentifiers = 64

// Identifiers returns the identifiers of a text, by kind and place. An ISBN needs a valid check digit or the word ISBN in the text, so
// that a telephone number is none.
func Identifiers(plain string) []Identifier {
	var ids []Identifier
	add := func(kind string, all []string, key func(string) string) {
		for _, s := range all {
			if k := strings.Index(s, "]("); k > 0 { // [10.1000/1](https://doi.org/10.1000/1)
				s = s[:k]
			}
			s = strings.TrimRight(s, ".,;:!?)]'”’")
			ids = append(ids, Identifier{kind, s, key(s)})
		}
	}
	if strings.Contains(plain, "10.") {
		add("doi", doiPattern.FindAllString(plain, maxIdentifiers), lowerASCII)
	}
	if strings.Contains(plain, "://") || strings.Contains(plain, "www.") {
		add("url", urlPattern.FindAllString(plain, maxIdentifiers), URLKey)
	}
	named := strings.Contains(plain, "ISBN") || strings.Contains(plain, "isbn")
	if hasDigits(plain, 9) {
		for _, s := range isbnPattern.FindAllString(plain, maxIdentifiers) {
			if key := ISBNKey(s); named || isISBN(key) && valid10(s) {
				ids = append(ids, Identifier{"isbn", s, key})
			}
		}
	}
	if holdsFold(plain, "arxiv") {
		add("arxiv", arxivPattern.FindAllString(plain, maxIdentifiers), func(s string) string { return "arxiv:" + lowerASCII(arxivPattern.FindStringSubmatch(s)[1]) })
	}
	return append(ids, numbered(plain)...)
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

// hasDigits reports whether a text holds at least n digits.
func hasDigits(s string, n int) bool {
	for i := 0; i < len(s) && n > 0; i++ {
		if isDigit(s[i]) {
			n--
		}
	}
	return n == 0
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

// ISBNKey returns the digits of an ISBN; an ISBN-10 becomes the ISBN-13 of the same book, unless its check digit is wrong: the check digit
// is made anew, so that a wrong one would pass.
func ISBNKey(s string) string {
	s = strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(s))
	if len(s) != 10 || !valid10(s) {
		return s
	}
	s = "978" + s[:9]
	sum := 0
	for i, c := range s {
		sum += int(c-'0') * (1 + 2*(i%2))
	}
	return s + string(rune('0'+(10-sum%10)%10))
}

// valid10 reports whether s has not ten digits, or ten with the check digit of an ISBN-10.
func valid10(s string) bool {
	s = strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(s))
	if len(s) != 10 {
		return true
	}
	sum := 0
	for i, c := range s {
		d := int(c - '0')
		if c == 'X' {
			d = 10
		}
		sum += d * (10 - i)
	}
	return sum%11 == 0
}

func isISBN(key string) bool {
	if len(key) != 13 || !strings.HasPrefix(key, "97") {
		return false
	}
	sum := 0
	for i, c := range key {
		if c < '0' || c > '9' {
			return false
		}
		sum += int(c-'0') * (1 + 2*(i%2))
	}
	return sum%10 == 0
}
