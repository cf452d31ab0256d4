package pocket

import (
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
