package prompt

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// fill does what a strings.Replacer does.
func TestFill(t *testing.T) {
	piece := rapid.SampledFrom([]string{"{question}", "{choices}", "{topic}", "{", "}", "question}", "{question", "x",
		"\n", "é"})
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "parts"), "") })
	rapid.Check(t, func(t *rapid.T) {
		pattern := text.Draw(t, "pattern")
		texts := []string{questionMark, text.Draw(t, "question"), choicesMark, text.Draw(t, "choices"), topicMark,
			text.Draw(t, "topic")}
		if got, want := fill(pattern, texts...), strings.NewReplacer(texts...).Replace(pattern); got != want {
			t.Errorf("%q gives %q, want %q", pattern, got, want)
		}
	})
}
