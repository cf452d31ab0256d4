package identifier

import (
	"fmt"
	"strings"
)

// Mod11 returns the check digit of digits that are weighted from their number + 1 down to 2, as ISBN-10 and ISSN
// have it: the sum and it give a multiple of 11, X being 10. It is 0 where s is not digits.
func Mod11(s string) byte {
	sum := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0
		}
		sum += int(s[i]-'0') * (len(s) + 1 - i)
	}
	if d := (11 - sum%11) % 11; d < 10 {
		return byte('0' + d)
	}
	return 'X'
}

// EAN13 returns the check digit of digits that are weighted 1 and 3 in turn, as ISBN-13 has it, or 0 where s is not
// digits.
func EAN13(s string) byte {
	sum := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0
		}
		sum += int(s[i]-'0') * (1 + 2*(i%2))
	}
	return byte('0' + (10-sum%10)%10)
}

// ISBNKey returns the digits of an ISBN; an ISBN-10 becomes the ISBN-13 of the same book, unless its check digit is
// wrong: the check digit is made anew, so that a wrong one would pass.
func ISBNKey(s string) string {
	s = joined(s)
	if len(s) != 10 || Mod11(s[:9]) != s[9] {
		return s
	}
	s = "978" + s[:9]
	return s + string(rune(EAN13(s)))
}

func isISBN(key string) bool {
	return len(key) == 13 && strings.HasPrefix(key, "97") && EAN13(key[:12]) == key[12]
}

// ibanLengths are the lengths by country, in characters, of the registry that ISO 13616 names, for the countries
// whose IBANs are met most; the words behind an IBAN could else be taken for its end.
var ibanLengths = map[string]int{
	"AT": 20, "BE": 16, "CH": 21, "CZ": 24, "DE": 22, "DK": 18, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27,
	"HU": 28, "IE": 22, "IT": 27, "LU": 20, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "SE": 24, "SA": 24, "TR": 26,
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

// Fault says what is wrong with an identifier as such, whatever any index holds: a check digit, a length, a letter
// that is none of its alphabet. It is "" for a well-formed one.
func (id Identifier) Fault() string {
	for _, r := range id.Text {
		if r >= 0x80 && id.Kind != "url" || lookAlikes[r] != 0 {
			return fmt.Sprintf("%q is no letter of an identifier of this kind", r)
		}
	}
	if n := len(joined(id.Text)); id.Kind == "isbn" && n != 10 && n != 13 {
		return fmt.Sprintf("an ISBN has 10 or 13 digits, not %d", n)
	}
	for _, c := range checks {
		if c.kind == id.Kind && !c.valid(id.Key) {
			return c.fault
		}
	}
	return ""
}

// checks are what the keys of some kinds must pass.
var checks = []struct {
	kind, fault string
	valid       func(key string) bool
}{
	{"isbn", wrongDigit, isISBN},
	{"issn", wrongDigit, func(key string) bool { return len(key) == 8 && Mod11(key[:7]) == key[7] }},
	{"orcid", wrongDigit, validORCID},
	{"iban", "its length or check digits are wrong", validIBAN},
	{"url", "what stands before @ is not the host", func(key string) bool { return !strings.Contains(host(key), "@") }},
	{"url", "its host has no domain", func(key string) bool { return strings.Contains(host(key), ".") }},
}

const wrongDigit = "its check digit is wrong"

// host is what a URL without its scheme begins with.
func host(key string) string {
	name, _, _ := strings.Cut(key, "/")
	return name
}

// lookAlikes are letters of Greek, Cyrillic and others that are drawn like a Latin letter or a digit.
var lookAlikes = func() map[rune]byte {
	m := map[rune]byte{}
	for _, pair := range strings.Fields("аa еe оo рp сc хx уy ѕs іi јj һh ԁd ԛq ԝw ɡg ıi ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM " +
		"ΝN ΟO ΡP ΤT ΥY ΧX οo νv АA ВB ЕE КK МM НH ОO РP СC ТT ХX " +
		"\u212aK \u0130I ℓl ০0 ０0 １1 ２2 ３3 ４4 ５5 ６6 ７7 ８8 ９9 ⁄/ ∕/ ‐- ‑- ‒-") {
		r := []rune(pair)
		m[r[0]] = byte(r[1])
	}
	return m
}()

// Skeleton replaces the letters that only look like Latin ones by those, in small letters, so that two texts with
// equal skeletons look alike.
func Skeleton(s string) string {
	return lowerASCII(strings.Map(func(r rune) rune {
		if b := lookAlikes[r]; b != 0 {
			return rune(b)
		}
		return r
	}, s))
}

// likeness brings digits and the letters that are taken for them to one form, and drops what separates digits:
// "978-O-465".
var likeness = strings.NewReplacer("o", "0", "l", "1", "i", "1", "-", "", " ", "")

// Likeness returns what an identifier looks like: two that may be taken for each other have the same.
func Likeness(s string) string { return likeness.Replace(Skeleton(s)) }
