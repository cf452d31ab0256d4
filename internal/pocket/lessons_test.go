package pocket

import (
	"slices"
	"strings"
	"testing"

	"hallmark/internal/transformer/token"
	"hallmark/internal/transformer/weights"
)

// Lessons are in the tokens of the model that learns from them; one that lacks the corpus's marks is refused by name.
func TestLessons(t *testing.T) {
	folder, err := weights.Load(Weights())
	if err != nil {
		t.Fatal(err)
	}
	a, err := Lessons(folder.Tokenizer, 10, 1)
	if err != nil || len(a) != 10 || len(a[0].Tokens) < 2 {
		t.Fatalf("%d sequences; %v", len(a), err)
	}
	tok, err := token.TrainBPE([]token.Text{{Text: "the sky is blue", Count: 9}}, token.Llama3Pattern, 300, token.Specials(begin, end))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lessons(tok, 10, 1); err == nil || !strings.Contains(err.Error(), "its tokens lack ") {
		t.Errorf("a model of another text: %v", err)
	}
}

// What is held out is as many plain texts as were asked for, each once, always the same, and few of a lesson's.
func TestHeldOut(t *testing.T) {
	texts := HeldOut(HeldOutTexts)
	if len(texts) != HeldOutTexts || !slices.Equal(texts[:100], HeldOut(100)) {
		t.Fatalf("%d texts", len(texts))
	}
	mix := Shipped.Mix
	mix.Exposures = 40
	var other strings.Builder
	for _, d := range World().write(mix, 1+lessonsSeed) {
		for _, p := range d {
			other.WriteString(p.text)
		}
	}
	lessons, seen, known := other.String(), map[string]bool{}, 0
	for _, text := range texts {
		if seen[text] || strings.Contains(text, "<|") || len(strings.Fields(text)) < 2 {
			t.Errorf("%q", text)
		}
		seen[text] = true
		if strings.Contains(lessons, text) {
			known++
		}
	}
	t.Logf("%d of %d texts are in a lesson too; the first: %q", known, len(texts), texts[:5])
	if known > len(texts)/2 {
		t.Errorf("%d of %d texts are in a lesson too", known, len(texts))
	}
}
