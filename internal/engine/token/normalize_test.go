package token

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"hallmark/internal/archtest"
)

// marked are letters that compose, decompose and stack, and marks of several classes.
var marked = []rune("aAeoÅÄéḍ각ㄱ\u1100\u1161\u11a8\u0301\u0323\u0308\u0327\u0345\u0307\u093c\u0915\u0f71\u0f72\u3099かﬁ①ẛ\u1e9b\u2126\ufb2c\u05bc ")

// TestNormalFormsByDefinition: where x/text puts no joiner in, the definition gives its result.
func TestNormalFormsByDefinition(t *testing.T) {
	archtest.OneGoroutine(t)
	r := rand.New(rand.NewPCG(3, 3))
	for range 20_000 {
		word := make([]rune, 1+r.IntN(9))
		for i := range word {
			word[i] = marked[r.IntN(len(marked))]
		}
		for name, form := range forms {
			if got, want := byDefinition(form, string(word)), form.String(string(word)); got != want {
				t.Fatalf("%s of %+q is %+q, want %+q", name, string(word), got, want)
			}
		}
	}
	long := "e" + strings.Repeat("\u0301\u0323", 40)
	if got, want := byDefinition(norm.NFC, long), "\u1eb9"+strings.Repeat("\u0323", 39)+strings.Repeat("\u0301",
		40); got != want {
		t.Errorf("a long run is %+q, want %+q", got, want) // by hand: marks below come before marks above
	}
}

// FuzzParts: cut anywhere, a text of the template's own has the tokens of the whole, and one from outside has no
// special token.
func FuzzParts(f *testing.F) {
	var all []*Tokenizer
	for _, name := range allTokenizers {
		tok, _ := load(f, name)
		all = append(all, tok)
	}
	f.Add("the <|end|> e\u0301 </s> x", 5)
	f.Add("▁▁ <s>\x00\xff <0x41> ﬁ", 3)
	f.Add("  </tool>  <|pad|>", 9)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		if len(text) > 1000 {
			return
		}
		cut = min(max(cut, 0), len(text))
		a, b := strings.ToValidUTF8(text[:cut], "?"), strings.ToValidUTF8(text[cut:], "?")
		for i, tok := range all {
			whole, err := tok.Encode(a + b)
			if err != nil {
				t.Fatal(err)
			}
			parts, err := tok.EncodeParts([]Part{{Text: a}, {Text: b}})
			if err != nil || !slices.Equal(parts, whole) {
				t.Fatalf("%s: %q and %q: %v, in one %v: %v", allTokenizers[i], a, b, parts, whole, err)
			}
			foreign, err := tok.EncodeParts([]Part{{Text: a, Foreign: true}, {Text: b, Foreign: true}})
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range foreign {
				if tok.added[id].Special && id != tok.unknown {
					t.Fatalf("%s: %q has the special token %d", allTokenizers[i], a+b, id)
				}
			}
		}
	})
}
