package token

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"pgregory.net/rapid"

	"hallmark/internal/archtest"
)

// byPattern cuts s as the pattern does, by another program's general matcher.
func byPattern(t interface{ Fatal(...any) }, pattern, s string) (out []string) {
	re, err := regexp2.Compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	runes, at := []rune(s), 0
	add := func(to int) {
		if to > at {
			out = append(out, string(runes[at:to]))
		}
		at = to
	}
	if err := re.FindRunesMatches(runes, 0, func(m regexp2.MatchView) bool {
		from, length, _ := m.GroupRange(0)
		if length > 0 {
			add(from)
			add(from + length)
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	add(len(runes))
	return out
}

// byMatcher cuts s as the pattern does, by the matcher that reads files' patterns.
func byMatcher(t interface{ Fatal(...any) }, pattern, s string) []string {
	m, err := compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	work := textWork + len(s)*charWork
	out, err := m.split(nil, s, &work)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// published are the patterns of tokenizers that are in use, by the name of one that has it.
var published = map[string]string{
	"gpt2":                  GPT2Pattern,
	"qwen2":                 Qwen2Pattern, // and qwen3, deepseek's distilled ones
	"llama3":                Llama3Pattern,
	"deepseek":              `\s?\p{L}+`,
	"deepseek, punctuation": `\s?\p{P}+`,
	"deepseek, lines":       `[\r\n]`,
	"deepseek, characters":  `[一-龥ࠀ-一가-퟿]+`,
	"deepseek-v3": `[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_` + "`" +
		`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
	"o200k": `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
	"tekken": `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|` +
		`\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
	"falcon": "[0-9][0-9][0-9]",
	"phi":    `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
	"spaces": ` +(?= )|\d\w`,
	"greedy": `a*|(a|ab)(c|bcd)|x{2,3}?|(\s\S)?é`,
}

// TestMatcher: files' patterns cut as the general matcher does that the tokenizers' own is like.
func TestMatcher(t *testing.T) {
	archtest.OneGoroutine(t)
	text := rapid.StringOfN(rapid.SampledFrom([]rune("aabcdxxZéßſ世가1٣² ..  \t\r\n"+
		"\u00a0\u3000\u0085\u200b'’sStTrReEvVmMlLdDǅʰ.,!—…।(|)\u0301\u200b\U0001F600\x00/_")), 0, 60, -1)
	for name, pattern := range published {
		rapid.Check(t, func(t *rapid.T) {
			s := text.Draw(t, "text")
			if got, want := byMatcher(t, pattern, s), byPattern(t, pattern, s); !slices.Equal(got, want) {
				t.Fatalf("%s of %q: %q, want %q", name, s, got, want)
			}
		})
	}
}

// TestClasses: every character, in every class that is written out; beyond those that are in use one in a hundred.
func TestClasses(t *testing.T) {
	archtest.OneGoroutine(t)
	for class, of := range map[string][]string{
		`\s`: {`\s`, `[\s]`, `[^\S]`, `(?:[^\S])`}, `\S`: {`\S`, `[\S]`, `[^\s]`}, `\d`: {`\d`, `[\d]`, `[^\D]`},
		`\D`: {`\D`, `[\D]`, `[^\d]`},
		`\w`: {`\w`, `[\w]`}, `\W`: {`\W`, `[^\w]`},
	} {
		re := regexp2.MustCompile(class)
		var ours []*matcher
		for _, pattern := range of {
			m, err := compile(pattern)
			if err != nil {
				t.Fatal(err)
			}
			ours = append(ours, m)
		}
		for r := rune(0); r <= utf8.MaxRune; r++ {
			if r > 0x20000 {
				r += 100
			}
			want, _ := re.MatchString(string(r))
			for i, m := range ours {
				if utf8.ValidRune(r) && m.re.MatchString(string(r)) != want {
					t.Fatalf("%s matches %U: %v, want %v", of[i], r, !want, want)
				}
			}
		}
	}
}

// TestPatternRefused: what a pattern has that is not computed is said in one line when the file is read.
func TestPatternRefused(t *testing.T) {
	for pattern, want := range map[string]string{
		`a?+b`: `possessive quantifier "?+"`, `\p{L}++`: `possessive quantifier "++"`, `^a`: "anchor", `a$`: "anchor",
		`(?<=a)b`: "group", `(?<x>a)`: "group",
		`(?!a)b`: "look ahead", `(?:a(?!b))c`: "look ahead", `a(?!bc)`: "look ahead", `(a)\1`: `\1`, `\bword`: `\b`,
		`[a-z-[aeiou]]`: "in a class", `[a&&b]`: "in a class", `[[:alpha:]]`: "in a class", ` ?[^(\s|[.,!?])]+`: "in a class",
		`(?>a)`: "group", "a(\n": "missing closing )", `[\W]`: "in a class", `a{,3}`: "least number",
		`\p{Nonsense}`: "invalid character class", `\p{L`: "without its end", `[a`: "without its end", `\`: "backslash",
		`(a{1000}){1000}`: "repeat", strings.Repeat(`\p{L}{100}`, 100): "instructions",
		strings.Repeat("a", maxPattern+1): "want at most", `(?s:.)`: "group", `[]a]`: "begins with its end",
		`[z-a]`: "invalid character class range",
	} {
		_, err := compile(pattern)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") ||
			len(err.Error()) > 300 {
			t.Errorf("%.40q: %v, want %q", pattern, err, want)
		}
	}
}

// FuzzPattern: no pattern breaks the translation, and one that is taken by both cuts no text in other places than its
// whole pieces.
func FuzzPattern(f *testing.F) {
	for _, pattern := range published {
		f.Add(pattern, "It's 1234 O'CLOCK,\r\n \n  \t don'T \u00a0\u00a0x")
	}
	f.Fuzz(func(t *testing.T, pattern, s string) {
		m, err := compile(pattern)
		if err != nil {
			return
		}
		work := textWork + len(s)*charWork
		if out, err := m.split(nil, s, &work); err == nil && strings.Join(out, "") != s {
			t.Fatalf("%q of %q: %q", pattern, s, out)
		}
	})
}

// Every character there is.
func TestScannersKnowEveryCharacter(t *testing.T) {
	archtest.OneGoroutine(t)
	of := func(c class) func(string) bool {
		return func(s string) bool { got, _ := first(s); return got == c }
	}
	for pattern, is := range map[string]func(string) bool{
		`\p{L}`: of(letter), `\p{N}`: of(number), `\s`: of(space), `(?i:s|t|m|d)`: func(s string) bool {
			return contraction(s, true) > 0
		},
	} {
		re := regexp2.MustCompile(pattern)
		for r := range rune(utf8.MaxRune + 1) {
			if !utf8.ValidRune(r) {
				continue
			}
			if want, err := re.MatchString(string(r)); err != nil {
				t.Fatal(err)
			} else if is(string(r)) != want {
				t.Errorf("%s matches %U: %v, want %v", pattern, r, !want, want)
			}
		}
	}
}

// Texts of the characters that matter to the patterns.
func TestScannersAreThePatterns(t *testing.T) {
	text := rapid.StringOfN(rapid.SampledFrom([]rune("aZéßſ世1٣² "+
		"\t\r\n\u00a0\u3000\u0085'’sStTrReEvVmMlLdD.,!—\u0301\u200b\U0001F600\x00")), 0, 60, -1)
	for pattern, c := range scanners {
		rapid.Check(t, func(t *rapid.T) {
			s := text.Draw(t, "text")
			if got, want := c.split(nil, s), byPattern(t, pattern, s); !slices.Equal(got, want) {
				t.Fatalf("%s of %q: %q, want %q", pattern, s, got, want)
			}
		})
	}
}

func FuzzScanners(f *testing.F) {
	f.Add("It's 1234 O'CLOCK,\r\n \n  \t don'T \u00a0\u00a0x")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "\uFFFD")
		for pattern, c := range scanners {
			if got, want := c.split(nil, s), byPattern(t, pattern, s); !slices.Equal(got, want) {
				t.Fatalf("%s of %q: %q, want %q", pattern, s, got, want)
			}
		}
	})
}

// The scanner beside the general matcher.
func BenchmarkSplit(b *testing.B) {
	text := strings.Repeat("The author of The Lonely Tower is Rosa Ralel, who didn't say so in 1987.\n\n", 1000)
	m, err := compile(Qwen2Pattern)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("scanner", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			scanners[Qwen2Pattern].split(nil, text)
		}
	})
	for name, pattern := range published {
		m, err := compile(pattern)
		if err != nil {
			b.Fatal(err)
		}
		work := textWork + len(text)*charWork
		if _, err := m.split(nil, text, &work); err != nil {
			b.Fatal(err)
		}
		b.Logf("%s: %d instructions, %d for each byte", name, m.instructions, (textWork+len(text)*charWork-work)/len(text))
	}
	b.Run("matcher", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			work := textWork + len(text)*charWork
			if _, err := m.split(nil, text, &work); err != nil {
				b.Fatal(err)
			}
		}
	})
}
