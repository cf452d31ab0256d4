package secret

import (
	"fmt"
	"strings"
	"testing"
)

// TestMarked has keys, also short ones and such of words, with markup between their characters, as who takes that away
// reads them.
func TestMarked(t *testing.T) {
	for _, key := range []string{"x7Kp2Qz9", "correct-horse-battery-staple-extended-1", "sk-Zq7Xw2Lm9Tk4Vb8Nc3"} {
		r := New(key)
		for name, text := range map[string]string{
			"bold":           strings.Join(strings.Split(key, ""), "**"),
			"code":           "It is " + between(key, "`") + ".",
			"struck through": between(key, "~~"),
			"tags":           wrapped(key, "<b>", "</b>"),
			"tag with >":     wrapped(key, `<i title="a>b">`, "</i>"),
			"overstruck":     struckOver(key),
			"stroked":        wrapped(key, "", "\u0336"),
			"wide":           between(key, `\0`),
			"no width":       between(key, "\U0001bca0"),
			"title":          between(key, "\x1bkt\x1b\\"),
			"saved":          wrapped(key, "\x1b7", "\x1b8"),
			"string":         wrapped(key, "\x1bP1$r\x1b\\", ""),
			"high":           wrapped(key, "\u009b0m", "\u0084"),
			"high string":    wrapped(key, "\u009d0;t\u009c", ""),
			"terminal":       wrapped(key, "\x1b[31m", "\x1b(B"),
		} {
			if got := r.Text(text); got == text || strings.Contains(got, key[4:]) {
				t.Errorf("%s, %s: %q", key, name, got)
			}
		}
		if text := "2 * 3 < 4 and 5 ** 6 > 7, ~8, `x7Kp` <b>2Qz</b>"; r.Text(text) != text {
			t.Errorf("%s: %q", key, r.Text(text))
		}
	}
	const short = "aB3xK9mQ2z"
	if got := New(short).Text(between(short, " ")); got != Mark {
		t.Errorf("a short one: %q", got)
	}
	const key = "sk-Zq7Xw2Lm9Tk4Vb8Nc3"
	echoed, braced := "", ""
	cast, basic := "", ""
	for _, c := range key {
		cast, basic = cast+fmt.Sprintf("(char)0x%x + ", c), basic+fmt.Sprintf("Chr(&H%X) & ", c)
		echoed, braced = echoed+fmt.Sprintf(`\0%03o`, c), braced+fmt.Sprintf(`\o{%o}`, c)
	}
	for name, text := range map[string]string{"one control": wrapped(key, "\u009b31m", ""),
		"entity of two": between(key, "&ThickSpace;"), "octal of echo": echoed, "octal in braces": braced, "casts": cast,
		"BASIC": basic} {
		if got := New(key).Text(text); got == text {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// struckOver is a text as pages of manuals have what is bold.
func struckOver(s string) (out string) {
	for _, c := range s {
		out += string(c) + "\b" + string(c)
	}
	return out
}

func between(s, mark string) string { return strings.Join(strings.Split(s, ""), mark) }

func wrapped(s, before, after string) string {
	return before + strings.Join(strings.Split(s, ""), after+before) + after
}

// TestSpreadOverPlaces has a key in parts that stand in strings of different places, one behind the other.
func TestSpreadOverPlaces(t *testing.T) {
	const key = "sk-Zq7Xw2Lm9Tk4Vb8Nc3"
	r := New(key)
	long := strings.Repeat("lorem ipsum ", 40)
	for _, body := range []string{
		`{"content": "sk-Zq7Xw2L", "reasoning": "m9Tk4Vb8", "refusal": "Nc3"}`,
		`{"a": {"b": "` + long + `sk-Zq7Xw2L"}, "c": {"d": "m9Tk4Vb8Nc3` + long + `"}}`,
		`{"x": [["p", "sk-Zq7Xw2L", "q"], ["p", "m9Tk4Vb8", "q"], ["p", "Nc3", "q"]]}`,
		`{"x": {"y": "s"}, "k": [{"z": "k-Z"}, {"q": "q7Xw2Lm"}], "l": "9Tk4Vb8Nc3"}`,
	} {
		if !r.Spread([]byte(body)) {
			t.Errorf("not found in %s", body)
		}
	}
	for _, body := range []string{`{"content": "` + long + `", "model": "m9Tk4", "id": "sk-Zq7Xw"}`,
		`{"a": "` + long + `", "b": "` + long + `"}`} {
		if r.Spread([]byte(body)) {
			t.Errorf("found in %s", body)
		}
	}
}
