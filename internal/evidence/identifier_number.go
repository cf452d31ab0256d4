package evidence

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	issnPattern  = regexp.MustCompile(`\b[0-9]{4}[- ][0-9]{3}[0-9Xx]\b`)
	rfcPattern   = regexp.MustCompile(`(?i)\bRFC(?:[ -]?|:? ?#|:? |": ?"?|s? (?:no\.?|number|document) ?)[0-9]{1,6}\b`)
	orcidPattern = regexp.MustCompile(`\b[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9Xx]\b`)
	ibanPattern  = regexp.MustCompile(`\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b`)
)

// numbered returns the ISSN, RFC numbers, ORCID and IBAN of a text. An ISSN looks like a range of years, so it counts only where the text
// speaks of one; an IBAN needs its check digits, or the word.
func numbered(plain string) []Identifier {
	var ids []Identifier
	if hasDigits(plain, 15) && strings.IndexByte(plain, '-') >= 0 {
		for _, s := range orcidPattern.FindAllString(plain, maxIdentifiers) {
			ids = append(ids, Identifier{"orcid", s, strings.ReplaceAll(strings.ToUpper(s), "-", "")})
		}
	}
	if holdsFold(plain, "issn") {
		for _, s := range issnPattern.FindAllString(plain, maxIdentifiers) {
			if !insideOne(ids, s) {
				ids = append(ids, Identifier{"issn", s, strings.NewReplacer("-", "", " ", "").Replace(strings.ToUpper(s))})
			}
		}
	}
	if holdsFold(plain, "rfc") {
		for _, s := range rfcPattern.FindAllString(plain, maxIdentifiers) {
			digits := len(s)
			for isDigit(s[digits-1]) {
				digits--
			}
			ids = append(ids, Identifier{"rfc", s, "rfc" + strings.TrimLeft(s[digits:], "0")})
		}
	}
	if hasDigits(plain, 10) {
		named := strings.Contains(plain, "IBAN")
		for _, s := range ibanPattern.FindAllString(plain, maxIdentifiers) {
			key := ibanKey(s)
			if named || validIBAN(key) {
				ids = append(ids, Identifier{"iban", s, key})
			}
		}
	}
	return ids
}

// insideOne reports whether a text is part of an identifier found before.
func insideOne(ids []Identifier, s string) bool {
	for _, id := range ids {
		if strings.Contains(id.Text, s) {
			return true
		}
	}
	return false
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

// ibanLengths are the lengths by country, in characters, of the registry that ISO 13616 names, for the countries whose IBANs are met most;
// the words behind an IBAN could else be taken for its end.
var ibanLengths = map[string]int{
	"AT": 20, "BE": 16, "CH": 21, "CZ": 24, "DE": 22, "DK": 18, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HU": 28, "IE": 22, "IT": 27,
	"LU": 20, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "SE": 24, "SA": 24, "TR": 26,
}

func ibanKey(s string) string {
	s = strings.ReplaceAll(s, " ", "")
	if n, ok := ibanLengths[s[:2]]; ok && len(s) > n {
		s = s[:n]
	}
	return s
}

// validIBAN checks the length by country, where it is known, and the check digits: ISO 7064, modulus 97.
func validIBAN(s string) bool {
	if len(s) < 15 || len(s) > 34 {
		return false
	}
	if n, ok := ibanLengths[s[:2]]; ok && len(s) != n {
		return false
	}
	rest := 0
	for _, c := range []byte(s[4:] + s[:4]) {
		switch {
		case c >= '0' && c <= '9':
			rest = (rest*10 + int(c-'0')) % 97
		case c >= 'A' && c <= 'Z':
			rest = (rest*100 + int(c-'A') + 10) % 97
		default:
			return false
		}
	}
	return rest == 1
}

// Fault says what is wrong with an identifier as such, whatever any index holds: a check digit, a length, a letter that is none of its
// alphabet. It is "" for a well-formed one.
func (id Identifier) Fault() string {
	for _, r := range id.Text {
		if r >= 0x80 && id.Kind != "url" || lookAlikes[r] != 0 {
			return fmt.Sprintf("%q is no letter of an identifier of this kind", r)
		}
	}
	switch id.Kind {
	case "isbn":
		switch n := len(strings.NewReplacer("-", "", " ", "").Replace(id.Text)); {
		case n != 10 && n != 13:
			return fmt.Sprintf("an ISBN has 10 or 13 digits, not %d", n)
		case !valid10(id.Text) || !isISBN(id.Key):
			return "its check digit is wrong"
		}
	case "issn":
		if weighted(id.Key, 8) != 0 {
			return "its check digit is wrong"
		}
	case "orcid":
		if !validORCID(id.Key) {
			return "its check digit is wrong"
		}
	case "iban":
		if !validIBAN(id.Key) {
			return "its length or check digits are wrong"
		}
	case "url":
		host, _, _ := strings.Cut(id.Key, "/")
		if strings.Contains(host, "@") {
			return "what stands before @ is not the host"
		}
		if !strings.Contains(host, ".") {
			return "its host has no domain"
		}
	}
	return ""
}

// weighted returns the sum of n digits by the weights n, n-1, … 1, modulo 11, where X is 10; -1 for another length.
func weighted(s string, n int) int {
	if len(s) != n {
		return -1
	}
	sum := 0
	for i := range n {
		d := int(s[i] - '0')
		if s[i] == 'X' {
			d = 10
		}
		sum += d * (n - i)
	}
	return sum % 11
}

// validORCID checks the last character by ISO 7064, modulus 11-2.
func validORCID(s string) bool {
	if len(s) != 16 {
		return false
	}
	total := 0
	for _, c := range []byte(s[:15]) {
		if c < '0' || c > '9' {
			return false
		}
		total = (total + int(c-'0')) * 2
	}
	check := (12 - total%11) % 11
	return s[15] == byte('0'+check) || check == 10 && s[15] == 'X'
}

// lookAlikes are letters of Greek, Cyrillic and others that are drawn like a Latin letter or a digit.
var lookAlikes = func() map[rune]byte {
	m := map[rune]byte{}
	for _, pair := range strings.Fields("аa еe оo рp сc хx уy ѕs іi јj һh ԁd ԛq ԝw ɡg ıi ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX οo νv АA ВB ЕE КK МM НH ОO РP СC ТT ХX " +
		"\u212aK \u0130I ℓl ০0 ０0 １1 ２2 ３3 ４4 ５5 ６6 ７7 ８8 ９9 ⁄/ ∕/ ‐- ‑- ‒-") {
		r := []rune(pair)
		m[r[0]] = byte(r[1])
	}
	return m
}()

// Skeleton replaces the letters that only look like Latin ones by those, in small letters, so that two texts with equal skeletons look
// alike.
func Skeleton(s string) string {
	return lowerASCII(strings.Map(func(r rune) rune {
		if b := lookAlikes[r]; b != 0 {
			return rune(b)
		}
		return r
	}, s))
}
