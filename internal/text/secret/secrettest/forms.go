// Package secrettest writes keys in the forms in which servers and programs quote them, for tests.
package secrettest

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"mime/quotedprintable"
	"net/url"
	"strings"
	"unicode/utf16"
)

// A Form is a way to write a text from which a reader has it back. Forms are written with what writes such texts
// elsewhere, and not with what reads them in package secret.
type Form struct {
	Name  string
	Write func(string) string
}

// each returns a form that writes every character with a format.
func each(name, format string) Form {
	return Form{name, func(s string) string {
		var b strings.Builder
		for _, r := range s {
			fmt.Fprintf(&b, format, r)
		}
		return b.String()
	}}
}

// octets returns a form that writes every byte with a format.
func octets(name, format string) Form { return list(name, format, "") }

// between returns a form that writes a text between the bytes.
func between(name, text string) Form {
	return Form{name, func(s string) string { return strings.Join(strings.Split(s, ""), text) }}
}

// list returns a form that writes the bytes as numbers.
func list(name, format, comma string) Form {
	return Form{name, func(s string) string {
		items := make([]string, len(s))
		for i := range items {
			items[i] = fmt.Sprintf(format, s[i])
		}
		return strings.Join(items, comma)
	}}
}

// of returns the form of a kind of base64.
func of(e *base64.Encoding) func(string) string {
	return func(s string) string { return e.EncodeToString([]byte(s)) }
}

// Forms are all forms.
var Forms = []Form{
	{"as it is", func(s string) string { return s }},
	{"JSON", func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		return strings.ReplaceAll(string(b), "/", `\/`)
	}},
	each(`\u0073`, `\u%04x`), each(`\u0073 in capitals`, `\u%04X`), octets(`\x73`, `\x%02x`), each(`\u{73}`, `\u{%x}`),
	each(`\U00000073`, `\U%08x`), octets(`\163`, `\%03o`), octets(`%73`, `%%%02X`),
	each(`%u0073`, `%%u%04x`), octets(`=73`, "=%02X"),
	each("&#115;", "&#%d;"), each("&#x73;", "&#x%x;"), each("&#000115;", "&#%06d;"),
	{"HTML", html.EscapeString},
	{"HTML, by name", func(s string) string {
		return strings.NewReplacer("-", "&#45;", "_", "&lowbar;", ".", "&period;", "/", "&sol;",
			"+", "&plus;", "=", "&equals;").Replace(s)
	}},
	{"URL query", url.QueryEscape}, {"URL path", url.PathEscape},
	{"quoted-printable", func(s string) string {
		var b bytes.Buffer
		w := quotedprintable.NewWriter(&b)
		_, err := w.Write([]byte(s))
		if err = cmp.Or(err, w.Close()); err != nil {
			panic(err)
		}
		return b.String()
	}},
	{"base64", of(base64.StdEncoding)}, {"base64, unpadded", of(base64.RawStdEncoding)},
	{"base64url", of(base64.URLEncoding)}, {"base64url, unpadded", of(base64.RawURLEncoding)},
	{"base64 of user:KEY", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("user:" + s)) }},
	{"base64 of an odd start", func(s string) string {
		return base64.StdEncoding.EncodeToString([]byte("x" + s + "\n"))
	}},
	{"base64 in lines", func(s string) string {
		var b strings.Builder
		for i, c := range base64.StdEncoding.EncodeToString([]byte("token: " + s)) {
			if b.WriteRune(c); i%20 == 19 {
				b.WriteString("\r\n")
			}
		}
		return b.String()
	}},
	{"base64 behind a word", func(s string) string { return "key" + base64.StdEncoding.EncodeToString([]byte(s)) }},
	{"base64 of UTF-16", func(s string) string {
		var b []byte
		for _, u := range utf16.Encode([]rune(s)) {
			b = append(b, byte(u), byte(u>>8))
		}
		return base64.StdEncoding.EncodeToString(b)
	}},
	{"hex", func(s string) string { return hex.EncodeToString([]byte(s)) }},
	{"HEX", func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) }},
	list("hex with colons", "%02x", ":"), list("hex with spaces", "%02X", " "), list("0x73, …", "0x%02x", ", "),
	list("[115,107]", "%d", ","), list("115 107", "%d", " "), list("115, 107, in lines", "%d", ",\n  "),
	{"lower case", strings.ToLower}, {"upper case", strings.ToUpper},
	between("zero-width space", "\u200b"), between("soft hyphen", "\u00ad"), between("word joiner", "\u2060"),
	between("byte order mark", "\ufeff"), between("line ends", "\n"), between("NUL", "\x00"),
	between("&ZeroWidthSpace;", "&ZeroWidthSpace;"),
	{"full width", func(s string) string {
		return strings.Map(func(r rune) rune {
			if r > ' ' && r < 0x7f {
				return r - '!' + 0xFF01
			}
			return r
		}, s)
	}},
	{"Markdown", func(s string) string { return strings.NewReplacer("-", `\-`, "_", `\_`, ".", `\.`).Replace(s) }},
}
