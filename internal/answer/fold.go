package answer

import (
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold returns s composed (NFC) and with full case folding.
func fold(s string) string {
	if folded, ok := foldRunes(s); ok {
		return folded
	}
	return foldText(s)
}

// foldText applies canonical composition and full case folding until both hold: folding can undo composition, and composition
// can make a character that folds.
func foldText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	folder := cases.Fold()
	for range 4 {
		next := norm.NFC.String(folder.String(norm.NFD.String(s)))
		if next == s {
			break
		}
		s = next
	}
	return s
}

// foldRunes is foldText rune by rune, some twenty times as fast, for text that no rune joins: nothing but letters and marks of
// Latin, Greek and Cyrillic, punctuation, kana, Hangul syllables and Chinese characters, none of them combining. False for
// other text.
func foldRunes(s string) (string, bool) {
	table := folds()
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		switch {
		case r < utf8.RuneSelf:
			c := byte(r)
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			b.WriteByte(c)
		case r < tableEnd:
			f := table[r]
			if f == "" {
				return "", false
			}
			b.WriteString(f)
		case r >= 0x2010 && r <= 0x2027, r >= 0x2030 && r <= 0x205e, r >= 0x3041 && r <= 0x3096, r >= 0x30a1 && r <= 0x30fa, r >= 0x4e00 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3:
			b.WriteString(s[i : i+utf8.RuneLen(r)])
		default:
			return "", false
		}
	}
	return b.String(), true
}

// tableEnd is where the table of foldRunes ends: after Cyrillic.
const tableEnd = 0x530

// folds holds foldText of each rune below tableEnd, "" for the combining ones.
var folds = sync.OnceValue(func() *[tableEnd]string {
	var t [tableEnd]string
	for r := rune(utf8.RuneSelf); r < tableEnd; r++ {
		if s := string(r); norm.NFD.PropertiesString(s).CCC() == 0 && norm.NFC.PropertiesString(s).BoundaryBefore() {
			t[r] = foldText(s)
		}
	}
	return &t
})
