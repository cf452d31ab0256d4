package pocket

import (
	"slices"
	"strings"

	"hallmark/internal/transformer/token"
	"hallmark/internal/transformer/train"
)

// tokenizer learns the vocabulary from a small corpus of the same mix. Names that are nowhere else in it come along
// with those of the world, so that an unknown name is not known by its many parts.
func (r Recipe) tokenizer() (*token.Tokenizer, error) {
	m := r.Mix
	m.Exposures = 4
	counts := map[string]int{}
	for _, d := range World().write(m, r.Seed+1) {
		for _, p := range d {
			for line := range strings.SplitAfterSeq(strings.NewReplacer(begin, "", end, "").Replace(p.text), "\n") {
				counts[line]++
			}
		}
	}
	var texts []token.Text
	for line, n := range counts {
		texts = append(texts, token.Text{Text: line, Count: n})
	}
	slices.SortFunc(texts, func(a, b token.Text) int { return strings.Compare(a.Text, b.Text) })
	return token.TrainBPE(texts, token.GPT2Pattern, r.Vocabulary, token.Specials(begin, end))
}

// pack turns the documents into sequences of whole documents.
func (r Recipe) pack(t *token.Tokenizer, docs []document) ([]train.Sequence, error) {
	var sequences []train.Sequence
	var s train.Sequence
	for i, d := range docs {
		at := len(s.Tokens)
		for _, p := range d {
			tokens, err := t.Encode(p.text)
			if err != nil {
				return nil, err
			}
			for _, id := range tokens {
				s.Tokens, s.Weights, s.Doc = append(s.Tokens, id), append(s.Weights, p.loss), append(s.Doc, int32(i))
			}
		}
		if at > 0 && len(s.Tokens) > r.Sequence { // the last document begins the next sequence
			next := train.Sequence{Tokens: slices.Clone(s.Tokens[at:]), Weights: slices.Clone(s.Weights[at:]), Doc: slices.Clone(s.Doc[at:])}
			sequences = append(sequences, train.Sequence{Tokens: slices.Clip(s.Tokens[:at]), Weights: s.Weights[:at], Doc: s.Doc[:at]})
			s = next
		}
	}
	return append(sequences, s), nil
}
