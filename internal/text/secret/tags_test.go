package secret_test

import (
	"strings"
	"testing"

	"hallmark/internal/text/secret"
)

// BenchmarkTags: what a text without a key costs where tags are looked for between its letters: nothing but a look for
// their first byte, where it holds none.
func BenchmarkTags(b *testing.B) {
	for name, text := range map[string]string{
		"words": "An answer of words, as most are. ", "two bytes": "Ответ словами, как почти все. ",
		"three bytes": "言葉による答え。", "four bytes": "👍🎉 ",
		"tags": "a\U000E0041b\U000E0042 ",
	} {
		text = strings.Repeat(text, 1<<20/len(text))
		b.Run(name, func(b *testing.B) {
			r := secret.New(key)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Text(text)
			}
		})
	}
}
