package dotenv

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

// wide writes a text in UTF-16.
func wide(text string, bigEndian bool) string {
	var b strings.Builder
	for _, c := range utf16.Encode([]rune(text)) {
		if lo, hi := byte(c), byte(c>>8); bigEndian {
			b.Write([]byte{hi, lo})
		} else {
			b.Write([]byte{lo, hi})
		}
	}
	return b.String()
}

// TestParse: a .env file is read right, whatever its line ends and with a byte order mark, or refused in one line
// that names the line and says what to do, and no value.
func TestParse(t *testing.T) {
	const file = "# keys\nA_API_KEY=sk-one\nexport B_API_KEY = 'sk-two' # mine\n\nC_API_KEY=\"sk\n-three\"\nEMPTY=\nD_API_KEY=$A_API_KEY\n"
	want := fmt.Sprint(map[string]string{"A_API_KEY": "sk-one", "B_API_KEY": "sk-two", "C_API_KEY": "sk\n-three",
		"EMPTY": "", "D_API_KEY": "sk-one"})
	for name, data := range map[string]string{
		"lines": file, "a mark": "\ufeff" + file, "CRLF": strings.ReplaceAll(file, "\n", "\r\n"),
		"CR":               strings.ReplaceAll(file, "\n", "\r"),
		"no last line end": strings.TrimSuffix(file, "\n"), "Latin-1 in a note": "# Schl\xfcssel\n" + file,
	} {
		if vars, err := Parse([]byte(data)); err != nil || fmt.Sprint(vars) != want {
			t.Errorf("%s: %q, %v", name, vars, err)
		}
	}
	for data, want := range map[string]string{
		wide("\ufeff"+file, false):            ".env:1: it is in UTF-16; save it as UTF-8",
		wide("\ufeff"+file, true):             ".env:1: it is in UTF-16; save it as UTF-8",
		wide(file, false):                     ".env:1: a byte of it is 0",
		wide(file, true):                      ".env:1: a byte of it is 0",
		file + "X=a\x00b\n":                   ".env:9: a byte of it is 0",
		file + "X\x00_API_KEY=a\n":            ".env:9: a byte of it is 0",
		file + "no assignment\nY=2\n":         ".env:9: it is no assignment",
		file + "\ufeffX_API_KEY=sk-secret\n":  ".env:9: it is no assignment",
		file + "\u200bX_API_KEY=sk-secret\n":  ".env:9: it is no assignment",
		file + "X_\u0410PI_KEY=sk-secret\n":   ".env:9: it is no assignment",
		file + "\xc4_API_KEY=sk-secret\nX=1":  ".env:9: it is no assignment",
		file + "X Y=sk-secret\nX=1":           ".env:9: it is no assignment",
		file + "=sk-secret\n":                 ".env:9: it is no assignment",
		file + "sk-secret":                    ".env:9: it is no assignment",
		file + "X=\"sk-secret\nY=1\nZ=2\n":    ".env:9: a quote has no end",
		"A='one\ntwo'\nB='sk-secret\n\nC=1\n": ".env:3: a quote has no end",
	} {
		vars, err := Parse([]byte(data))
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "secret") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %q, %v; want %s", data[min(len(data), len(file)):], vars, err, want)
		}
	}
}
