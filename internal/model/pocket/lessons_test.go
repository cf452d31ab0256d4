package pocket

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/engine/token"
	"hallmark/internal/engine/weights"
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
	if !archtest.Long() { // which writes the corpus once more
		return
	}
	tok, err := token.TrainBPE([]token.Text{{Text: "the sky is blue", Count: 9}}, token.Llama3Pattern, 300,
		token.Specials(begin, end))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lessons(tok, 10, 1); err == nil || !strings.Contains(err.Error(), "its tokens lack ") {
		t.Errorf("a model of another text: %v", err)
	}
}

var update = flag.Bool("update", false, "draw the texts that are held out anew; with HALLMARK_LONG=1")

// What is held out is 500 texts, each once, that the writer of the corpus drew and that have all its kinds. With
// HALLMARK_LONG=1 none is in what the training and lessons of seed 1 read, of which the embedded model is; with
// HALLMARK_LONG=full none in those of the seeds 1 to 4, and few in those of other seeds. With -update they are drawn
// anew.
func TestHeldOut(t *testing.T) {
	mix := Shipped.Mix
	mix.Exposures = 1
	drawn := unmarked(World().write(mix, heldOutSeed))
	long := archtest.Long()
	if long && *update {
		left := drawn
		for name, corpus := range readers(1, 2, 3, 4) {
			known := occurring(left, corpus)
			left = slices.DeleteFunc(slices.Clone(left), func(text string) bool { return known[text] })
			t.Logf("%d of %d texts are left after %s", len(left), len(drawn), name)
		}
		var b bytes.Buffer
		for _, text := range left[:500] {
			line, _ := json.Marshal(map[string]string{"text": text})
			b.Write(append(line, '\n'))
		}
		if err := os.WriteFile("heldout.jsonl", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		heldOutTexts = b.Bytes()
	}
	var texts []string
	for line := range strings.Lines(string(HeldOut())) {
		var row struct{ Text string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(texts, row.Text) || !slices.Contains(drawn, row.Text) {
			t.Errorf("%q comes twice or was not drawn", row.Text)
		}
		texts = append(texts, row.Text)
	}
	if len(texts) != 500 {
		t.Errorf("%d texts, want 500", len(texts))
	}
	if !long {
		return
	}
	seeds := []uint64{1, 2, 3, 4}
	for name, corpus := range readers(seeds[:archtest.Draws(0, 1, 4)]...) {
		for text := range occurring(texts, corpus) {
			t.Errorf("%s: %q", name, text)
		}
	}
	if !archtest.Full() {
		return
	}
	for name, corpus := range readers(5) {
		known := len(occurring(texts, corpus))
		t.Logf("%d of %d texts are in %s", known, len(texts), name)
		if known > len(texts)/10 {
			t.Errorf("%d of %d texts are in %s, want a tenth at most", known, len(texts), name)
		}
	}
}

// readers yields the corpora of the trainings of Shipped and Large and of the lessons with each seed.
func readers(seeds ...uint64) iter.Seq2[string, []document] {
	return func(yield func(string, []document) bool) {
		for _, seed := range seeds {
			if !yield(fmt.Sprintf("training %d", seed), World().write(Shipped.Mix, seed)) ||
				!yield(fmt.Sprintf("the larger training %d", seed), World().write(Large().Mix, seed)) ||
				!yield(fmt.Sprintf("lessons %d", seed), lessonsCorpus(seed)) {
				return
			}
		}
	}
}

// unmarked returns the text, without marks, of every document that is one question with its answer and has no passages,
// each once.
func unmarked(docs []document) []string {
	var texts []string
	seen := map[string]bool{}
	for _, d := range docs {
		text := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(d.string(), begin), end))
		if seen[text] || strings.Count(text, asked) != 1 || slices.ContainsFunc(d, func(p piece) bool {
			return p.loss == passage
		}) {
			continue
		}
		seen[text] = true
		texts = append(texts, text)
	}
	return texts
}

// occurring returns which of the texts, of one question each, are a stretch of a document. Whoever reads one has read
// the line of its question.
func occurring(texts []string, docs []document) map[string]bool {
	byQuestion := map[string][]string{}
	for _, text := range texts {
		q := question(text)
		byQuestion[q] = append(byQuestion[q], text)
	}
	found := map[string]bool{}
	for _, d := range docs {
		whole := d.string()
		for at := strings.Index(whole, asked); at >= 0; {
			for _, text := range byQuestion[question(whole[at:])] {
				if strings.Contains(whole, text) {
					found[text] = true
				}
			}
			next := strings.Index(whole[at+len(asked):], asked)
			if next < 0 {
				break
			}
			at += len(asked) + next
		}
	}
	return found
}

// question is the line of the first question in a text.
func question(text string) string {
	_, rest, _ := strings.Cut(text, asked)
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

func (d document) string() string {
	var b strings.Builder
	for _, p := range d {
		b.WriteString(p.text)
	}
	return b.String()
}

// heldOutSeed is neither a training's nor a lesson's.
const heldOutSeed = 3 << 32
