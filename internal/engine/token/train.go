package token

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Text is part of a training corpus: a text and how often it occurs.
type Text struct {
	Text  string
	Count int
}

// TrainBPE learns a byte-level vocabulary: the added tokens with ids from 0, the 256 bytes, then merges of the
// commonest pair of neighbours within a word (as the pattern splits text: GPT2Pattern, Llama3Pattern, …) until
// there are size tokens or no pair occurs twice. Among equally common pairs the one whose parts come first in
// lexicographic order of their bytes is taken, so the same counts give the same tokenizer in any order of texts.
// Any text can be encoded, also unseen.
func TrainBPE(texts []Text, pattern string, size int, added []Added) (*Tokenizer, error) {
	if size < 256+len(added) {
		return nil, fmt.Errorf("token: vocabulary of %d, want at least %d: 256 bytes and %d added tokens", size,
			256+len(added), len(added))
	}
	vocab := map[string]int32{}
	t := &Tokenizer{file: byteLevel(pattern)}
	t.file.Model.Vocab = vocab
	for i, a := range added {
		if _, ok := vocab[a.Content]; ok || a.Content == "" {
			return nil, fmt.Errorf("token: added token %q is empty or twice", a.Content)
		}
		a.ID = int32(i)
		vocab[a.Content] = a.ID
		t.file.AddedTokens = append(t.file.AddedTokens, a)
	}
	for b := range 256 {
		letter := string(letters[b])
		if _, ok := vocab[letter]; ok {
			return nil, fmt.Errorf("token: added token %q is also a byte's letter", letter)
		}
		vocab[letter] = int32(len(vocab))
	}
	if err := t.finish(); err != nil {
		return nil, fmt.Errorf("token: %w", err)
	}
	counts := map[string]int{}
	for _, x := range texts {
		if x.Count < 0 {
			return nil, errors.New("token: a text with a count below 0")
		}
		pieces, err := t.split(source{text: strings.ToValidUTF8(x.Text, "\uFFFD")}, false)
		if err != nil {
			return nil, err
		}
		for _, p := range pieces {
			counts[p] += x.Count
		}
	}
	for _, m := range learn(counts, size-len(vocab)) {
		a, b := toLetters(m[0]), toLetters(m[1])
		t.file.Model.Merges = append(t.file.Model.Merges, Merge{a, b})
		if id, ok := vocab[a+b]; !ok {
			vocab[a+b] = int32(len(vocab))
		} else if int(id) < len(added) {
			return nil, fmt.Errorf("token: added token %q is also a word of the texts", a+b)
		}
	}
	done := &Tokenizer{file: t.file}
	if err := done.finish(); err != nil {
		return nil, fmt.Errorf("token: %w", err)
	}
	return done, nil
}

// byteLevel is the file of a byte-level tokenizer that splits by a pattern, GPT-2's in ByteLevel's own way.
func byteLevel(pat string) File {
	yes, no := true, false
	own := pat == GPT2Pattern
	level := Component{Type: "ByteLevel", AddPrefixSpace: &no, TrimOffsets: &no, UseRegex: &own}
	post := &Component{Type: "ByteLevel", AddPrefixSpace: &yes, TrimOffsets: &no, UseRegex: &yes}
	if own {
		return File{PreTokenizer: &level, PostProcessor: post, Decoder: post}
	}
	split := Component{Type: "Split", Pattern: &pattern{Regex: pat}, Behavior: "Isolated", Invert: &no}
	both := &Component{Type: "Sequence", Pretokenizers: []Component{split, level}}
	return File{PreTokenizer: both, PostProcessor: post, Decoder: post}
}

// Begin lets a text begin with an added token, as tokenizers of other programs then do by themselves (Template
// tells who has to know). It is false where t has no such token or begins with one already.
func (t *Tokenizer) Begin(content string) bool {
	id, ok := t.ID(content)
	if !ok || len(t.before) > 0 {
		return false
	}
	mark := piece{Special: &pieceBody{ID: content}}
	first, second := piece{Sequence: &pieceBody{ID: "A"}}, piece{Sequence: &pieceBody{ID: "B", Type: 1}}
	parts := t.file.PostProcessor.Flat()
	parts = append(parts, Component{
		Type: "TemplateProcessing", Single: []piece{mark, first}, Pair: []piece{mark, first, second},
		Special: map[string]specialPiece{content: {ID: content, IDs: []int32{id}, Tokens: []string{content}}},
	})
	t.file.PostProcessor, t.before = &Component{Type: "Sequence", Processors: parts}, []int32{id}
	return true
}

// Specials returns added tokens that stand for no text: marks that only the program writes.
func Specials(contents ...string) []Added {
	added := make([]Added, len(contents))
	for i, c := range contents {
		added[i] = Added{Content: c, Special: true}
	}
	return added
}

// learn returns at most n merges of byte strings, best first.
func learn(counts map[string]int, n int) [][2]string {
	type word struct {
		parts []string
		count int
	}
	words := make([]word, 0, len(counts))
	for _, w := range slices.Sorted(maps.Keys(counts)) {
		parts := make([]string, len(w))
		for i := range parts {
			parts[i] = w[i : i+1]
		}
		words = append(words, word{parts, counts[w]})
	}
	pairs := map[[2]string]int{}
	in := map[[2]string]map[int]bool{} // words that have had the pair
	tally := func(i, sign int) {
		w := words[i]
		for j := range len(w.parts) - 1 {
			p := [2]string{w.parts[j], w.parts[j+1]}
			pairs[p] += sign * w.count
			if in[p] == nil {
				in[p] = map[int]bool{}
			}
			in[p][i] = true
		}
	}
	for i := range words {
		tally(i, 1)
	}
	known := map[string]bool{}
	var merges [][2]string
	for made := 0; made < n; {
		var best [2]string
		most := 1
		for p, c := range pairs {
			if c > most || c == most && most > 1 && cmp.Or(cmp.Compare(p[0], best[0]), cmp.Compare(p[1], best[1])) < 0 {
				best, most = p, c
			}
		}
		if most < 2 {
			break
		}
		merges = append(merges, best)
		if whole := best[0] + best[1]; !known[whole] {
			known[whole] = true
			made++
		}
		for i := range in[best] {
			tally(i, -1)
			old := words[i].parts
			parts := old[:0]
			for j := 0; j < len(old); j++ {
				if j+1 < len(old) && old[j] == best[0] && old[j+1] == best[1] {
					parts = append(parts, best[0]+best[1])
					j++
				} else {
					parts = append(parts, old[j])
				}
			}
			words[i].parts = parts
			tally(i, 1)
		}
		delete(pairs, best)
	}
	return merges
}
