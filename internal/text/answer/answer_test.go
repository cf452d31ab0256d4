package answer

import (
	"strings"
	"testing"

	"unicode/utf8"

	"hallmark/internal/archtest"

	"pgregory.net/rapid"
)

func TestWords(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"Paris", "paris"},
		{"  The   Eiffel\tTower. ", "eiffel tower"},
		{`"Paris!"`, "paris"},
		{"“The Who”", "who"},
		{`"yes" or "no"`, `"yes" or "no"`},
		{"'tis", "'tis"},
		{"?!", "?!"},
		{"...", "..."},
		{`""`, `""`},
		{"", ""},
		{" \n\u2003", ""},
		{"The", "the"},
		{"the the", "the the"},
		{"A team", "team"},
		{"The A team", "the a team"}, // "a" is no other word, so "the" stays; dropping both would meet "team"
		{"A + B", "a + b"},
		{"Vitamin A", "vitamin a"},
		{"vitamin", "vitamin"},
		{"C#", "c#"},
		{"C.", "c"},
		{"10²", "10²"},
		{"102", "102"},
		{"U.S.", "u.s"},
		{"1,000", "1,000"},
		{"-5", "-5"},
		{"STRASSE", "strasse"},
		{"Straße", "strasse"},
		{"Cafe\u0301", "caf\u00e9"},
		{"CAFÉ", "café"},
		{"ΣΊΣΥΦΟΣ", "σίσυφοσ"},
		{"an\u00a0apple", "apple"},
		{"« Les Misérables »", "les misérables"},
		{"\xff", "\uFFFD"},
	} {
		if got := Words(tt.in); got != tt.want {
			t.Errorf("Words(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestChoice(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"B", "b"}, {"(b)", "b"}, {"**B.**", "b"}, {`\boxed{B}`, "b"}, {"B. Paris", "b"}, {"(B) Paris", "b"},
		{"B) Paris", "b"},
		{"The answer is (C).", "c"}, {"Answer: C", "c"}, {"I first thought option A, but the answer is D", "d"},
		{"answer: **B**", "b"},
		{"the answer is a dog", "answer is a dog"}, {"Paris.", "paris"}, {"A Tale of Two Cities", "tale of two cities"},
		{"«b) x»", "b"},
	} {
		if got := Normalize(Choice, tt.in); got != tt.want {
			t.Errorf("Normalize(Choice, %q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestFormsAreFixedPoints(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune(`aAtThe n10.,;:!?"'“”«» 	²½/^-e$%\{}()#x`+
		"\u00a0\u0301\u0345ßıİſ"))))
	rapid.Check(t, func(t *rapid.T) {
		s := texts.Draw(t, "s")
		for _, rel := range []Relation{Exact, Normalized, Numeric, Choice} {
			form := Normalize(rel, s)
			if again := Normalize(rel, form); again != form {
				t.Fatalf("%s: %q -> %q -> %q", rel, s, form, again)
			}
		}
	})
}

// Hostile text takes time linear in its size: a megabyte takes seconds at most, and in quadratic time would run into
// the limit of go test.
func TestHostileTextIsCheap(t *testing.T) {
	archtest.OneGoroutine(t)
	for _, unit := range []string{"9", "9,", "9 ", "1/", `"`, "'\"", "\\boxed{", "\\frac{1}", "####", "answer is (", "²",
		"the ", "1,23,", "(", "1e", "é"} {
		s := strings.Repeat(unit, 1<<18/len(unit))
		for _, rel := range []Relation{Normalized, Numeric, Choice} {
			Normalize(rel, s)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for _, s := range []string{"The answer is 3.5.", "\"Paris\"", "1,234", `\boxed{\frac{1}{2}}`, "1e999999999", "½",
		"«b) x»", "\xff", "A", "the the", "1 1/2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, rel := range []Relation{Exact, Normalized, Numeric, Choice} {
			form := Normalize(rel, s)
			if again := Normalize(rel, form); again != form {
				t.Errorf("%s: %q -> %q -> %q", rel, s, form, again)
			}
			if rel != Exact && !utf8.ValidString(form) {
				t.Errorf("%s: %q gives invalid UTF-8", rel, s)
			}
			if rel != Numeric && rel != Choice && (form == "") != (strings.TrimSpace(s) == "") {
				t.Errorf("%s: %q gives %q", rel, s, form)
			}
		}
	})
}
