package pocket

import (
	"hallmark/internal/pocket/incontext"
	"hallmark/internal/transformer/train"
	"hallmark/internal/transformer/weights"
)

// Lessons returns n sequences of text such as the built-in model was trained on, drawn anew: in five, four of the corpus and one of
// examples of classification. They are for methods that go on training it, or change it and let it learn again.
func Lessons(n int, seed uint64) ([]train.Sequence, error) {
	folder, err := weights.Load(Weights())
	if err != nil {
		return nil, err
	}
	mix := Shipped.Mix
	mix.Exposures = min(mix.Exposures, 40)
	corpus, err := Shipped.pack(folder.Tokenizer, World().write(mix, seed+lessonsSeed))
	if err != nil {
		return nil, err
	}
	rules := incontext.NewWriter(Shipped.Stages, seed+lessonsSeed)
	var all []train.Sequence
	for i := range n {
		s := corpus[(i-i/5)%len(corpus)]
		if i%5 == 4 {
			if s, err = encodeRules(folder.Tokenizer, rules.Document(1)); err != nil {
				return nil, err
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// lessonsSeed is far from the seeds of trainings, whose text is another.
const lessonsSeed = 1 << 32
