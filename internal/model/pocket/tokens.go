package pocket

import (
	"slices"
	"strings"

	"hallmark/internal/engine/token"
	"hallmark/internal/engine/train"
	"hallmark/internal/model/pocket/incontext"
)

// tokenizer learns the vocabulary from a small corpus of the same mix and lists of words. Answers that are names of
// nothing else (a city, a colour) become one token each. The names of what questions are about must not: names that
// are nowhere else stand in for those of the world, so that an unknown name is not known by its many parts.
func (r Recipe) tokenizer() (*token.Tokenizer, error) {
	m := r.Mix
	m.Exposures = 1
	counts := map[string]int{}
	u := World()
	w := &writer{u: u}
	w.stream("vocabulary")
	marks := strings.NewReplacer(begin, "", end, "")
	var others *strings.Replacer
	for i, d := range u.write(m, r.Seed+1) {
		if i%20 == 0 {
			others = w.renamed()
		}
		for _, p := range d {
			for line := range strings.SplitAfterSeq(others.Replace(marks.Replace(p.text)), "\n") {
				counts[line]++
			}
		}
	}
	for pool, values := range u.pools {
		if pool == "person" || pool == "country" {
			continue
		}
		for _, v := range values {
			counts[" "+v] += wordCount
			counts[capital(v)] += wordCount / 4 // as the first word of a question
		}
	}
	for _, w := range slices.Concat(said().Common, said().Numbers, said().FirstNames, said().Adjectives, said().Nouns) {
		counts[" "+w] += wordCount
	}
	for _, w := range incontext.Words() {
		counts[w] += wordCount
	}
	var texts []token.Text
	for line, n := range counts {
		texts = append(texts, token.Text{Text: line, Count: n})
	}
	slices.SortFunc(texts, func(a, b token.Text) int { return strings.Compare(a.Text, b.Text) })
	added := token.Specials(begin, end)
	for _, m := range incontext.Marks {
		added = append(added, token.Added{Content: m})
	}
	t, err := token.TrainBPE(texts, token.Llama3Pattern, r.Vocabulary, added)
	if err == nil {
		t.Begin(begin) // for other programs; ours has it in every text
	}
	return t, err
}

// renamed returns a replacer that puts a fresh name in the place of every entity's.
func (w *writer) renamed() *strings.Replacer {
	var pairs []string
	for _, e := range entities {
		for _, name := range w.u.names[e.kind] {
			other := w.fresh(e.kind)
			pairs = append(pairs, name, other)
			if e.kind == Person {
				pairs = append(pairs, surname(name), surname(other))
			}
		}
	}
	return strings.NewReplacer(pairs...)
}

// wordCount is how often a listed word counts in the vocabulary's text: enough to become a token.
const wordCount = 400

// pack turns the documents into sequences of whole documents, the first so many or, below 0, all.
func (r Recipe) pack(t *token.Tokenizer, docs []document, most int) ([]train.Sequence, error) {
	var sequences []train.Sequence
	var s train.Sequence
	for i, d := range docs {
		one, err := d.thin(i, r.Thin).encode(t, i)
		if err != nil {
			return nil, err
		}
		if len(s.Tokens) > 0 && len(s.Tokens)+len(one.Tokens) > r.Sequence {
			if sequences, s = append(sequences, s), (train.Sequence{}); len(sequences) == most {
				return sequences, nil
			}
		}
		s.Tokens, s.Weights = append(s.Tokens, one.Tokens...), append(s.Weights, one.Weights...)
		s.Doc = append(s.Doc, one.Doc...)
	}
	return append(sequences, s), nil
}

// thin moves the loss of what is given to one document in so many, as many times higher: on average that is the
// same, and the others need no logits there, which are a good part of the work. At 0 it leaves all as it is.
func (d document) thin(i, many int) document {
	if many == 0 {
		return d
	}
	thin := slices.Clone(d)
	for j, p := range thin {
		switch {
		case p.loss != given:
		case i%many == 0:
			thin[j].loss = given * float32(many)
		default:
			thin[j].loss = 0
		}
	}
	return thin
}

// encode returns the tokens of the document, number i, as a sequence.
func (d document) encode(t *token.Tokenizer, i int) (s train.Sequence, err error) {
	for _, p := range d {
		tokens, err := t.Encode(p.text)
		if err != nil {
			return s, err
		}
		for _, id := range tokens {
			s.Tokens, s.Weights, s.Doc = append(s.Tokens, id), append(s.Weights, p.loss), append(s.Doc, int32(i))
		}
	}
	return s, nil
}

// encodeRules returns a document of examples as a sequence.
func encodeRules(t *token.Tokenizer, parts []incontext.Part) (train.Sequence, error) {
	d := document{{begin, 0}}
	for _, p := range parts {
		d = append(d, piece{p.Text, p.Loss})
	}
	return d.encode(t, 0)
}
