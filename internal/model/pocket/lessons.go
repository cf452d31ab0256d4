package pocket

import (
	_ "embed"
	"fmt"

	"hallmark/internal/engine/token"
	"hallmark/internal/engine/train"
	"hallmark/internal/model/pocket/incontext"
)

// Lessons returns n sequences of text such as the built-in model was trained on, drawn anew: in five, four of the
// corpus and one of examples of classification, in tokens of t. They are for methods that go on training it, or a
// model trained as it was, or change it and let it learn again. The error says what t lacks if it is of no such
// model.
func Lessons(t *token.Tokenizer, n int, seed uint64) ([]train.Sequence, error) {
	for _, mark := range append([]string{begin, end}, incontext.Marks...) {
		if _, ok := t.ID(mark); !ok {
			return nil, fmt.Errorf("its tokens lack %s, which text of the built-in model has; want a model that "+
				"`model train pocket` made", mark)
		}
	}
	corpus, err := Shipped.pack(t, lessonsCorpus(seed), n)
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

// lessonsCorpus is what Lessons draws from, beside the examples of classification.
func lessonsCorpus(seed uint64) []document {
	mix := Shipped.Mix
	mix.Exposures = min(mix.Exposures, 40)
	return World().write(mix, seed+lessonsSeed)
}

// HeldOut returns 500 texts for a perplexity, a line {"text": …} each: questions with their answers such as the
// built-in model was trained on, without marks and without passages of made-up names, which no model can foretell.
// None is in the text of a training of Shipped or Large, or of Lessons, with a seed from 1 to 4. The facts are
// those of every training, and there are only so many ways to ask for one, so that the text of another seed has
// some by chance (TestHeldOut counts them).
func HeldOut() []byte { return heldOutTexts }

//go:embed heldout.jsonl
var heldOutTexts []byte

// lessonsSeed is far from the seeds of trainings, whose text is another.
const lessonsSeed = 1 << 32
