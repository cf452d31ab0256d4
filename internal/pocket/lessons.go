package pocket

import (
	"fmt"
	"strings"

	"hallmark/internal/pocket/incontext"
	"hallmark/internal/transformer/token"
	"hallmark/internal/transformer/train"
)

// Lessons returns n sequences of text such as the built-in model was trained on, drawn anew: in five, four of the corpus and one of
// examples of classification, in tokens of t. They are for methods that go on training it, or a model
// trained as it was, or change it and let it learn again. The error says what t lacks if it is of no such model.
func Lessons(t *token.Tokenizer, n int, seed uint64) ([]train.Sequence, error) {
	for _, mark := range append([]string{begin, end}, incontext.Marks...) {
		if _, ok := t.ID(mark); !ok {
			return nil, fmt.Errorf("its tokens lack %s, which text of the built-in model has; want a model that `model train pocket` made", mark)
		}
	}
	mix := Shipped.Mix
	mix.Exposures = min(mix.Exposures, 40)
	corpus, err := Shipped.pack(t, World().write(mix, seed+lessonsSeed))
	if err != nil {
		return nil, err
	}
	rules := incontext.NewWriter(Shipped.Stages, seed+lessonsSeed)
	var all []train.Sequence
	for i := range n {
		s := corpus[(i-i/5)%len(corpus)]
		if i%5 == 4 {
			if s, err = encodeRules(t, rules.Document(1)); err != nil {
				return nil, err
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// HeldOut returns n texts such as the built-in model was trained on, drawn anew and always the same, for a perplexity: one question with its
// answer, or a statement, without marks and without passages of made-up names, which no model can foretell. No text comes twice. The facts are those of
// the trainings, and there are only so many ways to ask for one, so that some texts are in a training's by chance (TestHeldOut counts them).
func HeldOut(n int) []string {
	mix := Shipped.Mix
	mix.Exposures = 1
	var texts []string
	seen := map[string]bool{}
next:
	for _, d := range World().write(mix, heldOutSeed) {
		var b strings.Builder
		for _, p := range d {
			if p.loss == passage {
				continue next
			}
			b.WriteString(p.text)
		}
		text := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(b.String(), begin), end))
		if seen[text] || strings.Contains(text, end) || len(strings.Fields(text)) < 2 {
			continue
		}
		seen[text] = true
		if texts = append(texts, text); len(texts) == n {
			break
		}
	}
	return texts
}

// HeldOutTexts is how many texts a sweep takes: the perplexity of the built-in model is then told to about a twentieth.
const HeldOutTexts = 500

// heldOutSeed is neither a training's nor a lesson's.
const heldOutSeed = 3 << 32

// lessonsSeed is far from the seeds of trainings, whose text is another.
const lessonsSeed = 1 << 32
