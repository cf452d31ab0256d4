package report

import (
	"strings"
	"testing"
	"time"
)

// TestWordDiff marks the words that a longest common subsequence leaves over; by hand.
func TestWordDiff(t *testing.T) {
	for _, tt := range []struct{ base, other, wantBase, wantOther string }{
		{"It is Lima, I am sure.", "It is Paris, I am sure.", "It is [Lima,] I am sure.", "It is [Paris,] I am sure."},
		{"Paris", "Paris", "Paris", "Paris"},
		{"", "Paris", "", "[Paris]"},
		{"a b c d", "b d e", "[a] b [c] d", "b d [e]"},
		{"a  b\n c", "a b c", "a b c", "a b c"}, // white space is no word
		{"not known", "known", "[not] known", "known"},
		{"x y x y", "y x y x", "[x] y x y", "y x y [x]"},
		{"首都は東京です", "首都は大阪です", "首都は[東京]です", "首都は[大阪]です"},
		{"esc \x1b[2J \u202eevil", "esc evil", "esc [␛\\[2J ⟨U+202E⟩evil]", "esc [evil]"},
	} {
		a, b := wordDiff(tt.base, tt.other)
		plain := func(s string) string {
			return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "[", "\\[")
		}
		if gotA, gotB := marked(a, "[", "]", plain), marked(b, "[", "]", plain); gotA != tt.wantBase || gotB != tt.wantOther {
			t.Errorf("%q, %q: %q, %q, want %q, %q", tt.base, tt.other, gotA, gotB, tt.wantBase, tt.wantOther)
		}
		back, _ := wordDiff(tt.other, tt.base)
		if n, m := wordsAlike(back), wordsAlike(b); n != m {
			t.Errorf("%q, %q: %d words are alike one way and %d the other", tt.base, tt.other, n, m)
		}
	}
}

// wordsAlike counts the words that are alike.
func wordsAlike(list []piece) (n int) {
	for _, p := range list {
		if !p.Differs {
			n += len(strings.Fields(p.Text))
		}
	}
	return n
}

// TestWordDiffOfLongTexts: what it takes and shows is bounded whatever the texts are, and a difference behind a long
// common beginning is shown.
func TestWordDiffOfLongTexts(t *testing.T) {
	common := strings.Repeat("the same words ", 500)
	a, b := wordDiff(common+"Paris it is", common+"Lima it is")
	if x, y := marked(a, "[", "]", oneLine), marked(b, "[", "]", oneLine); !strings.HasPrefix(x, "… ") ||
		!strings.HasSuffix(x, "the same words [Paris] it is") || !strings.HasSuffix(y, "[Lima] it is") || len(x) > 300 {
		t.Errorf("%q, %q", x, y)
	}
	started := time.Now()
	for _, unit := range []string{"a ", "b", "\u202e", "é", "東", "\x00", " ", "\xff", "a\n"} {
		for _, other := range []string{"", "b ", strings.Repeat("c ", 1<<20), strings.Repeat(unit, 1<<19) + "x"} {
			x, y := wordDiff(strings.Repeat(unit, 1<<20), other)
			for _, list := range [][]piece{x, y} {
				n := 0
				for _, p := range list {
					n += len(p.Text)
				}
				if n > 12*(shownOfBoth+100) { // a character that is made visible takes some 12 bytes
					t.Errorf("%q: %d bytes are shown", unit, n)
				}
			}
		}
	}
	if took := time.Since(started); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}
