package token

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// byPattern cuts s as the pattern does, by the general matcher.
func byPattern(t interface{ Fatal(...any) }, pattern, s string) []string {
	re, err := compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	words, err := matches(nil, re, s, time.Now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// Every character there is.
func TestScannersKnowEveryCharacter(t *testing.T) {
	of := func(c class) func(string) bool {
		return func(s string) bool { got, _ := first(s); return got == c }
	}
	for pattern, is := range map[string]func(string) bool{
		`\p{L}`: of(letter), `\p{N}`: of(number), `\s`: of(space), `(?i:s|t|m|d)`: func(s string) bool { return contraction(s, true) > 0 },
	} {
		re, err := compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
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
	text := rapid.StringOfN(rapid.SampledFrom([]rune("aZéßſ世1٣² \t\r\n\u00a0\u3000\u0085'’sStTrReEvVmMlLdD.,!—\u0301\u200b\U0001F600\x00")), 0, 60, -1)
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
	re, err := compile(Qwen2Pattern)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("scanner", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			scanners[Qwen2Pattern].split(nil, text)
		}
	})
	b.Run("regexp2", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := matches(nil, re, text, time.Now().Add(time.Hour)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
