package paraphrase

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func texts(cs []Candidate) (out []string) {
	for _, c := range cs {
		out = append(out, c.Text)
	}
	return out
}

// What each kind of rule makes, to the letter: the first few.
func TestRules(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"What is the capital of France?", []string{"Name the capital of France.", "State the capital of France.",
			"What is the capital city of France?", "Give the capital of France.", "Tell me the capital of France.",
			"What's the capital of France?", "Tell me what the capital of France is."}},
		{"Who wrote Hamlet?", []string{"Tell me who wrote Hamlet.", "Can you tell me who wrote Hamlet?",
			"Please say who wrote Hamlet."}},
		{"When was the Eiffel Tower built?", []string{"Tell me when the Eiffel Tower was built.",
			"Can you tell me when the Eiffel Tower was built?"}},
		{"When did the Korean War end?", []string{"Tell me when the Korean War ended."}},
		{"Where does the river Po begin?", []string{"Tell me where the river Po begins."}},
		{"Is it true that ice floats?", []string{"Is it correct that ice floats?"}},
		{"Is there water on Mars?", []string{"Tell me whether there is water on Mars."}},
		{"Name the capital of Peru.", []string{"What is the capital of Peru?",
			"Can you tell me what the capital of Peru is?"}},
		{"Name the planets of the sun.", []string{"Give the planets of the sun."}},
		{"How much is 3 plus 4?", []string{"What is 3 plus 4?"}},
		{"He has 3 dogs. How many people live in the house?", []string{"He has 3 dogs. Tell me how many people live in " +
			"the house."}},
		{"Hamlet was written by William Shakespeare.", []string{"William Shakespeare wrote Hamlet."}},
		{"The bridge was opened in 1932.", []string{"In 1932, the bridge was opened."}},
		{"In 1932, the bridge was opened.", []string{"The bridge was opened in 1932."}},
		{"The war took place because of trade.", []string{"The war happened because of trade.",
			"The war took place due to trade.", "The war happened due to trade."}},
		{"\\frac{1}{2} of it", nil},
		{"Blue.", nil},
		{" ", nil},
		{strings.Repeat("What is it? ", 2000), nil},
	} {
		if got := texts(Rules(tt.text, len(tt.want))); !cmp.Equal(got, tt.want) {
			t.Errorf("%.60q: %q, want %q", tt.text, got, tt.want)
		}
	}
	if got := Rules("Blue.", 5); len(got) != 0 {
		t.Errorf("a word became %q", got)
	}
}

// A larger number only adds, and nothing stands twice.
func TestRulesOnlyAdd(t *testing.T) {
	const text = "What is the biggest city of Italy?"
	all := texts(Rules(text, 1000))
	if len(all) < 40 {
		t.Errorf("%d ways to ask", len(all))
	}
	for n := range all {
		if !slices.Equal(texts(Rules(text, n)), all[:n]) {
			t.Fatalf("the first %d differ", n)
		}
	}
	seen := map[string]bool{Normal(text): true}
	for _, c := range all {
		if seen[Normal(c)] {
			t.Errorf("%q stands twice", c)
		}
		seen[Normal(c)] = true
	}
}

// A look at what the rules do: RULES='a text' go test -run TestLook -v.
func TestLook(t *testing.T) {
	text := os.Getenv("RULES")
	if text == "" {
		t.Skip("RULES holds no text")
	}
	c := NewChecker(text)
	for _, r := range Rules(text, 60) {
		reason, why := c.Check(r.Text)
		t.Logf("%-22s %-10s %s %s", r.Rule, reason, r.Text, why)
	}
}

func FuzzRules(f *testing.F) {
	for _, s := range []string{"What is the capital of France?", "In 1932, the bridge was opened.",
		"It's what's there, isn't it?", "ſ is the ß of Ω? İ am.", "Who's \xff there\x00?",
		"He was. \"What is it?\" he didn't say, because of a lot of movies."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cs := Rules(text, 50)
		c := NewChecker(text)
		for i, r := range cs {
			if Normal(r.Text) == Normal(text) || r.Text == "" {
				t.Errorf("candidate %d of %q is %q", i, text, r.Text)
			}
			c.Check(r.Text)
		}
	})
}
