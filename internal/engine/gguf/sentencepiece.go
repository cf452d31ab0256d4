package gguf

import (
	"fmt"
	"strings"

	"hallmark/internal/engine/token"
)

// sentencePiece reads a vocabulary of the kind llama.
func (v *vocabulary) sentencePiece(steps []token.Component) error {
	if err := v.spaces(steps); err != nil {
		return err
	}
	for b := range 256 {
		id, ok := v.ids[fmt.Sprintf("<0x%02X>", b)]
		if !ok || !v.file.Model.ByteFallback {
			return fmt.Errorf("model.byte_fallback is %v and token <0x%02X> there: %v; llama.cpp needs the 256 "+
				"tokens of bytes for text that no token spells", v.file.Model.ByteFallback, b, ok)
		}
		v.types[id] = tokenByte
	}
	v.score()
	return nil
}

// spaces finds out how spaces are written and whether one comes before a text.
func (v *vocabulary) spaces(steps []token.Component) error {
	escaped := false
	v.noPrefix = true
	for _, n := range v.file.Normalizer.Flat() {
		switch {
		case n.Type == "Prepend" && *n.Prepend == metaspace:
			v.noPrefix = false
		case n.Type == "Replace" && n.Pattern.String == " " && *n.Content == metaspace:
			escaped = true
		case !v.form(n):
			return fmt.Errorf("normalizer %s: llama.cpp has no place for it; it puts %q before a text and for spaces",
				n.Type, metaspace)
		}
	}
	for _, s := range steps {
		if s.Type != "Metaspace" {
			return fmt.Errorf("pre_tokenizer %s: llama.cpp splits no text of a vocabulary like SentencePiece's", s.Type)
		}
		escaped = s.Replacement == metaspace
		v.noPrefix = s.PrependScheme == "never" || s.PrependScheme == "" && !yes(s.AddPrefixSpace)
		if !v.noPrefix {
			v.warn("llama.cpp puts a space before a text that begins with one, too; the tokenizer does not")
		}
		if s.PrependScheme == "first" {
			v.warn("llama.cpp puts a space before the text after each special token, the tokenizer at the " +
				"beginning alone")
		}
		if yes(s.SplitSpaces) {
			for text, id := range v.file.Model.Vocab {
				if v.types[id] == tokenNormal && strings.Contains(strings.TrimLeft(text, metaspace), metaspace) {
					return fmt.Errorf("pre_tokenizer: Metaspace splits at spaces, but the token %q has one "+
						"inside, which llama.cpp would use", text)
				}
			}
		}
	}
	if !escaped {
		return fmt.Errorf("spaces are not written as %q, as llama.cpp wants them", metaspace)
	}
	return nil
}

// score gives each token the rank of the first merge that makes it, below zero: llama.cpp joins the neighbours
// whose union scores highest. It joins any two that spell a token, though, where the tokenizer joins those that it
// has a merge for, so the two agree if there is a merge for each way to part a token in two; as in all vocabularies
// that come from SentencePiece.
func (v *vocabulary) score() {
	merges := make(map[token.Merge]bool, len(v.file.Model.Merges))
	v.scores = make([]float32, len(v.tokens))
	last, again, example := "", 0, ""
	made := map[string]bool{}
	for rank, m := range v.file.Model.Merges {
		merges[m] = true
		whole := m[0] + m[1]
		if !made[whole] {
			made[whole] = true
			v.scores[v.ids[whole]] = -float32(rank + 1)
		} else if whole != last {
			again, example = again+1, whole
		}
		last = whole
	}
	missing := 0
	for id, text := range v.tokens {
		if v.types[id] != tokenNormal {
			continue
		}
		for at := range text {
			a, okA := v.ids[text[:at]]
			b, okB := v.ids[text[at:]]
			if okA && okB && v.types[a] == tokenNormal && v.types[b] == tokenNormal &&
				!merges[token.Merge{text[:at], text[at:]}] {
				if missing++; example == "" {
					example = text
				}
			}
		}
	}
	if missing+again > 0 {
		v.warn("llama.cpp will put together some words otherwise: %d ways to part a token, such as %q, have no "+
			"merge, and %d merges are not ranked by what they make", missing, example, again)
	}
}
